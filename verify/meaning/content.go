package meaning

import (
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// relu and the maximum of products with one factor that is not negative are the product of that
// factor and of what they are without it: relu(k*x) = k*relu(x), max(k*x, k*y) = k*max(x, y).

// content is the largest such factor that is found of what pieces have at all their points, and
// the pieces without it; not ok if there is none. It is made of the number that divides all
// numbers, of sizes and counts, and of atoms that are not negative or occur twice. It depends on
// no point.
func (b *Engine) content(ps []Piece) (out Term, rest []Piece, ok bool) {
	out = Term{Num: new(big.Rat)}
	first := true
	for _, p := range ps {
		for _, t := range p.Body {
			over := slices.Concat(p.Over, t.Over)
			out.Num = ratGCD(out.Num, t.Num)
			if first {
				out.Facs, out.Atoms, first = slices.Clone(t.Facs), slices.Clone(t.Atoms), false
			}
			out.Facs = slices.DeleteFunc(out.Facs, func(f Factor) bool {
				return b.anyMention(f.E, over) || !slices.ContainsFunc(t.Facs, func(g Factor) bool { return f.key == g.key && f.Exp == g.Exp })
			})
			out.Atoms = b.shared(out.Atoms, t.Atoms, over)
		}
	}
	if first {
		return out, nil, false
	}
	out.Atoms = b.positive(out.Atoms)
	if out.Num.Cmp(one) == 0 && len(out.Facs)+len(out.Atoms) == 0 {
		return out, nil, false
	}
	inverse := new(big.Rat).Inv(out.Num)
	for _, p := range ps {
		q := Piece{Over: p.Over, Dom: p.Dom}
		for _, t := range p.Body {
			u := Term{Num: new(big.Rat).Mul(t.Num, inverse), Over: t.Over, Dom: t.Dom}
			u.Facs = slices.DeleteFunc(slices.Clone(t.Facs), func(f Factor) bool {
				return slices.ContainsFunc(out.Facs, func(g Factor) bool { return f.key == g.key && f.Exp == g.Exp })
			})
			u.Atoms, _ = b.remove(t.Atoms, out.Atoms)
			q.Body = append(q.Body, u)
		}
		rest = append(rest, q)
	}
	return out, rest, true
}

// shared are those of the atoms that a product has, too, and that depend on no bound variable.
func (b *Engine) shared(atoms, product []Atom, over []graph.Sym) (kept []Atom) {
	for _, a := range atoms {
		if slices.ContainsFunc(over, func(v graph.Sym) bool { return b.atomMentions(a, v) }) {
			continue
		}
		if left, ok := b.remove(product, []Atom{a}); ok {
			kept, product = append(kept, a), left
		}
	}
	return kept
}

// positive are those of the atoms that are not negative, and those that occur twice.
func (b *Engine) positive(atoms []Atom) (kept []Atom) {
	for i := 0; i < len(atoms); i++ {
		if b.atomNonNegative(atoms[i]) {
			kept = append(kept, atoms[i])
			continue
		}
		k := slices.IndexFunc(atoms[i+1:], func(c Atom) bool { return b.alikeAtom(atoms[i], c, nil) })
		if k >= 0 {
			kept = append(kept, atoms[i], atoms[i])
			atoms = slices.Concat(atoms[:i+1], atoms[i+1:i+1+k], atoms[i+k+2:])
		}
	}
	return kept
}

// ratGCD is the largest number x such that both are whole multiples of x, if one is not 0.
func ratGCD(x, y *big.Rat) *big.Rat {
	if x.Sign() == 0 {
		return new(big.Rat).Abs(y)
	}
	if y.Sign() == 0 {
		return new(big.Rat).Abs(x)
	}
	// a/b and c/d are ad/bd and cb/bd.
	p, q := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	p.GCD(nil, nil, p.Abs(p), q.Abs(q))
	return new(big.Rat).SetFrac(p, new(big.Int).Mul(x.Denom(), y.Denom()))
}

// timesEach is a product with a sum.
func (b *Engine) timesEach(t Term, n NF, ctx []graph.Guard) (out NF) {
	for _, u := range n {
		if u, ok := b.mul(t, u, ctx); ok {
			out = append(out, u)
		}
	}
	return out
}
