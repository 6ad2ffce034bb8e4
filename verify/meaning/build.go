package meaning

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// inputs gives the normal form of an input's entry.
type inputs func(in int, at []graph.Index, ctx []graph.Guard) (NF, error)

// entry is the normal form of the entry of t at an index, where ctx holds.
func (b *Engine) entry(l *side, t *law.Term, at []graph.Index, ctx []graph.Guard) (NF, error) {
	if err := b.step(); err != nil {
		return nil, err
	}
	switch {
	case t.IsVar():
		return NF{{Num: one, Atoms: []Atom{{Kind: Read, Name: t.Var, At: at}}}}, nil
	case t.Fn != "":
		arg, err := b.entry(l, t.Args[0], at, ctx)
		if err != nil {
			return nil, err
		}
		return b.apply(Fun{value: graph.VarValue(t.Fn, law.SortPointwise1), zero: l.zero[t.Fn]}, arg, ctx)
	}
	b.Space.Wanted()
	e, err := l.expr(b.Space, t, at)
	if err != nil {
		return nil, err
	}
	if v, n, ok := b.Space.Wanted(); ok {
		return nil, &digits{v, n}
	}
	return b.eval(e, ctx, func(in int, at []graph.Index, ctx []graph.Guard) (NF, error) {
		return b.entry(l, t.Args[in], at, ctx)
	})
}

func (b *Engine) eval(e *graph.Expr, ctx []graph.Guard, in inputs) (NF, error) {
	switch e.Kind {
	case graph.ExprNumber:
		t := b.timesSize(Term{Num: one}, e.Size, 1)
		if t.Num.Sign() == 0 {
			return nil, nil
		}
		return NF{t}, nil
	case graph.ExprRead:
		return in(e.In, e.At, ctx)
	case graph.ExprAdd:
		var out NF
		for _, a := range e.Args {
			n, err := b.eval(a, ctx, in)
			if err != nil {
				return nil, err
			}
			if out = append(out, n...); len(out) > maxTerms {
				return nil, ErrTooLarge
			}
		}
		return b.collect(out), nil
	case graph.ExprMul:
		out := NF{{Num: one}}
		for _, a := range e.Args {
			n, err := b.eval(a, ctx, in)
			if err != nil {
				return nil, err
			}
			if len(out)*len(n) > maxTerms {
				return nil, ErrTooLarge
			}
			var prod NF
			for _, s := range out {
				for _, t := range n {
					if len(s.Atoms)+len(t.Atoms) > maxAtoms {
						return nil, ErrTooLarge
					}
					if u, ok := b.mul(s, t, ctx); ok {
						prod = append(prod, u)
					}
				}
			}
			out = b.collect(prod)
		}
		return out, nil
	case graph.ExprInv:
		n, err := b.eval(e.Args[0], ctx, in)
		if err != nil {
			return nil, err
		}
		return b.inverse(n, ctx)
	case graph.ExprFn:
		arg, err := b.eval(e.Args[0], ctx, in)
		if err != nil {
			return nil, err
		}
		return b.apply(funOf(e.Fn), arg, ctx)
	}
	es, err := b.points(e)
	if err != nil {
		return nil, err
	}
	var out NF
	var ps []Piece
	for len(es) > 0 {
		p := es[0]
		es = es[1:]
		over := make([]graph.Sym, len(p.Over))
		var dom []graph.Guard
		for i, v := range p.Over {
			over[i] = v.Var
			dom = append(dom, graph.Guard{E: v.Var.Index()}, graph.GuardLt(v.Var.Index(), v.N))
			if n, ok := b.Space.DimOf(v.N); ok {
				b.Space.Within(v.Var, n)
			}
		}
		dom = append(dom, b.substGuards(p.If, nil)...)
		inner := join(ctx, dom...)
		if _, ok := Normalize(inner); !ok && (e.Kind == graph.ExprSum || b.written) {
			continue
		}
		body, err := b.eval(p.Args[0], inner, in)
		if more, ok := b.inDigits(err, p); ok {
			q, err := b.points(more)
			if err != nil {
				return nil, err
			}
			es = append(q, es...)
			continue
		}
		if err != nil {
			return nil, err
		}
		if e.Kind == graph.ExprMax {
			more, err := b.pieces(over, dom, body, ctx)
			if err != nil {
				return nil, err
			}
			for _, p := range more {
				ps = append(ps, b.flatten(p)...)
			}
			continue
		}
		for _, t := range body {
			u := Term{Num: t.Num, Facs: t.Facs, Atoms: t.Atoms}
			u.Over = append(over[:len(over):len(over)], t.Over...)
			u.Dom = append(dom[:len(dom):len(dom)], t.Dom...)
			if u, ok := b.tidy(u, ctx); ok {
				out = append(out, u)
			}
		}
	}
	if e.Kind == graph.ExprMax {
		return b.max(b.different(ps), ctx)
	}
	if out = b.collect(out); len(out) > maxTerms {
		return nil, ErrTooLarge
	}
	return out, nil
}

// inverse is 1/n for a count n.
func (b *Engine) inverse(n NF, ctx []graph.Guard) (NF, error) {
	if len(n) != 1 || len(n[0].Over) > 0 || len(n[0].Atoms) > 0 {
		return nil, errors.New("a divisor is not a product of counts")
	}
	t := n[0]
	for _, g := range t.Dom {
		if !b.implied(ctx, g) {
			return nil, errors.New("a divisor may be 0")
		}
	}
	u := Term{Num: new(big.Rat).Inv(t.Num)}
	for _, f := range t.Facs {
		u = u.times(f.E, -f.Exp)
	}
	return NF{u}, nil
}

// number is the number that a normal form is everywhere; not ok if it is something else.
func number(n NF) (x *big.Rat, ok bool) {
	if len(n) != 1 {
		return nil, false
	}
	t := n[0]
	return t.Num, len(t.Over)+len(t.Dom)+len(t.Facs)+len(t.Atoms) == 0
}

// opaque reports whether nothing is known of a function but f(0) = 0.
func (f Fun) opaque() bool {
	_, named := f.value.Name()
	return !named
}

func funOf(v graph.Value) Fun {
	if name, ok := v.Name(); ok {
		return Fun{value: v, zero: graph.FuncKeepsZero(name), relu: name == "relu", again: graph.FuncIdempotent(name)}
	}
	return Fun{value: v}
}

// outer splits the guards of t into those that mention its bound variables and
// those that do not.
func (b *Engine) outer(dom []graph.Guard, over []graph.Sym) (inner, outer []graph.Guard) {
	for _, g := range dom {
		if b.anyMention(g.E, over) {
			inner = append(inner, g)
		} else {
			outer = append(outer, g)
		}
	}
	return inner, outer
}

// cell is a part of what ctx allows: where the guards hold, each of several
// conditions holds or fails as a whole.
type cell struct {
	guards []graph.Guard
	on     []bool
}

// split divides what ctx allows into cells by conditions. Cells that cannot be
// are left out; if off is false, so are those in which no condition holds.
func (b *Engine) split(ctx []graph.Guard, conds [][]graph.Guard, off bool) ([]cell, error) {
	var out []cell
	state := make([]int8, len(conds)) // 1 holds, -1 fails
	var rec func(acc []graph.Guard, state []int8) error
	rec = func(acc []graph.Guard, state []int8) error {
		here := join(ctx, acc...)
		state = append([]int8{}, state...)
		first := -1
		var open []graph.Guard
		some := false
		for i, c := range conds {
			if state[i] == 0 {
				var left []graph.Guard
				if len(c) > 0 && b.impossible(join(here, c...)) {
					state[i] = -1
					continue
				}
				for _, g := range c {
					if !b.implied(here, g) {
						left = append(left, g)
					}
				}
				switch {
				case len(left) == 0:
					state[i] = 1
				case first < 0:
					first, open = i, left
				}
			}
			some = some || state[i] >= 0
		}
		if b.err != nil {
			return b.err
		}
		if !some && !off {
			return nil
		}
		if first < 0 {
			if len(acc) > 0 && b.impossible(here) {
				return nil
			}
			if len(out) == maxCells {
				return ErrTooLarge
			}
			on := make([]bool, len(conds))
			for i := range on {
				on[i] = state[i] > 0
			}
			out = append(out, cell{acc, on})
			return nil
		}
		state[first] = 1
		if err := rec(join(acc, open...), state); err != nil {
			return err
		}
		state[first] = -1
		for i, g := range open {
			for _, n := range Not(g) {
				next := join(acc, append(open[:i:i], n)...)
				if i > 0 && b.impossible(join(ctx, next...)) {
					continue
				}
				if err := rec(next, state); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := rec(nil, state)
	return out, err
}

// apply is the function f of n: opaque on each part of what ctx allows on which
// the terms of n are all there or not there.
func (b *Engine) apply(f Fun, n NF, ctx []graph.Guard) (NF, error) {
	b.orders = b.orders || !f.opaque()
	name, _ := f.value.Name()
	_, _, clips := f.bounds()
	b.numbers = b.numbers || b.ordered && (clips || name == "abs") || b.real && name == "reciprocal"
	if name == "reciprocal" {
		if x, ok := number(n); ok && x.Sign() != 0 {
			return NF{{Num: new(big.Rat).Inv(x)}}, nil
		}
	}
	if b.ordered {
		f, n = clipped(f, n)
		f, n = bounded(f, n)
		if a, ok := application(n); ok && f.again && a.Fn == f {
			return n, nil
		}
	}
	if f.relu && b.ordered && b.nonNegative(n) {
		return n, nil
	}
	conds := make([][]graph.Guard, len(n))
	bare := make(NF, len(n))
	for i, t := range n {
		u := t
		u.Dom, conds[i] = b.outer(t.Dom, t.Over)
		bare[i] = u
	}
	cells, err := b.split(ctx, conds, !f.zero)
	if err != nil {
		return nil, err
	}
	var out NF
	for _, c := range cells {
		var arg NF
		for i, t := range bare {
			if c.on[i] {
				arg = append(arg, t)
			}
		}
		if len(arg) == 0 && f.zero {
			continue
		}
		here, err := b.applyHere(f, arg, join(ctx, c.guards...))
		if err != nil {
			return nil, err
		}
		for _, t := range here {
			t.Dom = join(t.Dom, c.guards...)
			if t, ok := b.tidy(t, ctx); ok {
				out = append(out, t)
			}
		}
	}
	if len(out) > maxTerms {
		return nil, ErrTooLarge
	}
	return out, nil
}

func (b *Engine) applyHere(f Fun, arg NF, ctx []graph.Guard) (NF, error) {
	if f.relu && b.ordered {
		if n, ok, err := b.rectify(f, arg, ctx); ok || err != nil {
			return n, err
		}
	}
	return NF{{Num: one, Atoms: []Atom{{Kind: Apply, Fn: f, Arg: arg}}}}, nil
}

// pieces are the values of body at the points of dom: of each piece it is known which
// terms count.
func (b *Engine) pieces(over []graph.Sym, dom []graph.Guard, body NF, ctx []graph.Guard) ([]Piece, error) {
	inside := join(ctx, dom...)
	conds := make([][]graph.Guard, len(body))
	bare := make(NF, len(body))
	for i, t := range body {
		u := t
		u.Dom, conds[i] = b.outer(t.Dom, t.Over)
		bare[i] = u
	}
	cells, err := b.split(inside, conds, true)
	if err != nil {
		return nil, err
	}
	var ps []Piece
	for _, c := range cells {
		p := Piece{Over: over, Dom: join(dom, c.guards...)}
		for i, t := range bare {
			if c.on[i] {
				p.Body = append(p.Body, t)
			}
		}
		if p, ok := b.tidyPiece(p); ok {
			ps = append(ps, p)
		}
	}
	return ps, nil
}

// max is the maximum of pieces, which have a point.
func (b *Engine) max(ps []Piece, ctx []graph.Guard) (NF, error) {
	b.orders = true
	b.numbers = b.numbers || b.ordered
	if b.ordered {
		for _, f := range []func([]Piece, []graph.Guard) (NF, bool, error){b.largest, b.shifted, b.growing, b.besideZero} {
			if n, ok, err := f(ps, ctx); ok || err != nil {
				return n, err
			}
		}
		ps = slices.Clone(ps)
		for i, p := range ps {
			ps[i].Body = b.addUp(p.Body)
		}
		if out, rest, ok := b.content(ps); ok && !(len(ps) == 1 && b.constant(ps[0])) {
			n, err := b.max(rest, ctx)
			return b.timesEach(out, n, ctx), err
		}
	}
	return b.maxPieces(ps, ctx)
}

// tidyPiece uses the equations of a piece. It reports false of one without
// points.
func (b *Engine) tidyPiece(p Piece) (Piece, bool) {
	for {
		dom, ok := Normalize(p.Dom)
		if !ok {
			return p, false
		}
		p.Dom = dom
		v, e, at, found := b.given(p.Over, p.Dom)
		if !found {
			return p, true
		}
		by := map[graph.Sym]graph.Index{v: e}
		p = Piece{
			Over: without(p.Over, v),
			Dom:  b.substGuards(append(append([]graph.Guard{}, p.Dom[:at]...), p.Dom[at+1:]...), by),
			Body: b.substNF(p.Body, by),
		}
	}
}

// flatten makes a maximum of maxima one maximum.
func (b *Engine) flatten(p Piece) []Piece {
	if len(p.Body) != 1 {
		return []Piece{p}
	}
	t := p.Body[0]
	if len(t.Over) > 0 || len(t.Dom) > 0 || len(t.Facs) > 0 || t.Num.Cmp(one) != 0 || len(t.Atoms) != 1 || t.Atoms[0].Kind != Most {
		return []Piece{p}
	}
	var out []Piece
	for _, q := range t.Atoms[0].Pieces {
		r := Piece{Over: append(p.Over[:len(p.Over):len(p.Over)], q.Over...), Dom: join(p.Dom, q.Dom...), Body: q.Body}
		if r, ok := b.tidyPiece(r); ok {
			out = append(out, r)
		}
	}
	return out
}

// maxPieces is the maximum of pieces, opaque where the body depends on the
// point.
func (b *Engine) maxPieces(ps []Piece, ctx []graph.Guard) (NF, error) {
	if len(ps) == 1 && b.constant(ps[0]) {
		return ps[0].Body, nil
	}
	conds := make([][]graph.Guard, len(ps))
	bare := make([]Piece, len(ps))
	for i, p := range ps {
		q := p
		q.Dom, conds[i] = b.outer(p.Dom, p.Over)
		bare[i] = q
	}
	cells, err := b.split(ctx, conds, false)
	if err != nil {
		return nil, err
	}
	var out NF
	for _, c := range cells {
		var on []Piece
		for i, p := range bare {
			if c.on[i] {
				on = append(on, p)
			}
		}
		ts := NF{{Num: one, Atoms: []Atom{{Kind: Most, Pieces: on}}}}
		if len(on) == 1 && b.constant(on[0]) {
			ts = on[0].Body
		}
		for _, t := range ts {
			t.Dom = join(t.Dom, c.guards...)
			if t, ok := b.tidy(t, ctx); ok {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// constant reports whether the body of p is the same at all its points.
func (b *Engine) constant(p Piece) bool {
	for _, v := range p.Over {
		if b.nfMentions(p.Body, v) {
			return false
		}
	}
	return true
}

// describe is a term's atoms in words, for reasons.
func (b *Engine) describe(t Term) string {
	if len(t.Atoms) == 0 {
		return "a constant"
	}
	out := ""
	for i, a := range t.Atoms {
		if i > 0 {
			out += "*"
		}
		switch a.Kind {
		case Read:
			out += a.Name + "["
			for k, e := range a.At {
				if k > 0 {
					out += ", "
				}
				out += b.Space.String(e)
			}
			out += "]"
		case Apply:
			out += fmt.Sprintf("%s(...)", a.Fn.value)
		case Most:
			out += "max(...)"
		}
	}
	return out
}
