package sums

import (
	"strings"

	"github.com/taso-go/taso/graph"
)

// What holds of the true relu and the true maximum only.

// nonNegative reports whether n is at least 0 for all entries: no coefficient is
// negative, and each product is one of rectified factors and of squares.
func (b *builder) nonNegative(n nf) bool {
	for _, t := range n {
		if t.num.Sign() < 0 {
			return false
		}
		var odd []atom // those that occur an odd number of times so far
		for _, a := range t.atoms {
			if b.atomNonNegative(a) {
				continue
			}
			if rest, ok := remove(odd, []atom{a}); ok {
				odd = rest
			} else {
				odd = append(odd, a)
			}
		}
		if len(odd) > 0 {
			return false
		}
	}
	return true
}

func (b *builder) atomNonNegative(a atom) bool {
	switch a.kind {
	case apply:
		return a.fn.relu
	case most:
		for _, p := range a.pieces {
			if !b.nonNegative(p.body) {
				return false
			}
		}
		return true
	}
	return false
}

// squares makes x*relu(x) a product of two relu(x).
func (b *builder) squares(t term) term {
	for i, a := range t.atoms {
		if a.kind != apply || !a.fn.relu || len(a.arg) != 1 {
			continue
		}
		x := a.arg[0]
		if len(x.over) > 0 || len(x.dom) > 0 || len(x.facs) > 0 || x.num.Cmp(one) != 0 || len(x.atoms) == 0 {
			continue
		}
		rest := append(append([]atom{}, t.atoms[:i]...), t.atoms[i+1:]...)
		if rest, ok := remove(rest, x.atoms); ok {
			t.atoms = append(rest, a, a)
			return t
		}
	}
	return t
}

// remove takes atoms out of a product.
func remove(from, what []atom) ([]atom, bool) {
	for _, w := range what {
		hit := -1
		for i, a := range from {
			if alikeAtom(a, w) {
				hit = i
				break
			}
		}
		if hit < 0 {
			return nil, false
		}
		from = append(append([]atom{}, from[:hit]...), from[hit+1:]...)
	}
	return from, true
}

// rectify works out relu of n where that can be said in simpler terms: of what
// is not negative, of a product with a factor that is not, and of a maximum.
func (b *builder) rectify(f fun, n nf, ctx []graph.Guard) (nf, bool, error) {
	if b.nonNegative(n) {
		return n, true, nil
	}
	if len(n) != 1 || len(n[0].over) > 0 || n[0].num.Sign() <= 0 {
		return nil, false, nil
	}
	t := n[0]
	out := term{num: t.num, facs: t.facs, dom: t.dom}
	rest := term{num: one}
	for _, a := range t.atoms {
		if b.atomNonNegative(a) {
			out.atoms = append(out.atoms, a)
		} else {
			rest.atoms = append(rest.atoms, a)
		}
	}
	if len(rest.atoms) == 1 && rest.atoms[0].kind == most {
		// relu keeps the order.
		var ps []piece
		for _, p := range rest.atoms[0].pieces {
			body, err := b.apply(f, p.body, join(ctx, p.dom...))
			if err != nil {
				return nil, false, err
			}
			ps = append(ps, piece{p.over, p.dom, body})
		}
		out.atoms = append(out.atoms, atom{kind: most, pieces: ps})
		return nf{out}, true, nil
	}
	if len(out.atoms) == 0 && len(out.facs) == 0 && out.num.Cmp(one) == 0 {
		return nil, false, nil
	}
	out.atoms = append(out.atoms, atom{kind: apply, fn: f, arg: nf{rest}})
	return nf{out}, true, nil
}

// pullOut takes factors that are not negative, and do not depend on the point,
// out of a maximum.
func (b *builder) pullOut(p piece, ctx []graph.Guard) (nf, error) {
	if b.constant(p) || len(p.body) != 1 || len(p.body[0].over) > 0 || p.body[0].num.Sign() <= 0 {
		return b.maxPieces([]piece{p}, ctx)
	}
	t := p.body[0]
	out, rest := term{num: t.num}, term{num: one, dom: t.dom}
	for _, f := range t.facs {
		if b.anyMention(f.e, p.over) {
			rest = rest.times(f.e, f.exp)
		} else {
			out = out.times(f.e, f.exp)
		}
	}
	for _, a := range t.atoms {
		free := b.atomNonNegative(a)
		for _, v := range p.over {
			free = free && !b.atomMentions(a, v)
		}
		if free {
			out.atoms = append(out.atoms, a)
		} else {
			rest.atoms = append(rest.atoms, a)
		}
	}
	inner, err := b.maxPieces([]piece{{p.over, p.dom, nf{rest}}}, ctx)
	if err != nil {
		return nil, err
	}
	var ts nf
	for _, t := range inner {
		if t, ok := b.mul(out, t, ctx); ok {
			ts = append(ts, t)
		}
	}
	return ts, nil
}

// clipped says what clipping from 0 up and a leaky relu are in terms of the
// relu, where that is simpler: without a limit above, or without a slope,
// they are the relu; and what is rectified before may be left as it was.
func clipped(f fun, n nf) (fun, nf) {
	text, _ := f.value.Name()
	hi, isClip := strings.CutPrefix(text, "clip(0.0, ")
	switch {
	case isClip && hi == "inf)", text == "leakyrelu(0.0)":
		return funOf(graph.NameValue("relu")), n
	case !isClip || len(n) != 1:
		return f, n
	}
	t := n[0]
	if t.num.Cmp(one) != 0 || len(t.facs) > 0 || len(t.over) > 0 || len(t.dom) > 0 || len(t.atoms) != 1 {
		return f, n
	}
	if a := t.atoms[0]; a.kind == apply && a.fn.relu {
		return f, a.arg
	}
	return f, n
}
