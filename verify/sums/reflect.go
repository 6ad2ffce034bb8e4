package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// Where indices that must agree leave bound variables open, their ranges say what they
// may be: a domain is that of another term if its guards are, in some order, those of the
// other one. So each variable that is left is found from one of its guards, which has to
// be one of the other's. Ranges that are run through backwards are found so, as in the
// average of averages, where a window of a window is counted from its other end.

// equations are what is known to be equal among the unknowns of an engine: each is an
// unknown and what it is.
type equations struct {
	e       *meaning.Engine
	assumed int    // of these so far
	done    []bool // what is divided, by unknown
	v       []graph.Sym
	is      []graph.Index
}

// canonical is e with what is known to be equal written in one way.
func (q *equations) canonical(e graph.Index) graph.Index {
	for i := range e.Len() {
		v, k := e.Term(i)
		if j := slices.Index(q.v, v); j >= 0 {
			return q.canonical(e.AddScaled(v.Index(), -k).AddScaled(q.is[j], k))
		}
	}
	return e
}

// add learns that e is 0: of the unknown with coefficient 1 or -1 that came last, so
// that nothing is said in terms of itself.
func (q *equations) add(e graph.Index) {
	e = q.canonical(e)
	for i := e.Len() - 1; i >= 0; i-- {
		v, k := e.Term(i)
		if k != 1 && k != -1 {
			continue
		}
		is := e.AddScaled(v.Index(), -k).Scale(-k)
		for j := range q.is {
			if c := q.is[j].Coef(v); c != 0 {
				q.is[j] = q.is[j].AddScaled(v.Index(), -c).AddScaled(is, c)
			}
		}
		q.v, q.is = append(q.v, v), append(q.is, is)
		return
	}
}

// forget leaves out what is about unknowns that are no more.
func (q *equations) forget() {
	if q.e == nil {
		return
	}
	for i := 0; i < len(q.v); i++ {
		if !q.e.Space.Has(q.v[i]) || !q.e.Space.Has(largest(q.is[i])) && q.is[i].Len() > 0 {
			q.v, q.is = slices.Delete(q.v, i, i+1), slices.Delete(q.is, i, i+1)
			i--
		}
	}
	for n := len(q.done) - 1; n > 0 && !q.e.Space.Has(graph.Sym(n)); n-- {
		q.done = q.done[:n]
	}
}

// learn brings up to date what is known: equations that are assumed, and of parts of
// unknowns, rounded down, those that differ by a number.
func (b *search) learn() *equations {
	q := b.equal
	if q.e != b.e {
		*q = equations{e: b.e}
	}
	for _, c := range b.e.Assumed()[q.assumed:] {
		if len(c) == 1 && c[0].Eq {
			q.add(c[0].E)
		}
	}
	q.assumed = len(b.e.Assumed())
	return q
}

// domain are guards in canonical form; false if they contradict one another.
func (b *search) domain(gs []graph.Guard, by map[graph.Sym]graph.Index) ([]graph.Guard, bool) {
	q := b.learn()
	out := make([]graph.Guard, len(gs))
	for i, g := range gs {
		out[i] = graph.Guard{E: q.canonical(b.halves(b.e.Space.Subst(g.E, by))), Eq: g.Eq}
	}
	return meaning.Normalize(out)
}

// halves learns how what is divided in e compares with what was divided before.
func (b *search) halves(e graph.Index) graph.Index {
	q := b.equal
	for i := range e.Len() {
		v, _ := e.Term(i)
		for len(q.done) <= int(v) {
			q.done = append(q.done, false)
		}
		if q.done[v] {
			continue
		}
		q.done[v] = true
		f, x, ok := b.e.Space.App(v)
		if !ok || len(x) != 1 {
			continue
		}
		for w := graph.Sym(1); w < v; w++ {
			g, y, ok := b.e.Space.App(w)
			if !ok || g != f || len(y) != 1 || slices.Contains(q.v, w) {
				continue
			}
			d, ok := x[0].Sub(y[0]).Const()
			if !ok || d < 0 || d > maxApart {
				continue
			}
			for c := range d + 1 {
				if diff := v.Index().Sub(w.Index()).AddInt(-c); b.zero(diff) {
					q.add(diff)
					break
				}
			}
		}
	}
	return e
}

// maxApart is how far what is divided may be apart to be compared.
const maxApart = 4

// zero reports whether e is 0 whatever the unknowns are.
func (b *search) zero(e graph.Index) bool {
	for _, n := range meaning.Not(graph.Guard{E: e, Eq: true}) {
		if !b.impossible([]graph.Guard{n}) {
			return false
		}
	}
	return true
}

// Bounds for one term and one member: choices that are tried, and what is found.
const (
	maxSteps       = 2000
	maxReflections = 4
)

// reflections are what the bound variables of t may be in those of rep, where the
// equations of their atoms, paired so, hold and the domain of t becomes dom.
func (b *search) reflections(rep, t meaning.Term, pairs []int, dom []graph.Guard) (out []map[graph.Sym]graph.Index) {
	var eqs []graph.Index
	for i, j := range pairs {
		b.atomEquations(rep.Atoms[i], t.Atoms[j], &eqs)
	}
	given, _ := b.solve(eqs, t.Over)
	if len(given) == len(t.Over) || len(t.Over) != len(rep.Over) {
		return nil
	}
	from, ok := b.domain(t.Dom, given)
	to, also := b.domain(dom, nil)
	if !ok || !also || len(from) != len(to) {
		return nil
	}
	keys := map[string]bool{}
	for _, g := range to {
		keys[guardKey(g)] = true
	}
	var open []graph.Sym
	for _, v := range t.Over {
		if _, ok := given[v]; !ok {
			open = append(open, v)
		}
	}
	steps := 0
	var rec func(from []graph.Guard, open []graph.Sym, by map[graph.Sym]graph.Index) bool
	rec = func(from []graph.Guard, open []graph.Sym, by map[graph.Sym]graph.Index) bool {
		if len(open) == 0 {
			if b.e.Unimodular(by, t.Over, rep.Over) {
				out = append(out, by)
			}
			return len(out) == maxReflections
		}
		// A guard with one variable that is left.
		at, v := -1, graph.Sym(0)
		for i, g := range from {
			if in := b.inside(g.E, open); len(in) == 1 {
				if k := g.E.Coef(in[0]); k == 1 || k == -1 {
					at, v = i, in[0]
					break
				}
			}
		}
		if at < 0 {
			return false
		}
		k := from[at].E.Coef(v)
		rest := from[at].E.AddScaled(v.Index(), -k)
	next:
		for _, g := range to {
			if steps++; steps > maxSteps {
				return false
			}
			if g.Eq != from[at].Eq {
				continue
			}
			one := map[graph.Sym]graph.Index{v: g.E.Sub(rest).Scale(k)}
			left := without(open, v)
			moved := make([]graph.Guard, len(from))
			for i, h := range from {
				moved[i] = graph.Guard{E: b.equal.canonical(b.e.Space.Subst(h.E, one)), Eq: h.Eq}
				if len(b.inside(moved[i].E, left)) > 0 {
					continue
				}
				if one, ok := meaning.Normalize(moved[i : i+1]); !ok || len(one) != 1 || !keys[guardKey(one[0])] {
					continue next
				}
			}
			all := map[graph.Sym]graph.Index{v: one[v]}
			for w, e := range by {
				all[w] = b.e.Space.Subst(e, one)
			}
			if rec(moved, left, all) {
				return true
			}
		}
		return false
	}
	rec(from, open, given)
	return out
}

func guardKey(g graph.Guard) string {
	if g.Eq {
		return "=" + g.E.Key()
	}
	return g.E.Key()
}
