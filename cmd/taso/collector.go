package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// laziness is how seldom garbage is collected while little memory is in use.
type laziness struct {
	// spare is how many bytes of garbage there may be beside a small heap.
	spare uint64
	// least and most bound it, in percent of the bytes in use.
	least, most int
}

var (
	lazyGeneration = laziness{spare: 1536 << 20, least: 100, most: 400}
	// An audit of a hundred rules ends before much is in use.
	lazyAudit = laziness{spare: 256 << 20, least: 400, most: 6400}
	// Planners forget almost all that they look at: without this a third of the time is the
	// collector's.
	lazyPlans = laziness{spare: 2 << 30, least: 100, most: 800}
)

// percent is how much garbage, in percent of the bytes in use, is left to lie.
func (z laziness) percent(live uint64) int {
	p := z.most
	if live > 0 {
		p = int(min(z.spare*100/live, uint64(z.most)))
	}
	return max(p/10*10, z.least)
}

// collectLazily has garbage collected seldom while little memory is in use: gen-rules
// makes much of it, and the collector took a fifth of the time. It returns what ends
// that. GOGC in the environment is obeyed. limit is the number of bytes that the collector
// keeps memory below, as far as what is in use permits; a small one would have it run all
// the time, and says nothing.
func collectLazily(z laziness, limit int64) (stop func()) {
	if limit >= int64(z.spare) {
		old := debug.SetMemoryLimit(limit)
		defer func() {
			end := stop
			stop = func() { end(); debug.SetMemoryLimit(old) }
		}()
	}
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	now := z.percent(0)
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
			if p := z.percent(s[0].Value.Uint64()); p != now {
				now = p
				debug.SetGCPercent(p)
			}
		}
	}()
	return func() { close(done) }
}
