package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// spareHeap is how many bytes of garbage there may be beside a small heap.
	spareHeap = 1536 << 20
	// lazyPercent is the most that garbage may take of what is in use, in percent.
	lazyPercent = 400
)

// gcPercent is how much garbage, in percent of the bytes in use, is left to lie.
func gcPercent(live uint64) int {
	p := lazyPercent
	if live > 0 {
		p = int(min(spareHeap*100/live, lazyPercent))
	}
	return max(p/10*10, 100)
}

// collectLazily has garbage collected seldom while little memory is in use: gen-rules
// makes much of it, and the collector took a fifth of the time. It returns what ends
// that. GOGC in the environment is obeyed. limit is the number of bytes that the collector
// keeps memory below, as far as what is in use permits; a small one would have it run all
// the time, and says nothing.
func collectLazily(limit int64) (stop func()) {
	if limit >= spareHeap {
		old := debug.SetMemoryLimit(limit)
		defer func() {
			end := stop
			stop = func() { end(); debug.SetMemoryLimit(old) }
		}()
	}
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	now := gcPercent(0)
	before := debug.SetGCPercent(now)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-done:
				debug.SetGCPercent(before)
				return
			case <-tick.C:
			}
			metrics.Read(s)
			if s[0].Value.Kind() != metrics.KindUint64 {
				continue
			}
			if p := gcPercent(s[0].Value.Uint64()); p != now {
				now = p
				debug.SetGCPercent(p)
			}
		}
	}()
	return func() { close(done) }
}
