package saturate

import (
	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law/rewrite"
)

// fixedness tells which nodes of an e-graph depend on weights only, as they were
// added.
type fixedness struct {
	e     *egraph.Graph
	leaf  func(egraph.NodeID) bool
	known []uint8 // by node: 0 not asked yet, 1 runs, 2 is fixed
}

func (f *fixedness) is(n egraph.NodeID) bool {
	for int(n) >= len(f.known) {
		f.known = append(f.known, 0)
	}
	if k := f.known[n]; k != 0 {
		return k == 2
	}
	fixed := true
	if f.e.Arity(n) == 0 {
		fixed = f.leaf(n)
	}
	for i := range f.e.Arity(n) {
		fixed = f.is(f.e.Child(n, i)) && fixed
	}
	f.known[n] = 1
	if fixed {
		f.known[n] = 2
	}
	return fixed
}

// mayMerge decides whether several roots are merged. They are to be different, and
// what is merged already takes one more at a time, in one order: so what can be
// merged gives as many nodes as it has subsets, not as these have orders and trees.
func (p *plan) mayMerge(d *rewrite.Direction, roots, vars []egraph.NodeID) bool {
	for i := range roots {
		for j := range i {
			if p.e.Same(roots[i], roots[j]) {
				return false
			}
		}
	}
	own := p.privateOf(d)
	for i := 1; i < len(roots); i++ {
		a, b := roots[i-1], roots[i]
		if own[i-1] >= 0 && own[i] >= 0 {
			a, b = vars[own[i-1]], vars[own[i]]
		}
		x, y := p.span(a), p.span(b)
		if !y.single || y.first <= x.last || p.between(d, i, vars, x.last, y.first) {
			return false
		}
	}
	return true
}

// fewMerged is the number of nodes of which all subsets may be merged; of more only
// neighbours are.
const fewMerged = 4

// between reports whether there are so many nodes that could be merged in place of
// root i that only neighbours are, and one of them stands between two others.
func (p *plan) between(d *rewrite.Direction, i int, vars []egraph.NodeID, last, first egraph.NodeID) bool {
	own := p.privateOf(d)[i]
	root := d.Roots[i]
	if own < 0 || root < 0 {
		return false
	}
	// The place of the own variable, and of one that others share, below the root.
	shared, at, share := int32(-1), -1, -1
	for k, ref := range d.Nodes[root].Kids {
		switch {
		case ref == ^own:
			at = k
		case ref < 0 && shared < 0:
			shared, share = ^ref, k
		}
	}
	if at < 0 || share < 0 {
		return false
	}
	many, inside := 0, false
	for u, pos := range p.e.Users(p.e.Find(vars[shared])) {
		if pos != share || !p.alike(u, d.Nodes[root].Op, at, vars[own]) {
			continue
		}
		x := p.span(p.e.Child(u, at))
		if !x.single {
			continue
		}
		many++
		inside = inside || last < x.first && x.first < first
	}
	return many > fewMerged && inside
}

// alike reports whether a node applies an operator to an operand of about the shape
// of w: all but one of its sizes.
func (p *plan) alike(u egraph.NodeID, op *graph.Op, at int, w egraph.NodeID) bool {
	if o, _, _ := p.g.Node(u); o != op || at >= p.e.Arity(u) {
		return false
	}
	a, b := p.g.Shape(p.e.Child(u, at)), p.g.Shape(w)
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for k := range a {
		if a[k] != b[k] {
			differ++
		}
	}
	return differ <= 1
}

// privateOf is, by root of a direction, the first variable that is in no other root;
// -1 if there is none.
func (p *plan) privateOf(d *rewrite.Direction) []int32 {
	if own, ok := p.private[d]; ok {
		return own
	}
	in := make([]map[int32]bool, len(d.Roots))
	var order [][]int32
	for i, r := range d.Roots {
		in[i] = map[int32]bool{}
		var list []int32
		var visit func(ref int32)
		visit = func(ref int32) {
			if ref < 0 {
				if !in[i][^ref] {
					in[i][^ref] = true
					list = append(list, ^ref)
				}
				return
			}
			for _, k := range d.Nodes[ref].Kids {
				visit(k)
			}
		}
		visit(r)
		order = append(order, list)
	}
	own := make([]int32, len(d.Roots))
	for i := range own {
		own[i] = -1
	}
	for i := range order {
		for _, v := range order[i] {
			alone := true
			for j := range in {
				alone = alone && (j == i || !in[j][v])
			}
			if alone {
				own[i] = v
				break
			}
		}
	}
	p.private[d] = own
	return own
}

// interval is where what is in a class comes in the order of merging: a tensor by its
// first node, what is concatenated from its first part to its last, in whatever shape.
type interval struct {
	first, last egraph.NodeID
	single      bool // not concatenated
}

// span is the interval of a node's class.
func (p *plan) span(n egraph.NodeID) interval {
	if k := p.g.Instances(); k != p.spansAt {
		clear(p.spans)
		p.spansAt = k
	}
	c := p.e.Find(n)
	if x, ok := p.spans[c]; ok {
		return x
	}
	x := interval{first: n, single: true}
	for m := range p.e.Class(c) {
		x.first = min(x.first, m)
	}
	x.last = x.first
	p.spans[c] = x // also of what is met again below
	for m := range p.e.Class(c) {
		if m <= p.base {
			continue
		}
		switch op, _, _ := p.g.Node(m); {
		case op == nil:
		case op.Name == "concat":
			x = interval{first: p.span(p.e.Child(m, 0)).first, last: p.span(p.e.Child(m, 1)).last}
		case op.Name == "reshape":
			x = p.span(p.e.Child(m, 0))
		}
		if !x.single {
			break
		}
	}
	p.spans[c] = x
	return x
}
