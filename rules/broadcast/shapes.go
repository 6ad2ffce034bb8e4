package broadcast

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// shapeOf is the shape of an application to operands of these shapes. Those of an
// element-wise operator that fit are replaced by the shape to which they are broadcast.
func shapeOf(facts *graph.Unifier, t *law.Term, attrs graph.Attrs, in []graph.Shape) (graph.Shape, error) {
	if isElementwise(t) {
		if to, ok := joint(in[0], in[1]); ok {
			in[0], in[1] = to, to
		}
	}
	s, err := t.Op.InferShapes(facts, attrs, in)
	switch {
	case err != nil:
		return nil, err
	case t.Out >= len(s):
		return nil, fmt.Errorf("no output %d", t.Out)
	}
	return s[t.Out], nil
}

// Typer says of one law at many sizes what [Explicit] says of it at these sizes: whether
// its sides have shapes where operands broadcast, and the same. Nothing is written out.
// Not for use by several goroutines.
type Typer struct {
	law   *law.Law
	given map[string]graph.Shape
	sides [2][]int // the outputs, as numbers of nodes
	left  int      // how many nodes the left side has, which come first
	nodes []typerNode
	vals  []graph.Shape // of the nodes, at the sizes asked for last
}

type typerNode struct {
	term  *law.Term
	args  []int
	fixed bool // no attribute mentions a variable
}

// NewTyper returns a typer of a law.
func NewTyper(l *law.Law) *Typer {
	y := &Typer{law: l, given: l.VarShapes()}
	var n law.Nodes
	for i, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			y.sides[i] = append(y.sides[i], n.Of(t))
		}
		if i == 0 {
			y.left = len(n.All())
		}
	}
	for _, t := range n.All() {
		x := typerNode{term: t, fixed: true}
		for _, a := range t.Args {
			x.args = append(x.args, n.Of(a))
		}
		for _, v := range t.Attrs {
			v.Walk(func(graph.Atom) { x.fixed = false })
		}
		y.nodes = append(y.nodes, x)
	}
	y.vals = make([]graph.Shape, len(y.nodes))
	return y
}

// At is nil, or one of ErrLeftNotDefined, ErrNotDefined and ErrOtherShape: the cause that
// Explicit gives for the law with sizes substituted. b gives sizes only.
func (y *Typer) At(b *graph.Substitution) error {
	var facts graph.Unifier
	if !y.infer(&facts, b, 0, y.left) {
		return ErrLeftNotDefined
	}
	facts = graph.Unifier{}
	if !y.infer(&facts, b, y.left, len(y.nodes)) {
		return ErrNotDefined
	}
	for i, k := range y.sides[0] {
		if !y.vals[k].Equal(y.vals[y.sides[1][i]]) {
			return ErrOtherShape
		}
	}
	return nil
}

// infer types the nodes from one number to another; false if one has no shape.
func (y *Typer) infer(facts *graph.Unifier, b *graph.Substitution, from, to int) bool {
	var buf [4]graph.Shape
	for k := from; k < to; k++ {
		x := &y.nodes[k]
		in := buf[:0]
		for _, a := range x.args {
			in = append(in, y.vals[a])
		}
		switch {
		case x.term.IsVar():
			y.vals[k] = y.given[x.term.Var].Subst(b)
			continue
		case x.term.Fn != "":
			y.vals[k] = in[0]
			continue
		}
		attrs := x.term.Attrs
		if !x.fixed {
			attrs = attrs.Subst(b)
		}
		s, err := shapeOf(facts, x.term, attrs, in)
		if err != nil {
			return false
		}
		y.vals[k] = s
	}
	return true
}
