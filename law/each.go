package law

import (
	"strconv"

	"github.com/taso-go/taso/graph"
)

// Each is the law about each member of families of tensors: all tensors have the same
// axes in front, which an axis run stands for, and each operator is lifted over them
// ([graph.Op.Each]). Where the law holds, so does this one, since it holds of each
// member; but it is a statement of its own, proved like any other. A law of which no
// operator changes is returned as it is: its operators carry such axes along, and its
// tensors have runs or it does not matter.
func Each(l *Law) *Law {
	run := l.freshRun("M")
	mesh := graph.Shape{graph.AxisRun(run)}
	over := graph.ShapeValue(mesh)
	changed := false
	each := func(ts []*Term) []*Term {
		out := make([]*Term, len(ts))
		for i, t := range ts {
			out[i] = t.Rewrite(func(u *Term) *Term {
				if u.Op == nil {
					return u
				}
				if one, _, axes := u.Op.Member(u.Attrs); one != nil {
					// It is applied to each member already.
					changed = true
					v := *u
					v.Attrs = append(graph.Attrs{graph.ShapeValue(append(mesh.Clone(), axes...))}, u.Attrs[1:]...)
					return &v
				}
				e := u.Op.Each()
				if e == u.Op {
					return u
				}
				changed = true
				v := *u
				v.Op, v.Attrs = e, append(graph.Attrs{over}, u.Attrs...)
				return &v
			})
		}
		return out
	}
	m := *l
	m.LHS, m.RHS = each(l.LHS), each(l.RHS)
	if !changed {
		return l
	}
	m.Name = graph.EachPrefix + l.Name
	m.Given = make([]Declaration, len(l.Given))
	for i, d := range l.Given {
		if d.Sort == "" {
			d.Shape = append(mesh.Clone(), d.Shape...)
		}
		m.Given[i] = d
	}
	return &m
}

// freshRun is a name for an axis run that the law does not have.
func (l *Law) freshRun(name string) string {
	used := map[string]bool{}
	see := func(a graph.Atom) {
		if a.Kind == graph.AtomAxisRun {
			used[a.Name] = true
		}
	}
	for _, d := range l.Given {
		used[d.Name] = true
		for _, it := range d.Shape {
			used[it.AxisRun] = true
		}
		d.Shape.Walk(see)
	}
	l.EachTerm(func(u *Term) {
		for _, v := range u.Attrs {
			if s, ok := v.Shape(); ok {
				for _, it := range s {
					used[it.AxisRun] = true
				}
			}
			v.Walk(see)
		}
	})
	free := name
	for i := 2; used[free]; i++ {
		free = name + strconv.Itoa(i)
	}
	return free
}
