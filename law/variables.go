package law

import "github.com/taso-go/taso/graph"

// variables are a law's size variables and axis runs, each once.
type variables struct{ sizes, runs []string }

// variablesOf lists the size variables and axis runs of a law by first use in
// given, where and the terms.
func variablesOf(l *Law) variables {
	var out variables
	seen := map[string]bool{}
	see := func(a graph.Atom) {
		switch {
		case a.Kind == graph.AtomVar && !seen[a.Name]:
			seen[a.Name] = true
			out.sizes = append(out.sizes, a.Name)
		case a.Kind == graph.AtomRun && !seen["#"+a.Name]:
			seen["#"+a.Name] = true
			out.runs = append(out.runs, a.Name)
		}
	}
	for _, b := range l.Given {
		b.Shape.Walk(see)
	}
	for _, p := range l.Where {
		p.walk(see)
	}
	met := map[*Term]bool{}
	for _, ts := range [2][]*Term{l.LHS, l.RHS} {
		for _, t := range ts {
			t.WalkNew(func(u *Term) bool { return met[u] }, func(u *Term) {
				met[u] = true
				for _, v := range u.Attrs {
					v.Walk(see)
				}
			})
		}
	}
	return out
}

func (p Pred) walk(f func(graph.Atom)) {
	p.Left.Walk(f)
	if p.Mod != nil {
		p.Mod.Walk(f)
	}
	p.Right.Walk(f)
}
