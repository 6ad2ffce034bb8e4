package meaning

import (
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// The true maximum of numbers is the largest that is there, and beside 0 what is
// negative does not count.

// value is the number that a piece has at all its points, times factors, which are
// sizes and positive.
func (p Piece) value() (n *big.Rat, facs []Factor, ok bool) {
	switch len(p.Body) {
	case 0:
		return new(big.Rat), nil, true
	case 1:
		t := p.Body[0]
		return t.Num, t.Facs, len(t.Over) == 0 && len(t.Dom) == 0 && len(t.Atoms) == 0
	}
	return nil, nil, false
}

// exists says when a piece has a point.
func (b *Engine) exists(p Piece) ([]graph.Guard, bool) {
	dom, ok := Normalize(p.Dom)
	for _, v := range p.Over {
		if !ok {
			break
		}
		dom, ok = b.project(dom, v)
	}
	return dom, ok
}

// largest is the maximum of pieces that all are numbers with the same factors. It is
// not ok where that cannot be said.
func (b *Engine) largest(ps []Piece, ctx []graph.Guard) (NF, bool, error) {
	var facs []Factor
	nums := make([]*big.Rat, len(ps))
	for i, p := range ps {
		n, fs, ok := p.value()
		if !ok || len(ps) < 2 || !b.constant(p) {
			return nil, false, nil
		}
		nums[i] = n
		if n.Sign() == 0 {
			continue
		}
		if facs != nil && !sameFacs(facs, fs) {
			return nil, false, nil
		}
		facs = append([]Factor{}, fs...)
	}
	order := slices.Clone(nums)
	slices.SortFunc(order, func(x, y *big.Rat) int { return y.Cmp(x) })
	order = slices.CompactFunc(order, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	var conds [][]graph.Guard
	var of []*big.Rat
	for i, p := range ps {
		if nums[i].Cmp(order[len(order)-1]) == 0 {
			continue // the least: where no other is there, since one is
		}
		cond, ok := b.exists(p)
		if !ok {
			return nil, false, nil
		}
		conds, of = append(conds, cond), append(of, nums[i])
	}
	cells, err := b.split(ctx, conds, true)
	if err != nil {
		return nil, false, err
	}
	var out NF
	for _, c := range cells {
		top := order[len(order)-1]
		for i, on := range c.on {
			if on && of[i].Cmp(top) > 0 {
				top = of[i]
			}
		}
		t := Term{Num: top, Dom: c.guards}
		if top.Sign() != 0 {
			t.Facs = facs
		}
		if t, ok := b.tidy(t, ctx); ok {
			out = append(out, t)
		}
	}
	return out, true, nil
}

func sameFacs(x, y []Factor) bool {
	return slices.EqualFunc(x, y, func(f, g Factor) bool { return f.Exp == g.Exp && f.key == g.key })
}

// besideZero is the maximum of pieces of which some are 0: where one of these is
// there, relu(x) is as good as x. It is not ok where that changes nothing.
func (b *Engine) besideZero(ps []Piece, ctx []graph.Guard) (NF, bool, error) {
	var conds [][]graph.Guard
	var rest []Piece
	for _, p := range ps {
		n, _, ok := p.value()
		if !ok || n.Sign() != 0 {
			rest = append(rest, p)
			continue
		}
		cond, ok := b.exists(p)
		if !ok {
			return nil, false, nil
		}
		conds = append(conds, cond)
	}
	if len(conds) == 0 || len(rest) == 0 {
		return nil, false, nil
	}
	cells, err := b.split(ctx, conds, true)
	if err != nil {
		return nil, false, err
	}
	var out NF
	for _, c := range cells {
		qs := rest
		if slices.Contains(c.on, true) {
			qs = []Piece{{}}
			for _, p := range rest {
				if n, _, ok := p.value(); ok && n.Sign() < 0 {
					continue
				}
				qs = append(qs, Piece{p.Over, p.Dom, unrectified(p.Body)})
			}
		}
		n, err := b.maxPieces(qs, join(ctx, c.guards...))
		if err != nil {
			return nil, false, err
		}
		for _, t := range n {
			t.Dom = join(t.Dom, c.guards...)
			if t, ok := b.tidy(t, ctx); ok {
				out = append(out, t)
			}
		}
	}
	return out, true, nil
}

// unrectified is n without a relu around all of it.
func unrectified(n NF) NF {
	if len(n) != 1 || n[0].Num.Cmp(one) != 0 || len(n[0].Facs)+len(n[0].Over)+len(n[0].Dom) > 0 || len(n[0].Atoms) != 1 {
		return n
	}
	if a := n[0].Atoms[0]; a.Kind == Apply && a.Fn.relu {
		return a.Arg
	}
	return n
}
