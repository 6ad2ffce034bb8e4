package memo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// Each value is made once, however many ask.
func TestGet(t *testing.T) {
	var m Memo[int, string]
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			k := i % 7
			v, err := m.Get(context.Background(), k, func() (string, error) {
				made.Add(1)
				return fmt.Sprint(k), nil
			})
			if err != nil || v != fmt.Sprint(k) {
				t.Errorf("%d: %q, %v", k, v, err)
			}
		})
	}
	wg.Wait()
	all := 0
	for k, v := range m.All() {
		if all++; v != fmt.Sprint(k) {
			t.Errorf("%d: %q", k, v)
		}
	}
	if made.Load() != 7 || all != 7 {
		t.Errorf("%d values made, %d there, of 7 keys", made.Load(), all)
	}
}

// An error is for who made the value, which others then make; who waits no longer than its context
// lasts.
func TestGetErrors(t *testing.T) {
	var m Memo[string, int]
	begun, go1, waiting := make(chan struct{}), make(chan struct{}), make(chan error)
	failed := errors.New("failed")
	go func() {
		_, err := m.Get(context.Background(), "k", func() (int, error) { close(begun); <-go1; return 0, failed })
		waiting <- err
	}()
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Get(ctx, "k", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting without a context: %v", err)
	}
	go func() {
		v, err := m.Get(context.Background(), "k", func() (int, error) { return 5, nil })
		if v != 5 {
			err = fmt.Errorf("%d, %v", v, err)
		}
		waiting <- err
	}()
	close(go1)
	errs := []error{<-waiting, <-waiting}
	if !(errs[0] == failed && errs[1] == nil || errs[1] == failed && errs[0] == nil) {
		t.Errorf("%v", errs)
	}
	func() { // what panics is not there
		defer func() { _ = recover() }()
		_, _ = m.Get(context.Background(), "p", func() (int, error) { panic("p") })
	}()
	if v, err := m.Get(context.Background(), "p", func() (int, error) { return 1, nil }); v != 1 || err != nil {
		t.Errorf("after a panic: %d, %v", v, err)
	}
	if v, err := m.Get(ctx, "p", nil); v != 1 || err != nil { // it is there
		t.Errorf("with a context that has ended: %d, %v", v, err)
	}
}
