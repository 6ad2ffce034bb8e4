package sums

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
)

// side is one side of a law in one case, with its shapes and the conditions
// under which it is defined.
type side struct {
	outs   []*law.Term
	shapes map[*law.Term]graph.Shape
	zero   map[string]bool // function variables with f(0) = 0
	conds  []cond
}

// cond is a condition on sizes: a guard, or mod divides e, or something that is
// known by its text only.
type cond struct {
	g    graph.Guard
	mod  int64
	text string
}

func (s *solver) cond(c cond) z3.Term {
	switch {
	case c.text != "":
		return s.z.Const("b "+c.text, s.z.Bool())
	case c.mod > 0:
		return s.z.Eq(s.z.Mod(s.index(c.g.E), s.z.IntVal(c.mod)), s.z.IntVal(0))
	}
	return s.guard(c.g)
}

// newSide types the terms of one side and lists the conditions under which they
// are defined: what inference noted, every size at least 1, pads smaller than
// the kernel.
func newSide(space *graph.Space, outs []*law.Term, vars map[string]graph.Shape, zero map[string]bool) (*side, error) {
	sd := &side{outs: outs, shapes: map[*law.Term]graph.Shape{}, zero: zero}
	var f graph.Facts
	for _, t := range outs {
		if _, err := law.TypeOf(&f, t, vars, sd.shapes); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	add := func(c cond) {
		if n, ok := c.g.E.Const(); c.text == "" && ok && (c.mod == 0 && n >= 0 || c.mod > 0 && n%c.mod == 0) {
			return
		}
		key := fmt.Sprint(c.g.E.Key(), c.g.Eq, c.mod, c.text)
		if !seen[key] {
			seen[key] = true
			sd.conds = append(sd.conds, c)
		}
	}
	for _, n := range f.Needs {
		switch k, literal := n.Left.Const(); {
		case n.Rel == "<=":
			add(cond{g: graph.GuardLe(space.Size(n.Left), space.Size(n.Right))})
		case n.Rel == "divides" && literal && k > 0:
			add(cond{g: graph.Guard{E: space.Size(n.Right)}, mod: k})
		default:
			if _, whole := n.Right.Quotient(n.Left); whole {
				continue
			}
			space.LeaveOpen(n.Left)
			add(cond{text: n.String()})
		}
	}
	whole := map[graph.Dim]bool{} // sizes of tensors
	var used []graph.Dim          // sizes in attributes
	var err error
	dummy := make([]graph.Index, 4)
	for i := range dummy {
		dummy[i] = space.Var("somewhere").Index()
	}
	for _, out := range outs {
		out.Walk(func(t *law.Term) {
			for _, it := range sd.shapes[t] {
				whole[it.Dim] = true
				add(cond{g: graph.Guard{E: space.Size(it.Dim).AddInt(-1)}})
			}
			if t.Op == nil {
				return
			}
			window := false
			for _, v := range t.Attrs {
				_, sort, isVar := v.Var()
				window = window || isVar && sort == graph.SortPadding
				if d, ok := v.Dim(); ok {
					used = append(used, d)
				}
				if s, ok := v.Shape(); ok {
					for _, it := range s {
						used = append(used, it.Dim)
					}
				}
			}
			if window && t.Op.Entry != nil && len(sd.shapes[t]) == len(dummy) {
				// The entry says which windows there are; where does not matter.
				n := len(space.Fits())
				if _, e := sd.expr(space, t, dummy); e != nil {
					err = e
				}
				for _, fit := range space.Fits()[n:] {
					pads, explicit := space.Pads(fit.Pad)
					if !explicit {
						add(cond{text: fmt.Sprint("pads of ", fit.Pad, fit.Axis, " in ", fit.Kernel.Key())})
						continue
					}
					add(cond{g: graph.GuardLt(pads[fit.Axis], fit.Kernel)})
					add(cond{g: graph.GuardLt(pads[fit.Axis+2], fit.Kernel)})
				}
			}
		})
	}
	if err != nil {
		return nil, err
	}
	// Inference takes the size functions of windows to be at least 1. That is
	// right for the sizes of tensors, where it is a condition above.
	for _, d := range used {
		d.Walk(func(a graph.Atom) {
			if a.Kind == graph.AtomFunc && !whole[d] {
				err = fmt.Errorf("size %s is no tensor's", d)
			}
		})
	}
	return sd, err
}

// expr is the entry of an operator application at an index; of a derived
// operator, that of what it stands for.
func (l *side) expr(space *graph.Space, t *law.Term, at []graph.Index) (*graph.Expr, error) {
	in := make([]graph.Shape, len(t.Args))
	for i, a := range t.Args {
		in[i] = l.shapes[a]
	}
	op, attrs := t.Op, t.Attrs
	if op.Expand != nil {
		ps, err := op.Expand(attrs, in)
		if err != nil {
			return nil, err
		}
		op, attrs = ps[t.Out].Op, ps[t.Out].Attrs
	}
	if op.Entry == nil {
		return nil, fmt.Errorf("operator %s has no entry", op.Name)
	}
	return op.Entry(space, attrs, in, at)
}
