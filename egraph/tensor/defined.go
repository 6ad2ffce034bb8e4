package tensor

import (
	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law/rewrite"
)

// What a law's equations stand under where tensors may be undefined is with the
// compiled law, see [rewrite.Solver.Accept] and [rewrite.Direction].MustBe.
//
// What a goal has to grant for that may be granted by one of its sides only.
// Then the equation is good in one direction: where that side is defined.

// directions are those in which something is granted: from the goal's left side
// to the right, and back.
type directions uint8

const (
	forward directions = 1 << iota
	backward
	both = forward | backward
)

// directions says in which directions the goal grants w.
func (f *facts) directions(w rewrite.Cond) directions {
	d := directions(0)
	for i, dir := range [2]directions{forward, backward} {
		ok := len(w.Least) > 0 && impliedAll(w.Least, f.side[i]) ||
			w.Fit != nil && f.fits[i][*w.Fit] ||
			w.Divides != nil && (f.multiples[i][*w.Divides] || divisible(*w.Divides))
		if ok {
			d |= dir
		}
	}
	return d
}

func impliedAll(ds, facts []graph.Dim) bool {
	for _, d := range ds {
		if !rewrite.Implied(d, facts) {
			return false
		}
	}
	return true
}

// divisible says whether m holds for all sizes.
func divisible(m rewrite.MultipleOf) bool {
	terms, c := m.K.Terms()
	if m.K == m.D {
		return true
	}
	// A size that is one product or number; a difference might be 0.
	_, ok := m.D.Quo(m.K)
	return ok && (len(terms) == 0 || len(terms) == 1 && c == 0)
}

// enough says whether these directions are as many as the goal wants.
func (f *facts) enough(d directions) bool {
	switch {
	case f.oneWay:
		return d&forward != 0
	case f.either:
		return d != 0
	}
	return d == both
}

// defined says in which directions a node's term is known to be defined.
func (g *Graph) defined(n egraph.NodeID) directions {
	if d, ok := g.known[n]; ok {
		return d
	}
	d := both
	s := &g.tab.syms[g.e.Sym(n)]
	in := make([]graph.Shape, g.e.Arity(n))
	for i := range in {
		c := g.e.Child(n, i)
		d &= g.defined(c)
		in[i] = g.Shape(c)
	}
	if s.kind == symOp {
		ws, err := rewrite.NeedsOf(true, s.op, s.attrs, in)
		if err != nil {
			d = 0
		}
		for _, w := range ws {
			d &= g.facts.directions(w)
		}
		if s.op.Places != nil && err == nil {
			i, size, err := s.op.Places(s.attrs, in)
			if err != nil {
				d = 0
			} else {
				d &= g.placed(g.e.Child(n, i), size, 0)
			}
		}
	}
	g.known[n] = d
	return d
}

// premised says in which directions the equations of a solution stand, with
// these nodes for its variables.
func (g *Graph) premised(r *Rule, s *solution, node func(int) egraph.NodeID) directions {
	d := both
	for _, w := range s.premise {
		d &= g.facts.directions(w)
	}
	for _, v := range r.places {
		d &= g.placed(node(v.at), v.n.Subst(s.bind), 0)
	}
	for i, must := range r.dir.MustBe {
		if must {
			d &= g.defined(node(i))
		}
	}
	return d
}
