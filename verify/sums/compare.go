package sums

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
)

// equal says why l and r may differ where ctx holds, or "" if they do not.
//
// Terms with the same product of atoms are gathered in one system of bound
// variables; what is left to show is that at every point the numbers of the
// terms whose domain holds the point add up to 0. That is one question about
// linear conditions for each product.
func (b *builder) equal(ctx []graph.Guard, l, r nf) string {
	var groups []*group
	for side, n := range [2]nf{l, r} {
		for _, t := range n {
			for _, u := range expand(t) {
				if side == 1 {
					u.num = new(big.Rat).Neg(u.num)
				}
				if len(u.dom) > 0 {
					if _, ok := normalize(join(ctx, u.dom...)); !ok {
						continue
					}
				}
				groups = b.gather(ctx, groups, u)
				if b.err != nil {
					return b.err.Error()
				}
			}
		}
	}
	for _, g := range groups {
		if !b.cancels(ctx, g) {
			return fmt.Sprintf("the terms with %s do not match", b.describe(g.rep))
		}
	}
	return ""
}

// group is a set of terms with one product of atoms, in the bound variables of
// rep.
type group struct {
	rep     term
	members []member
}

type member struct {
	num *big.Rat
	dom []graph.Guard
}

// expand multiplies out the factors that are sums: what it gives has factors
// that are unknowns, or sums to negative powers.
func expand(t term) []term {
	for i, f := range t.facs {
		if _, sym := f.e.IsSym(); sym || f.exp < 0 {
			continue
		}
		rest := t
		rest.facs = append(append([]factor{}, t.facs[:i]...), t.facs[i+1:]...)
		if f.exp > 1 {
			rest = rest.times(f.e, f.exp-1)
		}
		var out []term
		scaled := func(u term, k int64) {
			u.num = new(big.Rat).Mul(u.num, big.NewRat(k, 1))
			out = append(out, expand(u)...)
		}
		for j := 0; j < f.e.Len(); j++ {
			v, k := f.e.Term(j)
			scaled(rest.times(v.Index(), 1), k)
		}
		if c := f.e.Constant(); c != 0 {
			scaled(rest, c)
		}
		return out
	}
	return []term{t}
}

// gather puts t into the first group that it fits, or into one of its own.
func (b *builder) gather(ctx []graph.Guard, groups []*group, t term) []*group {
	for _, g := range groups {
		if !alikeInKind(g.rep, t) {
			continue
		}
		if m, ok := b.fit(ctx, g, t); ok {
			g.members = append(g.members, m)
			return groups
		}
	}
	t = b.fresh(t)
	return append(groups, &group{rep: t, members: []member{{t.num, t.dom}}})
}

// fit finds bound variables for t with which it is a member of the group. Where
// there is a choice, as in a sum over two windows of the sum of their places, it
// takes one with which the domain is that of a member.
func (b *builder) fit(ctx []graph.Guard, g *group, t term) (member, bool) {
	var all []member
	b.matchings(g.rep.atoms, t.atoms, func(pairs [][2]atom) bool {
		for _, by := range b.bijections(g.rep, t, pairs) {
			if b.step() != nil {
				return true
			}
			u := b.substTerm(t, by)
			dom, ok := normalize(u.dom)
			if !ok {
				return false
			}
			here := join(ctx, dom...)
			same := b.sameFactors(here, g.rep.facs, u.facs)
			for _, p := range pairs {
				same = same && b.sameAtom(here, p[0], b.substAtom(p[1], by))
			}
			if !same {
				continue
			}
			m := member{t.num, dom}
			if slices.ContainsFunc(g.members, func(o member) bool { return alikeSets(o.dom, dom) }) {
				all = []member{m}
				return true
			}
			all = append(all, m)
		}
		return len(all) >= maxBijections
	})
	if len(all) == 0 {
		return member{}, false
	}
	if len(all) > 1 {
		for _, m := range all {
			for _, o := range g.members {
				here := b.all(ctx)
				if b.unsat(here, b.z.Not(b.z.Iff(b.all(m.dom), b.all(o.dom)))) {
					return m, true
				}
			}
		}
	}
	return all[0], true
}

// sameFactors reports whether two products of factors are equal, factor by
// factor, where ctx holds.
func (b *builder) sameFactors(ctx []graph.Guard, x, y []factor) bool {
	if len(x) != len(y) {
		return false
	}
	used := make([]bool, len(y))
next:
	for _, f := range x {
		for pass := 0; pass < 2; pass++ { // the same at sight first
			for j, g := range y {
				if used[j] || f.exp != g.exp || pass == 0 && f.key != g.key {
					continue
				}
				if pass == 0 || b.sameIndices(ctx, []graph.Index{f.e}, []graph.Index{g.e}) {
					used[j] = true
					continue next
				}
			}
		}
		return false
	}
	return true
}

// maxMatchings bounds the ways tried to pair the atoms of two terms.
const maxMatchings = 24

// matchings calls f with ways to pair atoms of one head until it returns true.
func (b *builder) matchings(x, y []atom, f func([][2]atom) bool) bool {
	used := make([]bool, len(y))
	pairs := make([][2]atom, 0, len(x))
	tries := 0
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(x) {
			tries++
			return f(pairs)
		}
		for j := range y {
			if used[j] || x[i].head() != y[j].head() || tries >= maxMatchings {
				continue
			}
			used[j] = true
			pairs = append(pairs, [2]atom{x[i], y[j]})
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

// sameAtom reports whether two atoms are equal where ctx holds.
func (b *builder) sameAtom(ctx []graph.Guard, x, y atom) bool {
	switch x.kind {
	case read:
		return b.sameIndices(ctx, x.at, y.at)
	case apply:
		return b.equal(ctx, x.arg, y.arg) == ""
	}
	return b.within(ctx, x.pieces, y.pieces) && b.within(ctx, y.pieces, x.pieces)
}

func (b *builder) sameIndices(ctx []graph.Guard, x, y []graph.Index) bool {
	var differ []z3.Term
	for i := range x {
		d := x[i].Sub(y[i])
		if n, ok := d.Const(); ok {
			if n != 0 {
				return false
			}
			continue
		}
		differ = append(differ, b.z.Not(b.guard(graph.Guard{E: d, Eq: true})))
	}
	if len(differ) == 0 {
		return true
	}
	return b.unsat(b.all(ctx), b.z.Or(differ...))
}

// cancels reports whether the numbers of a group's members add up to 0 at every
// point.
func (b *builder) cancels(ctx []graph.Guard, g *group) bool {
	var parts []member // of different domains
	for _, m := range g.members {
		i := slices.IndexFunc(parts, func(p member) bool { return alikeSets(p.dom, m.dom) })
		if i < 0 {
			i = len(parts)
			parts = append(parts, member{new(big.Rat), m.dom})
		}
		parts[i].num.Add(parts[i].num, m.num)
	}
	scale := big.NewInt(1)
	left := parts[:0]
	for _, p := range parts {
		if p.num.Sign() != 0 {
			left = append(left, p)
			d := p.num.Denom()
			common := new(big.Int).GCD(nil, nil, scale, d)
			scale.Mul(scale, new(big.Int).Quo(d, common))
		}
	}
	if len(left) == 0 {
		return true
	}
	var sum []z3.Term
	for _, p := range left {
		n := new(big.Int).Mul(p.num.Num(), new(big.Int).Quo(scale, p.num.Denom()))
		sum = append(sum, b.z.Ite(b.all(p.dom), b.z.BigInt(n.String()), b.z.IntVal(0)))
	}
	return b.unsat(b.all(ctx), b.z.Not(b.z.Eq(b.z.Add(sum...), b.z.IntVal(0))))
}

// within reports whether each value of the pieces ps, where ctx holds, is a
// value of qs.
func (b *builder) within(ctx []graph.Guard, ps, qs []piece) bool {
	for _, p := range ps {
		over, by := b.rename(p.over)
		p = piece{over, b.substGuards(p.dom, by), b.substNF(p.body, by)}
		here := join(ctx, p.dom...)
		missed := []z3.Term{b.all(here)}
		for _, q := range qs {
			if cond, ok := b.covers(here, p, q); ok {
				if len(cond) == 0 {
					missed = nil
					break
				}
				missed = append(missed, b.z.Not(b.all(cond)))
			}
		}
		if missed != nil && !b.unsat(missed...) {
			return false
		}
	}
	return true
}

// covers finds a condition under which the value of p at a point is one of q.
func (b *builder) covers(ctx []graph.Guard, p, q piece) ([]graph.Guard, bool) {
	if b.step() != nil {
		return nil, false
	}
	over, by := b.rename(q.over)
	q = piece{over, b.substGuards(q.dom, by), b.substNF(q.body, by)}
	var eqs []graph.Index
	b.equations(p.body, q.body, &eqs)
	by, rest := b.solve(eqs, q.over)
	dom := b.substGuards(q.dom, by)
	for _, e := range rest {
		dom = append(dom, graph.Guard{E: e, Eq: true})
	}
	dom, ok := normalize(dom)
	if !ok {
		return nil, false
	}
	for _, v := range q.over {
		if _, done := by[v]; done {
			continue
		}
		if b.nfMentions(b.substNF(q.body, by), v) {
			return nil, false // some value, but which is not known
		}
		if dom, ok = b.project(dom, v); !ok {
			return nil, false
		}
	}
	here := join(ctx, dom...)
	if _, ok := normalize(here); !ok {
		return nil, false
	}
	if b.equal(here, p.body, b.substNF(q.body, by)) != "" {
		return nil, false
	}
	var cond []graph.Guard
	for _, g := range dom {
		if !b.implied(ctx, g) {
			cond = append(cond, g)
		}
	}
	return cond, true
}

// project says for which values of the others a v exists that meets all guards.
// With coefficients 1 and -1 only, that is exact over the integers: the largest
// lower bound must not exceed the least upper one (Fourier and Motzkin).
func (b *builder) project(gs []graph.Guard, v graph.Sym) ([]graph.Guard, bool) {
	if w, e, at, ok := b.given([]graph.Sym{v}, gs); ok {
		rest := append(append([]graph.Guard{}, gs[:at]...), gs[at+1:]...)
		return normalize(b.substGuards(rest, map[graph.Sym]graph.Index{w: e}))
	}
	lo, hi, rest, ok := b.bounds(gs, v, nil)
	if !ok {
		return nil, false
	}
	for _, l := range lo {
		for _, h := range hi {
			rest = append(rest, graph.GuardLt(l, h))
		}
	}
	return normalize(rest)
}
