package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// How bound variables are found: index expressions that must agree are
// equations, and what they say of a variable is a proposal. Whether it is right
// is asked afterwards, so nothing here needs to be complete.

// equations collects the equations between the indices of terms that look
// alike. Those that mention variables bound in the terms are left out: what is
// proposed must make sense outside.
func (b *search) equations(x, y meaning.NF, eqs *[]graph.Index) {
	used := make([]bool, len(y))
	for _, s := range x {
		for j, t := range y {
			if used[j] || !meaning.AlikeInKind(s, t) {
				continue
			}
			used[j] = true
			b.matchings(s.Atoms, t.Atoms, func(pairs []int) bool {
				var found []graph.Index
				for i, j := range pairs {
					b.atomEquations(s.Atoms[i], t.Atoms[j], &found)
				}
				b.keepFree(found, eqs, s.Over, t.Over)
				return true
			})
			break
		}
	}
}

func (b *search) keepFree(found []graph.Index, eqs *[]graph.Index, bound ...[]graph.Sym) {
	for _, e := range found {
		free := true
		for _, vs := range bound {
			free = free && !b.anyMention(e, vs)
		}
		if free {
			*eqs = append(*eqs, e)
		}
	}
}

func (b *search) atomEquations(x, y meaning.Atom, eqs *[]graph.Index) {
	for i := range x.At {
		*eqs = append(*eqs, x.At[i].Sub(y.At[i]))
	}
	b.equations(x.Arg, y.Arg, eqs)
	for i, p := range x.Pieces {
		if i < len(y.Pieces) {
			var found []graph.Index
			b.equations(p.Body, y.Pieces[i].Body, &found)
			b.keepFree(found, eqs, p.Over, y.Pieces[i].Over)
		}
	}
}

// inside are the unknowns of vs that e mentions.
func (b *search) inside(e graph.Index, vs []graph.Sym) []graph.Sym {
	var out []graph.Sym
	for _, v := range vs {
		if b.e.Space.Mentions(e, v) {
			out = append(out, v)
		}
	}
	return out
}

// solve solves equations for unknowns with coefficient 1 or -1, those with one
// unknown first. It returns what it found and the equations left, with that
// put in.
func (b *search) solve(eqs []graph.Index, unknown []graph.Sym) (map[graph.Sym]graph.Index, []graph.Index) {
	by := map[graph.Sym]graph.Index{}
	left := b.inDigits(eqs, unknown)
	for {
		at, best, rank := -1, graph.Sym(0), 0
		for i, e := range left {
			vs := b.inside(e, unknown)
			if len(vs) == 0 || at >= 0 && len(vs) >= rank {
				continue
			}
			for _, v := range vs {
				k := e.Coef(v)
				if (k == 1 || k == -1) && !b.e.Space.Mentions(e.AddScaled(v.Index(), -k), v) {
					at, best, rank = i, v, len(vs)
					break
				}
			}
		}
		if at < 0 {
			if more, ok := b.arguments(left, unknown); ok {
				left = more
				continue
			}
			return by, left
		}
		e := left[at]
		k := e.Coef(best)
		one := map[graph.Sym]graph.Index{best: e.AddScaled(best.Index(), -k).Scale(-k)}
		left = append(left[:at:at], left[at+1:]...)
		for i := range left {
			left[i] = b.e.Space.Subst(left[i], one)
		}
		left = b.inDigits(left, unknown)
		for v, f := range by {
			by[v] = b.e.Space.Subst(f, one)
		}
		by[best] = one[best]
		unknown = without(unknown, best)
	}
}

// inDigits replaces equations n*x + y = 0 by x = 0 and y = 0 where there is something to
// find in both.
func (b *search) inDigits(eqs []graph.Index, unknown []graph.Sym) []graph.Index {
	out := make([]graph.Index, 0, len(eqs))
next:
	for k := 0; k < len(eqs); k++ {
		e := eqs[k]
		if len(b.inside(e, unknown)) > 0 {
			for _, m := range b.e.Space.Multiples(e) {
				if m.Of == 0 {
					continue
				}
				if _, number := m.By.Const(); number {
					continue
				}
				whole, rest := b.e.Space.Wholes(e, m.By)
				if len(b.inside(whole, unknown)) > 0 && (rest.Equal(graph.Index{}) || len(b.inside(rest, unknown)) > 0) {
					eqs = append(eqs[:len(eqs):len(eqs)], whole, rest)
					continue next
				}
			}
		}
		out = append(out, e)
	}
	return out
}

// arguments replaces an equation f(x) = f(y) that holds an unknown by x = y.
func (b *search) arguments(eqs []graph.Index, unknown []graph.Sym) ([]graph.Index, bool) {
	for i, e := range eqs {
		if e.Len() != 2 || e.Constant() != 0 || len(b.inside(e, unknown)) == 0 {
			continue
		}
		v, k := e.Term(0)
		w, m := e.Term(1)
		f, x, ok := b.e.Space.App(v)
		g, y, also := b.e.Space.App(w)
		if !ok || !also || f != g || k != -m || len(x) != len(y) {
			continue
		}
		out := append(append([]graph.Index{}, eqs[:i]...), eqs[i+1:]...)
		for j := range x {
			out = append(out, x[j].Sub(y[j]))
		}
		return out, true
	}
	return nil, false
}

// bijections proposes expressions of rep's bound variables for those of t, each
// a one-to-one map of all integer points.
func (b *search) bijections(rep, t meaning.Term, pairs []int) []map[graph.Sym]graph.Index {
	if len(rep.Over) != len(t.Over) {
		return nil
	}
	if len(t.Over) == 0 {
		return []map[graph.Sym]graph.Index{{}}
	}
	var eqs []graph.Index
	for i, j := range pairs {
		b.atomEquations(rep.Atoms[i], t.Atoms[j], &eqs)
	}
	by, _ := b.solve(eqs, t.Over)
	var open []graph.Sym
	for _, v := range t.Over {
		if _, ok := by[v]; !ok {
			open = append(open, v)
		}
	}
	// What the equations leave open is any variable of rep, first the one at the
	// same place: terms that come about alike have their variables in one order.
	var out []map[graph.Sym]graph.Index
	tries := 0
	propose := func(order []graph.Sym) bool {
		one := map[graph.Sym]graph.Index{}
		for i, v := range open {
			one[v] = order[i].Index()
		}
		full := map[graph.Sym]graph.Index{}
		for v, e := range by {
			full[v] = b.e.Space.Subst(e, one)
		}
		for v, e := range one {
			full[v] = e
		}
		if b.e.Unimodular(full, t.Over, rep.Over) {
			out = append(out, full)
		}
		tries++
		return len(out) < maxBijections && tries < maxInjections
	}
	var same []graph.Sym
	for i, v := range t.Over {
		if _, ok := by[v]; !ok {
			same = append(same, rep.Over[i])
		}
	}
	propose(same)
	if len(open) > 0 {
		injections(rep.Over, len(open), propose)
	}
	return out
}

// Bounds for one way to pair the atoms: proposals, and ways to fill in what is
// left open.
const (
	maxBijections = 6
	maxInjections = 200
)

// injections calls f with n distinct ones of vs, in every order, until it
// returns false.
func injections(vs []graph.Sym, n int, f func([]graph.Sym) bool) {
	var pick []graph.Sym
	var rec func() bool
	rec = func() bool {
		if len(pick) == n {
			return f(pick)
		}
		for _, v := range vs {
			if slices.Contains(pick, v) {
				continue
			}
			pick = append(pick, v)
			if !rec() {
				return false
			}
			pick = pick[:len(pick)-1]
		}
		return true
	}
	rec()
}

// maxMatchings bounds the ways tried to pair the atoms of two terms.
const maxMatchings = 24

// matchings calls f with ways to pair atoms of one head, for each of x the number
// of one of y, until it returns true.
func (b *search) matchings(x, y []meaning.Atom, f func([]int) bool) bool {
	used := make([]bool, len(y))
	pairs := make([]int, 0, len(x))
	tries := 0
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(x) {
			tries++
			return f(pairs)
		}
		for j := range y {
			if used[j] || x[i].Head() != y[j].Head() || tries >= maxMatchings {
				continue
			}
			used[j] = true
			pairs = append(pairs, j)
			if rec(i + 1) {
				return true
			}
			pairs = pairs[:len(pairs)-1]
			used[j] = false
		}
		return false
	}
	return rec(0)
}

func (b *search) anyMention(e graph.Index, vs []graph.Sym) bool {
	for _, v := range vs {
		if b.e.Space.Mentions(e, v) {
			return true
		}
	}
	return false
}

func without(vs []graph.Sym, v graph.Sym) []graph.Sym {
	return slices.DeleteFunc(slices.Clone(vs), func(w graph.Sym) bool { return w == v })
}
