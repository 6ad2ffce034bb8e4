package sums

import (
	"fmt"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// maxRuns bounds the axis runs whose numbers of axes are tried by value.
const maxRuns = 5

// runCases are the cases of a law's axis runs: one axis of any size where that is
// enough (see the package comment), else all numbers of axes with which tensors
// have at most MaxRank axes. The second result says that these are not all.
func (r *run) runCases() ([]kase, bool) {
	runs := map[string]bool{}
	plain := true // lengths of runs stand in attributes of sort axis only
	eachAtom(r.l, func(a graph.Atom, axis bool) {
		if a.Kind == graph.AtomAxisRun {
			runs[a.Name] = true
			plain = plain && axis
		}
	}, func(run string) { runs[run] = true })
	start := kase{bind: graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}}
	for _, b := range r.l.Given {
		switch b.Sort {
		case graph.SortStride, graph.SortPadding, graph.SortSame, graph.SortAct, graph.SortBorder, graph.SortNumber:
			// The sort is that of the binding, whatever a term says.
			start.bind.Attrs[b.Name] = graph.VarValue(b.Name, b.Sort)
		}
	}
	if len(runs) == 0 {
		return []kase{start}, false
	}
	names := make([]string, 0, len(runs))
	for n := range runs {
		names = append(names, n)
	}
	sort.Strings(names)
	if plain && r.typesWithRuns() {
		for _, n := range names {
			start.bind.Runs[n] = r.axes(n, 1)
		}
		return []kase{start}, false
	}
	if len(names) > maxRuns {
		return nil, true
	}
	var out []kase
	count := make([]int, len(names))
	var rec func(i int)
	rec = func(i int) {
		if i < len(names) {
			for count[i] = 0; count[i] <= r.p.cfg.MaxRank; count[i]++ {
				rec(i + 1)
			}
			return
		}
		c := start.with("")
		c.words = nil
		c.bind.Runs = map[string]graph.Shape{}
		for j, n := range names {
			c.bind.Runs[n] = r.axes(n, count[j])
			c.words = append(c.words, fmt.Sprintf("%d axes in %s", count[j], n))
		}
		for _, b := range r.l.Given {
			if len(b.Shape.Subst(&c.bind)) > r.p.cfg.MaxRank {
				return
			}
		}
		out = append(out, c)
	}
	rec(0)
	return out, true
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

// axes are n axes of a run, of sizes that the law does not name.
func (r *run) axes(run string, n int) graph.Shape {
	if r.names == nil {
		r.names = map[string]bool{}
		eachAtom(r.l, func(a graph.Atom, _ bool) { r.names[a.Name] = true }, func(string) {})
	}
	s := graph.Shape{}
	for i := 0; i < n; i++ {
		name := fmt.Sprintf("%s.%d", run, i)
		for r.names[name] {
			name += "'"
		}
		s = append(s, graph.Axis(graph.Var(name)))
	}
	return s
}

func (r *run) typesWithRuns() bool {
	vars := r.l.VarShapes()
	for _, ts := range [2][]*law.Term{r.l.LHS, r.l.RHS} {
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
