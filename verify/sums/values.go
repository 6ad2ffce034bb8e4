package sums

import (
	"math/big"
	"slices"

	"github.com/taso-go/taso/verify/meaning"
)

// frameOf finds the frame whose domain a term has. Of several orders of its bound variables
// one is taken in which it has the most atoms in common with the frame.
func frameOf(e *meaning.Engine, reps []meaning.Term, t meaning.Term) (at int, order []int) {
	at, most := -1, -1
	for i, rep := range reps {
		if len(rep.Over) != len(t.Over) || len(t.Over) > maxFrame {
			continue
		}
		orders(len(t.Over), func(o []int) {
			if u, ok := e.InFrame(rep, t, o); ok {
				if n := e.Common(rep, u); n > most {
					at, order, most = i, slices.Clone(o), n
				}
			}
		})
	}
	return at, order
}

// maxFrame bounds the bound variables of terms that are brought to one frame.
const maxFrame = 5

// orders calls f with all orders of the numbers below n.
func orders(n int, f func([]int)) {
	o := make([]int, 0, n)
	var rec func()
	rec = func() {
		if len(o) == n {
			f(o)
			return
		}
		for i := range n {
			if !slices.Contains(o, i) {
				o = append(o, i)
				rec()
				o = o[:len(o)-1]
			}
		}
	}
	rec()
}

// nextStep is the next step by which values are shown to be 0. Of the first maximum that
// matters, a piece is dropped that is nowhere the largest; if there is none, the first two
// are compared.
func nextStep(v *meaning.Values) (s meaning.Step, ok bool) {
	sum, ok := v.Cleared()
	if !ok || len(sum) == 0 {
		return s, ok
	}
	at := relevant(v, sum)
	if at < 0 {
		return s, false
	}
	s.Max = at
	ps := v.Vars[at].Pieces
	for i := range ps {
		for j := range ps {
			if i == j {
				continue
			}
			if c, times, ok := combination(v, ps[i].Sub(ps[j])); ok {
				s.Kind, s.I, s.J, s.Times, s.Combination = meaning.StepDrop, i, j, times, c
				return s, true
			}
		}
	}
	s.Kind, s.I, s.J = meaning.StepBranch, 0, 1
	return s, true
}

// relevant is a maximum on which p depends, the pieces of which depend on no other; -1 if
// there is none.
func relevant(v *meaning.Values, p meaning.Poly) int {
	for _, m := range p {
		for _, w := range m.Of {
			for _, q := range v.Vars[w.Var].Pieces {
				if at := relevant(v, q); at >= 0 {
					return at
				}
			}
			if len(v.Vars[w.Var].Pieces) > 0 {
				return w.Var
			}
		}
	}
	return -1
}

// maxProducts bounds the products that are tried in a combination.
const maxProducts = 80

// combination shows that p is at least 0: times p is the sum of the products.
func combination(v *meaning.Values, p meaning.Poly) (c []meaning.Product, times int64, ok bool) {
	if len(p) == 0 {
		return nil, 1, true
	}
	type column struct {
		of []int64
		is meaning.Poly
	}
	var cols []column
	add := func(is meaning.Poly, of ...int64) {
		if len(cols) < maxProducts && len(is) > 0 && !slices.ContainsFunc(cols, func(c column) bool { return c.is.Equal(is) }) {
			cols = append(cols, column{of, is})
		}
	}
	one := meaning.Poly{{Num: big.NewRat(1, 1)}}
	add(one)
	known := func() (all []column) {
		for i, k := range v.Known {
			all = append(all, column{[]int64{int64(i)}, k})
		}
		return all
	}()
	// Factors of p that are not negative, as they are or as known sums.
	content, refs := one, []int64(nil)
	for i := range v.Vars {
		e, has := least(p, i)
		if !has {
			continue
		}
		for e != 0 {
			n, by := int64(-1-3*i), 1
			switch {
			case e >= 2:
				n, by = n-1, 2
			case v.Vars[i].Positive && e < 0:
				n, by = n-2, -1
			case v.Vars[i].Positive:
			default:
				single := meaning.Poly{{Num: big.NewRat(1, 1), Of: []meaning.Pow{{Var: i, Exp: 1}}}}
				k := slices.IndexFunc(known, func(c column) bool { return c.is.Equal(single) })
				if k < 0 || e < 0 {
					n = 0
					e = 0
					continue
				}
				n = known[k].of[0]
			}
			f, ok := v.AtLeast0(n)
			next, err := content.Times(f)
			if !ok || err != nil {
				break
			}
			content, refs, e = next, append(refs, n), e-by
		}
	}
	for _, k := range known {
		add(k.is, k.of...)
	}
	var single []column // single variables and squares that occur
	for i := range v.Vars {
		if p.Has(i) {
			for kind := range int64(2) {
				n := -1 - 3*int64(i) - kind
				if f, ok := v.AtLeast0(n); ok {
					single = append(single, column{[]int64{n}, f})
				}
			}
		}
	}
	for _, x := range single {
		add(x.is, x.of...)
	}
	if len(refs) > 0 {
		add(content, refs...)
		for _, k := range append(known, single...) {
			if q, err := content.Times(k.is); err == nil {
				add(q, append(slices.Clone(refs), k.of...)...)
			}
		}
	}
	if nonlinear(p) {
		all := append(slices.Clone(known), single...)
		for i, x := range all {
			for _, y := range all[i:] {
				if q, err := x.is.Times(y.is); err == nil {
					add(q, append(slices.Clone(x.of), y.of...)...)
				}
			}
		}
	}
	polys := make([]meaning.Poly, len(cols))
	for i, c := range cols {
		polys[i] = c.is
	}
	by := mixture(p, polys)
	if by == nil {
		return nil, 0, false
	}
	scale := big.NewInt(1)
	for _, x := range by {
		g := new(big.Int).GCD(nil, nil, scale, x.Denom())
		scale.Mul(scale, new(big.Int).Quo(x.Denom(), g))
	}
	for i, x := range by {
		n := new(big.Rat).Mul(x, new(big.Rat).SetInt(scale)).Num()
		if n.Sign() == 0 {
			continue
		}
		if !n.IsInt64() {
			return nil, 0, false
		}
		c = append(c, meaning.Product{Times: n.Int64(), Of: cols[i].of})
	}
	return c, scale.Int64(), scale.IsInt64()
}

// least is the power of a variable that all monomials have.
func least(p meaning.Poly, i int) (e int, has bool) {
	for k, m := range p {
		here := 0
		for _, w := range m.Of {
			if w.Var == i {
				here = w.Exp
			}
		}
		if k == 0 || here < e {
			e = here
		}
	}
	return e, e != 0
}

func nonlinear(p meaning.Poly) bool {
	return slices.ContainsFunc(p, func(m meaning.Monomial) bool {
		return len(m.Of) > 1 || len(m.Of) == 1 && m.Of[0].Exp != 1
	})
}
