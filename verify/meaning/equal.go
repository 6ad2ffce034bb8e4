package meaning

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// equal says why l and r may differ where ctx holds, or "" if they do not.
func (b *Engine) equal(ctx []graph.Guard, l, r NF) (why string) {
	if !b.values {
		return b.equalSums(ctx, l, r)
	}
	if b.guide.Try(b, func() bool { why = b.equalSums(ctx, l, r); return why == "" }) ||
		b.guide.Try(b, func() bool { return b.equalValues(ctx, l, r, false) }) ||
		slices.ContainsFunc(append(l[:len(l):len(l)], r...), func(t Term) bool { return len(t.Over)+len(t.Dom) > 0 }) &&
			b.guide.Try(b, func() bool { return b.equalValues(ctx, l, r, true) }) {
		return ""
	}
	return cmp.Or(why, "the values may differ")
}

// equalSums says why l and r, as sums, may differ where ctx holds, or "" if they do not.
//
// Terms with the same product of atoms are gathered in one system of bound
// variables; what is left to show is that at every point the numbers of the
// terms whose domain holds the point add up to 0.
//
// Bound variables are renamed first: a proof names unknowns by number, and none that
// ctx or an earlier answer names may be bound in what is compared.
func (b *Engine) equalSums(ctx []graph.Guard, l, r NF) string {
	var groups []*Group
	for side, n := range [2]NF{b.inDigitsOf(l, r), b.inDigitsOf(r, l)} {
		for _, t := range n {
			for _, u := range b.expand(t) {
				u = b.fresh(u)
				for _, v := range u.Over {
					b.Space.Within(v, graph.Dim{}) // that of a group has none
				}
				if side == 1 {
					u.Num = new(big.Rat).Neg(u.Num)
				}
				if len(u.Dom) > 0 {
					if _, ok := Normalize(join(ctx, u.Dom...)); !ok {
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
	if b.err != nil {
		return b.err.Error()
	}
	for _, g := range groups {
		if !b.cancels(ctx, g.Members) {
			return fmt.Sprintf("the terms with %s do not match", b.describe(g.Rep))
		}
	}
	return ""
}

// Group is a set of terms with one product of atoms, in the bound variables of
// Rep.
type Group struct {
	Rep     Term
	Members []Member
}

// Member is a number where Dom holds, and 0 elsewhere.
type Member struct {
	Num *big.Rat
	Dom []graph.Guard
}

// Placing proposes how a term is a member of a group: By says what its bound
// variables are in those of the group, Pairs which of its atoms stands for each of
// the group's.
type Placing struct {
	Group int
	Pairs []int
	By    []graph.Index
}

// expand multiplies out the factors that are sums: what it gives has factors
// that are unknowns, or sums to negative powers.
func (b *Engine) expand(t Term) []Term {
	if b.step() != nil {
		return nil
	}
	for i, f := range t.Facs {
		if _, sym := f.E.IsSym(); sym || f.Exp < 0 {
			continue
		}
		rest := t
		rest.Facs = append(append([]Factor{}, t.Facs[:i]...), t.Facs[i+1:]...)
		if f.Exp > 1 {
			rest = rest.times(f.E, f.Exp-1)
		}
		var out []Term
		scaled := func(u Term, k int64) {
			u.Num = new(big.Rat).Mul(u.Num, big.NewRat(k, 1))
			out = append(out, b.expand(u)...)
		}
		for j := 0; j < f.E.Len(); j++ {
			v, k := f.E.Term(j)
			scaled(rest.times(v.Index(), 1), k)
		}
		if c := f.E.Constant(); c != 0 {
			scaled(rest, c)
		}
		return out
	}
	return []Term{t}
}

// gather puts t into the first group that it fits, or into one of its own.
func (b *Engine) gather(ctx []graph.Guard, groups []*Group, t Term) []*Group {
	if len(groups) > 0 && b.guide.Place(b, ctx, groups, t, func(p Placing) bool {
		if p.Group < 0 || p.Group >= len(groups) {
			return false
		}
		g := groups[p.Group]
		m, ok := b.member(ctx, g.Rep, t, p)
		if ok {
			g.Members = append(g.Members, m)
		}
		return ok
	}) {
		return groups
	}
	return append(groups, &Group{Rep: t, Members: []Member{{t.Num, t.Dom}}})
}

// member is t in the bound variables of rep, which has to have the same atoms and
// factors where the domain of t holds. Bound variables are exchanged one to one.
func (b *Engine) member(ctx []graph.Guard, rep, t Term, p Placing) (Member, bool) {
	if b.step() != nil || !AlikeInKind(rep, t) || len(p.By) != len(t.Over) || len(p.Pairs) != len(t.Atoms) || !permutes(p.Pairs) {
		return Member{}, false
	}
	by := map[graph.Sym]graph.Index{}
	for i, v := range t.Over {
		by[v] = p.By[i]
	}
	if !b.Unimodular(by, t.Over, rep.Over) {
		return Member{}, false
	}
	u := b.substTerm(t, by)
	dom, ok := Normalize(u.Dom)
	if !ok {
		return Member{}, false
	}
	here := join(ctx, dom...)
	if !b.sameFactors(here, rep.Facs, u.Facs) {
		return Member{}, false
	}
	for i, j := range p.Pairs {
		if rep.Atoms[i].Head() != u.Atoms[j].Head() || !b.sameAtom(here, rep.Atoms[i], u.Atoms[j]) {
			return Member{}, false
		}
	}
	// Replacing unknowns may make a factor a multiple of what it was, and its content
	// goes to the number: of what was compared, the number is that of u.
	return Member{u.Num, dom}, true
}

// permutes reports whether ns are the numbers from 0 on in some order.
func permutes(ns []int) bool {
	seen := make([]bool, len(ns))
	for _, n := range ns {
		if n < 0 || n >= len(ns) || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// sameFactors reports whether two products of factors are equal, factor by
// factor, where ctx holds.
func (b *Engine) sameFactors(ctx []graph.Guard, x, y []Factor) bool {
	if len(x) != len(y) {
		return false
	}
	used := make([]bool, len(y))
next:
	for _, f := range x {
		for pass := 0; pass < 2; pass++ { // the same at sight first
			for j, g := range y {
				if used[j] || f.Exp != g.Exp || pass == 0 && f.key != g.key {
					continue
				}
				if pass == 0 || b.implied(ctx, graph.GuardEq(f.E, g.E)) {
					used[j] = true
					continue next
				}
			}
		}
		return false
	}
	return true
}

// sameAtom reports whether two atoms with one head are equal where ctx holds.
func (b *Engine) sameAtom(ctx []graph.Guard, x, y Atom) bool {
	switch x.Kind {
	case Read:
		for i := range x.At {
			if !b.implied(ctx, graph.GuardEq(x.At[i], y.At[i])) {
				return false
			}
		}
		return true
	case Apply:
		return b.equal(ctx, x.Arg, y.Arg) == ""
	}
	return b.within(ctx, x.Pieces, y.Pieces) && b.within(ctx, y.Pieces, x.Pieces)
}

// cancels reports whether the numbers of the members add up to 0 at every point:
// they do on every part of what ctx allows on which each is there or is not.
func (b *Engine) cancels(ctx []graph.Guard, members []Member) bool {
	var parts []Member // of different domains
	for _, m := range members {
		i := slices.IndexFunc(parts, func(p Member) bool { return AlikeSets(p.Dom, m.Dom) })
		if i < 0 {
			i = len(parts)
			parts = append(parts, Member{new(big.Rat), m.Dom})
		}
		parts[i].Num.Add(parts[i].Num, m.Num)
	}
	parts = slices.DeleteFunc(parts, func(p Member) bool { return p.Num.Sign() == 0 })
	if len(parts) == 0 {
		return true
	}
	if g, ok := b.guide.(Summer); ok {
		return g.Cancels(b, ctx, parts)
	}
	conds := make([][]graph.Guard, len(parts))
	for i, p := range parts {
		conds[i] = p.Dom
	}
	cells, err := b.split(ctx, conds, false)
	if err != nil {
		return false
	}
	for _, c := range cells {
		sum := new(big.Rat)
		for i, p := range parts {
			if c.on[i] {
				sum.Add(sum, p.Num)
			}
		}
		if sum.Sign() != 0 {
			return false
		}
	}
	return true
}

// Summer is a Guide that answers more at once. It is believed, as a Guide is.
type Summer interface {
	// Cancels reports that the numbers of the parts add up to 0 wherever ctx and what
	// e knows hold.
	Cancels(e *Engine, ctx []graph.Guard, parts []Member) bool
}
