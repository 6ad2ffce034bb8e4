package adversary

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
)

// What may be altered in a law. Each method returns a law of its own, or nil.

// mutant is one of the mutants of a law of the pool.
func (w *writer) mutant(l *law.Law) *law.Law {
	if !slices.Contains(w.pool, l) {
		return nil
	}
	ms, ok := w.mutants[l]
	if !ok {
		ms = mutate.Mutants(l)
		w.mutants[l] = ms
	}
	if len(ms) == 0 {
		return nil
	}
	return pick(w.rng, ms).Law
}

// operand puts another tensor in the place of one, exchanges two operands, or
// takes one in the place of the application.
func (w *writer) operand(l *law.Law) *law.Law {
	p := pick(w.rng, places(l))
	if p.at.IsVar() {
		b := pick(w.rng, l.Given)
		if b.Sort != "" || b.Name == p.at.Var {
			return nil
		}
		return p.put(l, law.V(b.Name))
	}
	n := len(p.at.Args)
	if n == 0 {
		return nil
	}
	if n == 1 || w.rng.IntN(3) == 0 {
		return p.put(l, p.at.Args[w.rng.IntN(n)])
	}
	u := *p.at
	u.Args = slices.Clone(u.Args)
	i, j := w.rng.IntN(n), w.rng.IntN(n)
	u.Args[i], u.Args[j] = u.Args[j], u.Args[i]
	return p.put(l, &u)
}

func (w *writer) dropCondition(l *law.Law) *law.Law {
	if len(l.Where) == 0 {
		return nil
	}
	c := *l
	i := w.rng.IntN(len(l.Where))
	c.Where = slices.Delete(slices.Clone(l.Where), i, i+1)
	return &c
}

func (w *writer) alterCondition(l *law.Law) *law.Law {
	if len(l.Where) == 0 {
		return nil
	}
	c := *l
	c.Where = slices.Clone(l.Where)
	p := &c.Where[w.rng.IntN(len(c.Where))]
	switch w.rng.IntN(3) {
	case 0:
		p.Right = p.Right.Add(graph.Int(w.rng.Int64N(3) - 1))
	case 1:
		p.Left = p.Left.Add(graph.Int(w.rng.Int64N(3) - 1))
	default:
		p.Rel = pick(w.rng, []string{"==", "!=", "<", "<=", ">", ">="})
	}
	return &c
}

// someDim is a size variable of a law, rarely the length of a run, a size
// function or a number.
func (w *writer) someDim(l *law.Law) graph.Dim {
	sizes, runs := variables(l)
	switch k := w.rng.IntN(10); {
	case k == 0 || len(sizes) == 0 && len(runs) == 0:
		return graph.Int(1 + w.rng.Int64N(9))
	case k == 1 && len(runs) > 0 || len(sizes) == 0:
		return graph.AxisRunLen(pick(w.rng, runs))
	}
	return graph.Var(pick(w.rng, sizes))
}

func (w *writer) addCondition(l *law.Law) *law.Law {
	c := *l
	p := law.Pred{Left: w.someDim(l), Right: w.someDim(l), Rel: pick(w.rng, []string{"==", "!=", "<", "<=", ">", ">="})}
	switch w.rng.IntN(4) {
	case 0: // what no case that is tried by value meets
		p.Rel, p.Right = ">=", graph.Int(3+w.rng.Int64N(5))
	case 1:
		m := graph.Int(2 + w.rng.Int64N(2))
		p.Mod, p.Rel, p.Right = &m, "==", graph.Int(w.rng.Int64N(2))
	case 2:
		p.Right = graph.Int(1 + w.rng.Int64N(8))
	}
	c.Where = append(slices.Clone(l.Where), p)
	return &c
}

func (w *writer) oneWay(l *law.Law) *law.Law {
	c := *l
	c.OneWay = !l.OneWay
	return &c
}

func (w *writer) reversed(l *law.Law) *law.Law {
	c := *l
	c.LHS, c.RHS = l.RHS, l.LHS
	c.OneWay = l.OneWay || w.rng.IntN(2) == 0
	return &c
}

// outputs takes one output of several, exchanges two, or adds one.
func (w *writer) outputs(l *law.Law) *law.Law {
	c := *l
	if len(l.LHS) < 2 {
		// A term of two outputs: both sides beside something else.
		other := pick(w.rng, w.pool)
		if len(other.LHS) < 2 {
			return nil
		}
		c = *other
	}
	i := w.rng.IntN(len(c.LHS))
	switch w.rng.IntN(3) {
	case 0:
		c.RHS = slices.Clone(c.RHS)
		j := w.rng.IntN(len(c.RHS))
		c.RHS[i], c.RHS[j] = c.RHS[j], c.RHS[i]
		if i == j {
			return nil
		}
	default:
		c.LHS, c.RHS = c.LHS[i:i+1:i+1], c.RHS[i:i+1:i+1]
	}
	return &c
}

// beside adds an output: the same term on both sides, defined for some sizes
// only, or what one side has and the other may need.
func (w *writer) beside(l *law.Law) *law.Law {
	c := *l
	var s graph.Shape
	for _, b := range l.Given {
		if b.Sort == "" && len(b.Shape) > 0 {
			s = b.Shape
		}
	}
	t := w.term(&c, s, 2)
	if t == nil {
		return nil
	}
	if z := w.zero(&c, s); z != nil && w.rng.IntN(2) == 0 {
		// The operand of the difference: where it is defined the zero is.
		t = z.Args[0]
		if p, ps, ok := w.typed(&c); ok && ps.Equal(s) {
			if d := p.put(&c, app("ewadd", nil, p.at, z)); d != nil {
				c = *d
			}
		}
	}
	left, right := t, t
	if w.rng.IntN(4) == 0 {
		if right = w.same(&c, t, s); right == nil {
			return nil
		}
	}
	c.LHS, c.RHS = append(slices.Clone(c.LHS), left), append(slices.Clone(c.RHS), right)
	if w.rng.IntN(2) == 0 {
		slices.Reverse(c.LHS)
		slices.Reverse(c.RHS)
	}
	return &c
}

// dimFor is what may stand for a size.
func (w *writer) dimFor(l *law.Law) graph.Dim {
	sizes, runs := variables(l)
	some := func() graph.Dim {
		if len(sizes) == 0 {
			return graph.Int(2)
		}
		return graph.Var(pick(w.rng, sizes))
	}
	switch w.rng.IntN(12) {
	case 0, 1:
		return graph.Int(1)
	case 2:
		return graph.Int(2 + w.rng.Int64N(4))
	case 3:
		return pick(w.rng, []graph.Dim{graph.Int(64), graph.Int(3000), graph.Int(1 << 19), graph.Int(1 << 20)})
	case 4, 5:
		return some()
	case 6:
		return some().Add(some())
	case 7, 8:
		return some().Mul(some())
	case 9:
		return some().Scale(2 + w.rng.Int64N(3))
	case 10:
		return some().Add(graph.Int(1 + w.rng.Int64N(4)))
	}
	if len(runs) > 0 && w.rng.IntN(2) == 0 {
		return graph.AxisRunLen(pick(w.rng, runs)).Add(graph.Int(1))
	}
	return w.window(l).Add(graph.Int(w.rng.Int64N(5)))
}

// window is a size function of attributes that the law has, or of numbers.
func (w *writer) window(l *law.Law) graph.Dim {
	stride, pad := graph.TupleValue(1+w.rng.Int64N(3), 2), pick(w.rng, []graph.Value{graph.NameValue(graph.Valid),
		graph.NameValue(graph.SameUpper), graph.TupleValue(1, 0, 1, 1)})
	for _, b := range l.Given {
		switch b.Sort {
		case graph.SortStride:
			stride = graph.VarValue(b.Name, b.Sort)
		case graph.SortPadding, graph.SortSame:
			pad = graph.VarValue(b.Name, b.Sort)
		}
	}
	sizes, _ := variables(l)
	h, k := graph.Var("h"), graph.Var("k")
	if len(sizes) > 0 && w.rng.IntN(2) == 0 {
		h = graph.Var(pick(w.rng, sizes))
	}
	return graph.WindowOut(h, k, stride, pad, w.rng.IntN(2))
}

func (w *writer) replaceSize(l *law.Law) *law.Law {
	sizes, _ := variables(l)
	if len(sizes) == 0 {
		return nil
	}
	return l.Subst(&graph.Substitution{Dims: map[string]graph.Dim{pick(w.rng, sizes): w.dimFor(l)}})
}

func (w *writer) replaceRun(l *law.Law) *law.Law {
	_, runs := variables(l)
	if len(runs) == 0 {
		return nil
	}
	name := pick(w.rng, runs)
	var s graph.Shape
	axes := w.rng.IntN(4)
	if w.rng.IntN(6) == 0 {
		axes = 4 + w.rng.IntN(5)
	}
	for i := range axes {
		d := graph.Var(w.fresh(l, "n"))
		switch w.rng.IntN(6) {
		case 0:
			d = graph.Int(1)
		case 1:
			d = w.dimFor(l)
		}
		s = append(s, graph.Axis(d))
		if i == 0 && w.rng.IntN(5) == 0 {
			s = append(s, graph.AxisRun(name))
		}
	}
	return l.Subst(&graph.Substitution{Runs: map[string]graph.Shape{name: s}})
}

var values = map[string][]graph.Value{
	graph.SortStride: {graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(1, 2), graph.TupleValue(4, 4), graph.TupleValue(7, 1)},
	graph.SortPadding: {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower), graph.NameValue(graph.Valid),
		graph.TupleValue(1, 1, 1, 1), graph.TupleValue(0, 1, 0, 1), graph.TupleValue(2, 2, 2, 2)},
	graph.SortSame:   {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)},
	graph.SortAct:    {graph.NameValue("none"), graph.NameValue("relu"), graph.NameValue("sigmoid")},
	graph.SortBorder: {graph.NameValue("counted"), graph.NameValue("excluded")},
	graph.SortNumber: {graph.NumberValue(0), graph.NumberValue(1), graph.NumberValue(-0.5)},
}

// replaceAttr puts a value in the place of an attribute variable, or another
// sort.
func (w *writer) replaceAttr(l *law.Law) *law.Law {
	var at []int
	for i, b := range l.Given {
		if values[b.Sort] != nil || law.IsFuncSort(b.Sort) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	i := pick(w.rng, at)
	b := l.Given[i]
	c := *l
	c.Given = slices.Clone(l.Given)
	to := map[string]string{graph.SortSame: graph.SortPadding, graph.SortPadding: graph.SortSame,
		law.SortZero1: law.SortPointwise1, law.SortPointwise1: law.SortZero1}[b.Sort]
	if to != "" && (values[b.Sort] == nil || w.rng.IntN(3) == 0) {
		c.Given[i].Sort = to
		return &c
	}
	return l.Subst(&graph.Substitution{Attrs: map[string]graph.Value{b.Name: pick(w.rng, values[b.Sort])}})
}

// place is one subterm of one output of one side.
type place struct {
	side, out int
	at        *law.Term
}

// places lists the subterms of a law.
func places(l *law.Law) []place {
	var out []place
	for side, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for i, t := range ts {
			t.Walk(func(u *law.Term) { out = append(out, place{side, i, u}) })
		}
	}
	return out
}

// put replaces a subterm, in its output only.
func (p place) put(l *law.Law, by *law.Term) *law.Law {
	if by == nil {
		return nil
	}
	c := *l
	c.LHS, c.RHS = slices.Clone(l.LHS), slices.Clone(l.RHS)
	ts := c.LHS
	if p.side == 1 {
		ts = c.RHS
	}
	ts[p.out] = replace(ts[p.out], p.at, by)
	return &c
}

func replace(t, at, by *law.Term) *law.Term {
	if t == at {
		return by
	}
	u := *t
	u.Args = make([]*law.Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = replace(a, at, by)
	}
	return &u
}

// alterAttr alters one attribute of one application, on one side or the same
// one on both.
func (w *writer) alterAttr(l *law.Law) *law.Law {
	var with []place
	for _, p := range places(l) {
		if p.at.Op != nil && len(p.at.Attrs) > 0 {
			with = append(with, p)
		}
	}
	if len(with) == 0 {
		return nil
	}
	p := pick(w.rng, with)
	u := *p.at
	u.Attrs = slices.Clone(u.Attrs)
	i := w.rng.IntN(len(u.Attrs))
	v := u.Attrs[i]
	sort := u.Op.Params[i].Sort
	if d, ok := v.Dim(); ok {
		switch w.rng.IntN(4) {
		case 0:
			d = d.Add(graph.Int(1))
		case 1:
			d = d.Sub(graph.Int(1))
		case 2:
			d = w.someDim(l)
		default:
			d = d.Add(w.someDim(l))
		}
		v = graph.DimValue(d)
	} else if names := u.Op.Params[i].Names; names != nil {
		v = graph.NameValue(pick(w.rng, names))
	} else if sort == graph.SortDType {
		v = graph.NameValue(pick(w.rng, graph.DTypes()).String())
	} else if vs := values[sort]; vs != nil {
		v = pick(w.rng, vs)
	} else if s, ok := v.Shape(); ok && len(s) > 0 {
		s = s.Clone()
		i := w.rng.IntN(len(s))
		j := w.rng.IntN(len(s))
		if i != j {
			s[i], s[j] = s[j], s[i]
		} else if s[i].AxisRun == "" {
			s[i].Dim = w.dimFor(l)
		}
		v = graph.ShapeValue(s)
	} else if t, ok := v.Tuple(); ok && len(t) > 1 {
		t = slices.Clone(t)
		i, j := w.rng.IntN(len(t)), w.rng.IntN(len(t))
		t[i], t[j] = t[j], t[i]
		v = graph.TupleValue(t...)
	}
	u.Attrs[i] = v
	c := p.put(l, &u)
	if w.rng.IntN(3) == 0 { // in all places
		for _, q := range places(c) {
			if law.Equal(q.at, p.at) {
				if d := q.put(c, &u); d != nil {
					c = d
				}
				break
			}
		}
	}
	return c
}
