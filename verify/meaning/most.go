package meaning

import "github.com/taso-go/taso/graph"

// Maxima are equal if each value of one is a value of the other.

// Covering proposes at which points a piece has a value: By says what its bound
// variables are, in the order of them; those without an expression are any for
// which the domain holds. Also are expressions that have to be 0 for it.
type Covering struct {
	By   map[int]graph.Index
	Also []graph.Index
}

// within reports whether each value of the pieces ps, where ctx holds, is a
// value of qs.
func (b *Engine) within(ctx []graph.Guard, ps, qs []Piece) bool {
	for _, p := range ps {
		over, by := b.rename(p.Over)
		p = Piece{over, b.substGuards(p.Dom, by), b.substNF(p.Body, by)}
		p = b.pieceInDigits(p, qs)
		here := join(ctx, p.Dom...)
		var conds [][]graph.Guard
		everywhere := false
		for _, q := range qs {
			if cond, ok := b.covers(here, p, q); ok {
				if everywhere = len(cond) == 0; everywhere {
					break
				}
				conds = append(conds, cond)
			}
		}
		if everywhere {
			continue
		}
		if !b.oneOf(here, conds) {
			return false
		}
	}
	return true
}

// oneOf reports whether one of the conditions holds wherever ctx does.
func (b *Engine) oneOf(ctx []graph.Guard, conds [][]graph.Guard) bool {
	cells, err := b.split(ctx, conds, true)
	if err != nil {
		return false
	}
	for _, c := range cells {
		some := false
		for _, on := range c.on {
			some = some || on
		}
		if !some && !b.impossible(join(ctx, c.guards...)) {
			return false
		}
	}
	return true
}

// covers finds a condition under which the value of p at a point is one of q.
func (b *Engine) covers(ctx []graph.Guard, p, q Piece) (cond []graph.Guard, ok bool) {
	if b.step() != nil {
		return nil, false
	}
	over, by := b.rename(q.Over)
	q = Piece{over, b.substGuards(q.Dom, by), b.substNF(q.Body, by)}
	b.guide.Cover(b, p, q, func(c Covering) bool {
		cond, ok = b.covered(ctx, p, q, c)
		return ok
	})
	return cond, ok
}

func (b *Engine) covered(ctx []graph.Guard, p, q Piece, c Covering) ([]graph.Guard, bool) {
	by := map[graph.Sym]graph.Index{}
	for i, v := range q.Over {
		if e, ok := c.By[i]; ok {
			by[v] = e
		}
	}
	for _, e := range by {
		for v := range by {
			if b.Space.Mentions(e, v) {
				return nil, false
			}
		}
	}
	body := b.substNF(q.Body, by)
	dom := b.substGuards(q.Dom, by)
	for _, e := range c.Also {
		dom = append(dom, graph.Guard{E: e, Eq: true})
	}
	dom, ok := Normalize(dom)
	if !ok {
		return nil, false
	}
	for _, v := range q.Over {
		if _, done := by[v]; done {
			continue
		}
		if b.nfMentions(body, v) {
			return nil, false // some value, but which is not known
		}
		if dom, ok = b.project(dom, v); !ok {
			return nil, false
		}
	}
	for v := range by {
		if b.guardsMention(dom, v) {
			return nil, false
		}
	}
	here := join(ctx, dom...)
	if _, ok := Normalize(here); !ok {
		return nil, false
	}
	if b.equal(here, p.Body, body) != "" {
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
func (b *Engine) project(gs []graph.Guard, v graph.Sym) ([]graph.Guard, bool) {
	if w, e, at, ok := b.given([]graph.Sym{v}, gs); ok {
		rest := append(append([]graph.Guard{}, gs[:at]...), gs[at+1:]...)
		return Normalize(b.substGuards(rest, map[graph.Sym]graph.Index{w: e}))
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
	return Normalize(rest)
}
