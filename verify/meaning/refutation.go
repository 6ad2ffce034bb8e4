package meaning

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// A refutation shows that no integers meet some guards, beside what an engine
// assumes and the facts of its space. It is a sequence of numbers:
//
//	Derive n (row factor)*n   a sum of rows, each times its factor, at least 0; all
//	                          coefficients divided by their divisor, the constant
//	                          rounded down. If it has no unknowns, its constant has
//	                          to be negative, and that is the end; else it is a row
//	                          more, and the refutation goes on
//	Branch clause r*          a refutation for each guard of a clause, which is a row
//	                          more there
//	Same f g r*               the same of the clause that functions f and g, unknowns
//	                          by number, have one value if their arguments have
//	Cut n (unknown factor)*n constant r r
//	                          the same of the clause E >= 0 or -E-1 >= 0
//
// Rows are numbered from 0, those of the question first. Negative numbers are
// what is known: -1-2i is assumed condition i, -2-2i fact i of the space, as a row if
// it is a single guard. A factor is positive, but for an equation any but 0. So that
// there is one way to write a sum, its rows come by falling number and its factors have
// no common divisor.
const (
	Derive = iota
	Branch
	Same
	Cut
)

// Literals are the guards of which one holds by a condition that is known, by its
// number as in refutations.
func (b *Engine) Literals(ref int64) (Clause, error) {
	i, odd := (-1-ref)/2, (-1-ref)%2 == 1
	facts := b.Space.Unifier()
	switch {
	case ref >= 0 || odd && i >= int64(len(facts)) || !odd && i >= int64(len(b.assumed)):
		return nil, fmt.Errorf("there is no condition %d", ref)
	case !odd:
		return b.assumed[i], nil
	}
	f := facts[i]
	if len(f.If) == 0 {
		return f.Any, nil
	}
	var c Clause
	for _, g := range f.If {
		c = append(c, Not(g)...)
	}
	return append(c, f.Any...), nil
}

// Congruence is the clause that two values of one function are equal if their
// arguments are.
func (b *Engine) Congruence(v, w graph.Sym) (Clause, error) {
	if !b.Space.Has(v) || !b.Space.Has(w) {
		return nil, errors.New("there is no such unknown")
	}
	f, x, ok := b.Space.App(v)
	g, y, also := b.Space.App(w)
	if !ok || !also || f != g || len(x) != len(y) {
		return nil, errors.New("unknowns that are not values of one function")
	}
	var c Clause
	for i := range x {
		if d := x[i].Sub(y[i]); d.Len() > 0 || d.Constant() != 0 {
			c = append(c, Not(graph.Guard{E: d, Eq: true})...)
		}
	}
	return append(c, graph.GuardEq(v.Index(), w.Index())), nil
}

// Tighten divides a sum that is at least 0 by the divisor of its coefficients and
// rounds the constant down: the sum of integers that is left is at least 0 too.
func Tighten(e graph.Index) graph.Index {
	n := int64(0)
	for i := range e.Len() {
		_, k := e.Term(i)
		n = graph.GCD(n, k)
	}
	if n <= 1 {
		return e
	}
	out := graph.IndexInt(graph.FloorDiv(e.Constant(), n))
	for i := range e.Len() {
		v, k := e.Term(i)
		out = out.AddScaled(v.Index(), k/n)
	}
	return out
}

// maxRows bounds the rows on one way through a refutation, and so how deep it is.
const maxRows = 4096

// refute reads a refutation of guards and checks it.
func (r *reader) refute(b *Engine, gs []graph.Guard) error { return r.refuteRows(b, slices.Clone(gs)) }

// refuteRows is refute. It writes behind its rows, where what a branch adds takes the
// place of what the branch before it added: the time is in proportion to the numbers.
func (r *reader) refuteRows(b *Engine, rows []graph.Guard) error {
	for {
		if len(rows) > maxRows {
			return r.fail("more than %d rows", maxRows)
		}
		switch kind := r.next(); kind {
		case Derive:
			sum, err := r.sum(b, rows)
			if err != nil {
				return err
			}
			sum = Tighten(sum)
			if n, ok := sum.Const(); !ok {
				rows = append(rows, graph.Guard{E: sum})
			} else if n < 0 {
				return nil
			} else {
				return fmt.Errorf("the rows add up to %d, which is at least 0", n)
			}
		case Branch, Same, Cut:
			c, err := r.clause(b, kind)
			if err != nil {
				return err
			}
			for _, g := range c {
				if err := r.refuteRows(b, append(rows, g)); err != nil {
					return err
				}
			}
			return r.err
		default:
			return r.fail("%d is no step of a refutation", kind)
		}
	}
}

func (r *reader) clause(b *Engine, kind int64) (Clause, error) {
	switch kind {
	case Branch:
		return b.Literals(r.next())
	case Same:
		v, w := r.unknown(b), r.unknown(b)
		if r.err != nil {
			return nil, r.err
		}
		return b.Congruence(v, w)
	}
	e := r.index(b)
	return Clause{{E: e}, {E: e.Scale(-1).AddInt(-1)}}, r.err
}

// sum reads rows with factors and adds them up.
func (r *reader) sum(b *Engine, rows []graph.Guard) (graph.Index, error) {
	var sum graph.Index
	last, all := int64(len(rows)), int64(0)
	for range r.count() {
		ref, k := r.next(), r.next()
		if ref >= last {
			return sum, r.fail("there is no row %d, or it does not come after row %d", ref, last)
		}
		last = ref
		var g graph.Guard
		switch {
		case ref >= 0:
			g = rows[ref]
		default:
			c, err := b.Literals(ref)
			if err != nil {
				return sum, err
			}
			if len(c) != 1 {
				return sum, r.fail("condition %d is no single guard", ref)
			}
			g = c[0]
		}
		if k == 0 || k < 0 && !g.Eq {
			return sum, r.fail("factor %d", k)
		}
		sum = sum.AddScaled(g.E, k)
		all = graph.GCD(all, k)
	}
	if all > 1 {
		return sum, r.fail("the factors have the divisor %d", all)
	}
	return sum, r.err
}
