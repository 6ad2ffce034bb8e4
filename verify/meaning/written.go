package meaning

import (
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// A case may be written out: then a bound variable with a literal range gives a term,
// or a piece of a maximum, for each of its values, and so does an index of the output.
// What is left are sums over ranges that are not literal. Terms that are the same at
// sight are added up.

// SortWritten is the sort of what is no variable, but says that a case is written out.
const SortWritten = "written out"

const (
	maxRange  = 16  // the longest range that is written out
	maxPoints = 256 // values of an index of the output, or of the variables of a sum
)

// literal is the length of a range that is written out.
func literal(n graph.Index) (int64, bool) {
	k, ok := n.Const()
	return k, ok && k >= 0 && k <= maxRange
}

// points are the sums, or maxima, that e is the sum, or the maximum, of: itself, or if
// the case is written out one for each point of its literal ranges.
func (b *Engine) points(e *graph.Expr) ([]*graph.Expr, error) {
	out := []*graph.Expr{e}
	for _, v := range e.Over {
		n, ok := literal(v.N)
		if !ok {
			continue
		}
		if b.ranges = true; !b.written {
			break
		}
		var next []*graph.Expr
		for _, f := range out {
			g := *f
			g.Over = nil
			for _, w := range f.Over {
				if w.Var != v.Var {
					g.Over = append(g.Over, w)
				}
			}
			for k := range n {
				at := b.substExpr(&g, map[graph.Sym]graph.Index{v.Var: graph.IndexInt(k)})
				if _, ok := Normalize(at.If); ok {
					next = append(next, at)
				}
			}
		}
		if out = next; len(out) > maxPoints {
			return nil, ErrTooLarge
		}
	}
	return out, nil
}

// substExpr replaces unknowns in e, which must not be bound in it.
func (b *Engine) substExpr(e *graph.Expr, by map[graph.Sym]graph.Index) *graph.Expr {
	out := &graph.Expr{Kind: e.Kind, In: e.In, Fn: e.Fn, Size: b.Space.Subst(e.Size, by), If: b.substGuards(e.If, by)}
	for _, i := range e.At {
		out.At = append(out.At, b.Space.Subst(i, by))
	}
	for _, v := range e.Over {
		out.Over = append(out.Over, graph.Bound{Var: v.Var, N: b.Space.Subst(v.N, by)})
	}
	for _, a := range e.Args {
		out.Args = append(out.Args, b.substExpr(a, by))
	}
	return out
}

// collect adds up terms of what is written out.
func (b *Engine) collect(n NF) NF {
	if !b.written {
		return n
	}
	return b.addUp(n)
}

// addUp adds up terms that are the same at sight, but for their numbers and the names of their
// bound variables.
func (b *Engine) addUp(n NF) NF {
	var out NF
next:
	for _, t := range n {
		for i, s := range out {
			if b.alikeTerm(s, t, nil) {
				s.Num = new(big.Rat).Add(s.Num, t.Num)
				out[i] = s
				continue next
			}
		}
		out = append(out, t)
	}
	return slices.DeleteFunc(out, func(t Term) bool { return t.Num.Sign() == 0 })
}

// different leaves out pieces that others are the same as at sight.
func (b *Engine) different(ps []Piece) []Piece {
	if !b.written {
		return ps
	}
	var out []Piece
	for _, p := range ps {
		if !slices.ContainsFunc(out, func(q Piece) bool { return b.alikePiece(p, q, nil) }) {
			out = append(out, p)
		}
	}
	return out
}

// outputs calls f with values for the indices of an output that have literal ranges if
// the case is written out, and with what is known of the others, until f does not
// return "".
func (b *Engine) outputs(over []graph.Bound, f func(by map[graph.Sym]graph.Index, ctx []graph.Guard) string) string {
	all := [][]graph.Index{nil}
	for _, v := range over {
		k, ok := literal(v.N)
		b.ranges = b.ranges || ok
		var next [][]graph.Index
		for _, p := range all {
			if !ok || !b.written {
				next = append(next, append(p[:len(p):len(p)], v.Var.Index()))
				continue
			}
			for v := range k {
				next = append(next, append(p[:len(p):len(p)], graph.IndexInt(v)))
			}
		}
		if all = next; len(all) > maxPoints {
			return ErrTooLarge.Error()
		}
	}
	for _, p := range all {
		var ctx []graph.Guard
		by := map[graph.Sym]graph.Index{}
		for i, e := range p {
			if _, done := e.Const(); !done {
				ctx = append(ctx, graph.Guard{E: e}, graph.GuardLt(e, over[i].N))
			} else {
				by[over[i].Var] = e
			}
		}
		if why := f(by, ctx); why != "" {
			return why
		}
	}
	return ""
}
