package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/spill"
	"github.com/taso-go/taso/law"
)

// Graphs counts what TASO's enumerator walks over: graphs with any number of
// outputs.
type Graphs struct {
	Ops int `json:"ops"`
	// Visits is the number of operator sequences tried.
	Visits uint64 `json:"visits"`
	// Graphs is the number of distinct graphs: up to renaming of inputs, order
	// of independent operators, order of outputs and commutativity.
	Graphs int `json:"graphs"`
	// Buckets is the number of different fingerprints among them, renamings
	// of inputs not identified.
	Buckets int `json:"buckets"`
	// Tensors is the number of different tensors evaluated, inputs and renamed
	// inputs included.
	Tensors int `json:"tensors"`
}

// CountGraphs visits every graph of up to ops operators with any number of
// outputs, fingerprints it and counts. As in the paper (TASO, section 2.2), a
// graph in which an operator yields a tensor that is there already is not
// extended.
func CountGraphs(ctx context.Context, opt Options, ops int) (*Graphs, error) {
	s := NewSession(opt)
	if ops < 1 || ops > maxOps {
		return nil, fmt.Errorf("%d operators: want 1 to %d", ops, maxOps)
	}
	graphs, met := sorters(&s.pool, termCodec, true), sorters(&s.pool, hashCodec, true)
	defer closeAll(graphs)
	defer closeAll(met)
	failed := make([]error, s.opt.Workers)
	var visits atomic.Uint64
	stores := make([]*store, s.opt.Workers)
	err := s.pool.each(ctx, fmt.Sprintf("graphs of up to %d operators", ops), shares, 1, func(wk, lo, _ int) {
		if stores[wk] == nil || len(stores[wk].apps) > s.pool.storeLimit() {
			stores[wk] = newStore(s.u, s.opt.Seed)
		}
		st := stores[wk]
		g := &graphWalk{st: st, hashes: map[tid]fingerprint.Hash{}}
		w := &walker{s: st, want: ops, plain: true, stop: func() bool { return failed[wk] != nil || ctx.Err() != nil }}
		w.ok = func(t tid) bool { return g.isNew(w, t) }
		w.all = func(apps []appID) {
			if failed[wk] == nil {
				failed[wk] = graphs[wk].Add(term{g.encode(w), g.print(w)})
			}
		}
		w.run(lo, shares)
		visits.Add(w.seen)
		for _, h := range g.hashes {
			if failed[wk] == nil {
				failed[wk] = met[wk].Add(h)
			}
		}
	})
	if err = cmp.Or(err, first(failed)); err != nil {
		return nil, err
	}
	out := &Graphs{Ops: ops, Visits: visits.Load()}
	prints := sorters(&s.pool, hashCodec, true)
	defer closeAll(prints)
	all, _, err := merge(&s.pool, graphs)
	if err != nil {
		return nil, err
	}
	// Of each graph the naming with the least fingerprint counts, which comes first.
	var last code
	for t, ok := all.Next(); ok; t, ok = all.Next() {
		if out.Graphs > 0 && t.code == last {
			continue
		}
		last = t.code
		out.Graphs++
		if err := prints[0].Add(t.hash); err != nil {
			return nil, err
		}
	}
	if err := all.Err(); err != nil {
		return nil, err
	}
	if out.Buckets, err = different(&s.pool, prints); err != nil {
		return nil, err
	}
	out.Tensors, err = different(&s.pool, met)
	return out, err
}

// different is the number of different fingerprints.
func different(p *pool, list []*spill.Sorter[fingerprint.Hash]) (n int, err error) {
	all, _, err := merge(p, list)
	if err != nil {
		return 0, err
	}
	for _, ok := all.Next(); ok; _, ok = all.Next() {
		n++
	}
	return n, all.Err()
}

type graphWalk struct {
	st     *store
	hashes map[tid]fingerprint.Hash
}

func (g *graphWalk) hash(t tid) fingerprint.Hash {
	h, ok := g.hashes[t]
	if !ok {
		h = fingerprint.Sum(g.st.sizes(t), g.st.value(t))
		g.hashes[t] = h
	}
	return h
}

// isNew reports whether a tensor differs from the inputs and from all tensors
// of the graph so far.
func (g *graphWalk) isNew(w *walker, t tid) bool {
	h := g.hash(t)
	for _, in := range g.st.inputs {
		if g.hash(in) == h {
			return false
		}
	}
	for _, o := range w.avail {
		if o != t && g.hash(o) == h {
			return false
		}
	}
	return true
}

// loose lists the outputs of the graph: tensors nobody reads.
func (g *graphWalk) loose(w *walker, dst []tid) []tid {
	for i := 0; i < w.n; i++ {
		for _, t := range g.st.apps[w.apps[i]].outs {
			if t == 0 {
				continue
			}
			read := false
			for j := i + 1; j < w.n; j++ {
				a := &g.st.apps[w.apps[j]]
				read = read || a.args[0] == t || a.args[1] == t
			}
			if !read {
				dst = append(dst, t)
			}
		}
	}
	return dst
}

// print is the graph's fingerprint: that of its outputs, in no order.
func (g *graphWalk) print(w *walker) fingerprint.Hash {
	var buf [2 * maxOps]tid
	var sum fingerprint.Hash
	for _, t := range g.loose(w, buf[:0]) {
		h := g.hash(t)
		sum[0] += fingerprint.Mix(h[0])
		sum[1] += fingerprint.Mix(h[1])
	}
	return sum
}

// encode is the least encoding over the orders of the outputs and of
// commutative operands.
func (g *graphWalk) encode(w *walker) code {
	s := g.st
	var roots []appID
	var comm []appID
	for i := 0; i < w.n; i++ {
		id := w.apps[i]
		if w.open&(1<<i) != 0 {
			roots = append(roots, id)
		}
		if a := &s.apps[id]; s.insts[a.inst].op.Commutative && a.args[0] != a.args[1] {
			comm = append(comm, id)
		}
	}
	var best code
	first := true
	var e encoder
	order := make([]uint8, len(roots))
	for i := range order {
		order[i] = uint8(i)
	}
	law.Permute(order, func() bool {
		// Roots by instance: only those of one instance need every order.
		for i := 1; i < len(order); i++ {
			if s.apps[roots[order[i-1]]].inst > s.apps[roots[order[i]]].inst {
				return true
			}
		}
		for mask := 0; mask < 1<<len(comm); mask++ {
			e.start(s)
			for i, id := range comm {
				if mask&(1<<i) != 0 {
					e.flip[e.flipped] = id
					e.flipped++
				}
			}
			for _, i := range order {
				e.visit(s.apps[roots[i]].outs[0])
			}
			e.c[0] = byte(w.n)
			if first || e.c.compare(best) < 0 {
				best, first = e.c, false
			}
		}
		return true
	})
	return best
}
