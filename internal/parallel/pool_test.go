package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// However deep calls are nested, no more goroutines work at once than there are slots, all numbers
// are called once, and goroutines of one call have numbers of their own.
func TestPool(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		ctx := WithPool(context.Background(), workers)
		var now, most, calls atomic.Int64
		err := Each(ctx, 0, 6, func(int, int) error {
			var own sync.Map
			return Each(ctx, 3, 40, func(w, i int) error {
				if w < 0 || w >= 3 {
					t.Errorf("worker %d of 3", w)
				}
				if _, busy := own.LoadOrStore(w, true); busy {
					t.Errorf("two goroutines are worker %d", w)
				}
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(100 * time.Microsecond)
				calls.Add(1)
				now.Add(-1)
				own.Delete(w)
				return nil
			})
		})
		if n := most.Load(); err != nil || n > int64(workers) || calls.Load() != 240 {
			t.Errorf("%d workers: %d at once, %d calls, %v", workers, n, calls.Load(), err)
		}
	}
}

// Who waits for another is no reason for that one to wait.
func TestAside(t *testing.T) {
	ctx := WithPool(context.Background(), 2)
	first, second := make(chan struct{}), make(chan struct{})
	err := Each(ctx, 0, 3, func(_, i int) error {
		switch i {
		case 0:
			Aside(ctx, func() { <-first })
		case 1:
			Aside(ctx, func() { <-second })
		case 2: // for which there is a slot only if the others have given theirs away
			close(first)
			close(second)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	Aside(context.Background(), func() {})
}

// Errors are those of [Each] without a pool.
func TestPoolErrors(t *testing.T) {
	for _, workers := range []int{1, 4} {
		err := Each(WithPool(context.Background(), workers), 0, 100, func(_, i int) error {
			if i >= 3 {
				return fmt.Errorf("number %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "number 3" {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	ctx, stop := context.WithCancel(WithPool(context.Background(), 3))
	if err := Each(ctx, 0, 10, func(int, int) error { stop(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
