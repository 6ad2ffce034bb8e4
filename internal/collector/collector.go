// Package collector has garbage collected seldom while little memory is in use.
package collector

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Laziness is how seldom garbage is collected while little memory is in use.
type Laziness struct {
	// spare is how many bytes of garbage there may be beside a small heap.
	spare uint64
	// least and most bound it, in percent of the bytes in use.
	least, most int
}

var (
	// Generation is for the search of rules.
	Generation = Laziness{spare: 1 << 30, least: 100, most: 400}
	// Audit is for audits: that of a hundred rules ends before much is in use.
	Audit = Laziness{spare: 256 << 20, least: 400, most: 6400}
	// Plans is for planners, which forget almost all that they look at: without this a third of the
	// time is the collector's.
	Plans = Laziness{spare: 2 << 30, least: 100, most: 800}
)

// percent is how much garbage, in percent of the bytes in use, is left to lie.
func (z Laziness) percent(live uint64) int {
	p := z.most
	if live > 0 {
		p = int(min(z.spare*100/live, uint64(z.most)))
	}
	return max(p/10*10, z.least)
}

// Uncounted is about how much of a process's memory the collector does not know of: the program and
// its libraries.
const Uncounted = 64 << 20

// Lazily has garbage collected seldom while little memory is in use: gen-rules
// makes much of it, and the collector took a fifth of the time. It returns what ends
// that. GOGC in the environment is obeyed. limit, if it is not 0, is the number of bytes that
// the process is to stay below: garbage takes at most half of it, and less where more than half
// is in use. One below twice Uncounted would have the collector run all the time, and says nothing.
func Lazily(z Laziness, limit int64) (stop func()) {
	if limit > 2*Uncounted {
		z.spare = min(z.spare, uint64(limit)/2)
		old := debug.SetMemoryLimit(limit - Uncounted)
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
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
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
	return func() {
		close(done)
		<-ended // so that who calls this again is not undone
	}
}
