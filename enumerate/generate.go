package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/taso-go/taso/internal/spill"
)

// shares is the number of parts a walk is cut into. It does not depend on the
// number of workers.
const shares = 64

// visited is the terms of a level: each once, in order.
type visited struct {
	*spill.Stream[code]
	spilled bool // they are on disk, since they are more than the bound allows
	visits  uint64
	sorters []*spill.Sorter[code]
}

func (w *visited) close() { closeAll(w.sorters) }

// generate walks the terms of n operators.
func (s *Session) generate(ctx context.Context, n int) (*visited, error) {
	w := &visited{sorters: sorters(&s.pool, codeCodec, true)}
	failed := make([]error, s.opt.Workers)
	var seen atomic.Uint64
	stores := make([]*store, s.opt.Workers)
	err := s.pool.each(ctx, fmt.Sprintf("level %d: enumerate", n), shares, 1, func(wk, lo, _ int) {
		if failed[wk] != nil {
			return
		}
		if stores[wk] == nil || len(stores[wk].apps) > s.pool.storeLimit() {
			stores[wk] = newStore(s.u, s.opt.Seed)
		}
		v, err := s.walk(ctx, stores[wk], n, lo, shares, 0, w.sorters[wk].Add)
		failed[wk] = err
		seen.Add(v)
	})
	w.visits = seen.Load()
	if err = cmp.Or(err, first(failed)); err == nil {
		w.Stream, w.spilled, err = merge(&s.pool, w.sorters)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// walk gives the terms of n operators of one share to add, some of them several times.
// Work is shared out by the first split+1 applications. It returns the number of sequences
// tried.
func (s *Session) walk(ctx context.Context, st *store, n, share, shares, split int, add func(code) error) (uint64, error) {
	var failed error
	w := &walker{s: st, want: n, split: split, data: s.dataOnly(n), plain: s.opt.Exhaustive, ok: s.extendable(st), stop: func() bool { return failed != nil || ctx.Err() != nil }}
	w.emit = func(id appID) {
		for _, t := range st.apps[id].outs {
			if t != 0 && failed == nil {
				failed = add(st.encode(t, nil))
			}
		}
	}
	w.run(share, shares)
	return w.seen, failed
}

// extendable says which tensors may be operands: representatives, or all.
func (s *Session) extendable(st *store) func(tid) bool {
	if s.opt.Exhaustive {
		return func(tid) bool { return true }
	}
	return func(t tid) bool {
		x := &st.tensors[t]
		if x.rep == repUnknown {
			c := st.encode(t, nil)
			st.tensors[t].rep = repNo
			if i, ok := s.at[c]; ok && s.links.rep[i] {
				st.tensors[t].rep = repYes
			}
		}
		return st.tensors[t].rep == repYes
	}
}

// dataOnly says whether images of a level's convolutions and pools depend on data.
func (s *Session) dataOnly(n int) bool { return n >= dataFrom && !s.u.whole && !s.opt.Exhaustive }
