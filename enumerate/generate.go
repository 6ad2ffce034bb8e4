package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/spill"
)

// shares is the number of parts a walk is cut into. It does not depend on the
// number of workers.
const shares = 64

// The bound on memory is shared out: an eighth to the terms of a walk, an eighth to the
// fingerprints that are sorted, an eighth to the stores of all workers. What fits into the
// first eighth needs about six times as much as a finished level.
func (s *Session) eighth() int64 {
	if s.opt.Memory <= 0 {
		return 0
	}
	return max(1, s.opt.Memory/8)
}

// storeLimit is the number of applications after which a worker begins a new store. What
// is found does not depend on it.
func (s *Session) storeLimit() int {
	const bytes = 400 // of an application, its tensors and their values, measured
	most := 1 << 20
	if s.opt.Memory > 0 {
		most = min(most, max(1<<12, int(s.eighth()/int64(bytes*s.opt.Workers))))
	}
	return most
}

// visited is the terms of a level: each once, in order.
type visited struct {
	*spill.Stream[code]
	spilled bool // they are on disk, since they are more than the bound allows
	visits  uint64
	sorters []*spill.Sorter[code]
}

func (w *visited) close() { closeAll(w.sorters) }

// first is the first error: workers that share a disk fail alike.
func first(errs []error) error { return cmp.Or(errs...) }

// closeAll frees what sorters hold. They were written and read, so that nothing is lost if
// a file does not close.
func closeAll[T any](sorters []*spill.Sorter[T]) {
	for _, x := range sorters {
		x.Close()
	}
}

// sorters are as many as there are workers, which share an eighth of the bound.
func sorters[T any](s *Session, c spill.Codec[T], unique bool) []*spill.Sorter[T] {
	out := make([]*spill.Sorter[T], s.opt.Workers)
	share := (s.eighth() + int64(len(out)) - 1) / int64(len(out))
	for i := range out {
		out[i] = spill.NewSorter(s.folder, c, share, unique)
	}
	return out
}

// merge is what sorters hold. If one of them wrote to the disk, all do, so that memory is
// free.
func merge[T any](s *Session, list []*spill.Sorter[T]) (all *spill.Stream[T], spilled bool, err error) {
	for _, x := range list {
		spilled = spilled || x.Spilled()
	}
	err = parallel.Each(context.Background(), len(list), len(list), func(_, i int) error {
		if !spilled {
			list[i].Sort()
			return nil
		}
		return list[i].Spill()
	})
	if err != nil {
		return nil, false, err
	}
	all, err = spill.Merge(s.eighth(), list...)
	return all, spilled, err
}

// generate walks the terms of n operators.
func (s *Session) generate(ctx context.Context, n int) (*visited, error) {
	w := &visited{sorters: sorters(s, codeCodec, true)}
	failed := make([]error, s.opt.Workers)
	var seen atomic.Uint64
	stores := make([]*store, s.opt.Workers)
	err := s.parallel(ctx, fmt.Sprintf("level %d: enumerate", n), shares, 1, func(wk, lo, _ int) {
		if failed[wk] != nil {
			return
		}
		if stores[wk] == nil || len(stores[wk].apps) > s.storeLimit() {
			stores[wk] = newStore(s.u, s.opt.Seed)
		}
		v, err := s.walk(ctx, stores[wk], n, lo, shares, 0, w.sorters[wk].Add)
		failed[wk] = err
		seen.Add(v)
	})
	w.visits = seen.Load()
	if err = cmp.Or(err, first(failed)); err == nil {
		w.Stream, w.spilled, err = merge(s, w.sorters)
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
			if i, ok := s.at[c]; ok && s.rep[i] {
				st.tensors[t].rep = repYes
			}
		}
		return st.tensors[t].rep == repYes
	}
}
