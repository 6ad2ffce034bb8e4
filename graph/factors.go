package graph

import "slices"

// Factors is one term of a sum of products as products of matrices: at each place
// of the fixed loops, the element of the result at the sum of the Outs of a row of
// the left factor and one of the right takes the dot product of these rows. Rows that
// are no contiguous part of an operand, such as the cells under a window, have to be
// copied.
type Factors struct {
	Fixed       []int // sizes of the fixed loops
	K           int   // elements of a row
	Left, Right Rows
}

// Rows are the rows of one factor, numbered from 0.
type Rows struct {
	n, out *nest
	Count  int
	Varies bool // they are not the same at all places of the fixed loops
}

// Stretch is a part of one row, or of several: N elements of an operand, from From
// on, By apart, at the places To, To+Step, ... of the rows Row, Row+RowStep, ... What
// is in no stretch is 0, and so may be what is outside of the operand: a condition
// excludes it in the other factor.
type Stretch struct{ Row, RowStep, To, Step, From, By, N int }

// Each calls f for all parts of all rows at a place of the fixed loops.
func (r *Rows) Each(fixed []int, f func(*Stretch)) {
	var s Stretch
	r.n.walk(fixed, func(n int, at, by []int) {
		s = Stretch{at[0], by[0], at[1], by[1], at[2], by[2], n}
		f(&s)
	})
}

// Outs are what the rows add to the place in the result.
func (r *Rows) Outs(fixed []int) []int {
	out := make([]int, 0, r.Count)
	r.out.walk(fixed, func(n int, at, by []int) {
		for j := range n {
			out = append(out, at[0]+j*by[0])
		}
	})
	return out
}

// maxRowCells bounds the elements of a factor, where there is a choice.
const maxRowCells = 1 << 25

// Factors are the terms of a sum of products that has no lists.
func (st *Step) Factors() ([]Factors, error) {
	if st.Kind != StepSumProd || st.Over == nil {
		return nil, nil
	}
	out := make([]Factors, len(st.Over.terms))
	for i := range out {
		var err error
		if out[i], err = st.Over.factors(&st.Over.terms[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// factors divides the loops of the result: those on which both factors depend, or
// a condition together with what only one depends on, are fixed.
func (r *Ranges) factors(t *terms) (f Factors, err error) {
	x := r.x
	var fixed, left, right, over []Sym
	for _, v := range r.dom {
		switch a, b := x.s.Mentions(t.a, v), x.s.Mentions(t.b, v); {
		case a && b:
			fixed = append(fixed, v)
		case b:
			right = append(right, v)
		default:
			left = append(left, v)
		}
	}
	move := func(from []Sym, i int) []Sym {
		fixed = append(fixed, from[i])
		return slices.Delete(from, i, i+1)
	}
	mentions := func(g Guard, vars []Sym) int {
		return slices.IndexFunc(vars, func(v Sym) bool { return x.s.Mentions(g.E, v) })
	}
	for _, g := range t.guards {
		for mentions(g, left) >= 0 && mentions(g, right) >= 0 {
			right = move(right, mentions(g, right))
		}
	}
	f.K = 1
	for _, v := range t.over {
		if x.of(v) > 1 {
			over = append(over, v)
			f.K *= x.of(v)
		}
	}
	count := func(vars []Sym) int {
		n := 1
		for _, v := range vars {
			n *= x.of(v)
		}
		return n
	}
	for len(left) > 1 && count(left)*f.K > maxRowCells {
		left = move(left, 0)
	}
	for _, v := range fixed {
		f.Fixed = append(f.Fixed, x.of(v))
	}
	// One factor tells the place in the result but for the other's part of it.
	whole, k := x.offset(r.dom), x.offset(over)
	only := func(vars ...[]Sym) (e Index) {
		for _, t := range whole.t {
			for _, list := range vars {
				if slices.Contains(list, t.sym) {
					e = e.addScaled(t.sym.Index(), t.k)
				}
			}
		}
		return e
	}
	var lg, rg []Guard
	for _, g := range t.guards {
		if mentions(g, right) < 0 {
			lg = append(lg, g)
		}
		if mentions(g, left) < 0 {
			rg = append(rg, g)
		}
	}
	side := func(vars []Sym, out, at Index, guards []Guard) (Rows, error) {
		rows := Rows{Count: count(vars)}
		for _, v := range fixed {
			rows.Varies = rows.Varies || x.s.Mentions(out, v) || x.s.Mentions(at, v) ||
				slices.ContainsFunc(guards, func(g Guard) bool { return x.s.Mentions(g.E, v) })
		}
		// The longest stretches: along a row where it lies in the operand, else
		// across rows if there are many.
		order := slices.Concat(fixed, vars, over)
		if n, m := len(vars), len(over); n > 0 && m > 0 && x.of(vars[n-1]) > x.of(over[m-1]) &&
			(len(guards) > 0 || at.Coef(over[m-1]) != 1) {
			order = slices.Concat(fixed, vars[:n-1], over, vars[n-1:])
		}
		var err error
		if rows.n, err = x.nest(order, len(fixed), []Index{x.offset(vars), k, at}, guards); err != nil {
			return rows, err
		}
		rows.out, err = x.nest(slices.Concat(fixed, vars), len(fixed), []Index{out}, nil)
		return rows, err
	}
	if f.Left, err = side(left, only(left, fixed), t.a, lg); err != nil {
		return f, err
	}
	f.Right, err = side(right, only(right), t.b, rg)
	return f, err
}
