package adversary

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// term writes a term of a shape over tensors that it adds to the law.
func (w *writer) term(l *law.Law, s graph.Shape, depth int) *law.Term {
	if depth <= 0 || w.rng.IntN(6) == 0 {
		for _, b := range l.Given {
			if b.Sort == "" && b.Shape.Equal(s) && w.rng.IntN(2) == 0 {
				return law.V(b.Name)
			}
		}
		if w.rng.IntN(12) == 0 {
			return app("one", map[string]graph.Value{"shape": graph.ShapeValue(s)})
		}
		return w.give(l, s)
	}
	sub := func(s graph.Shape) *law.Term { return w.term(l, s, depth-1) }
	axes := plainAxes(s)
	axis := -1
	if len(axes) > 0 {
		axis = pick(w.rng, axes)
	}
	switch w.rng.IntN(18) {
	case 0:
		return w.function(l, sub(s))
	case 1, 2, 3:
		return app(pick(w.rng, []string{"ewadd", "ewmul", "ewsub", "ewadd", "ewmax", "ewmin", "ewdiv"}), nil, sub(s), sub(s))
	case 4:
		return app("smul", nil, sub(s), sub(graph.Shape{}))
	case 5, 6:
		if axis >= 0 {
			return w.cut(l, s, axis, sub)
		}
	case 7:
		if axis >= 0 {
			if a, b, ok := w.parts(s[axis].Dim); ok {
				return concat(s, axis, sub(s.With(axis, a)), sub(s.With(axis, b)))
			}
		}
	case 8, 9:
		if !s.HasAxisRun() {
			return reshape(sub(w.rejoined(s)), s)
		}
	case 10:
		if !s.HasAxisRun() && len(s) > 1 && len(s) <= 5 {
			perm := w.rng.Perm(len(s))
			from, p := make(graph.Shape, len(s)), make([]int64, len(s))
			for i, k := range perm {
				from[k], p[i] = s[i], int64(k)
			}
			return app("transpose", map[string]graph.Value{"perm": graph.TupleValue(p...)}, sub(from))
		}
	case 11:
		if axis >= 0 {
			return broadcast(sub(s.With(axis, graph.Int(1))), s)
		}
	case 12:
		d := graph.Var(w.fresh(l, "e"))
		if w.rng.IntN(4) == 0 {
			d = w.dimFor(l)
		}
		from := slices.Concat(graph.Shape{graph.Axis(d)}, s)
		return app(pick(w.rng, []string{"reducesum", "reducesum", "reducemax", "reducemean"}),
			map[string]graph.Value{"axes": graph.TupleValue(0)}, sub(from))
	case 13:
		if n := len(s); n >= 2 && s[n-1].AxisRun == "" && s[n-2].AxisRun == "" {
			k := graph.Axis(graph.Var(w.fresh(l, "k")))
			x, y := s.Clone(), s.Clone()
			x[n-1], y[n-2] = k, k
			return app("matmul", nil, sub(x), sub(y))
		}
	case 14:
		for _, b := range l.Given {
			if law.IsFuncSort(b.Sort) {
				return law.Call(b.Name, sub(s))
			}
		}
		return w.function(l, sub(s))
	case 15, 16, 17:
		if t := w.elements(l, s, sub); t != nil {
			return t
		}
	}
	return w.term(l, s, depth-1)
}

// functions with parameters, of which 0 at 0 is a matter of the numbers.
var families = []struct {
	op     string
	params []string
}{
	{"leakyrelu", []string{"alpha"}}, {"elu", []string{"alpha"}}, {"clip", []string{"lo", "hi"}},
	{"hardsigmoid", []string{"alpha", "beta"}},
}

// numbers are parameters that hurt.
var numbers = []string{"0.0", "-0.0", "1.0", "-1.0", "0.5", "inf", "-inf", "1e-05", "6.0"}

// anyFunctions are all functions of one element without parameters.
func anyFunctions() (names []string) {
	for _, op := range graph.Ops() {
		if graph.IsActivation(op.Name) {
			names = append(names, op.Name)
		}
	}
	return names
}

// function is a function of one element of a term.
func (w *writer) function(l *law.Law, x *law.Term) *law.Term {
	switch w.rng.IntN(6) {
	case 0, 1:
		return app(pick(w.rng, []string{"relu", "neg", "tanh", "relu", "abs", "sigmoid", "hardswish", "exp"}), nil, x)
	case 2, 3:
		return app(pick(w.rng, anyFunctions()), nil, x)
	}
	f := pick(w.rng, families)
	named := map[string]graph.Value{}
	for _, p := range f.params {
		x, err := graph.ParseNumber(pick(w.rng, numbers))
		if err != nil {
			return nil
		}
		named[p] = graph.NumberValue(x)
		for _, b := range l.Given {
			if b.Sort == graph.SortNumber && w.rng.IntN(2) == 0 {
				named[p] = graph.VarValue(b.Name, b.Sort)
			}
		}
	}
	return app(f.op, named, x)
}

// cut is a slice of a tensor that is at least as long, of any length, or of two
// side by side.
func (w *writer) cut(l *law.Law, s graph.Shape, axis int, sub func(graph.Shape) *law.Term) *law.Term {
	d, e := s[axis].Dim, graph.Var(w.fresh(l, "m"))
	if w.rng.IntN(4) == 0 {
		e = w.dimFor(l)
	}
	switch w.rng.IntN(6) {
	case 5: // one part of two
		t := app("split", map[string]graph.Value{"axis": axisAttr(s, axis), "at": graph.DimValue(d)}, sub(s.With(axis, d.Add(e))))
		if w.rng.IntN(2) == 0 {
			t = app("split", map[string]graph.Value{"axis": axisAttr(s, axis), "at": graph.DimValue(e)}, sub(s.With(axis, d.Add(e))))
			return t.Output(1)
		}
		return t
	case 0:
		return slice(concat(s, axis, sub(s), sub(s.With(axis, e))), s, axis, graph.Int(0), d)
	case 1:
		return slice(concat(s, axis, sub(s.With(axis, e)), sub(s)), s, axis, e, e.Add(d))
	case 2:
		return slice(sub(s.With(axis, e)), s, axis, graph.Int(0), d)
	case 3:
		return slice(sub(s.With(axis, d.Add(e))), s, axis, e, e.Add(d))
	}
	return slice(sub(s.With(axis, d.Add(e))), s, axis, graph.Int(0), d)
}

// parts writes a size as a sum.
func (w *writer) parts(d graph.Dim) (a, b graph.Dim, ok bool) {
	terms, k := d.Terms()
	switch {
	case len(terms) > 0 && k > 0:
		return d.Sub(graph.Int(k)), graph.Int(k), true
	case len(terms) > 1:
		return d, d, false
	case len(terms) == 1 && terms[0].Coef > 1:
		a := d.Sub(d)
		one := a
		for _, x := range terms[0].Atoms {
			if x.Kind != graph.AtomVar {
				return d, d, false
			}
			if one == a {
				one = graph.Var(x.Name)
			} else {
				one = one.Mul(graph.Var(x.Name))
			}
		}
		return one, d.Sub(one), true
	case len(terms) == 0 && k > 1:
		a := 1 + w.rng.Int64N(k-1)
		return graph.Int(a), graph.Int(k - a), true
	}
	return d, d, false
}

// rejoined is another shape of as many elements: neighbours joined, an axis
// parted, one added, two exchanged.
func (w *writer) rejoined(s graph.Shape) graph.Shape {
	t := s.Clone()
	for range 1 + w.rng.IntN(3) {
		n := len(t)
		switch w.rng.IntN(5) {
		case 0:
			if n >= 2 {
				i := w.rng.IntN(n - 1)
				t = slices.Concat(t[:i], graph.Shape{graph.Axis(t[i].Dim.Mul(t[i+1].Dim))}, t[i+2:])
			}
		case 1:
			if n > 0 {
				i := w.rng.IntN(n)
				if a, b, ok := factors(t[i].Dim); ok {
					if w.rng.IntN(2) == 0 {
						a, b = b, a
					}
					t = slices.Concat(t[:i], graph.Shape{graph.Axis(a), graph.Axis(b)}, t[i+1:])
				}
			}
		case 2:
			i := w.rng.IntN(n + 1)
			t = slices.Concat(t[:i], graph.Shape{graph.Axis(graph.Int(1))}, t[i:])
		default:
			if n >= 2 {
				i, j := w.rng.IntN(n), w.rng.IntN(n)
				t[i], t[j] = t[j], t[i]
			}
		}
	}
	return t
}

// factors writes a size as a product.
func factors(d graph.Dim) (a, b graph.Dim, ok bool) {
	terms, k := d.Terms()
	switch {
	case len(terms) == 0:
		for _, f := range []int64{2, 3, 5, 7} {
			if k > f && k%f == 0 {
				return graph.Int(f), graph.Int(k / f), true
			}
		}
	case len(terms) == 1 && k == 0:
		t := terms[0]
		for _, x := range t.Atoms {
			if x.Kind != graph.AtomVar {
				return d, d, false
			}
		}
		if t.Coef == 1 && len(t.Atoms) == 1 {
			return d, d, false
		}
		a = graph.Var(t.Atoms[0].Name)
		b = graph.Int(t.Coef)
		for _, x := range t.Atoms[1:] {
			b = b.Mul(graph.Var(x.Name))
		}
		return a, b, true
	}
	return d, d, false
}

// zero is a tensor of zeros of a shape, which may be defined for some sizes
// only.
func (w *writer) zero(l *law.Law, s graph.Shape) *law.Term {
	axes := plainAxes(s)
	var z *law.Term
	switch k := w.rng.IntN(6); {
	case k < 3 && len(axes) > 0: // a slice of a tensor that may be too short
		i := pick(w.rng, axes)
		e := graph.Var(w.fresh(l, "z"))
		sizes, _ := variables(l)
		switch {
		case w.rng.IntN(3) == 0 && len(sizes) > 0:
			e = graph.Var(pick(w.rng, sizes))
		case w.rng.IntN(3) == 0:
			e = graph.Int(4 + w.rng.Int64N(4))
		case w.rng.IntN(4) == 0:
			e = w.window(l).Add(graph.Int(4))
		}
		z = slice(w.give(l, s.With(i, e)), s, i, graph.Int(0), s[i].Dim)
	case k == 3: // the sum of a part of a vector
		e, hi := graph.Int(5+w.rng.Int64N(2)), w.someDim(l)
		if w.rng.IntN(2) == 0 {
			hi = hi.Add(graph.Int(1))
		}
		v := graph.ShapeOf(e)
		k := slice(w.give(l, v), v, 0, graph.Int(0), hi)
		sum := app("reducesum", map[string]graph.Value{"axes": graph.TupleValue(0)}, app("ewsub", nil, k, k))
		return broadcast(sum, s)
	case k == 4 && !s.HasAxisRun() && len(s) > 0:
		z = reshape(w.give(l, w.rejoined(s)), s)
	case k == 5 && len(axes) > 0:
		i := pick(w.rng, axes)
		z = broadcast(w.give(l, s.With(i, graph.Int(1))), s)
	default:
		z = w.give(l, s)
	}
	if z == nil {
		return nil
	}
	return app("ewsub", nil, z, z)
}

// typed is a place with the shape of its subterm.
func (w *writer) typed(l *law.Law) (place, graph.Shape, bool) {
	ty, err := l.Types()
	if err != nil {
		return place{}, nil, false
	}
	p := pick(w.rng, places(l))
	s, ok := ty.Shape[p.at]
	return p, s, ok
}

func (w *writer) addZero(l *law.Law) *law.Law {
	p, s, ok := w.typed(l)
	if !ok {
		return nil
	}
	c := *l
	z := w.zero(&c, s)
	if z == nil {
		return nil
	}
	return p.put(&c, app("ewadd", nil, p.at, z))
}

// rewriteSide rewrites a subterm in a way that is true, wherever what it makes
// is defined.
func (w *writer) rewriteSide(l *law.Law) *law.Law {
	p, s, ok := w.typed(l)
	if !ok {
		return nil
	}
	c := *l
	return p.put(&c, w.same(&c, p.at, s))
}

// same is a term that is equal to u where it is defined.
func (w *writer) same(l *law.Law, u *law.Term, s graph.Shape) *law.Term {
	axes := plainAxes(s)
	if len(axes) > 0 {
		i := pick(w.rng, axes)
		d, e := s[i].Dim, graph.Var(w.fresh(l, "m"))
		switch w.rng.IntN(9) {
		case 0:
			return slice(concat(s, i, u, w.term(l, s.With(i, e), 1)), s, i, graph.Int(0), d)
		case 1:
			return slice(concat(s, i, w.term(l, s.With(i, e), 1), u), s, i, e, e.Add(d))
		case 2:
			if a, _, ok := w.parts(d); ok {
				return concat(s, i, slice(u, s, i, graph.Int(0), a), slice(u, s, i, a, d))
			}
			return slice(u, s, i, graph.Int(0), d)
		case 3: // cut somewhere: defined where that lies inside
			return concat(s, i, slice(u, s, i, graph.Int(0), e), slice(u, s, i, e, d))
		case 4:
			if !s.HasAxisRun() {
				return reshape(reshape(u, w.rejoined(s)), s)
			}
		case 5:
			if !s.HasAxisRun() && len(s) > 1 && len(s) < 6 {
				perm := w.rng.Perm(len(s))
				p, q := make([]int64, len(s)), make([]int64, len(s))
				for i, k := range perm {
					p[i], q[k] = int64(k), int64(i)
				}
				t := app("transpose", map[string]graph.Value{"perm": graph.TupleValue(p...)}, u)
				return app("transpose", map[string]graph.Value{"perm": graph.TupleValue(q...)}, t)
			}
		}
	}
	switch w.rng.IntN(10) {
	case 7, 8, 9:
		return w.sameElements(l, u, s)
	case 0:
		return app("ewmul", nil, u, app("one", map[string]graph.Value{"shape": graph.ShapeValue(s)}))
	case 1:
		return app("neg", nil, app("neg", nil, u))
	case 2:
		return broadcast(u, s)
	case 3:
		return app("ewmax", nil, u, u)
	case 4:
		t := w.term(l, s, 1)
		return app("ewsub", nil, app("ewadd", nil, u, t), t)
	case 5:
		return app("smul", nil, u, app("one", map[string]graph.Value{"shape": graph.ShapeValue(graph.Shape{})}))
	}
	if u.Op != nil && u.Op.Commutative {
		return law.Apply(u.Op, u.Attrs, u.Args[1], u.Args[0])
	}
	z := w.zero(l, s)
	if z == nil {
		return nil
	}
	return app("ewadd", nil, u, z)
}

// inContext puts both sides into the same place of a larger term.
func (w *writer) inContext(l *law.Law) *law.Law {
	ty, err := l.Types()
	if err != nil || len(l.LHS) != 1 {
		return nil
	}
	c := *l
	s := ty.Shape[l.LHS[0]]
	hole := law.V("\x00")
	ctx := hole
	for range 1 + w.rng.IntN(2) {
		axes := plainAxes(s)
		switch k := w.rng.IntN(7); {
		case k == 0:
			ctx = app(pick(w.rng, []string{"relu", "neg", "sigmoid"}), nil, ctx)
		case k == 1:
			ctx = app("ewadd", nil, ctx, w.term(&c, s, 1))
		case k == 2:
			ctx = app("ewmul", nil, w.term(&c, s, 1), ctx)
		case k == 3 && len(axes) > 0:
			i := pick(w.rng, axes)
			e := graph.Var(w.fresh(&c, "m"))
			ctx = concat(s, i, ctx, w.term(&c, s.With(i, e), 1))
			s = s.With(i, s[i].Dim.Add(e))
		case k == 4 && len(axes) > 0:
			i := pick(w.rng, axes)
			hi := graph.Dim(graph.Int(1))
			if w.rng.IntN(2) == 0 {
				hi = w.someDim(&c)
			}
			ctx = slice(ctx, s, i, graph.Int(0), hi)
			s = s.With(i, hi)
		case k == 5 && !s.HasAxisRun():
			s = w.rejoined(s)
			ctx = reshape(ctx, s)
		}
		if ctx == nil {
			return nil
		}
	}
	fill := func(by *law.Term) *law.Term { return replace(ctx, hole, by) }
	c.LHS, c.RHS = []*law.Term{fill(l.LHS[0])}, []*law.Term{fill(l.RHS[0])}
	return &c
}

// replaceTensor puts a term in the place of a tensor, everywhere.
func (w *writer) replaceTensor(l *law.Law) *law.Law {
	var at []int
	for i, b := range l.Given {
		if b.Sort == "" {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	c := *l
	b := l.Given[pick(w.rng, at)]
	by := w.term(&c, b.Shape, 1+w.rng.IntN(2))
	return withTensor(&c, b.Name, by, by)
}

// withTensor puts terms in the place of a tensor, one on each side.
func withTensor(l *law.Law, name string, left, right *law.Term) *law.Law {
	if left == nil || right == nil {
		return nil
	}
	c := *l
	c.LHS, c.RHS = nil, nil
	for _, t := range l.LHS {
		c.LHS = append(c.LHS, t.Subst(map[string]*law.Term{name: left}, nil, nil))
	}
	for _, t := range l.RHS {
		c.RHS = append(c.RHS, t.Subst(map[string]*law.Term{name: right}, nil, nil))
	}
	used := law.Vars(slices.Concat(c.LHS, c.RHS)...)
	c.Given = slices.DeleteFunc(slices.Clone(l.Given), func(b law.Declaration) bool {
		return b.Sort == "" && b.Name == name && !slices.Contains(used, name)
	})
	return &c
}

// nest puts the left side of another law in the place of a tensor of any shape
// on the left, and its right side on the right.
func (w *writer) nest(l *law.Law) *law.Law {
	other := pick(w.rng, w.pool)
	for _, b := range l.Given {
		if b.Sort != "" || len(b.Shape) != 1 || b.Shape[0].AxisRun == "" {
			continue
		}
		o := w.apart(other, l)
		ty, err := o.Types()
		if err != nil {
			return nil
		}
		i := w.rng.IntN(len(o.LHS))
		c := l.Subst(&graph.Substitution{Runs: map[string]graph.Shape{b.Shape[0].AxisRun: ty.Shape[o.LHS[i]]}})
		c.Given = slices.Concat(c.Given, o.Given)
		c.Where = slices.Concat(c.Where, o.Where)
		c.OneWay = l.OneWay || o.OneWay
		return withTensor(c, b.Name, o.LHS[i], o.RHS[i])
	}
	return nil
}
