package rewrite

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Cond is a condition on sizes that does not hold for all of them. It holds if
// one of the ways in which it is written says so.
type Cond struct {
	// Text is a law's condition as written; it holds where the same is assumed.
	Text string
	// Least are sizes; it holds if there are such and all are at least 0.
	Least []graph.Dim
	// Mod: it holds if this remainder is 0.
	Mod *Residue

	// Of conditions under which a term is defined, instead of these:
	Fit     *Fit
	Divides *MultipleOf
}

// Residue is a condition D % K == 0.
type Residue struct {
	D graph.Dim
	K int64
}

// Fit says that the pads of a padding along an axis are smaller than a kernel.
type Fit struct {
	Pad    graph.Value
	Axis   int
	Kernel graph.Dim
}

// MultipleOf says that size D is a multiple of K.
type MultipleOf struct{ K, D graph.Dim }

// CondOf writes a law's condition as sizes that are at least 0, where it can.
func CondOf(p law.Pred) Cond {
	c := Cond{Text: p.String()}
	if p.Mod != nil {
		k, isConst := p.Mod.Const()
		r, known := p.Right.Const()
		if isConst && known && k >= 2 && r >= 0 && r < k && p.Rel == "==" {
			c.Mod = &Residue{p.Left.Sub(p.Right), k}
		}
		return c
	}
	d, one := p.Right.Sub(p.Left), graph.Int(1)
	switch p.Rel {
	case "==":
		c.Least = []graph.Dim{d, d.Neg()}
	case "<=":
		c.Least = []graph.Dim{d}
	case "<":
		c.Least = []graph.Dim{d.Sub(one)}
	case ">=":
		c.Least = []graph.Dim{d.Neg()}
	case ">":
		c.Least = []graph.Dim{d.Neg().Sub(one)}
	}
	return c
}

// Implied says whether d is at least 0 for all sizes, or since one of the facts is.
func Implied(d graph.Dim, facts []graph.Dim) bool {
	return d.NonNegative() || slices.ContainsFunc(facts, func(f graph.Dim) bool { return d.Sub(f).NonNegative() })
}

// Subst is c with variables replaced, as conditions that are left; none where it
// holds for all sizes. ok is false where it never does.
func (c Cond) Subst(b *graph.Substitution) (left []Cond, ok bool) {
	for _, d := range c.Least {
		d = d.Subst(b)
		switch {
		case d.Neg().Sub(graph.Int(1)).NonNegative():
			return nil, false
		case !d.NonNegative():
			left = append(left, Cond{Least: []graph.Dim{d}})
		}
	}
	if m := c.Divides; m != nil {
		k, d := m.K.Subst(b), m.D.Subst(b)
		n, ok1 := k.Const()
		of, ok2 := d.Const()
		switch {
		case !ok1 || !ok2:
			left = append(left, Cond{Divides: &MultipleOf{k, d}})
		case n < 1 || of%n != 0:
			return nil, false
		}
	}
	if c.Fit == nil {
		return left, true
	}
	f := Fit{c.Fit.Pad.Subst(b), c.Fit.Axis, c.Fit.Kernel.Subst(b)}
	if f.Pad.Kind() == graph.KindVar {
		if _, sort, _ := f.Pad.Var(); sort == graph.SortPadding {
			left = append(left, Cond{Fit: &f})
		}
		return left, true
	}
	if ps, isTuple := f.Pad.Tuple(); isTuple && len(ps) == 4 {
		for _, p := range []int64{ps[f.Axis], ps[f.Axis+2]} {
			more, ok := Cond{Least: []graph.Dim{f.Kernel.Sub(graph.Int(p + 1))}}.Subst(&graph.Substitution{})
			if !ok {
				return nil, false
			}
			left = append(left, more...)
		}
	}
	return left, true
}

// NeedsOf lists when an operator is defined over arguments of these shapes; with
// sure, also that the size functions in it are at least 1, which inference takes
// for granted and which does not follow from the operator being defined.
func NeedsOf(sure bool, op *graph.Op, attrs graph.Attrs, in []graph.Shape) ([]Cond, error) {
	var f graph.Unifier
	if _, err := op.InferShapes(&f, attrs, in); err != nil {
		return nil, err
	}
	var out []Cond
	for _, n := range f.Needs {
		if n.Rel == "divides" {
			out = append(out, Cond{Divides: &MultipleOf{n.Left, n.Right}})
		} else {
			out = append(out, Cond{Least: []graph.Dim{n.Right.Sub(n.Left)}})
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
				out = append(out, Cond{Least: []graph.Dim{d}})
			}
			return
		}
		out = append(out, Cond{Least: []graph.Dim{a.Dim().Sub(graph.Int(1))}})
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
			ks, err := Kernel(op, attrs, in)
			if err != nil {
				return nil, err
			}
			for axis, k := range ks {
				out = append(out, Cond{Fit: &Fit{attrs[i], axis, k}})
			}
		}
	}
	return out, nil
}

// Kernel is how far a windowed operator's window reaches, in height and width; the
// error says that the operator is not known to have one.
func Kernel(op *graph.Op, a graph.Attrs, in []graph.Shape) ([]graph.Dim, error) {
	if one, own, over := op.Member(a); one != nil {
		members := make([]graph.Shape, len(in))
		for i, x := range in {
			if len(x) < len(over) {
				return nil, fmt.Errorf("operator %s: shape %s is no family over %s", op.Name, x, over)
			}
			members[i] = x[len(over):]
		}
		return Kernel(one, own, members)
	}
	if i, j := op.ParamIndex("kh"), op.ParamIndex("kw"); i >= 0 && j >= 0 {
		h, _ := a[i].Dim()
		w, _ := a[j].Dim()
		return []graph.Dim{h, w}, nil
	}
	if len(in) == 2 && len(in[1]) == 4 {
		ks := []graph.Dim{in[1][2].Dim, in[1][3].Dim}
		if i := op.ParamIndex("dilation"); i >= 0 {
			for axis, k := range ks {
				ks[axis] = graph.Extent(k, a[i], axis)
			}
		}
		return ks, nil
	}
	return nil, fmt.Errorf("operator %s has a padding and no known window", op.Name)
}

// SideNeeds is what the terms of one side ask for, arguments included, and what
// of it only derived operators do. shape has the shapes of all subterms.
func SideNeeds(sure bool, ts []*law.Term, shape map[*law.Term]graph.Shape) (needs, derived []Cond, err error) {
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
			var cs []Cond
			if cs, err = NeedsOf(sure, u.Op, u.Attrs, in); err == nil {
				needs = append(needs, cs...)
				if u.Op.Expand != nil {
					derived = append(derived, cs...)
				}
			}
		})
	}
	return needs, derived, err
}

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
// What is matched in a concrete graph is defined, and so is what is built there,
// or else the builder refuses it. [Solver.Accept] looks at the conditions and
// [Matcher] at the tensors, so that no host can use a law without its premise.

// premise reads off a law what its equations stand under: the tensors that must
// be defined, and conditions. needs are what the sides ask for, derived of them
// what only derived operators do.
func premise(l *law.Law, needs, derived [2][]Cond) (vars map[string]bool, conds []Cond) {
	vars = map[string]bool{}
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
			vars[b.Name] = true
		}
	}
	switch {
	case l.OneWay:
		conds = needs[0]
	case len(l.LHS) > 1 && len(needs[1]) < len(needs[0]):
		conds = needs[1]
	case len(l.LHS) > 1:
		conds = needs[0]
	}
	return vars, append(append(append([]Cond(nil), conds...), derived[0]...), derived[1]...)
}

// pred is a law's condition over slots.
type pred struct {
	left, right poly
	mod         *poly
	rel         string
}

func (n *numbering) pred(p law.Pred) (pred, error) {
	out := pred{rel: p.Rel}
	var err error
	if out.left, err = n.poly(p.Left); err != nil {
		return pred{}, err
	}
	if out.right, err = n.poly(p.Right); err != nil {
		return pred{}, err
	}
	if p.Mod != nil {
		m, err := n.poly(*p.Mod)
		if err != nil {
			return pred{}, err
		}
		out.mod = &m
	}
	return out, nil
}

// in is the condition of the actual sizes; false if one is not known.
func (p *pred) in(k *known) (law.Pred, bool) {
	l, ok1 := k.size(&p.left)
	r, ok2 := k.size(&p.right)
	q := law.Pred{Left: l, Rel: p.rel, Right: r}
	if p.mod == nil {
		return q, ok1 && ok2
	}
	m, ok := k.size(p.mod)
	q.Mod = &m
	return q, ok && ok1 && ok2
}
