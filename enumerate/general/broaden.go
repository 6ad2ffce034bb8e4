package general

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Broaden states a law for more operators and ranks than it was found for:
// relu becomes any function of one element, an activation any activation, a permutation
// any permutation, and tensors of two or four axes become tensors of any number. Each step is kept
// if the law still holds on random instances.
func (t *Tester) Broaden(l *law.Law) *law.Law {
	steps := []func(*law.Law) []*law.Law{anyActivation, anyFunction, anyPerm, anyRank, anyMeshRank}
	if t.Ordered {
		steps = steps[2:] // it is about the true relu
	}
	for _, step := range steps {
		for _, m := range step(l) {
			if _, err := m.Types(); err == nil && t.Holds(m, FullTests) {
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
	m.Given = append([]law.Declaration(nil), l.Given...)
	return &m
}

// anyActivation replaces the activation of all convolutions by a variable.
func anyActivation(l *law.Law) []*law.Law {
	acts := map[graph.Value]bool{}
	l.EachTerm(func(u *law.Term) {
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
	m.Given = append([]law.Declaration{{Name: "a", Sort: graph.SortAct}}, m.Given...)
	return []*law.Law{m}
}

// anyFunction replaces a function of one element, the only one that the law
// has, by a variable: any function, or any that keeps zero.
func anyFunction(l *law.Law) []*law.Law {
	name, several, fused := "", false, false
	l.EachTerm(func(u *law.Term) {
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
		m.Given = append([]law.Declaration{{Name: "f", Sort: sort}}, m.Given...)
		out = append(out, m)
	}
	return out
}

// axisOf is the parameter of an operator that is the number of the axis that it works on, if the
// other axes of all its tensors are the same; -1: none.
func axisOf(o *graph.Op) int {
	switch o.Name {
	case "concat", "split", "slice", "softmax":
		return o.ParamIndex("axis")
	}
	return -1
}

// anyRank replaces axes that no operator of the law looks at by axis runs. It applies to laws over
// operators that take tensors of any rank, and over products of matrices, which look at the last two
// axes.
func anyRank(l *law.Law) []*law.Law {
	var axes []int64
	var shapes []graph.Shape
	ok, matrix := true, 0
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil {
			return
		}
		axis := axisOf(u.Op)
		switch {
		case axis >= 0:
			d, _ := u.Attrs[axis].Dim()
			n, isConst := d.Const()
			ok = ok && isConst
			if !slices.Contains(axes, n) {
				axes = append(axes, n)
			}
		case u.Op.Name == "one":
			s, _ := u.Attrs[0].Shape()
			shapes = append(shapes, s)
		case u.Op.Name == "matmul":
			matrix = 2
		default:
			ok = ok && (u.Op.Pointwise || u.Op.Elementwise)
		}
	})
	rank := -1
	for _, b := range l.Given {
		if b.Sort == "" && len(b.Shape) > 0 {
			shapes = append(shapes, b.Shape)
		}
	}
	for _, s := range shapes {
		if s.HasAxisRun() || rank >= 0 && len(s) != rank {
			return nil
		}
		rank = len(s)
	}
	// Axes before those of matrices.
	front := rank - matrix
	axes = slices.DeleteFunc(axes, func(a int64) bool { return a >= int64(front) })
	if !ok || rank < 0 || front < 0 || len(axes) > 2 {
		return nil
	}
	slices.Sort(axes)
	// Axes that are not looked at must agree over all tensors.
	for i := range front {
		for _, s := range shapes {
			if s[i] != shapes[0][i] && !slices.Contains(axes, int64(i)) {
				return nil
			}
		}
	}
	shape, number := around(axes, front)
	m := rewriteLaw(l, func(u *law.Term) *law.Term {
		if u.Op == nil {
			return u
		}
		if i := axisOf(u.Op); i >= 0 {
			u.Attrs = slices.Clone(u.Attrs)
			d, _ := u.Attrs[i].Dim()
			n, _ := d.Const()
			u.Attrs[i] = graph.DimValue(number(n))
		} else if u.Op.Name == "one" {
			s, _ := u.Attrs[0].Shape()
			u.Attrs = graph.Attrs{graph.ShapeValue(shape(s))}
		}
		return u
	})
	for i := range m.Given {
		if b := &m.Given[i]; b.Sort == "" && len(b.Shape) > 0 {
			b.Shape = shape(b.Shape)
		}
	}
	return []*law.Law{m}
}
