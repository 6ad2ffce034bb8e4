// Package parallel calls a function for many numbers on several goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers is how many goroutines n calls are given where workers are asked for;
// 0: one for each processor.
func Workers(workers, n int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, n))
}

// Each calls f for the numbers from 0 to n-1 in order, on Workers(workers, n)
// goroutines, and returns when all calls have. worker, from 0, says which
// goroutine calls, for what that one keeps for itself.
//
// When a call fails, or ctx ends, no further ones begin. The error is that of the
// smallest number whose call failed, whatever the number of goroutines; what was
// only cancelled counts last, and the end of ctx after that.
//
// With the context of [WithPool] there are as many goroutines as slots, or workers if that is fewer.
func Each(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	if p, ok := ctx.Value(poolKey{}).(pool); ok {
		if workers <= 0 {
			workers = n // slots bound them
		}
		return p.each(ctx, workers, n, f)
	}
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for w := range Workers(workers, n) {
		wg.Go(func() {
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = f(w, i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	return firstOf(ctx, errs)
}
