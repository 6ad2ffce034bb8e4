package law

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Outputs are the terms of both sides, the left side's first.
func (l *Law) Outputs() []*Term { return slices.Concat(l.LHS, l.RHS) }

// EachTerm calls f for every term of both sides, arguments first, a shared pointer
// once.
func (l *Law) EachTerm(f func(*Term)) { eachTerm(l.Outputs(), f) }

func eachTerm(ts []*Term, f func(*Term)) {
	var met visited
	for _, t := range ts {
		t.WalkNew(met.has, func(u *Term) {
			met.add(u)
			f(u)
		})
	}
}

// EachAtom calls f for the sizes in the law: those of the shapes that are given,
// then as [Law.EachFixed].
func (l *Law) EachAtom(f func(graph.Atom)) {
	for _, b := range l.Given {
		b.Shape.Walk(f)
	}
	l.EachFixed(f)
}

// EachFixed calls f for the sizes in conditions and then in attributes.
func (l *Law) EachFixed(f func(graph.Atom)) {
	for _, p := range l.Where {
		p.Walk(f)
	}
	l.EachTerm(func(u *Term) {
		for _, v := range u.Attrs {
			v.Walk(f)
		}
	})
}

// Walk calls f for the sizes in the condition.
func (p Pred) Walk(f func(graph.Atom)) {
	p.Left.Walk(f)
	if p.Mod != nil {
		p.Mod.Walk(f)
	}
	p.Right.Walk(f)
}

// Variables lists the size variables and axis runs of a law, each once, by first
// use in given, where and the terms.
func Variables(l *Law) (sizes, runs []string) {
	seen := map[string]bool{}
	l.EachAtom(func(a graph.Atom) {
		switch {
		case a.Kind == graph.AtomVar && !seen[a.Name]:
			seen[a.Name] = true
			sizes = append(sizes, a.Name)
		case a.Kind == graph.AtomAxisRun && !seen["#"+a.Name]:
			seen["#"+a.Name] = true
			runs = append(runs, a.Name)
		}
	})
	return sizes, runs
}
