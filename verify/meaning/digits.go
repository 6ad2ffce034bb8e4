package meaning

import (
	"errors"
	"fmt"

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

// part is v in two new unknowns.
func (b *Engine) part(v graph.Sym, n graph.Dim) (high, low graph.Sym, is graph.Index) {
	high, low = b.Space.Var("high"), b.Space.Var("low")
	b.Space.Within(low, n)
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
		b.Space.Within(high, m)
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
