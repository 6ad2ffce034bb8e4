package broadcast

import (
	"fmt"
	"slices"

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
// its sides have shapes where operands broadcast, and the same. Nothing is written out,
// and a term is typed once for all sizes that do not matter to it.
// Not for use by several goroutines.
type Typer struct {
	groups bool // Options.Groups
	given  map[string]graph.Shape
	sides  [2][]int // the outputs, as numbers of nodes
	left   int      // how many nodes the left side has, which come first
	nodes  []typerNode
	now    []*graph.Shape // of the nodes, at the sizes asked for last
	key    []byte
}

type typerNode struct {
	term  *law.Term
	args  []int
	names []string // the size variables that its shape depends on
	known map[string]*graph.Shape
}

// NewTyper returns a typer of a law.
func NewTyper(l *law.Law, opts Options) *Typer {
	y := &Typer{groups: opts.Groups, given: l.VarShapes()}
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
		x := typerNode{term: t, known: map[string]*graph.Shape{}}
		name := func(a graph.Atom) {
			if !slices.Contains(x.names, a.Name) {
				x.names = append(x.names, a.Name)
			}
		}
		for _, a := range t.Args {
			k := n.Of(a)
			x.args = append(x.args, k)
			for _, s := range y.nodes[k].names {
				name(graph.Atom{Name: s})
			}
		}
		for _, v := range t.Attrs {
			v.Walk(name)
		}
		y.given[t.Var].Walk(name)
		y.nodes = append(y.nodes, x)
	}
	y.now = make([]*graph.Shape, len(y.nodes))
	return y
}

// At is nil, or one of ErrLeftNotDefined, ErrNotDefined and ErrOtherShape: the cause that
// Explicit gives for the law at these sizes, from 1 to 255, of its size variables.
func (y *Typer) At(sizes map[string]int) error {
	for k := range y.nodes {
		if y.now[k] = y.at(k, sizes); y.now[k] == nil {
			if k < y.left {
				return ErrLeftNotDefined
			}
			return ErrNotDefined
		}
	}
	for i, k := range y.sides[0] {
		if !y.now[k].Equal(*y.now[y.sides[1][i]]) {
			return ErrOtherShape
		}
	}
	return nil
}

// at is the shape of a node; nil if it has none.
func (y *Typer) at(k int, sizes map[string]int) *graph.Shape {
	x := &y.nodes[k]
	y.key = y.key[:0]
	for _, n := range x.names {
		y.key = append(y.key, byte(sizes[n]))
	}
	s, ok := x.known[string(y.key)]
	if !ok {
		s = y.infer(x, sizes)
		x.known[string(y.key)] = s
	}
	return s
}

func (y *Typer) infer(x *typerNode, sizes map[string]int) *graph.Shape {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	for _, n := range x.names {
		b.Dims[n] = graph.Int(int64(sizes[n]))
	}
	var in []graph.Shape
	for _, a := range x.args {
		in = append(in, *y.now[a])
	}
	var s graph.Shape
	switch t := x.term; {
	case t.IsVar():
		s = y.given[t.Var].Subst(b)
	case t.Fn != "":
		s = in[0]
	default:
		var facts graph.Unifier
		var err error
		attrs := t.Attrs.Subst(b)
		if y.groups {
			attrs = withGroups(t, attrs, in)
		}
		if s, err = shapeOf(&facts, t, attrs, in); err != nil {
			return nil
		}
	}
	return &s
}
