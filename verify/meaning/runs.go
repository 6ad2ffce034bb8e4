package meaning

import (
	"fmt"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Runs are the axis runs of a law, sorted; carried says that the law only carries
// them along, so that one axis of any size speaks for any number (see the package
// comment): it is well typed with the runs as they are, and lengths of runs stand
// in attributes of sort axis only.
func Runs(l *law.Law) (names []string, carried bool) {
	runs := map[string]bool{}
	carried = true
	eachAtom(l, func(a graph.Atom, axis bool) {
		if a.Kind == graph.AtomAxisRun {
			runs[a.Name] = true
			carried = carried && axis
		}
	}, func(run string) { runs[run] = true })
	for n := range runs {
		names = append(names, n)
	}
	sort.Strings(names)
	return names, len(names) == 0 || carried && typesWithRuns(l)
}

// Axes are n axes for a run, of sizes that the law does not name.
func Axes(l *law.Law, run string, n int) graph.Shape {
	names := map[string]bool{}
	eachAtom(l, func(a graph.Atom, _ bool) { names[a.Name] = true }, func(string) {})
	s := graph.Shape{}
	for i := 0; i < n; i++ {
		name := fmt.Sprintf("%s.%d", run, i)
		for names[name] {
			name += "'"
		}
		s = append(s, graph.Axis(graph.Var(name)))
	}
	return s
}

// carried is the one case of the axis runs of a law that only carries them along.
func carried(l *law.Law) (Case, error) {
	names, ok := Runs(l)
	if !ok {
		return Case{}, fmt.Errorf("the numbers of axes in %v matter", names)
	}
	runs := map[string]graph.Shape{}
	for _, n := range names {
		runs[n] = Axes(l, n, 1)
	}
	return Start(l, runs), nil
}

// eachAtom calls atom for every size variable, length of a run and size function
// of a law, with whether it stands in an attribute of sort axis, and run for
// every axis run of a shape.
func eachAtom(l *law.Law, atom func(a graph.Atom, axis bool), run func(string)) {
	plain := func(a graph.Atom) { atom(a, false) }
	shape := func(s graph.Shape) {
		for _, it := range s {
			if it.AxisRun != "" {
				run(it.AxisRun)
			} else {
				it.Dim.Walk(plain)
			}
		}
	}
	for _, b := range l.Given {
		shape(b.Shape)
	}
	for _, p := range l.Where {
		p.Left.Walk(plain)
		p.Right.Walk(plain)
		if p.Mod != nil {
			p.Mod.Walk(plain)
		}
	}
	for _, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			t.Walk(func(u *law.Term) {
				for i, v := range u.Attrs {
					if s, ok := v.Shape(); ok {
						shape(s)
						continue
					}
					axis := u.Op.Params[i].Sort == "axis"
					v.Walk(func(a graph.Atom) { atom(a, axis) })
				}
			})
		}
	}
}

func typesWithRuns(l *law.Law) bool {
	vars := l.VarShapes()
	for _, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		var f graph.Unifier
		memo := map[*law.Term]graph.Shape{}
		for _, t := range ts {
			if _, err := law.TypeOf(&f, t, vars, memo); err != nil {
				return false
			}
		}
	}
	return true
}
