package meaning

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// A bound variable, or an index of the output, may be written in two digits: each
// integer v is n*x + y for one x and one y from 0 to n-1, whatever n >= 1 is. So a sum
// over v is one over x and y, and what holds for all x and y holds for all v.
//
//	sum over v < a*b of A[floor(v/b), v - b*floor(v/b)]
//	  = sum over x < a, y < b of A[x, y]

// digits says that an entry would be told more of if v were written in digits, n being
// the range of the low one. It is an error until where v is bound.
type digits struct {
	v graph.Sym
	n graph.Dim
}

func (d *digits) Error() string { return fmt.Sprintf("an index is divided by %s", d.n) }

// part is v in two new unknowns, with their ranges.
func (b *Engine) part(v graph.Sym, n graph.Dim) (high, low graph.Sym, is graph.Index) {
	high, low = b.Space.Var("high"), b.Space.Var("low")
	b.Space.Within(low, n)
	if size, ok := b.Space.Range(v); ok {
		if m, ok := size.Quo(n); ok {
			b.Space.Within(high, m)
		}
	}
	return high, low, b.Space.Times(high.Index(), n).Add(low.Index())
}

// parted are ranges with one in digits: that of a product of n with what is left.
func (b *Engine) parted(over []graph.Bound, d *digits) (by map[graph.Sym]graph.Index, out []graph.Bound, ok bool) {
	for i, v := range over {
		if v.Var != d.v || b.step() != nil {
			continue
		}
		size, ok := b.Space.Range(v.Var)
		if !ok {
			return nil, nil, false
		}
		m, ok := size.Quo(d.n)
		if !ok || !positive(d.n) {
			return nil, nil, false
		}
		high, low, is := b.part(v.Var, d.n)
		out = append(out, over[:i]...)
		out = append(out, graph.Bound{Var: high, N: b.Space.Size(m)}, graph.Bound{Var: low, N: b.Space.Size(d.n)})
		return map[graph.Sym]graph.Index{v.Var: is}, append(out, over[i+1:]...), true
	}
	return nil, nil, false
}

// positive reports whether a size is at least 1 whatever its variables are.
func positive(n graph.Dim) bool { return n.Sub(graph.Int(1)).NonNegative() }

// inDigits is a sum or maximum with a variable of it in digits, where an entry under it
// asked for that.
func (b *Engine) inDigits(err error, e *graph.Expr) (*graph.Expr, bool) {
	var d *digits
	if !errors.As(err, &d) {
		return nil, false
	}
	by, over, ok := b.parted(e.Over, d)
	if !ok {
		return nil, false
	}
	f := *e
	f.Over = nil
	out := b.substExpr(&f, by)
	out.Over = over
	return out, true
}

// composite reports whether the range of a variable is a multiple of a size, or of a
// number: a*b + b*c, but not a + b.
func (b *Engine) composite(v graph.Sym) bool {
	n, ok := b.Space.Range(v)
	ts, c := n.Terms()
	if !ok || c != 0 || len(ts) == 0 {
		return false
	}
	if len(ts) == 1 {
		return len(ts[0].Atoms) > 1 || ts[0].Coef > 1
	}
	by := int64(0)
	for _, t := range ts {
		by = graph.GCD(by, t.Coef)
	}
	return by > 1 || slices.ContainsFunc(ts[0].Atoms, func(a graph.Atom) bool {
		return !slices.ContainsFunc(ts, func(t graph.Term) bool { return !slices.ContainsFunc(t.Atoms, a.Same) })
	})
}

// parts writes bound variables in digits, as long as a guide says so: it gives those
// that there are then, what the others are, and what is known of the new ones.
func (b *Engine) parts(over []graph.Sym, here func(by map[graph.Sym]graph.Index) NF, there NF) ([]graph.Sym, []graph.Guard, map[graph.Sym]graph.Index) {
	var known []graph.Guard
	all := map[graph.Sym]graph.Index{}
	for slices.ContainsFunc(over, b.composite) && b.step() == nil {
		at, n, ok := b.guide.Digits(b, over, here(all), there)
		if !ok {
			break
		}
		if at < 0 || at >= len(over) || !positive(n) {
			b.fail(errors.New("no digits of a bound variable"))
			break
		}
		v := over[at]
		high, low, is := b.part(v, n)
		one := map[graph.Sym]graph.Index{v: is}
		for w, e := range all {
			all[w] = b.Space.Subst(e, one)
		}
		all[v] = is
		known = append(b.substGuards(known, one), graph.Guard{E: low.Index()}, graph.GuardLt(low.Index(), b.Space.Size(n)))
		over = slices.Concat(over[:at], []graph.Sym{high, low}, over[at+1:])
	}
	return over, known, all
}

// inDigitsOf are the terms of n with bound variables in digits, to be compared with m.
func (b *Engine) inDigitsOf(n, m NF) NF {
	out := slices.Clone(n)
	for i, t := range n {
		if !slices.ContainsFunc(t.Over, b.composite) {
			continue
		}
		over, known, by := b.parts(t.Over, func(by map[graph.Sym]graph.Index) NF { return NF{b.substTerm(t, by)} },
			slices.Concat(m, n[:i], n[i+1:]))
		if len(by) > 0 {
			u := b.substTerm(t, by)
			u.Over, u.Dom = over, append(u.Dom, known...)
			out[i] = u
		}
	}
	return out
}

// pieceInDigits is a piece with bound variables in digits, to be found among others.
func (b *Engine) pieceInDigits(p Piece, others []Piece) Piece {
	if !slices.ContainsFunc(p.Over, b.composite) {
		return p
	}
	var there NF
	for _, q := range others {
		there = append(there, q.Body...)
	}
	over, known, by := b.parts(p.Over, func(by map[graph.Sym]graph.Index) NF { return b.substNF(p.Body, by) }, there)
	if len(by) == 0 {
		return p
	}
	return Piece{over, append(b.substGuards(p.Dom, by), known...), b.substNF(p.Body, by)}
}

// timesSize is t multiplied by e to a power, by each factor of a product of sizes.
func (b *Engine) timesSize(t Term, e graph.Index, exp int) Term {
	if _, ok := e.IsSym(); ok {
		if d, ok := b.Space.DimOf(e); ok {
			if ts, c := d.Terms(); len(ts) == 1 && c == 0 && len(ts[0].Atoms) > 1 {
				for _, a := range ts[0].Atoms {
					t = t.times(b.Space.Size(a.Dim()), exp)
				}
				return t
			}
		}
	}
	return t.times(e, exp)
}
