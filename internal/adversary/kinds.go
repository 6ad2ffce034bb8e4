package adversary

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Laws that are written from nothing, and names.

// identity is a term on both sides, rewritten on one or both.
func (w *writer) identity() *law.Law {
	l := &law.Law{Kind: law.Rule, Name: "written", OneWay: w.rng.IntN(3) > 0}
	if w.rng.IntN(4) == 0 {
		l.Given = append(l.Given, law.Declaration{Name: "f", Sort: pick(w.rng, []string{law.SortPointwise1, law.SortZero1})})
	}
	if w.rng.IntN(6) == 0 {
		l.Given = append(l.Given, law.Declaration{Name: "e", Sort: graph.SortNumber})
	}
	var s graph.Shape
	for i := range w.rng.IntN(4) {
		switch {
		case w.rng.IntN(5) == 0 && !s.HasAxisRun():
			s = append(s, graph.AxisRun("P"))
		case w.rng.IntN(6) == 0:
			s = append(s, graph.Axis(graph.Int(1+w.rng.Int64N(3))))
		default:
			s = append(s, graph.Axis(graph.Var(string(rune('a'+i)))))
		}
	}
	t := w.term(l, s, 1+w.rng.IntN(3))
	if t == nil {
		return nil
	}
	l.LHS, l.RHS = []*law.Term{t}, []*law.Term{t}
	for range 1 + w.rng.IntN(3) {
		if m := w.rewriteSide(l); m != nil {
			l = m
		}
	}
	return l
}

// chain compares two chains of reshapes, slices and transposes.
func (w *writer) chain() *law.Law {
	l := &law.Law{Kind: law.Rule, Name: "written", OneWay: w.rng.IntN(3) == 0}
	dims := []graph.Dim{graph.Var("a"), graph.Var("b"), graph.Int(2), graph.Int(64), graph.Int(3), graph.Var("a")}
	var s graph.Shape
	for range 1 + w.rng.IntN(4) {
		d := pick(w.rng, dims)
		if w.rng.IntN(3) == 0 {
			d = d.Mul(pick(w.rng, dims))
		}
		s = append(s, graph.Axis(d))
	}
	x := w.give(l, s)
	var other *law.Term
	walk := func(t *law.Term) (*law.Term, graph.Shape) {
		s := s
		for range 1 + w.rng.IntN(3) {
			if t == nil {
				return nil, s
			}
			switch k := w.rng.IntN(6); {
			case k < 3:
				s = w.rejoined(s)
				t = reshape(t, s)
			case k == 3 && len(s) > 1:
				i, j := w.rng.IntN(len(s)), w.rng.IntN(len(s))
				p := make([]int64, len(s))
				for k := range p {
					p[k] = int64(k)
				}
				p[i], p[j] = p[j], p[i]
				t = app("transpose", map[string]graph.Value{"perm": graph.TupleValue(p...)}, t)
				s = s.Clone()
				s[i], s[j] = s[j], s[i]
			case k == 4 && len(s) > 0:
				i := w.rng.IntN(len(s))
				if a, b, ok := factors(s[i].Dim); ok {
					t = slice(t, s, i, graph.Int(0), a)
					s = s.With(i, a)
					if w.rng.IntN(2) == 0 && other == nil {
						other = w.give(l, s.With(i, b))
					}
				}
			case k == 5 && len(s) > 0:
				i := w.rng.IntN(len(s))
				t = concat(s, i, t, t)
				s = s.With(i, s[i].Dim.Scale(2))
			}
		}
		return t, s
	}
	a, sa := walk(x)
	b, sb := walk(x)
	if a == nil || b == nil {
		return nil
	}
	if !sa.Equal(sb) {
		if w.rng.IntN(2) == 0 {
			a = reshape(a, sb)
		} else {
			b = reshape(b, sa)
		}
	}
	l.LHS, l.RHS = []*law.Term{a}, []*law.Term{b}
	return l
}

// sizeFunction is a law in which a size function makes a size, and a slice that
// is defined where it is large enough.
func (w *writer) sizeFunction() *law.Law {
	l := &law.Law{Kind: law.Rule, Name: "written", OneWay: true}
	for _, b := range []law.Declaration{{Name: "s", Sort: graph.SortStride}, {Name: "p", Sort: pick(w.rng, []string{graph.SortPadding, graph.SortSame})}} {
		if w.rng.IntN(2) == 0 {
			l.Given = append(l.Given, b)
		}
	}
	d := w.window(l).Add(graph.Int(w.rng.Int64N(6)))
	s := graph.ShapeOf(graph.Var("n"))
	x := w.give(l, s)
	v := graph.ShapeOf(d)
	hi := graph.Int(1 + w.rng.Int64N(6))
	if w.rng.IntN(3) == 0 {
		hi = d
	}
	k := slice(w.give(l, v), v, 0, graph.Int(0), hi)
	sum := app("reducesum", map[string]graph.Value{"axes": graph.TupleValue(0)}, app("ewsub", nil, k, k))
	l.LHS, l.RHS = []*law.Term{x}, []*law.Term{app("ewadd", nil, x, broadcast(sum, s))}
	if w.rng.IntN(2) == 0 {
		l.Where = append(l.Where, law.Pred{Left: graph.Int(2 + w.rng.Int64N(6)), Rel: "<=", Right: graph.Var("k")})
	}
	return l
}

// apart renames the variables of a law so that it shares none with another.
func (w *writer) apart(l, other *law.Law) *law.Law {
	used := map[string]bool{}
	for _, b := range other.Given {
		used[b.Name] = true
	}
	sizes, runs := variables(other)
	for _, n := range slices.Concat(sizes, runs) {
		used[n] = true
	}
	return renamed(l, func(n string) string {
		for used[n] {
			n += "x"
		}
		return n
	})
}

// renamed gives every variable another name.
func renamed(l *law.Law, name func(string) string) *law.Law {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	sizes, runs := variables(l)
	for _, n := range sizes {
		b.Dims[n] = graph.Var(name(n))
	}
	for _, n := range runs {
		b.Runs[n] = graph.Shape{graph.AxisRun(name(n))}
	}
	tensors, fns := map[string]*law.Term{}, map[string]string{}
	given := make([]law.Declaration, len(l.Given))
	for i, g := range l.Given {
		given[i] = law.Declaration{Name: name(g.Name), Sort: g.Sort, Shape: g.Shape.Subst(b)}
		switch {
		case g.Sort == "":
			tensors[g.Name] = law.V(given[i].Name)
		case law.IsFuncSort(g.Sort):
			fns[g.Name] = given[i].Name
		default:
			b.Attrs[g.Name] = graph.VarValue(given[i].Name, g.Sort)
		}
	}
	for i := range given {
		given[i].Shape = l.Given[i].Shape.Subst(b)
	}
	c := *l.Subst(b)
	c.Given = given
	for i, t := range c.LHS {
		c.LHS[i] = t.Subst(tensors, fns, nil)
	}
	for i, t := range c.RHS {
		c.RHS[i] = t.Subst(tensors, fns, nil)
	}
	return &c
}

// hostile are names that look like something else.
var hostile = [2][]string{
	{"X", "X1", "X10", "X1_0", "P", "T", "X_0", "P0", "Inf", "ONE", "A", "F"},
	{"n", "n1", "n10", "inf", "nan", "valid", "relu", "same_upper", "p", "s", "f", "a", "g", "k", "h", "none", "window",
		"digit", "join", "divisor", "m1", "stride", "padding", "one", "true", "not", "m_1"},
}

// rename gives some variables names that look like something else, or like each
// other.
func (w *writer) rename(l *law.Law) *law.Law {
	to := map[string]string{}
	taken := map[string]bool{}
	return renamed(l, func(n string) string {
		if m, ok := to[n]; ok {
			return m
		}
		m := n
		if w.rng.IntN(2) == 0 {
			from := hostile[1]
			if strings.ToUpper(n[:1]) == n[:1] {
				from = hostile[0]
			}
			m = pick(w.rng, from)
		}
		for taken[m] {
			m += pick(w.rng, []string{"1", "0", "_", "x"})
		}
		to[n], taken[m] = m, true
		return m
	})
}
