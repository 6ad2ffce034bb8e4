package enumerate

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// broaden states a law for more operators and ranks than it was found for:
// relu becomes any function of one element, an activation any activation, and
// tensors of two or four axes become tensors of any number. Each step is kept
// if the law still holds on random instances.
func (t *tester) broaden(l *law.Law) *law.Law {
	steps := []func(*law.Law) []*law.Law{anyActivation, anyFunction, anyRank, anyBatch}
	if t.ordered {
		steps = steps[2:] // it is about the true relu
	}
	for _, step := range steps {
		for _, m := range step(l) {
			if _, err := m.Types(); err == nil && t.holds(m, fullTests) {
				l = m
				break
			}
		}
	}
	return l
}

func rewriteLaw(l *law.Law, f func(*law.Term) *law.Term) *law.Law {
	m := *l
	m.LHS, m.RHS = nil, nil
	for i := range l.LHS {
		m.LHS = append(m.LHS, l.LHS[i].Rewrite(f))
		m.RHS = append(m.RHS, l.RHS[i].Rewrite(f))
	}
	m.Given = append([]law.Binding(nil), l.Given...)
	return &m
}

func eachTerm(l *law.Law, f func(*law.Term)) {
	for i := range l.LHS {
		l.LHS[i].Walk(f)
		l.RHS[i].Walk(f)
	}
}

// anyActivation replaces the activation of all convolutions by a variable.
func anyActivation(l *law.Law) []*law.Law {
	acts := map[graph.Value]bool{}
	eachTerm(l, func(u *law.Term) {
		if u.Op != nil {
			if i := u.Op.ParamIndex("act"); i >= 0 {
				acts[u.Attrs[i]] = true
			}
		}
	})
	if len(acts) != 1 {
		return nil
	}
	v := graph.VarValue("a", graph.SortAct)
	m := rewriteLaw(l, func(u *law.Term) *law.Term {
		if u.Op != nil {
			if i := u.Op.ParamIndex("act"); i >= 0 {
				u.Attrs = append(graph.Attrs(nil), u.Attrs...)
				u.Attrs[i] = v
			}
		}
		return u
	})
	m.Given = append([]law.Binding{{Name: "a", Sort: graph.SortAct}}, m.Given...)
	return []*law.Law{m}
}

// anyFunction replaces a function of one element, the only one that the law
// has, by a variable: any function, or any that keeps zero.
func anyFunction(l *law.Law) []*law.Law {
	name, several, fused := "", false, false
	eachTerm(l, func(u *law.Term) {
		if u.Op == nil {
			return
		}
		if u.Op.Pointwise {
			fn := graph.FunctionName(u.Op, u.Attrs)
			several = several || name != "" && name != fn
			name = fn
		}
		if i := u.Op.ParamIndex("act"); i >= 0 {
			if n, ok := u.Attrs[i].Name(); ok && n != "none" {
				fused = true
			}
		}
	})
	if name == "" || several || fused {
		return nil
	}
	var out []*law.Law
	for _, sort := range []string{law.SortPointwise1, law.SortZero1} {
		m := rewriteLaw(l, func(u *law.Term) *law.Term {
			if u.Op != nil && u.Op.Pointwise {
				return law.Call("f", u.Args[0])
			}
			return u
		})
		m.Given = append([]law.Binding{{Name: "f", Sort: sort}}, m.Given...)
		out = append(out, m)
	}
	return out
}

// anyRank replaces axes that no operator of the law looks at by axis runs. It
// applies to laws over operators that take tensors of any rank.
func anyRank(l *law.Law) []*law.Law {
	var axes []int64
	seen := map[int64]bool{}
	ok := true
	ones := false
	eachTerm(l, func(u *law.Term) {
		if u.Op == nil {
			return
		}
		switch u.Op.Name {
		case "one":
			ones = true
		case "concat", "split", "slice":
			d, _ := u.Attrs[0].Dim()
			n, isConst := d.Const()
			ok = ok && isConst
			if !seen[n] {
				seen[n] = true
				axes = append(axes, n)
			}
		default:
			ok = ok && (u.Op.Pointwise || u.Op.Elementwise)
		}
	})
	if !ok || len(axes) > 2 {
		return nil
	}
	rank := -1
	shapes := []graph.Shape{}
	for _, b := range l.Given {
		if b.Sort == "" && len(b.Shape) > 0 {
			shapes = append(shapes, b.Shape)
		}
	}
	if ones {
		eachTerm(l, func(u *law.Term) {
			if u.Op != nil && u.Op.Name == "one" {
				s, _ := u.Attrs[0].Shape()
				shapes = append(shapes, s)
			}
		})
	}
	for _, s := range shapes {
		if s.HasRun() || rank >= 0 && len(s) != rank {
			return nil
		}
		rank = len(s)
	}
	if rank < 0 {
		return nil
	}
	if len(axes) == 2 && axes[0] > axes[1] {
		axes[0], axes[1] = axes[1], axes[0]
	}
	// Axes that are not looked at must agree over all tensors.
	keep := map[int]bool{}
	for _, a := range axes {
		keep[int(a)] = true
	}
	for i := 0; i < rank; i++ {
		if keep[i] {
			continue
		}
		for _, s := range shapes {
			if s[i] != shapes[0][i] {
				return nil
			}
		}
	}
	runs := []string{"P", "Q", "S"}
	// Items of the generalized shape: run, kept axis, run, kept axis, run.
	general := func(s graph.Shape) graph.Shape {
		out := graph.Shape{graph.Run(runs[0])}
		for k, a := range axes {
			out = append(out, s[a], graph.Run(runs[k+1]))
		}
		return out
	}
	axisValue := map[int64]graph.Value{}
	at := graph.RunLen(runs[0])
	for k, a := range axes {
		axisValue[a] = graph.DimValue(at)
		at = at.Add(graph.Int(1)).Add(graph.RunLen(runs[k+1]))
	}
	m := rewriteLaw(l, func(u *law.Term) *law.Term {
		if u.Op == nil {
			return u
		}
		switch u.Op.Name {
		case "concat", "split", "slice":
			u.Attrs = append(graph.Attrs(nil), u.Attrs...)
			d, _ := u.Attrs[0].Dim()
			n, _ := d.Const()
			u.Attrs[0] = axisValue[n]
		case "one":
			s, _ := u.Attrs[0].Shape()
			u.Attrs = graph.Attrs{graph.ShapeValue(general(s))}
		}
		return u
	})
	for i := range m.Given {
		if m.Given[i].Sort == "" && len(m.Given[i].Shape) > 0 {
			m.Given[i].Shape = general(m.Given[i].Shape)
		}
	}
	return []*law.Law{m}
}

// anyBatch puts batch axes before the matrices of a law about products of
// matrices.
func anyBatch(l *law.Law) []*law.Law {
	product, ok := false, true
	eachTerm(l, func(u *law.Term) {
		if u.Op == nil {
			return
		}
		switch u.Op.Name {
		case "matmul":
			product = true
		case "concat", "split", "slice", "one":
		default:
			ok = ok && (u.Op.Pointwise || u.Op.Elementwise)
		}
	})
	if !ok || !product {
		return nil
	}
	batched := func(s graph.Shape) graph.Shape { return append(graph.Shape{graph.Run("B")}, s...) }
	m := rewriteLaw(l, func(u *law.Term) *law.Term {
		if u.Op == nil {
			return u
		}
		switch u.Op.Name {
		case "concat", "split", "slice":
			u.Attrs = append(graph.Attrs(nil), u.Attrs...)
			d, _ := u.Attrs[0].Dim()
			u.Attrs[0] = graph.DimValue(d.Add(graph.RunLen("B")))
		case "one":
			s, _ := u.Attrs[0].Shape()
			u.Attrs = graph.Attrs{graph.ShapeValue(batched(s))}
		}
		return u
	})
	for i := range m.Given {
		switch b := &m.Given[i]; {
		case b.Sort != "" || len(b.Shape) == 0:
		case len(b.Shape) != 2 || b.Shape.HasRun():
			return nil
		default:
			b.Shape = batched(b.Shape)
		}
	}
	return []*law.Law{m}
}
