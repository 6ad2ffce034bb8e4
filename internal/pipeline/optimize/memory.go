package optimize

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// errMemory is why a search ended whose heap was larger than Options.Memory.
var errMemory = errors.New("memory bound reached")

// watchEvery is how often the heap is looked at.
const watchEvery = 50 * time.Millisecond

// bounded is a context that ends when what is in use of the heap is larger than a
// bound, in bytes, even after garbage was collected; 0: no bound. It is looked at every
// watchEvery, so the heap may grow beyond the bound by what a search allocates in that
// time. The collector works harder when the heap comes near.
func bounded(ctx context.Context, bytes int64) (context.Context, context.CancelFunc) {
	if bytes <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	before := debug.SetMemoryLimit(-1)
	if bytes < before {
		debug.SetMemoryLimit(bytes)
	}
	go func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if heap() <= bytes {
				continue
			}
			if runtime.GC(); heap() > bytes {
				cancel(errMemory)
				return
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		debug.SetMemoryLimit(before)
	}
}

// heap is the bytes of objects, live or not yet collected.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
