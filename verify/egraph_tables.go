package verify

import (
	"slices"
	"sync"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Tables keep the compiled laws, and what they mean for the symbols and shapes met
// so far, from one call of EGraph.Prove to the next. Verdicts do not depend on what
// is there. The zero value is empty; goroutines may share it.
type Tables struct {
	mu   sync.Mutex
	idle []*egraphWorker
}

// take is a worker for p, one that compiled these laws, or the first of them, if
// there is one. A new one compiles them by way of the cache.
func (t *Tables) take(p *EGraph, byName map[string]*law.Law, compiled *rewrite.Cache) *egraphWorker {
	if t == nil {
		return &egraphWorker{cfg: p, laws: byName, cache: compiled}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.idle) - 1; i >= 0; i-- {
		w := t.idle[i]
		if n := len(w.cfg.Laws); n <= len(p.Laws) && slices.Equal(w.cfg.Laws, p.Laws[:n]) {
			t.idle = slices.Delete(t.idle, i, i+1)
			w.cfg, w.laws = p, byName
			return w
		}
	}
	return &egraphWorker{cfg: p, laws: byName, cache: compiled}
}

// give keeps workers for the next call.
func (t *Tables) give(workers []*egraphWorker) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range workers {
		if w != nil {
			t.idle = append(t.idle, w)
		}
	}
}
