package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/taso-go/taso/fingerprint"
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
	parts := make([][]printed, shares)
	met := make([]map[fingerprint.Hash]struct{}, s.opt.Workers)
	var visits atomic.Uint64
	stores := make([]*store, s.opt.Workers)
	err := s.parallel(ctx, fmt.Sprintf("graphs of up to %d operators", ops), shares, 1, func(wk, lo, _ int) {
		if stores[wk] == nil {
			stores[wk] = newStore(s.u, s.opt.Seed)
			met[wk] = map[fingerprint.Hash]struct{}{}
		}
		st := stores[wk]
		g := &graphWalk{st: st, hashes: map[tid]fingerprint.Hash{}}
		w := &walker{s: st, want: ops, stop: func() bool { return ctx.Err() != nil }}
		w.ok = func(t tid) bool { return g.isNew(w, t) }
		w.all = func(apps []appID) {
			g.out = append(g.out, printed{g.encode(w), g.print(w)})
			if len(g.out) > len(g.kept)+1<<16 {
				g.flush()
			}
		}
		w.run(lo, shares)
		g.flush()
		parts[lo] = g.kept
		visits.Add(w.seen)
		for _, h := range g.hashes {
			met[wk][h] = struct{}{}
		}
	})
	if err != nil {
		return nil, err
	}
	var all []printed
	for _, p := range parts {
		all = append(all, p...)
	}
	all = uniqueGraphs(all)
	prints := make([]fingerprint.Hash, len(all))
	for i := range all {
		prints[i] = all[i].print
	}
	tensors := map[fingerprint.Hash]struct{}{}
	for _, m := range met {
		maps.Copy(tensors, m)
	}
	return &Graphs{Ops: ops, Visits: visits.Load(), Graphs: len(all), Buckets: len(uniqueHashes(prints)),
		Tensors: len(tensors)}, nil
}

// printed is a graph with the fingerprint of one naming of its inputs.
type printed struct {
	code  code
	print fingerprint.Hash
}

func compareHashes(a, b fingerprint.Hash) int {
	if c := cmp.Compare(a[0], b[0]); c != 0 {
		return c
	}
	return cmp.Compare(a[1], b[1])
}

// uniqueGraphs keeps of each graph the naming with the least fingerprint.
func uniqueGraphs(p []printed) []printed {
	slices.SortFunc(p, func(a, b printed) int {
		if c := a.code.compare(b.code); c != 0 {
			return c
		}
		return compareHashes(a.print, b.print)
	})
	return slices.CompactFunc(p, func(a, b printed) bool { return a.code == b.code })
}

func uniqueHashes(h []fingerprint.Hash) []fingerprint.Hash {
	slices.SortFunc(h, compareHashes)
	return slices.Compact(h)
}

type graphWalk struct {
	st     *store
	hashes map[tid]fingerprint.Hash
	out    []printed
	kept   []printed
}

func (g *graphWalk) flush() {
	g.kept = uniqueGraphs(append(g.kept, g.out...))
	g.out = g.out[:0]
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
