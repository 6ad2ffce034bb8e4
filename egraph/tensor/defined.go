package tensor

import (
	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// A law says of defined tensors that all outputs of its one side are defined if
// and only if all of the other are, and are equal then. Read an undefined tensor
// as one more value, which every operator passes on. Then an equation of two
// outputs stands for a match if
//
//   - the tensors that are not in every output of both sides are defined (any
//     other that is undefined makes all outputs undefined), and
//   - of a law of several outputs, all outputs of one side are defined: without
//     that an output may be defined beside another that is not; of a one-way
//     law, the left side is.
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

// fit says that the pads of a padding along an axis are smaller than a kernel.
type fit struct {
	pad    graph.Value
	axis   int
	kernel graph.Dim
}

// multipleOf says that size d is a multiple of k.
type multipleOf struct{ k, d graph.Dim }

// premise is what has to be known of a match beyond that it is one.
type premise struct {
	vars  map[string]bool // tensors that must be defined
	needs []want          // marked; under these the law's equations stand one by one
}

// premiseOf reads off a law what its equations stand under; needs are what the
// sides ask for, split of them what only derived operators do.
func premiseOf(l *law.Law, needs, split [2][]want) premise {
	p := premise{vars: map[string]bool{}}
	count := map[string]int{}
	for _, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			for _, v := range law.Vars(t) {
				count[v]++
			}
		}
	}
	for _, b := range l.Given {
		if b.Sort == "" && count[b.Name] < 2*len(l.LHS) {
			p.vars[b.Name] = true
		}
	}
	switch {
	case l.OneWay:
		p.needs = needs[0]
	case len(l.LHS) > 1 && len(needs[1]) < len(needs[0]):
		p.needs = needs[1]
	case len(l.LHS) > 1:
		p.needs = needs[0]
	}
	p.needs = append(append(append([]want(nil), p.needs...), split[0]...), split[1]...)
	return p
}

// needsOf lists when an operator is defined over arguments of these shapes; with
// sure, also that the size functions in it are at least 1, which inference takes
// for granted and which does not follow from the operator being defined.
func needsOf(sure bool, op *graph.Op, attrs graph.Attrs, in []graph.Shape) ([]want, error) {
	var f graph.Facts
	if _, err := op.InferShapes(&f, attrs, in); err != nil {
		return nil, err
	}
	var out []want
	for _, n := range f.Needs {
		if n.Rel == "divides" {
			out = append(out, want{divides: &multipleOf{n.Left, n.Right}})
		} else {
			out = append(out, want{least: []graph.Dim{n.Right.Sub(n.Left)}})
		}
	}
	functions := func(a graph.Atom) {
		if a.Kind != graph.AtomFunc || len(a.Args) < 3 {
			return
		}
		h, _ := a.Args[0].Dim()
		k, _ := a.Args[1].Dim()
		if a.Name == "strided" || a.Name == "window" && k == graph.Int(1) {
			if d := h.Sub(graph.Int(1)); !d.NonNegative() {
				out = append(out, want{least: []graph.Dim{d}})
			}
			return
		}
		out = append(out, want{least: []graph.Dim{atomDim(a).Sub(graph.Int(1))}})
	}
	if sure {
		for _, v := range attrs {
			v.Walk(functions)
		}
		for _, s := range in {
			s.Walk(functions)
		}
	}
	if i := op.ParamIndex("pad"); i >= 0 {
		if _, sort, ok := attrs[i].Var(); ok && sort == graph.SortPadding {
			for axis, k := range kernel(op, attrs, in) {
				out = append(out, want{fit: &fit{attrs[i], axis, k}})
			}
		}
	}
	return out, nil
}

// kernel is the height and width of an operator's window.
func kernel(op *graph.Op, a graph.Attrs, in []graph.Shape) []graph.Dim {
	if i, j := op.ParamIndex("kh"), op.ParamIndex("kw"); i >= 0 && j >= 0 {
		h, _ := a[i].Dim()
		w, _ := a[j].Dim()
		return []graph.Dim{h, w}
	}
	if len(in) == 2 && len(in[1]) == 4 {
		return []graph.Dim{in[1][2].Dim, in[1][3].Dim}
	}
	return nil
}

// subst is w with variables replaced; nothing is left to want where that holds
// for all sizes, and ok is false where it never does.
func (w want) subst(b *graph.Binding) (out []want, ok bool) {
	for _, d := range w.least {
		d = d.Subst(b)
		switch {
		case d.Neg().Sub(graph.Int(1)).NonNegative():
			return nil, false
		case !d.NonNegative():
			out = append(out, want{least: []graph.Dim{d}})
		}
	}
	if m := w.divides; m != nil {
		out = append(out, want{divides: &multipleOf{m.k.Subst(b), m.d.Subst(b)}})
	}
	if w.fit == nil {
		return out, true
	}
	f := fit{w.fit.pad.Subst(b), w.fit.axis, w.fit.kernel.Subst(b)}
	if f.pad.Kind() == graph.KindVar {
		if _, sort, _ := f.pad.Var(); sort == graph.SortPadding {
			out = append(out, want{fit: &f})
		}
		return out, true
	}
	if ps, isTuple := f.pad.Tuple(); isTuple && len(ps) == 4 {
		for _, p := range []int64{ps[f.axis], ps[f.axis+2]} {
			more, ok := want{least: []graph.Dim{f.kernel.Sub(graph.Int(p + 1))}}.subst(&graph.Binding{})
			if !ok {
				return nil, false
			}
			out = append(out, more...)
		}
	}
	return out, true
}

// sideNeeds is what the terms of one side ask for, arguments included.
func sideNeeds(sure bool, ts []*law.Term, shape map[*law.Term]graph.Shape) (needs, split []want, err error) {
	seen := map[*law.Term]bool{}
	for _, t := range ts {
		t.Walk(func(u *law.Term) {
			if u.Op == nil || err != nil || seen[u] {
				return
			}
			seen[u] = true
			in := make([]graph.Shape, len(u.Args))
			for i, a := range u.Args {
				in[i] = shape[a]
			}
			var ws []want
			if ws, err = needsOf(sure, u.Op, u.Attrs, in); err == nil {
				needs = append(needs, ws...)
				if u.Op.Expand != nil {
					split = append(split, ws...)
				}
			}
		})
	}
	return needs, split, err
}

// directions says in which directions the goal grants w.
func (f *facts) directions(w want) directions {
	d := directions(0)
	for i, dir := range [2]directions{forward, backward} {
		ok := len(w.least) > 0 && impliedAll(w.least, f.side[i]) ||
			w.fit != nil && f.fits[i][*w.fit] ||
			w.divides != nil && (f.multiples[i][*w.divides] || divisible(*w.divides))
		if ok {
			d |= dir
		}
	}
	return d
}

func impliedAll(ds, facts []graph.Dim) bool {
	for _, d := range ds {
		if !implied(d, facts) {
			return false
		}
	}
	return true
}

// divisible says whether m holds for all sizes.
func divisible(m multipleOf) bool {
	terms, c := m.k.Terms()
	switch {
	case m.k == m.d:
		return true
	case len(terms) == 0:
		if c == 0 {
			return false
		}
		return multiple(m.d, c)
	case len(terms) == 1 && c == 0:
		_, ok := divide(m.d, terms[0])
		return ok
	}
	return false
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
		ws, err := needsOf(true, s.op, s.attrs, in)
		if err != nil {
			d = 0
		}
		for _, w := range ws {
			d &= g.facts.directions(w)
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
	for i, must := range r.mustBe {
		if must {
			d &= g.defined(node(i))
		}
	}
	return d
}
