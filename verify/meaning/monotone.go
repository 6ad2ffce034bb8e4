package meaning

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// What grows with x keeps the order: its maximum is what it is of the largest x. Here
// it is a sum of powers of x, of odd ones, of any if x is not negative, and of relu(x),
// with positive numbers and sizes before them.

// power is the term By times the k-th power of x, or, with Rect, of relu(x).
type power struct {
	by   Term
	k    int
	rect bool
}

// powers writes a sum as powers of a product x of atoms, with which it grows.
func (b *Engine) powers(n NF) (x []Atom, g []power, ok bool) {
	if len(n) == 0 || len(n[0].Atoms) == 0 {
		return nil, nil, false
	}
	base := n[0].Atoms[0]
	for _, t := range n {
		for _, a := range t.Atoms {
			if y, ok := rectified(a); ok && b.alikeAtom(base, a, nil) && b.bare(n, y) {
				base = y
			}
		}
	}
	even, odd, rect := false, false, false
	for _, t := range n {
		p := power{by: Term{Num: t.Num, Facs: t.Facs}}
		if t.Num.Sign() <= 0 || len(t.Over) > 0 || len(t.Dom) > 0 || len(t.Atoms) == 0 {
			return nil, nil, false
		}
		for _, a := range t.Atoms {
			y, isRect := rectified(a)
			switch {
			case b.alikeAtom(base, a, nil) && !p.rect:
				p.k++
			case isRect && b.alikeAtom(base, y, nil) && (p.rect || p.k == 0):
				p.k, p.rect = p.k+1, true
			default:
				return nil, nil, false
			}
		}
		rect = rect || p.rect
		even = even || !p.rect && p.k%2 == 0
		odd = odd || !p.rect && p.k%2 == 1
		g = append(g, p)
	}
	x = []Atom{base}
	if even && !b.atomNonNegative(base) {
		if odd || rect {
			return nil, nil, false
		}
		x = []Atom{base, base}
		for i := range g {
			g[i].k /= 2
		}
	}
	return x, g, true
}

// rectified is the atom of which a is the relu.
func rectified(a Atom) (Atom, bool) {
	if a.Kind != Apply || !a.Fn.relu || len(a.Arg) != 1 {
		return Atom{}, false
	}
	t := a.Arg[0]
	if len(t.Atoms) != 1 || len(t.Over)+len(t.Dom)+len(t.Facs) > 0 || t.Num.Cmp(one) != 0 {
		return Atom{}, false
	}
	return t.Atoms[0], true
}

// bare reports whether an atom is a factor somewhere in n.
func (b *Engine) bare(n NF, a Atom) bool {
	return slices.ContainsFunc(n, func(t Term) bool {
		return slices.ContainsFunc(t.Atoms, func(c Atom) bool { return b.alikeAtom(a, c, nil) })
	})
}

// identity reports whether g is x itself.
func identity(g []power) bool {
	return len(g) == 1 && g[0].k == 1 && !g[0].rect && len(g[0].by.Facs) == 0 && g[0].by.Num.Cmp(one) == 0
}

// at is what the powers are at a sum in place of x.
func (b *Engine) at(g []power, f Fun, x NF, ctx []graph.Guard) (NF, error) {
	var rect, out NF
	for _, p := range g {
		of := x
		if p.rect {
			if rect == nil {
				var err error
				if rect, err = b.apply(f, x, ctx); err != nil {
					return nil, err
				}
			}
			of = rect
		}
		prod := NF{p.by}
		for range p.k {
			var next NF
			for _, s := range prod {
				for _, t := range of {
					if u, ok := b.mul(s, t, ctx); ok {
						next = append(next, u)
					}
				}
			}
			if prod = next; len(prod) > maxTerms {
				return nil, ErrTooLarge
			}
		}
		out = append(out, prod...)
	}
	return out, nil
}

// growing is the maximum of pieces with what grows with an x of each, the same for all.
func (b *Engine) growing(ps []Piece, ctx []graph.Guard) (NF, bool, error) {
	var first []power
	xs := make([]Piece, len(ps))
	for i, p := range ps {
		x, g, ok := b.powers(p.Body)
		if !ok || identity(g) || i > 0 && !slices.EqualFunc(first, g, samePower) {
			return nil, false, nil
		}
		for _, q := range g {
			for _, f := range q.by.Facs {
				if b.anyMention(f.E, p.Over) {
					return nil, false, nil
				}
			}
		}
		first = g
		xs[i] = Piece{p.Over, p.Dom, NF{{Num: one, Atoms: x}}}
	}
	if len(ps) == 0 {
		return nil, false, nil
	}
	most, err := b.max(xs, ctx)
	if err != nil {
		return nil, false, err
	}
	out, err := b.at(first, funOf(graph.NameValue("relu")), most, ctx)
	return out, true, err
}

func samePower(p, q power) bool {
	return p.k == q.k && p.rect == q.rect && p.by.Num.Cmp(q.by.Num) == 0 && sameFacs(p.by.Facs, q.by.Facs)
}

// shifted takes what is added to all pieces alike, and does not depend on the point,
// out of a maximum.
func (b *Engine) shifted(ps []Piece, ctx []graph.Guard) (NF, bool, error) {
	if len(ps) == 0 {
		return nil, false, nil
	}
	same := func(s, t Term) bool { return s.Num.Cmp(t.Num) == 0 && b.alikeTerm(s, t, nil) }
	var common NF
	for _, t := range ps[0].Body {
		fixed := true
		for _, p := range ps {
			fixed = fixed && slices.ContainsFunc(p.Body, func(u Term) bool { return same(t, u) })
			for _, v := range p.Over {
				fixed = fixed && !b.valueMentions(t, v) && !b.guardsMention(t.Dom, v)
			}
		}
		if fixed && !slices.ContainsFunc(common, func(u Term) bool { return same(t, u) }) {
			common = append(common, t)
		}
	}
	rest := make([]Piece, len(ps))
	some := false
	for i, p := range ps {
		rest[i] = Piece{p.Over, p.Dom, slices.Clone(p.Body)}
		for _, t := range common {
			k := slices.IndexFunc(rest[i].Body, func(u Term) bool { return same(t, u) })
			rest[i].Body = slices.Delete(rest[i].Body, k, k+1)
		}
		some = some || len(rest[i].Body) > 0
	}
	if len(common) == 0 || !some {
		return nil, false, nil
	}
	out, err := b.max(rest, ctx)
	return append(out[:len(out):len(out)], common...), true, err
}

// rectifySum works out relu of a sum with which a product of atoms grows, so that it is
// negative with it; and of a maximum with what is added to it.
func (b *Engine) rectifySum(f Fun, n NF, ctx []graph.Guard) (NF, bool, error) {
	if x, g, ok := b.powers(n); ok && (len(g) > 1 || g[0].k > 1) {
		r, err := b.apply(f, NF{{Num: one, Atoms: x}}, ctx)
		if err != nil {
			return nil, false, err
		}
		for i := range g {
			g[i].rect = false
		}
		out, err := b.at(g, f, r, ctx)
		return out, true, err
	}
	at := -1
	for i, t := range n {
		if len(t.Atoms) == 1 && t.Atoms[0].Kind == Most && t.Num.Cmp(one) == 0 && len(t.Facs)+len(t.Over)+len(t.Dom) == 0 {
			if at >= 0 {
				return nil, false, nil
			}
			at = i
		}
	}
	if at < 0 || len(n) < 2 {
		return nil, false, nil
	}
	rest := slices.Delete(slices.Clone(n), at, at+1)
	var ps []Piece
	for _, p := range n[at].Atoms[0].Pieces {
		over, by := b.rename(p.Over)
		q := Piece{Over: over, Dom: b.substGuards(p.Dom, by)}
		body, err := b.apply(f, append(b.substNF(p.Body, by), rest...), join(ctx, q.Dom...))
		if err != nil {
			return nil, false, err
		}
		for _, t := range body {
			if len(t.Dom) > 0 && len(t.Over) == 0 {
				return nil, false, nil
			}
		}
		q.Body = body
		ps = append(ps, q)
	}
	out, err := b.max(ps, ctx)
	return out, true, err
}
