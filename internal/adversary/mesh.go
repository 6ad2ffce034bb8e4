package adversary

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// What may be altered in a law about families of tensors: which operator makes or ends a
// family, over which axes another is applied, and how many members there are.

// onMesh picks a subterm that is about families; false if there is none.
func (w *writer) onMesh(l *law.Law) (place, bool) {
	var ps []place
	for _, p := range places(l) {
		if p.at.Op == nil {
			continue
		}
		if one, _, _ := p.at.Op.Member(p.at.Attrs); one != nil || p.at.Op.Layout != graph.LayoutNone {
			ps = append(ps, p)
		}
	}
	if len(ps) == 0 {
		return place{}, false
	}
	return pick(w.rng, ps), true
}

// everywhere puts a subterm in the place of all that are the same as one, or of that one.
func (w *writer) everywhere(l *law.Law, p place, by *law.Term) *law.Law {
	if by == nil {
		return nil
	}
	c := p.put(l, by)
	if w.rng.IntN(4) > 0 {
		return c
	}
	for _, q := range places(c) {
		if law.Equal(q.at, p.at) {
			return q.put(c, by)
		}
	}
	return c
}

// layouts are those that stand in each other's place without another shape.
var layouts = [][]string{{"replicate", "lift"}, {"reduce", "drop"}}

// layoutReplaced puts another operator in the place of one that makes or ends a family.
func (w *writer) layoutReplaced(l *law.Law) *law.Law {
	p, ok := w.onMesh(l)
	if !ok {
		return nil
	}
	name := strings.TrimPrefix(p.at.Op.Name, graph.EachPrefix)
	for _, like := range layouts {
		if i := slices.Index(like, name); i >= 0 {
			op, ok := graph.Lookup(strings.TrimSuffix(p.at.Op.Name, name) + like[1-i])
			if !ok {
				return nil
			}
			return w.everywhere(l, p, law.Apply(op, p.at.Attrs, p.at.Args...))
		}
	}
	return nil
}

// overAltered applies an operator over other axes: fewer, more, others, in another
// order, or none.
func (w *writer) overAltered(l *law.Law) *law.Law {
	p, ok := w.onMesh(l)
	if !ok {
		return nil
	}
	one, own, over := p.at.Op.Member(p.at.Attrs)
	if one == nil { // to each, of what was applied once
		op := p.at.Op.Each()
		if op == nil || op == p.at.Op {
			return nil
		}
		s := graph.ShapeOf(w.someDim(l))
		return p.put(l, law.Apply(op, append(graph.Attrs{graph.ShapeValue(s)}, p.at.Attrs...), p.at.Args...))
	}
	s := over.Clone()
	switch k := w.rng.IntN(6); {
	case k == 0:
		return p.put(l, law.Apply(one, own, p.at.Args...))
	case k == 1 && len(s) > 0:
		i := w.rng.IntN(len(s))
		s = slices.Delete(s, i, i+1)
	case k == 2:
		s = slices.Insert(s, w.rng.IntN(len(s)+1), graph.Axis(w.someDim(l)))
	case k == 3 && len(s) > 1:
		s[0], s[len(s)-1] = s[len(s)-1], s[0]
	case k == 4 && len(s) > 0:
		s[w.rng.IntN(len(s))] = graph.Axis(w.dimFor(l))
	default:
		s = nil
	}
	u := *p.at
	u.Attrs = append(graph.Attrs{graph.ShapeValue(s)}, own...)
	return w.everywhere(l, p, &u)
}

// sizesExchanged exchanges two sizes in one application, on one side, or in one given
// shape: the number of members with the size of a part, or those of two mesh axes.
func (w *writer) sizesExchanged(l *law.Law) *law.Law {
	sizes, _ := variables(l)
	if len(sizes) < 2 {
		return nil
	}
	a, b := pick(w.rng, sizes), pick(w.rng, sizes)
	if a == b {
		return nil
	}
	s := &graph.Substitution{Dims: map[string]graph.Dim{a: graph.Var(b), b: graph.Var(a)}}
	c := *l
	switch k := w.rng.IntN(4); {
	case k == 0 && len(l.Given) > 0:
		i := w.rng.IntN(len(l.Given))
		if l.Given[i].Sort != "" {
			return nil
		}
		c.Given = slices.Clone(l.Given)
		c.Given[i].Shape = c.Given[i].Shape.Subst(s)
		return &c
	case k == 1:
		c.RHS = nil
		for _, t := range l.RHS {
			c.RHS = append(c.RHS, t.Subst(nil, nil, s))
		}
		return &c
	}
	p, ok := w.onMesh(l)
	if !ok {
		return nil
	}
	u := *p.at
	u.Attrs = slices.Clone(u.Attrs)
	for i, v := range u.Attrs {
		u.Attrs[i] = v.Subst(s)
	}
	return w.everywhere(l, p, &u)
}

// familyAround makes a family of a tensor of one side and ends it again; mostly that is
// the tensor.
func (w *writer) familyAround(l *law.Law) *law.Law {
	p, s, ok := w.typed(l)
	if !ok {
		return nil
	}
	on := graph.DimValue(w.someDim(l))
	made := func(name string, i int) *law.Term {
		if name == "partition" {
			return app(name, map[string]graph.Value{"axis": axisAttr(s, i), "on": on}, p.at)
		}
		return app(name, map[string]graph.Value{"on": on}, p.at)
	}
	axes := plainAxes(s)
	var t *law.Term
	switch k := w.rng.IntN(4); {
	case k == 0 && len(axes) > 0:
		i, j := pick(w.rng, axes), pick(w.rng, axes)
		if t = made(pick(w.rng, []string{"partition", "partition", "replicate"}), i); t != nil {
			t = app("combine", map[string]graph.Value{"axis": axisAttr(s, j)}, t)
		}
	default:
		if t = made(pick(w.rng, []string{"replicate", "lift"}), 0); t != nil {
			t = app(pick(w.rng, []string{"reduce", "drop"}), nil, t)
		}
	}
	return p.put(l, t)
}

// eachOfLaw says a law of each member of families.
func (w *writer) eachOfLaw(l *law.Law) *law.Law {
	if m := law.Each(l); m != l {
		return m
	}
	return nil
}
