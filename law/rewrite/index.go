package rewrite

import "github.com/taso-go/taso/graph"

// Index finds the directions with one root, no bare variable, that can begin at an
// operator.
type Index struct {
	all    []*Direction
	byOp   map[*graph.Op][]*Direction
	byHead map[heads][]*Direction
}

// heads is the operator of a node and those of its first operands; nil is an
// input or a function variable, or no operand.
type heads struct{ op, a, b *graph.Op }

// NewIndex returns the index of directions; it keeps their order.
func NewIndex(ds []*Direction) *Index {
	x := &Index{byOp: map[*graph.Op][]*Direction{}, byHead: map[heads][]*Direction{}}
	for _, d := range ds {
		x.Add(d)
	}
	return x
}

// Add adds a direction behind the others; it is passed over if it has several roots or
// one that is a bare variable.
func (x *Index) Add(d *Direction) {
	if len(d.Roots) > 1 || d.Bare {
		return
	}
	x.all = append(x.all, d)
	clear(x.byOp)
	clear(x.byHead)
}

// All lists the directions, in their order. The caller must not write to it.
func (x *Index) All() []*Direction { return x.all }

// At lists the directions with one root that may match an application of op over
// operands made by a and b (nil: by no operator).
func (x *Index) At(op, a, b *graph.Op) []*Direction {
	h := heads{op, a, b}
	list, ok := x.byHead[h]
	if !ok {
		for _, d := range x.root(op) {
			if d.mayBegin(h) {
				list = append(list, d)
			}
		}
		x.byHead[h] = list
	}
	return list
}

// root lists the directions with one root that may match an application of op.
func (x *Index) root(op *graph.Op) []*Direction {
	list, ok := x.byOp[op]
	if !ok {
		for _, d := range x.all {
			if d.Nodes[d.Roots[0]].fits(op) {
				list = append(list, d)
			}
		}
		x.byOp[op] = list
	}
	return list
}

// mayBegin says whether a direction's root and what is below it fit.
func (d *Direction) mayBegin(h heads) bool {
	n := &d.Nodes[d.Roots[0]]
	fits := func(ref int32, op *graph.Op) bool { return ref < 0 || d.Nodes[ref].fits(op) }
	switch len(n.Kids) {
	case 0:
		return true
	case 1:
		return fits(n.Kids[0], h.a)
	}
	return fits(n.Kids[0], h.a) && fits(n.Kids[1], h.b) ||
		n.Op != nil && n.Op.Commutative && fits(n.Kids[0], h.b) && fits(n.Kids[1], h.a)
}

// fits says whether a node may be an application of op.
func (n *Node) fits(op *graph.Op) bool {
	if n.Op == nil {
		return op == nil || op.IsFunction()
	}
	return n.Op == op
}

// MayBeginAt says whether the first root can be an application of op.
func (d *Direction) MayBeginAt(op *graph.Op) bool {
	ref := d.Roots[0]
	return ref < 0 || op != nil && d.Nodes[ref].fits(op)
}
