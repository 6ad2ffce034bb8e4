package meaning

import (
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// What holds of the true relu and the true maximum only.

// nonNegative reports whether n is at least 0 for all entries: no coefficient is
// negative, and each product is one of rectified factors and of squares.
func (b *Engine) nonNegative(n NF) bool {
	for _, t := range n {
		if t.Num.Sign() < 0 {
			return false
		}
		var odd []Atom // those that occur an odd number of times so far
		for _, a := range t.Atoms {
			if b.atomNonNegative(a) {
				continue
			}
			if rest, ok := b.remove(odd, []Atom{a}); ok {
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

func (b *Engine) atomNonNegative(a Atom) bool {
	switch a.Kind {
	case Apply:
		return a.Fn.relu
	case Most:
		for _, p := range a.Pieces {
			if len(p.Over) == 0 && len(p.Dom) == 0 && b.nonNegative(p.Body) {
				return true
			}
		}
		return !slices.ContainsFunc(a.Pieces, func(p Piece) bool { return !b.nonNegative(p.Body) })
	}
	return false
}

// squares makes x*relu(x) a product of two relu(x), for x a product or a maximum.
func (b *Engine) squares(t Term) Term {
	for i, a := range t.Atoms {
		if a.Kind == Most {
			for j, x := range t.Atoms {
				if x.Kind == Most && slices.EqualFunc(x.Pieces, a.Pieces, b.rectifiedPiece) {
					t.Atoms = slices.Clone(t.Atoms)
					t.Atoms[j] = t.Atoms[i]
					return t
				}
			}
			continue
		}
		if a.Kind != Apply || !a.Fn.relu || len(a.Arg) != 1 {
			continue
		}
		x := a.Arg[0]
		if len(x.Over) > 0 || len(x.Dom) > 0 || len(x.Facs) > 0 || x.Num.Cmp(one) != 0 || len(x.Atoms) == 0 {
			continue
		}
		rest := append(append([]Atom{}, t.Atoms[:i]...), t.Atoms[i+1:]...)
		if rest, ok := b.remove(rest, x.Atoms); ok {
			t.Atoms = append(rest, a, a)
			return t
		}
	}
	return t
}

// rectifiedPiece reports whether q is the relu of p, an atom, at the same points.
func (b *Engine) rectifiedPiece(p, q Piece) bool {
	if len(q.Body) != 1 || len(q.Body[0].Atoms) != 1 {
		return false
	}
	t := q.Body[0]
	x, ok := rectified(t.Atoms[0])
	t.Atoms = []Atom{x}
	return ok && b.alikePiece(p, Piece{q.Over, q.Dom, NF{t}}, nil)
}

// remove takes atoms out of a product.
func (b *Engine) remove(from, what []Atom) ([]Atom, bool) {
	for _, w := range what {
		hit := -1
		for i, a := range from {
			if b.alikeAtom(a, w, nil) {
				hit = i
				break
			}
		}
		if hit < 0 {
			return nil, false
		}
		from = append(append([]Atom{}, from[:hit]...), from[hit+1:]...)
	}
	return from, true
}

// rectify works out relu of n where that can be said in simpler terms: of what
// is not negative, of what has a factor that is not, and of a maximum.
func (b *Engine) rectify(f Fun, n NF, ctx []graph.Guard) (NF, bool, error) {
	if b.nonNegative(n) {
		return n, true, nil
	}
	if out, ok, err := b.rectifySum(f, n, ctx); ok || err != nil {
		return out, ok, err
	}
	if out, rest, ok := b.content([]Piece{{Body: b.addUp(n)}}); ok {
		r, err := b.applyHere(f, rest[0].Body, ctx)
		if err != nil {
			return nil, false, err
		}
		return b.timesEach(out, r, ctx), true, nil
	}
	if len(n) != 1 || len(n[0].Over)+len(n[0].Dom) > 0 || n[0].Num.Sign() < 0 || len(n[0].Atoms) != 1 || n[0].Atoms[0].Kind != Most {
		return nil, false, nil
	}
	// relu keeps the order.
	var ps []Piece
	for _, p := range n[0].Atoms[0].Pieces {
		body, err := b.apply(f, p.Body, join(ctx, p.Dom...))
		if err != nil {
			return nil, false, err
		}
		ps = append(ps, Piece{p.Over, p.Dom, body})
	}
	return NF{{Num: one, Atoms: []Atom{{Kind: Most, Pieces: ps}}}}, true, nil
}

// clipped says what clipping from 0 up and a leaky relu are in terms of the
// relu, where that is simpler: without a limit above, or without a slope,
// they are the relu; and what is rectified before may be left as it was.
func clipped(f Fun, n NF) (Fun, NF) {
	text, _ := f.value.Name()
	hi, isClip := strings.CutPrefix(text, "clip(0.0, ")
	switch {
	case isClip && hi == "inf)", text == "leakyrelu(0.0)":
		return funOf(graph.NameValue("relu")), n
	case !isClip:
		return f, n
	}
	if a, ok := application(n); ok && a.Fn.relu {
		return f, a.Arg
	}
	return f, n
}

// bounds are the numbers between which a function keeps x; not ok if it does anything else.
func (f Fun) bounds() (lo, hi float64, ok bool) {
	if f.relu {
		return 0, math.Inf(1), true
	}
	text, _ := f.value.Name()
	name, xs, err := graph.ParseFunc(text)
	if err != nil || name != "clip" || len(xs) != 2 || !(xs[0] <= xs[1]) {
		return 0, 0, false
	}
	return xs[0] + 0, xs[1] + 0, true // -0 is 0
}

// bounded makes one function of two that keep x between numbers: f keeps the bounds of the
// first between its own.
func bounded(f Fun, n NF) (Fun, NF) {
	lo, hi, ok := f.bounds()
	a, is := application(n)
	if !ok || !is {
		return f, n
	}
	low, high, ok := a.Fn.bounds()
	if !ok {
		return f, n
	}
	low, high = min(max(low, lo), hi), min(max(high, lo), hi)
	if low == 0 && math.IsInf(high, 1) {
		return funOf(graph.NameValue("relu")), a.Arg
	}
	return funOf(graph.NameValue(graph.FuncText("clip", graph.NumberValue(low), graph.NumberValue(high)))), a.Arg
}

// application is the function of something that a normal form is everywhere, and nothing
// else.
func application(n NF) (a Atom, ok bool) {
	if len(n) != 1 {
		return a, false
	}
	t := n[0]
	if t.Num.Cmp(one) != 0 || len(t.Facs) > 0 || len(t.Over) > 0 || len(t.Dom) > 0 || len(t.Atoms) != 1 {
		return a, false
	}
	return t.Atoms[0], t.Atoms[0].Kind == Apply
}
