package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// pool bounds how many goroutines work at once, however deep calls of [Each] are nested: a
// slot is taken by who works, and who waits gives it to others.
type pool chan struct{} // slots that nobody has

type poolKey struct{}

// WithPool is a context in which so many goroutines work at once in all, that which called this
// among them; 0: one for each processor. Calls of [Each] with it begin others only while there
// are slots for them, and [Aside] gives a slot away.
func WithPool(ctx context.Context, workers int) context.Context {
	p := make(pool, Workers(workers, 1<<16))
	for range cap(p) - 1 {
		p <- struct{}{}
	}
	return context.WithValue(ctx, poolKey{}, p)
}

// Aside calls a function that waits for others, who may work instead meanwhile.
func Aside(ctx context.Context, wait func()) {
	p, ok := ctx.Value(poolKey{}).(pool)
	if !ok {
		wait()
		return
	}
	p <- struct{}{}
	wait()
	<-p
}

// each is Each with a pool: whoever comes to a number first asks for one more to help, so that
// slots which become free later are used.
func (p pool) each(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	errs := make([]error, n)
	var next, helpers atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	var work func(worker int)
	help := func() {
		if helpers.Load() >= int64(workers)-1 {
			return
		}
		select {
		case <-p:
		default:
			return
		}
		k := helpers.Add(1) // it is not taken back where it counts, so that no two are one
		if k >= int64(workers) {
			helpers.Add(-1)
			p <- struct{}{}
			return
		}
		wg.Go(func() {
			work(int(k))
			p <- struct{}{}
		})
	}
	work = func(worker int) {
		for ctx.Err() == nil && !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if i+1 < n {
				help()
			}
			if errs[i] = f(worker, i); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	work(0)
	if helpers.Load() > 0 {
		Aside(ctx, wg.Wait)
	}
	return firstOf(ctx, errs)
}

// firstOf is the error of the smallest number, of what was only cancelled if there is no other one.
func firstOf(ctx context.Context, errs []error) error {
	var cancelled error
	for _, err := range errs {
		switch {
		case errors.Is(err, context.Canceled):
			cancelled = err
		case err != nil:
			return err
		}
	}
	if cancelled != nil {
		return cancelled
	}
	return ctx.Err()
}
