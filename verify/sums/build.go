package sums

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Limits of the size of normal forms, and of the steps of building and matching
// them for one case.
const (
	maxTerms = 400
	maxAtoms = 64
	maxCells = 64
	maxWork  = 20_000
)

var errTooLarge = errors.New("the normal forms are too large")

// step counts work; it fails when there was too much.
func (b *builder) step() error {
	if b.work++; b.work > maxWork {
		b.fail(errTooLarge)
	}
	return b.err
}

// reader gives the normal form of an input's entry.
type reader func(in int, at []graph.Index, ctx []graph.Guard) (nf, error)

// entry is the normal form of the entry of t at an index, where ctx holds.
func (b *builder) entry(l *side, t *law.Term, at []graph.Index, ctx []graph.Guard) (nf, error) {
	if err := b.step(); err != nil {
		return nil, err
	}
	switch {
	case t.IsVar():
		return nf{{num: one, atoms: []atom{{kind: read, name: t.Var, at: at}}}}, nil
	case t.Fn != "":
		arg, err := b.entry(l, t.Args[0], at, ctx)
		if err != nil {
			return nil, err
		}
		return b.apply(fun{value: graph.VarValue(t.Fn, law.SortPointwise1), zero: l.zero[t.Fn]}, arg, ctx)
	}
	e, err := l.expr(b.space, t, at)
	if err != nil {
		return nil, err
	}
	return b.eval(e, ctx, func(in int, at []graph.Index, ctx []graph.Guard) (nf, error) {
		return b.entry(l, t.Args[in], at, ctx)
	})
}

func (b *builder) eval(e *graph.Expr, ctx []graph.Guard, in reader) (nf, error) {
	switch e.Kind {
	case graph.ExprNumber:
		t := term{num: one}.times(e.Size, 1)
		if t.num.Sign() == 0 {
			return nil, nil
		}
		return nf{t}, nil
	case graph.ExprRead:
		return in(e.In, e.At, ctx)
	case graph.ExprAdd:
		var out nf
		for _, a := range e.Args {
			n, err := b.eval(a, ctx, in)
			if err != nil {
				return nil, err
			}
			if out = append(out, n...); len(out) > maxTerms {
				return nil, errTooLarge
			}
		}
		return out, nil
	case graph.ExprMul:
		out := nf{{num: one}}
		for _, a := range e.Args {
			n, err := b.eval(a, ctx, in)
			if err != nil {
				return nil, err
			}
			if len(out)*len(n) > maxTerms {
				return nil, errTooLarge
			}
			var prod nf
			for _, s := range out {
				for _, t := range n {
					if len(s.atoms)+len(t.atoms) > maxAtoms {
						return nil, errTooLarge
					}
					if u, ok := b.mul(s, t, ctx); ok {
						prod = append(prod, u)
					}
				}
			}
			out = prod
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
	inner := ctx
	over := make([]graph.Sym, len(e.Over))
	var dom []graph.Guard
	for i, v := range e.Over {
		over[i] = v.Var
		dom = append(dom, graph.Guard{E: v.Var.Index()}, graph.GuardLt(v.Var.Index(), v.N))
	}
	dom = append(dom, e.If...)
	inner = join(ctx, dom...)
	if _, ok := normalize(inner); !ok && e.Kind == graph.ExprSum {
		return nil, nil
	}
	body, err := b.eval(e.Args[0], inner, in)
	if err != nil {
		return nil, err
	}
	if e.Kind == graph.ExprMax {
		return b.max(over, dom, body, ctx)
	}
	var out nf
	for _, t := range body {
		u := term{num: t.num, facs: t.facs, atoms: t.atoms}
		u.over = append(over[:len(over):len(over)], t.over...)
		u.dom = append(dom[:len(dom):len(dom)], t.dom...)
		if u, ok := b.tidy(u, ctx); ok {
			out = append(out, u)
		}
	}
	return out, nil
}

// inverse is 1/n for a count n.
func (b *builder) inverse(n nf, ctx []graph.Guard) (nf, error) {
	if len(n) != 1 || len(n[0].over) > 0 || len(n[0].atoms) > 0 {
		return nil, errors.New("a divisor is not a product of counts")
	}
	t := n[0]
	for _, g := range t.dom {
		if !b.implied(ctx, g) {
			return nil, errors.New("a divisor may be 0")
		}
	}
	u := term{num: new(big.Rat).Inv(t.num)}
	for _, f := range t.facs {
		u = u.times(f.e, -f.exp)
	}
	return nf{u}, nil
}

func funOf(v graph.Value) fun {
	if name, ok := v.Name(); ok {
		return fun{value: v, zero: graph.FuncKeepsZero(name), relu: name == "relu"}
	}
	return fun{value: v}
}

// outer splits the guards of t into those that mention its bound variables and
// those that do not.
func (b *builder) outer(dom []graph.Guard, over []graph.Sym) (inner, outer []graph.Guard) {
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
func (b *builder) split(ctx []graph.Guard, conds [][]graph.Guard, off bool) ([]cell, error) {
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
				for _, g := range c {
					if !b.implied(here, g) {
						left = append(left, g)
					}
				}
				switch {
				case len(left) == 0:
					state[i] = 1
				case b.impossible(join(here, left...)):
					state[i] = -1
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
				return errTooLarge
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
			for _, n := range not(g) {
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
func (b *builder) apply(f fun, n nf, ctx []graph.Guard) (nf, error) {
	if b.ordered {
		f, n = clipped(f, n)
	}
	if f.relu && b.ordered && b.nonNegative(n) {
		return n, nil
	}
	conds := make([][]graph.Guard, len(n))
	bare := make(nf, len(n))
	for i, t := range n {
		u := t
		u.dom, conds[i] = b.outer(t.dom, t.over)
		bare[i] = u
	}
	cells, err := b.split(ctx, conds, !f.zero)
	if err != nil {
		return nil, err
	}
	var out nf
	for _, c := range cells {
		var arg nf
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
			t.dom = join(t.dom, c.guards...)
			if t, ok := b.tidy(t, ctx); ok {
				out = append(out, t)
			}
		}
	}
	if len(out) > maxTerms {
		return nil, errTooLarge
	}
	return out, nil
}

func (b *builder) applyHere(f fun, arg nf, ctx []graph.Guard) (nf, error) {
	if f.relu && b.ordered {
		if n, ok, err := b.rectify(f, arg, ctx); ok || err != nil {
			return n, err
		}
	}
	return nf{{num: one, atoms: []atom{{kind: apply, fn: f, arg: arg}}}}, nil
}

// max is the maximum of body over the points of dom, of which there is one.
func (b *builder) max(over []graph.Sym, dom []graph.Guard, body nf, ctx []graph.Guard) (nf, error) {
	inside := join(ctx, dom...)
	conds := make([][]graph.Guard, len(body))
	bare := make(nf, len(body))
	for i, t := range body {
		u := t
		u.dom, conds[i] = b.outer(t.dom, t.over)
		bare[i] = u
	}
	cells, err := b.split(inside, conds, true)
	if err != nil {
		return nil, err
	}
	var ps []piece
	for _, c := range cells {
		p := piece{over: over, dom: join(dom, c.guards...)}
		for i, t := range bare {
			if c.on[i] {
				p.body = append(p.body, t)
			}
		}
		p, ok := b.tidyPiece(p)
		if ok {
			ps = append(ps, b.flatten(p)...)
		}
	}
	if b.ordered && len(ps) == 1 {
		return b.pullOut(ps[0], ctx)
	}
	return b.maxPieces(ps, ctx)
}

// tidyPiece uses the equations of a piece. It reports false of one without
// points.
func (b *builder) tidyPiece(p piece) (piece, bool) {
	for {
		dom, ok := normalize(p.dom)
		if !ok {
			return p, false
		}
		p.dom = dom
		v, e, at, found := b.given(p.over, p.dom)
		if !found {
			return p, true
		}
		by := map[graph.Sym]graph.Index{v: e}
		p = piece{
			over: without(p.over, v),
			dom:  b.substGuards(append(append([]graph.Guard{}, p.dom[:at]...), p.dom[at+1:]...), by),
			body: b.substNF(p.body, by),
		}
	}
}

// flatten makes a maximum of maxima one maximum.
func (b *builder) flatten(p piece) []piece {
	if len(p.body) != 1 {
		return []piece{p}
	}
	t := p.body[0]
	if len(t.over) > 0 || len(t.dom) > 0 || len(t.facs) > 0 || t.num.Cmp(one) != 0 || len(t.atoms) != 1 || t.atoms[0].kind != most {
		return []piece{p}
	}
	var out []piece
	for _, q := range t.atoms[0].pieces {
		r := piece{over: append(p.over[:len(p.over):len(p.over)], q.over...), dom: join(p.dom, q.dom...), body: q.body}
		if r, ok := b.tidyPiece(r); ok {
			out = append(out, r)
		}
	}
	return out
}

// maxPieces is the maximum of pieces, opaque where the body depends on the
// point.
func (b *builder) maxPieces(ps []piece, ctx []graph.Guard) (nf, error) {
	if len(ps) == 1 && b.constant(ps[0]) {
		return ps[0].body, nil
	}
	conds := make([][]graph.Guard, len(ps))
	bare := make([]piece, len(ps))
	for i, p := range ps {
		q := p
		q.dom, conds[i] = b.outer(p.dom, p.over)
		bare[i] = q
	}
	cells, err := b.split(ctx, conds, false)
	if err != nil {
		return nil, err
	}
	var out nf
	for _, c := range cells {
		var on []piece
		for i, p := range bare {
			if c.on[i] {
				on = append(on, p)
			}
		}
		ts := nf{{num: one, atoms: []atom{{kind: most, pieces: on}}}}
		if len(on) == 1 && b.constant(on[0]) {
			ts = on[0].body
		}
		for _, t := range ts {
			t.dom = join(t.dom, c.guards...)
			if t, ok := b.tidy(t, ctx); ok {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// constant reports whether the body of p is the same at all its points.
func (b *builder) constant(p piece) bool {
	for _, v := range p.over {
		if b.nfMentions(p.body, v) {
			return false
		}
	}
	return true
}

// describe is a term's atoms in words, for reasons.
func (b *builder) describe(t term) string {
	if len(t.atoms) == 0 {
		return "a constant"
	}
	out := ""
	for i, a := range t.atoms {
		if i > 0 {
			out += "*"
		}
		switch a.kind {
		case read:
			out += a.name + "["
			for k, e := range a.at {
				if k > 0 {
					out += ", "
				}
				out += b.space.String(e)
			}
			out += "]"
		case apply:
			out += fmt.Sprintf("%s(...)", a.fn.value)
		case most:
			out += "max(...)"
		}
	}
	return out
}
