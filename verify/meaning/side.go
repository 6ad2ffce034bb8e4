package meaning

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// side is one side of a law in one case, with its shapes and the conditions
// under which it is defined.
type side struct {
	outs   []*law.Term
	shapes map[*law.Term]graph.Shape
	zero   map[string]bool // function variables with f(0) = 0
	conds  []cond
	looks  []look // besides, entries are places
}

// cond is a condition on sizes: a guard, or mod divides g.E. Two kinds are known
// by what they say only: a need that is not linear, and, of a padding variable,
// that the pads along an axis are smaller than a kernel of size g.E.
type cond struct {
	g    graph.Guard
	mod  int64
	need graph.Need
	pad  string
	axis int
}

// condKey is what a condition is; two conditions with one key are the same.
type condKey struct {
	e    string
	eq   bool
	mod  int64
	need graph.Need
	pad  string
	axis int
}

func (c cond) key() condKey { return condKey{c.g.E.Key(), c.g.Eq, c.mod, c.need, c.pad, c.axis} }

// linear reports whether it is known what the condition says.
func (c cond) linear() bool { return c.need == (graph.Need{}) && c.pad == "" }

// guard is what a linear condition says.
func (b *Engine) guard(c cond) graph.Guard {
	if c.mod > 0 {
		return b.divides(c.mod, c.g.E)
	}
	return c.g
}

// follow reports whether m is defined wherever l is; if not, under which
// conditions it would be. What l needs and is not linear helps only where m needs
// the same.
func (b *Engine) follow(l, m *side) (bool, []string) {
	given := map[condKey]bool{}
	var have []graph.Guard
	for _, c := range l.conds {
		given[c.key()] = true
		if c.linear() {
			have = append(have, b.guard(c))
		}
	}
	var needs []string
	for _, c := range m.conds {
		if given[c.key()] || c.linear() && b.implied(have, b.guard(c)) || b.impossible(have) {
			continue
		}
		needs = append(needs, b.words(c))
	}
	if len(needs) == 0 && len(m.looks) > 0 {
		needs = b.unplaced(have, l, m)
	}
	return len(needs) == 0 && b.err == nil, needs
}

// newSide types the terms of one side and lists the conditions under which they
// are defined: what inference noted, every size at least 1, pads smaller than
// the kernel.
func (b *Engine) newSide(outs []*law.Term, vars map[string]graph.Shape, zero map[string]bool) (*side, error) {
	space := b.Space
	sd := &side{outs: outs, shapes: map[*law.Term]graph.Shape{}, zero: zero}
	var f graph.Unifier
	for _, t := range outs {
		if _, err := law.TypeOf(&f, t, vars, sd.shapes); err != nil {
			return nil, err
		}
	}
	seen := map[condKey]bool{}
	add := func(c cond) {
		if n, ok := c.g.E.Const(); c.linear() && ok && (c.mod == 0 && n >= 0 || c.mod > 0 && n%c.mod == 0) {
			return
		}
		if key := c.key(); !seen[key] {
			seen[key] = true
			sd.conds = append(sd.conds, c)
		}
	}
	used := map[graph.Dim]bool{} // the size functions
	var inOrder []graph.Dim      // of use, which is the order in which is asked of them
	use := func(d graph.Dim) {
		d.Walk(func(a graph.Atom) {
			if a.Kind == graph.AtomFunc {
				if d := a.Dim(); !used[d] {
					used[d] = true
					inOrder = append(inOrder, d)
				}
			}
		})
	}
	for _, n := range f.Needs {
		use(n.Left)
		use(n.Right)
		switch k, literal := n.Left.Const(); {
		case n.Rel == "<=":
			add(cond{g: graph.GuardLe(space.Size(n.Left), space.Size(n.Right))})
		case n.Rel == "divides" && literal && k > 0:
			add(cond{g: graph.Guard{E: space.Size(n.Right)}, mod: k})
		default:
			if _, whole := n.Right.Quo(n.Left); whole {
				continue
			}
			space.LeaveOpen(n.Left)
			add(cond{need: n})
		}
	}
	var err error
	whole := map[graph.Dim]bool{} // sizes of tensors
	var sizes []graph.Guard       // these are at least 1
	dummy := make([]graph.Index, 4)
	for i := range dummy {
		dummy[i] = space.Var("somewhere").Index()
	}
	for _, out := range outs {
		out.Walk(func(t *law.Term) {
			for _, it := range sd.shapes[t] {
				use(it.Dim)
				if !whole[it.Dim] {
					whole[it.Dim] = true
					sizes = append(sizes, graph.Guard{E: space.Size(it.Dim).AddInt(-1)})
				}
				add(cond{g: graph.Guard{E: space.Size(it.Dim).AddInt(-1)}})
			}
			if t.Op == nil {
				return
			}
			if e := sd.look(t); e != nil && err == nil {
				err = e
			}
			window := false
			for _, v := range t.Attrs {
				_, sort, isVar := v.Var()
				window = window || isVar && sort == graph.SortPadding
				if d, ok := v.Dim(); ok {
					use(d)
				}
				if s, ok := v.Shape(); ok {
					for _, it := range s {
						use(it.Dim)
					}
				}
			}
			if !window {
				return
			}
			// The entry says which windows there are; where does not matter.
			for len(dummy) < len(sd.shapes[t]) {
				dummy = append(dummy, space.Var("somewhere").Index())
			}
			n := len(space.Fits())
			if _, e := sd.expr(space, t, dummy[:len(sd.shapes[t])]); e != nil {
				err = e
			}
			for _, fit := range space.Fits()[n:] {
				pads, explicit := space.Pads(fit.Pad)
				if !explicit {
					add(cond{g: graph.Guard{E: fit.Kernel}, pad: fit.Pad, axis: fit.Axis})
					continue
				}
				add(cond{g: graph.GuardLt(pads[fit.Axis], fit.Kernel)})
				add(cond{g: graph.GuardLt(pads[fit.Axis+2], fit.Kernel)})
			}
		})
	}
	if err != nil {
		return nil, err
	}
	// Inference takes size functions to be at least 1. That is right of the size
	// of a tensor, and has to follow from such sizes elsewhere, or else the
	// conditions above are not those under which the side is defined.
	for _, d := range inOrder {
		if !whole[d] && !b.implied(sizes, graph.Guard{E: space.Size(d).AddInt(-1)}) {
			return nil, fmt.Errorf("size %s may be less than 1", d)
		}
	}
	return sd, b.err
}

// primitive is an operator application with the shapes of its operands; of a derived
// operator, what it stands for.
func (l *side) primitive(t *law.Term) (op *graph.Op, attrs graph.Attrs, in []graph.Shape, err error) {
	in = make([]graph.Shape, len(t.Args))
	for i, a := range t.Args {
		in[i] = l.shapes[a]
	}
	p, _, err := t.Op.Primitive(t.Attrs, in, t.Out)
	return p.Op, p.Attrs, in, err
}

// expr is the entry of an operator application at an index.
func (l *side) expr(space *graph.Space, t *law.Term, at []graph.Index) (*graph.Expr, error) {
	op, attrs, in, err := l.primitive(t)
	if err != nil {
		return nil, err
	}
	if op.Entry == nil {
		return nil, fmt.Errorf("operator %s has no entry", op.Name)
	}
	e, err := op.Entry(space, attrs, in, at)
	if err != nil || !op.ByType {
		return e, err
	}
	// Of what depends on element types only that it is some function of what the entry says:
	// the name is none that a law can give to a function.
	return graph.EntryFn(graph.VarValue(op.Name+op.FormatAttrs(attrs), law.SortPointwise1), e), nil
}
