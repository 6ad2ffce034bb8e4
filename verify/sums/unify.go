package sums

import (
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// How bound variables are found: index expressions that must agree are
// equations, and what they say of a variable is a proposal. Whether it is right
// is asked afterwards, so nothing here needs to be complete.

// equations collects the equations between the indices of terms that look
// alike. Those that mention variables bound in the terms are left out: what is
// proposed must make sense outside.
func (b *builder) equations(x, y nf, eqs *[]graph.Index) {
	used := make([]bool, len(y))
	for _, s := range x {
		for j, t := range y {
			if used[j] || !alikeInKind(s, t) {
				continue
			}
			used[j] = true
			b.matchings(s.atoms, t.atoms, func(pairs [][2]atom) bool {
				var found []graph.Index
				for _, p := range pairs {
					b.atomEquations(p[0], p[1], &found)
				}
				b.keepFree(found, eqs, s.over, t.over)
				return true
			})
			break
		}
	}
}

func (b *builder) keepFree(found []graph.Index, eqs *[]graph.Index, bound ...[]graph.Sym) {
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

func (b *builder) atomEquations(x, y atom, eqs *[]graph.Index) {
	for i := range x.at {
		*eqs = append(*eqs, x.at[i].Sub(y.at[i]))
	}
	b.equations(x.arg, y.arg, eqs)
	for i, p := range x.pieces {
		if i < len(y.pieces) {
			var found []graph.Index
			b.equations(p.body, y.pieces[i].body, &found)
			b.keepFree(found, eqs, p.over, y.pieces[i].over)
		}
	}
}

// inside are the unknowns of vs that e mentions.
func (b *builder) inside(e graph.Index, vs []graph.Sym) []graph.Sym {
	var out []graph.Sym
	for _, v := range vs {
		if b.space.Mentions(e, v) {
			out = append(out, v)
		}
	}
	return out
}

// solve solves equations for unknowns with coefficient 1 or -1, those with one
// unknown first. It returns what it found and the equations left, with that
// put in.
func (b *builder) solve(eqs []graph.Index, unknown []graph.Sym) (map[graph.Sym]graph.Index, []graph.Index) {
	by := map[graph.Sym]graph.Index{}
	left := append([]graph.Index{}, eqs...)
	for {
		at, best, rank := -1, graph.Sym(0), 0
		for i, e := range left {
			vs := b.inside(e, unknown)
			if len(vs) == 0 || at >= 0 && len(vs) >= rank {
				continue
			}
			for _, v := range vs {
				k := e.Coef(v)
				if (k == 1 || k == -1) && !b.space.Mentions(e.AddScaled(v.Index(), -k), v) {
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
			left[i] = b.space.Subst(left[i], one)
		}
		for v, f := range by {
			by[v] = b.space.Subst(f, one)
		}
		by[best] = one[best]
		unknown = without(unknown, best)
	}
}

// arguments replaces an equation f(x) = f(y) that holds an unknown by x = y.
func (b *builder) arguments(eqs []graph.Index, unknown []graph.Sym) ([]graph.Index, bool) {
	for i, e := range eqs {
		if e.Len() != 2 || e.Constant() != 0 || len(b.inside(e, unknown)) == 0 {
			continue
		}
		v, k := e.Term(0)
		w, m := e.Term(1)
		f, x, ok := b.space.App(v)
		g, y, also := b.space.App(w)
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
func (b *builder) bijections(rep, t term, pairs [][2]atom) []map[graph.Sym]graph.Index {
	if len(rep.over) != len(t.over) {
		return nil
	}
	if len(t.over) == 0 {
		return []map[graph.Sym]graph.Index{{}}
	}
	var eqs []graph.Index
	for _, p := range pairs {
		b.atomEquations(p[0], p[1], &eqs)
	}
	by, _ := b.solve(eqs, t.over)
	var open []graph.Sym
	for _, v := range t.over {
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
			full[v] = b.space.Subst(e, one)
		}
		for v, e := range one {
			full[v] = e
		}
		if b.unimodular(full, t.over, rep.over) {
			out = append(out, full)
		}
		tries++
		return len(out) < maxBijections && tries < maxInjections
	}
	var same []graph.Sym
	for i, v := range t.over {
		if _, ok := by[v]; !ok {
			same = append(same, rep.over[i])
		}
	}
	propose(same)
	if len(open) > 0 {
		injections(rep.over, len(open), propose)
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

// unimodular reports whether by maps the integer points of to one to one to
// those of from: its matrix has determinant 1 or -1. The images may depend on
// to linearly only.
func (b *builder) unimodular(by map[graph.Sym]graph.Index, from, to []graph.Sym) bool {
	n := len(from)
	m := make([][]int64, n)
	for i, v := range from {
		e := by[v]
		m[i] = make([]int64, n)
		for j, w := range to {
			m[i][j] = e.Coef(w)
			e = e.AddScaled(w.Index(), -m[i][j])
		}
		if b.anyMention(e, to) || b.anyMention(e, from) {
			return false
		}
	}
	d := determinant(m)
	return d.IsInt64() && (d.Int64() == 1 || d.Int64() == -1)
}

// determinant is that of a square matrix, by Bareiss's elimination without
// fractions.
func determinant(rows [][]int64) *big.Int {
	n, sign, prev := len(rows), int64(1), big.NewInt(1)
	m := make([][]*big.Int, n)
	for i, row := range rows {
		for _, x := range row {
			m[i] = append(m[i], big.NewInt(x))
		}
	}
	for k := 0; k < n-1; k++ {
		if m[k][k].Sign() == 0 {
			swap := -1
			for i := k + 1; i < n; i++ {
				if m[i][k].Sign() != 0 {
					swap = i
					break
				}
			}
			if swap < 0 {
				return new(big.Int)
			}
			m[k], m[swap] = m[swap], m[k]
			sign = -sign
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				x, y := new(big.Int).Mul(m[i][j], m[k][k]), new(big.Int).Mul(m[i][k], m[k][j])
				m[i][j] = x.Quo(x.Sub(x, y), prev)
			}
		}
		prev = m[k][k]
	}
	return new(big.Int).Mul(big.NewInt(sign), m[n-1][n-1])
}
