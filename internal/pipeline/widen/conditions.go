package widen

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// guarded is a law, or, where one side is defined for more sizes than the other, the law with the
// condition that both are.
func guarded(l *law.Law) []*law.Law {
	ty, err := l.Types()
	if err != nil {
		return nil
	}
	m := *l
	m.Where = slices.Clone(l.Where)
	needs := rules.Missing(ty.RightNeeds, ty.LeftNeeds, l.Where)
	if !l.OneWay {
		needs = append(needs, rules.Missing(ty.LeftNeeds, ty.RightNeeds, l.Where)...)
	}
	for _, n := range needs {
		if n.Rel != "<=" {
			return nil
		}
		p := law.Pred{Left: n.Left, Rel: n.Rel, Right: n.Right}
		if limits(p) {
			return nil
		}
		if !slices.ContainsFunc(m.Where, func(q law.Pred) bool { return q.String() == p.String() }) {
			m.Where = append(m.Where, p)
		}
	}
	return []*law.Law{pruned(&m)}
}

// pruned is a law without the conditions that follow from others and from what each side needs.
func pruned(l *law.Law) *law.Law {
	ty, err := l.Types()
	if err != nil {
		return l
	}
	m := *l
	for i := len(m.Where) - 1; i >= 0; i-- {
		p := m.Where[i]
		rest := slices.Delete(slices.Clone(m.Where), i, i+1)
		needs := []graph.Need{{Left: p.Left, Rel: p.Rel, Right: p.Right}}
		if p.Mod == nil && p.Rel == "<=" && len(rules.Missing(needs, ty.LeftNeeds, rest)) == 0 &&
			(l.OneWay || len(rules.Missing(needs, ty.RightNeeds, rest)) == 0) {
			m.Where = rest
		}
	}
	return &m
}

// limits reports whether a condition holds for few sizes only: it says that a sum of sizes is at most a
// number.
func limits(p law.Pred) bool {
	terms, _ := p.Right.Sub(p.Left).Terms()
	return p.Mod == nil && len(terms) > 0 && !slices.ContainsFunc(terms, func(t graph.Term) bool { return t.Coef > 0 })
}

// fewer leaves out a condition.
func fewer(l *law.Law) []*law.Law {
	var out []*law.Law
	for i := range l.Where {
		m := *l
		m.Where = slices.Delete(slices.Clone(l.Where), i, i+1)
		out = append(out, &m)
	}
	return out
}

var two = graph.Int(2)

// halved states a law about odd sizes, and about sizes that differ by an even number, without the
// condition: 2*n-1 is odd, and m+2*n-2 is at least m and differs from it by an even number.
func halved(l *law.Law) []*law.Law {
	m, changed := *l, false
	for range len(l.Where) {
		i := slices.IndexFunc(m.Where, func(p law.Pred) bool { return p.Mod != nil && *p.Mod == two && p.Rel == "==" })
		if i < 0 {
			break
		}
		p := m.Where[i]
		n := graph.Var(fresh(&m, "n"))
		var name string
		var size graph.Dim
		if v, ok := p.Left.IsVar(); ok && p.Right == graph.Int(1) {
			name, size = v, n.Scale(2).Sub(graph.Int(1))
		} else {
			for _, q := range m.Where {
				if v, ok := q.Right.IsVar(); ok && q.Mod == nil && q.Rel == "<=" && p.Right == graph.Int(0) && (q.Right.Sub(q.Left) == p.Left || q.Left.Sub(q.Right) == p.Left) {
					name, size = v, q.Left.Add(n.Scale(2)).Sub(two)
				}
			}
		}
		if name == "" {
			return nil
		}
		m, changed = *resized(&m, &graph.Substitution{Dims: map[string]graph.Dim{name: size}}), true
	}
	if !changed {
		return nil
	}
	return []*law.Law{&m}
}

// resized is a law with sizes replaced, without the conditions that then always hold.
func resized(l *law.Law, b *graph.Substitution) *law.Law {
	m := l.Subst(b)
	m.Where = slices.DeleteFunc(slices.Clone(m.Where), func(p law.Pred) bool {
		if holds, ok := p.Decide(); ok && holds {
			return true
		}
		if p.Mod == nil {
			return p.Rel == "<=" && p.Right.Sub(p.Left).NonNegative()
		}
		// A multiple of two, and one more.
		terms, c := p.Left.Terms()
		for _, t := range terms {
			if t.Coef%2 != 0 {
				return false
			}
		}
		return *p.Mod == two && p.Rel == "==" && graph.Int((c%2+2)%2) == p.Right
	})
	return m
}

// traded states a law about odd sizes and any padding of same for one padding, which may let sizes be even,
// and for even sizes.
func traded(l *law.Law) []*law.Law {
	if !odd(l) {
		return nil
	}
	fixed := []*law.Law{l}
	for _, name := range []string{graph.SameLower, graph.SameUpper, graph.Valid} {
		b := &graph.Substitution{Attrs: map[string]graph.Value{}}
		for _, d := range l.Given {
			if d.Sort == graph.SortSame {
				b.Attrs[d.Name] = graph.NameValue(name)
			}
		}
		if len(b.Attrs) > 0 {
			fixed = append(fixed, l.Subst(b))
		}
	}
	var out []*law.Law
	for i, f := range fixed {
		if !slices.ContainsFunc(l.Where, isOdd) {
			if i > 0 {
				out = append(out, f)
			}
			continue
		}
		even, any := *f, *f
		even.Where, any.Where = slices.Clone(f.Where), slices.DeleteFunc(slices.Clone(f.Where), isOdd)
		for j, p := range even.Where {
			if isOdd(p) {
				even.Where[j].Right = graph.Int(0)
			}
		}
		if i > 0 {
			out = append(out, &any)
		}
		out = append(out, &even)
	}
	return out
}

// odd reports whether a law is about odd sizes.
func odd(l *law.Law) bool {
	return slices.ContainsFunc(l.Where, isOdd) || slices.ContainsFunc(placesOf(l), func(p place) bool {
		terms, c := p.size.Terms()
		return c == -1 && len(terms) == 1 && terms[0].Coef == 2
	})
}

// bounded gives a name to a size that is a sum with a variable that stands nowhere else: the sum
// becomes the variable, with the condition that it is at least the rest.
func bounded(l *law.Law) []*law.Law {
	m, changed := l, false
	for {
		next := boundedOnce(m)
		if next == nil {
			break
		}
		m, changed = next, true
	}
	if !changed {
		return nil
	}
	return []*law.Law{m}
}

func boundedOnce(l *law.Law) *law.Law {
	if m := boundedAt(l, true); m != nil {
		return m
	}
	return boundedAt(l, false)
}

// boundedAt takes a variable that stands in no other sum if alone is set, else one of twice the variable.
func boundedAt(l *law.Law, alone bool) *law.Law {
	ps := placesOf(l)
	for _, p := range ps {
		if _, ok := p.size.IsVar(); ok || !p.attr {
			continue
		}
		terms, _ := p.size.Terms()
		for _, t := range terms {
			if len(t.Atoms) != 1 || t.Atoms[0].Kind != graph.AtomVar || t.Coef < 1 || t.Coef > 2 {
				continue
			}
			name := t.Atoms[0].Name
			rest := p.size.Subst(&graph.Substitution{Dims: map[string]graph.Dim{name: graph.Int(1)}})
			number, isNumber := rest.Const()
			if t.Coef == 1 && (isNumber || !alone) {
				continue
			}
			y := graph.Var(fresh(l, "n"))
			named := func(d graph.Dim) (graph.Dim, bool) {
				f, _, ok := d.Linear(name)
				c, isConst := f.Const()
				if !ok || !isConst || c%t.Coef != 0 {
					return d, false
				}
				return d.Add(y.Sub(p.size).Scale(c / t.Coef)), true
			}
			ok := true
			size := func(d graph.Dim) graph.Dim {
				e, fits := named(d)
				ok = ok && fits
				return e
			}
			for _, q := range ps {
				f, _, linear := q.size.Linear(name)
				ok = ok && linear && (!alone || f == graph.Int(0) || q.size == p.size)
			}
			if !ok {
				continue
			}
			m := eachPlace(l, func(q place) graph.Dim { return size(q.size) })
			m.Where = nil
			for _, c := range l.Where {
				c.Left, c.Right = size(c.Left), size(c.Right)
				m.Where = append(m.Where, c)
			}
			if !ok {
				continue
			}
			if rest != graph.Int(1) {
				m.Where = append(m.Where, law.Pred{Left: rest, Rel: "<=", Right: y})
			}
			if t.Coef == 2 && isNumber {
				m.Where = append(m.Where, law.Pred{Left: y, Mod: &two, Rel: "==", Right: graph.Int(number % 2)})
			} else if t.Coef == 2 {
				m.Where = append(m.Where, law.Pred{Left: y.Sub(rest), Mod: &two, Rel: "==", Right: graph.Int(0)})
			}
			return pruned(m)
		}
	}
	return nil
}
