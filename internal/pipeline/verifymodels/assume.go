package verifymodels

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/assume"
)

// assumptions returns what a verdict takes for granted: of nodes that both models have, with
// the same operands, nothing but that operators which are not understood are functions.
func (r *Report) assumptions(c *comparison) ([]assume.Name, error) {
	s := assume.Set{}
	if !r.Agree {
		return s.List(), nil // a difference, or nothing, is not shown by assumptions
	}
	if len(c.a.Defaults)+len(c.b.Defaults) > 0 {
		s.Add(assume.Defaults)
	}
	switch {
	case r.Exact.Structure:
		for _, m := range []*model.Model{c.a, c.b} {
			if anyOpaque(m.Graph) {
				s.Add(assume.Opaque)
			}
		}
		return s.List(), nil
	case r.Exact.Verdict == Equal && !r.Exhaustive:
		s.Add(assume.Modulus)
	}
	boundsA, boundsB, err := c.ranges()
	if err != nil {
		return nil, err
	}
	for side, m := range []*model.Model{c.a, c.b} {
		own, other, bounds := c.numA, c.numB, boundsA
		if side == 1 {
			own, other, bounds = other, own, boundsB
		}
		has := map[bank.Node]bool{}
		for _, n := range other {
			has[n] = true
		}
		g, uses, fed := m.Graph, interp.Readers(m.Graph), dependent(m.Graph)
		for id := range g.Nodes() {
			op := g.Op(id)
			switch {
			case op == nil || uses[id] == 0:
				continue
			case isOpaque(g, id):
				s.Add(assume.Opaque)
				continue
			case has[own[id]] || !assume.Computes(op) && !op.ByType:
				continue
			}
			for k := range g.NumOut(id) {
				switch t := g.DType(id.Out(k)); {
				case t.IsFloat() && (assume.Computes(op) || t.IsNarrow()):
					s.Add(assume.Reals)
					if c.readsFloats(fed, g, id) {
						s.Add(assume.FiniteInputs)
					}
				case t.IsInt() && r.Exact.Verdict == Equal && !r.Exhaustive && bounds.leaves[id.Out(k)] && !wraps(g, id):
					s.Add(assume.NoOverflow)
				}
			}
		}
	}
	if r.Exact.Verdict == Equal && !r.Exhaustive {
		partial, err := c.partial()
		if err != nil {
			return nil, err
		}
		if partial {
			s.Add(assume.Defined)
		}
	}
	return s.List(), nil
}

// partial reports whether a function of a model may have no value. What both models have
// counts too: they may treat what has no value in different ways.
func (c *comparison) partial() (bool, error) {
	boundsA, boundsB, err := c.ranges()
	if err != nil {
		return false, err
	}
	return newWatch(c.a, c.numA, c.numB, boundsA).partial() || newWatch(c.b, c.numB, c.numA, boundsB).partial(), nil
}

// anyOpaque reports whether an output depends on a node that is not understood.
func anyOpaque(g *graph.Graph) bool {
	uses := interp.Readers(g)
	for id := range g.Nodes() {
		if uses[id] > 0 && isOpaque(g, id) {
			return true
		}
	}
	return false
}

// readsFloats reports whether a node depends on what is fed, and floating-point numbers are.
func (c *comparison) readsFloats(fed []bool, g *graph.Graph, id graph.NodeID) bool {
	return fed[id] && c.fedFloats()
}
