package verifymodels

import (
	"context"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// ties are equal elements where a node puts elements in an order, or marks those that are
// the largest.
type ties struct {
	node  graph.NodeID
	axis  int
	marks bool // it compares elements with the largest of them
	// common: both models have the node, and what follows it is not the same.
	common bool
	shown  bool
	plain  bool  // ties that are seen count as shown
	in     []int // runs with ties that were not tried yet
	tried  int
}

func (w *watch) tie(t *ties) {
	w.tiesAt = append(w.tiesAt, t)
	w.ties[t.node] = t
	w.hold(t.node)
}

// extremes returns the axis along which a node compares elements with the largest one.
func extremes(g *graph.Graph, id graph.NodeID) (axis int, ok bool) {
	in := g.Operands(id)
	if g.Op(id).Name != "ewequal" {
		return 0, false
	}
	for k := range 2 {
		if !largestOf(g, in[k], in[1-k]) {
			continue
		}
		x := in[k]
		for g.Op(x.Node).Name != "reducemax" {
			x = g.Operands(x.Node)[0]
		}
		for i, n := range g.Sizes(g.Operands(x.Node)[0]) {
			// The first axis of which one element is left.
			if after := g.Sizes(x); n > 1 && (i >= len(after) || after[i] != n) {
				return i, true
			}
		}
	}
	return 0, false
}

// readApart reports whether a node is read, moved or not, by one that is apart.
func readApart(g *graph.Graph, node graph.NodeID, apart func(graph.NodeID) bool) bool {
	from := map[graph.NodeID]bool{node: true}
	for id := node + 1; int(id) <= g.Len(); id++ {
		op := g.Op(id)
		if op == nil || !slices.ContainsFunc(g.Operands(id), func(t graph.Tensor) bool { return from[t.Node] }) {
			continue
		}
		if apart(id) {
			return true
		}
		from[id] = op.Rearranges || op.Name == "cast"
	}
	return false
}

// see notes a run in which elements are equal: two that are marked, or any two.
func (t *ties) see(in, out interp.Tensor[float64], run int) {
	if t.shown || t.tried >= shownRuns {
		return
	}
	x := in
	if t.marks {
		x = out
	}
	found := false
	lines(x.Sizes, t.axis, func(at []int) {
		marked := 0
		for i, j := range at {
			if t.marks && x.Data[j] != 0 {
				marked++
			}
			found = found || marked > 1 || !t.marks && slices.ContainsFunc(at[:i], func(k int) bool { return x.Data[k] == x.Data[j] })
		}
	})
	switch {
	case !found:
	case t.marks && !t.plain:
		t.in, t.tried = append(t.in, run), t.tried+1
	default:
		t.shown = true
	}
}

// lines calls f with the places of the elements of each line along an axis.
func lines(sizes []int, axis int, f func(at []int)) {
	n, inner := sizes[axis], graph.NumElements(sizes[axis+1:])
	for start := range graph.NumElements(sizes) {
		if start/inner%n != 0 {
			continue
		}
		at := make([]int, n)
		for k := range at {
			at[k] = start + k*inner
		}
		f(at)
	}
}

// showTies tries the runs with equal elements: whether an output depends on the first or the
// last mark of a line.
func (p *prober) showTies(ctx context.Context) error {
	for side, r := range []*runner{p.a, p.b} {
		for _, t := range r.watch.tiesAt {
			for !t.shown && len(t.in) > 0 {
				if !p.pays(1) {
					return nil
				}
				run := t.in[0]
				t.in = t.in[1:]
				in := p.fedIn(run)
				if side == 1 {
					in = p.placed(in)
				}
				was, _, _, err := r.mutated(ctx, []graph.NodeID{t.node}, in, nil)
				for k := 0; k < 2 && err == nil && !t.shown && !p.overflowed[run]; k++ {
					var now []interp.Tensor[float64]
					now, _, _, err = r.mutated(ctx, []graph.NodeID{t.node}, in, func(_ graph.NodeID, _ []interp.Tensor[float64], out interp.Tensor[float64]) (interp.Tensor[float64], bool) {
						return t.unmarked(out, k == 1), true
					})
					t.shown = err == nil && p.apartOutputs(side, was, now)
				}
				if err := p.passed(ctx, err); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// unmarked leaves out the first or the last mark of each line with several.
func (t *ties) unmarked(out interp.Tensor[float64], last bool) interp.Tensor[float64] {
	res := interp.Tensor[float64]{Sizes: out.Sizes, Data: slices.Clone(out.Data)}
	lines(out.Sizes, t.axis, func(at []int) {
		marked := slices.DeleteFunc(at, func(j int) bool { return out.Data[j] == 0 })
		switch {
		case len(marked) < 2:
		case last:
			res.Data[marked[len(marked)-1]] = 0
		default:
			res.Data[marked[0]] = 0
		}
	})
	return res
}

// reachTies looks for inputs for which neighbouring elements are equal. It goes on where such
// were shown: elements may be equal in one model alone, and be so in both in a first run.
func (p *prober) reachTies(ctx context.Context, side int, g *graph.Graph, t *ties) error {
	in := g.Operands(t.node)
	pt := &point{node: t.node, y: -1, course: jumpsAt, plain: true}
	if t.marks && largestOf(g, in[0], in[1]) {
		pt.x = 1
	}
	pt.next, pt.line = graph.NumElements(g.Sizes(in[pt.x])[t.axis+1:]), g.Sizes(in[pt.x])[t.axis]
	for skip := 0; skip < 8 && !p.differs(); skip++ {
		for _, sources := range [][]source{scouts, simple} {
			if !p.pays(int64(len(sources))) {
				return nil
			}
			if err := p.cross(ctx, side, pt, at, sources, 1, skip); err != nil {
				return err
			}
		}
	}
	return nil
}
