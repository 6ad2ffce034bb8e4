// Package memo keeps what functions return, for several goroutines.
package memo

import (
	"context"
	"iter"
	"maps"
	"sync"

	"github.com/taso-go/taso/internal/parallel"
)

// Memo keeps a value for each key, which must depend on the key alone. The zero value has none.
type Memo[K comparable, V any] struct {
	lock sync.Mutex
	of   map[K]*entry[V]
}

// entry is a value that is there, or is being made, when done is closed.
type entry[V any] struct {
	done  chan struct{}
	value V
	made  bool
}

// Get is the value of a key. It is made by the first who asks, once; others wait for that, as
// long as ctx lasts. An error is for who made it and is not kept: the next one tries again.
// of must not ask for its own key.
func (m *Memo[K, V]) Get(ctx context.Context, key K, of func() (V, error)) (value V, err error) {
	for {
		m.lock.Lock()
		if m.of == nil {
			m.of = map[K]*entry[V]{}
		}
		e := m.of[key]
		if e == nil {
			e = &entry[V]{done: make(chan struct{})}
			m.of[key] = e
			m.lock.Unlock()
			return m.fill(key, e, of)
		}
		m.lock.Unlock()
		select {
		case <-e.done:
		default:
			parallel.Aside(ctx, func() {
				select {
				case <-e.done:
				case <-ctx.Done():
				}
			})
		}
		select {
		case <-e.done:
		default:
			return value, ctx.Err()
		}
		if e.made {
			return e.value, nil
		}
	}
}

// fill makes a value. What panics is as what fails for those who wait.
func (m *Memo[K, V]) fill(key K, e *entry[V], of func() (V, error)) (value V, err error) {
	defer func() {
		if !e.made {
			m.lock.Lock()
			delete(m.of, key)
			m.lock.Unlock()
		}
		close(e.done)
	}()
	if value, err = of(); err == nil {
		e.value, e.made = value, true
	}
	return value, err
}

// All are the values that are there now, in no order.
func (m *Memo[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		m.lock.Lock()
		now := maps.Clone(m.of)
		m.lock.Unlock()
		for k, e := range now {
			select {
			case <-e.done:
				if e.made && !yield(k, e.value) {
					return
				}
			default: // it is being made
			}
		}
	}
}
