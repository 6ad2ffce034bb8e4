package parallel

import (
	"fmt"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Degrees are the size variables of a law that say how many members families have: those
// that stand for the parameter "on" of a layout operator, in order of their names.
func Degrees(l *law.Law) []string {
	seen := map[string]bool{}
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil {
			return
		}
		o, attrs, _ := memberOf(t.Op, t.Attrs)
		i := o.ParamIndex("on")
		if layoutOp(o) != actMake || i < 0 {
			return
		}
		d, _ := attrs[i].Dim()
		d.Walk(func(a graph.Atom) {
			if a.Kind == graph.AtomVar && d == graph.Var(a.Name) {
				seen[a.Name] = true
			}
		})
	})
	var out []string
	for name := range seen {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// AtDegrees are the instances of a law in which each of its [Degrees] is one of the
// numbers. A law that lays a network out holds for every degree, which nothing in the
// network determines; an instance can be used in it. Names say the degrees.
func AtDegrees(l *law.Law, degrees ...int) []*law.Law {
	out := []*law.Law{l}
	for _, name := range Degrees(l) {
		var next []*law.Law
		for _, m := range out {
			for _, g := range degrees {
				at := m.Subst(&graph.Substitution{Dims: map[string]graph.Dim{name: graph.Int(int64(g))}})
				at.Name = fmt.Sprintf("%s_%s%d", m.Name, name, g)
				next = append(next, at)
			}
		}
		out = next
	}
	return out
}
