package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

// Every number is called once, by a goroutine that there is.
func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 50} {
		var seen [40]atomic.Int32
		err := Each(context.Background(), workers, len(seen), func(w, i int) error {
			if w < 0 || w >= Workers(workers, len(seen)) {
				t.Errorf("worker %d of %d", w, workers)
			}
			seen[i].Add(1)
			return nil
		})
		for i := range seen {
			if n := seen[i].Load(); n != 1 || err != nil {
				t.Errorf("%d workers: %d is called %d times (%v)", workers, i, n, err)
			}
		}
	}
	if err := Each(context.Background(), 2, 0, func(int, int) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
}

// The error is that of the smallest number, and one that was not a cancellation.
func TestEachErrors(t *testing.T) {
	for _, workers := range []int{1, 4} {
		err := Each(context.Background(), workers, 100, func(_, i int) error {
			switch {
			case i == 2:
				return fmt.Errorf("number %d: %w", i, context.Canceled)
			case i >= 3:
				return fmt.Errorf("number %d", i)
			}
			return nil
		})
		if workers == 1 && !errors.Is(err, context.Canceled) || workers > 1 && err == nil {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	var calls atomic.Int32
	if err := Each(context.Background(), 1, 10, func(_, i int) error {
		calls.Add(1)
		if i == 4 {
			return errors.New("stop")
		}
		return nil
	}); err == nil || err.Error() != "stop" || calls.Load() != 5 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, stop := context.WithCancel(context.Background())
	if err := Each(ctx, 1, 10, func(_, i int) error { stop(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}
