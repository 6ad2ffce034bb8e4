package adversary

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Terms of comparisons, choices, powers, functions of integers, casts, dilated windows and
// places of the largest elements, and what is nearly the same as one of them.

// elements is such a term of a shape.
func (w *writer) elements(l *law.Law, s graph.Shape, sub func(graph.Shape) *law.Term) *law.Term {
	switch w.rng.IntN(12) {
	case 0, 1:
		return app(pick(w.rng, comparisons), nil, sub(s), sub(s))
	case 2, 3:
		c := sub(s)
		if w.rng.IntN(2) == 0 {
			c = app(pick(w.rng, comparisons), nil, c, sub(s))
		}
		return app("ewwhere", nil, c, sub(s), sub(s))
	case 4, 5:
		return app("ewpow", nil, sub(s), w.exponent(s, sub))
	case 6, 7:
		return app("ewint", map[string]graph.Value{"fn": w.nameOf("ewint", "fn")}, sub(s), sub(s))
	case 8, 9:
		t := pick(w.rng, graph.DTypes())
		return app("cast", map[string]graph.Value{"to": graph.NameValue(t.String()), "mode": graph.NameValue(pick(w.rng, graph.Modes(t)))}, sub(s))
	}
	if axes := plainAxes(s); len(axes) > 0 && w.rng.IntN(3) == 0 {
		return w.largest(l, s, pick(w.rng, axes), sub)
	}
	if _, ok := s.Concrete(); ok && len(s) > 0 && w.rng.IntN(2) == 0 {
		return w.resized(s, sub)
	}
	return w.dilated(l, s, sub)
}

var comparisons = []string{"ewless", "ewlessequal", "ewequal"}

// nameOf is one of the names that an operator knows.
func (w *writer) nameOf(op, param string) graph.Value {
	o, ok := graph.Lookup(op)
	if !ok {
		return graph.Value{}
	}
	return graph.NameValue(pick(w.rng, o.Params[o.ParamIndex(param)].Names))
}

// exponent is a number everywhere, or any term.
func (w *writer) exponent(s graph.Shape, sub func(graph.Shape) *law.Term) *law.Term {
	if w.rng.IntN(2) == 0 {
		return sub(s)
	}
	x := pick(w.rng, []float64{0, 1, 2, 3, -1, 0.5})
	return app("fill", map[string]graph.Value{"shape": graph.ShapeValue(s), "value": graph.NumberValue(x)})
}

// largest are places of the largest or smallest elements along an axis, of which there are
// as many or more.
func (w *writer) largest(l *law.Law, s graph.Shape, axis int, sub func(graph.Shape) *law.Term) *law.Term {
	k, n := s[axis].Dim, s[axis].Dim
	if w.rng.IntN(2) == 0 {
		n = n.Add(graph.Var(w.fresh(l, "m")))
	}
	return app("topk", map[string]graph.Value{"axis": axisAttr(s, axis), "k": graph.DimValue(k), "smallest": graph.IntValue(w.rng.Int64N(2))},
		sub(s.With(axis, n)))
}

// resized is an image of another size.
func (w *writer) resized(s graph.Shape, sub func(graph.Shape) *law.Term) *law.Term {
	to, _ := s.Concrete()
	from := s.Clone()
	for i := range from {
		if w.rng.IntN(2) == 0 {
			from[i] = graph.Axis(graph.Int(1 + w.rng.Int64N(4)))
		}
	}
	return app("resize", map[string]graph.Value{"sizes": graph.TupleValue(to...), "mode": w.nameOf("resize", "mode")}, sub(from))
}

// dilated is a convolution with cells apart that keeps the size of its image, or one of an
// image that is as much larger.
func (w *writer) dilated(l *law.Law, s graph.Shape, sub func(graph.Shape) *law.Term) *law.Term {
	if len(s) != 4 || s.HasAxisRun() {
		return nil
	}
	c, kh, kw := graph.Var(w.fresh(l, "c")), graph.Int(1+w.rng.Int64N(3)), graph.Dim(graph.Int(1+w.rng.Int64N(2)))
	if w.rng.IntN(3) == 0 {
		kw = graph.Var(w.fresh(l, "k"))
	}
	apart := graph.TupleValue(1+w.rng.Int64N(3), 1+w.rng.Int64N(3))
	if w.rng.IntN(3) == 0 {
		d := w.fresh(l, "d")
		l.Given = append(slices.Clone(l.Given), law.Declaration{Name: d, Sort: graph.SortStride})
		apart = graph.VarValue(d, graph.SortStride)
	}
	named := map[string]graph.Value{"pad": pick(w.rng, values[graph.SortSame]), "dilation": apart}
	x := graph.Shape{s[0], graph.Axis(c), s[2], s[3]}
	if w.rng.IntN(2) == 0 {
		named["pad"] = graph.NameValue(graph.Valid)
		for i, k := range []graph.Dim{kh, kw} {
			x[2+i] = graph.Axis(s[2+i].Dim.Add(graph.Extent(k, apart, i)).Sub(graph.Int(1)))
		}
	}
	return app("conv2d", named, sub(x), sub(graph.Shape{s[1], graph.Axis(c), graph.Axis(kh), graph.Axis(kw)}))
}

// alikes are operators of which one is easily taken for another.
var alikes = [][]string{
	comparisons, {"floor", "ceil", "round"}, {"ewmax", "ewmin"}, {"sign", "step"}, {"ewpow", "ewmul", "ewdiv"},
	{"abs", "relu", "neg"}, {"sin", "tan", "asin", "atan", "sinh", "tanh"}, {"cos", "cosh"}, {"isnan", "isinf"},
	{"reducesum", "reducemean", "reducemax"},
}

// alike puts another operator in the place of one that it is easily taken for.
func (w *writer) alike(l *law.Law) *law.Law {
	var ps []place
	for _, p := range places(l) {
		if p.at.Op != nil && likeOf(p.at.Op.Name) != nil {
			ps = append(ps, p)
		}
	}
	if len(ps) == 0 {
		return nil
	}
	p := pick(w.rng, ps)
	op, ok := graph.Lookup(pick(w.rng, likeOf(p.at.Op.Name)))
	if !ok || op == p.at.Op {
		return nil
	}
	return w.everywhere(l, p, law.Apply(op, p.at.Attrs, p.at.Args...))
}

func likeOf(name string) []string {
	for _, like := range alikes {
		if slices.Contains(like, name) {
			return like
		}
	}
	return nil
}

// sameElements is a term of elements that is equal to u wherever all of it is defined.
func (w *writer) sameElements(l *law.Law, u *law.Term, s graph.Shape) *law.Term {
	t, one := w.term(l, s, 1), app("one", map[string]graph.Value{"shape": graph.ShapeValue(s)})
	switch w.rng.IntN(8) {
	case 0:
		return app("ewwhere", nil, t, u, u)
	case 1:
		return app("ewwhere", nil, one, u, t)
	case 2: // one of two comparisons holds
		v := w.term(l, s, 1)
		return app("ewadd", nil, app("ewmul", nil, app("ewless", nil, t, v), u), app("ewmul", nil, app("ewlessequal", nil, v, t), u))
	case 3:
		return app("ewmax", nil, app("ewwhere", nil, app("ewless", nil, u, t), u, app("ewmin", nil, u, t)), u)
	case 4:
		return app("ewpow", nil, u, one)
	case 5:
		return app("ewmul", nil, app("sign", nil, u), app("abs", nil, u))
	case 6:
		return app("ewmul", nil, u, app("ewequal", nil, t, t))
	}
	c := app(pick(w.rng, comparisons), nil, t, u)
	return app("ewwhere", nil, c, app("ewwhere", nil, c, u, t), u)
}
