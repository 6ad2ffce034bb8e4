package network

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// constant reports whether a tensor is a number everywhere, as the term u says: a weight with
// such elements, or weights that are only rearranged.
func (s *side) constant(t graph.Tensor, u *law.Term) bool {
	g := s.m.Graph
	shape, want, ok := numberOf(u)
	if !ok || !shape.Equal(g.Shape(t)) || g.Type(t).Empty() {
		return false
	}
	have, ok := s.number(t)
	return ok && have == want
}

// numberOf is the number that a term is everywhere, and its shape, if the term is the number
// 1 or another that is written in it.
func numberOf(u *law.Term) (shape graph.Shape, x float64, ok bool) {
	if u.Op == nil || u.Op.In != 0 || len(u.Attrs) == 0 {
		return nil, 0, false
	}
	if shape, ok = u.Attrs[0].Shape(); !ok {
		return nil, 0, false
	}
	switch u.Op.Name {
	case "one":
		return shape, 1, true
	case "fill":
		den, whole := u.Attrs[2].Dim()
		x, ok = u.Attrs[1].Number()
		return shape, x, ok && whole && den == graph.Int(1)
	}
	return nil, 0, false
}

// number is the finite number that each element of a tensor is, if it is computed from
// weights by operators that only rearrange elements.
func (s *side) number(t graph.Tensor) (x float64, ok bool) {
	k, seen := s.numbers[t]
	if seen {
		return k.x, k.ok
	}
	if s.numbers == nil {
		s.numbers = map[graph.Tensor]number{}
	}
	x, ok = s.look(t)
	s.numbers[t] = number{x, ok}
	return x, ok
}

type number struct {
	x  float64
	ok bool
}

func (s *side) look(t graph.Tensor) (x float64, ok bool) {
	g := s.m.Graph
	op := g.Op(t.Node)
	if !g.DType(t).IsFloat() {
		return 0, false
	}
	if op == nil {
		w := s.m.Weights[t.Node]
		if !g.IsWeight(t.Node) || w == nil {
			return 0, false
		}
		x, ok, err := w.Constant()
		return x, ok && err == nil
	}
	if !op.Rearranges || op.Expand != nil || len(g.Operands(t.Node)) == 0 {
		return 0, false
	}
	if s.depth++; s.depth > maxDepth {
		return 0, false
	}
	defer func() { s.depth-- }()
	for i, a := range g.Operands(t.Node) {
		y, ok := s.number(a)
		if !ok || i > 0 && y != x {
			return 0, false
		}
		x = y
	}
	return x, true
}
