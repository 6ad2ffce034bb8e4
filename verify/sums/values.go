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

// nextStep is the next step by which values are shown to be 0. Of the maxima that matter, a
// piece is dropped that is nowhere the largest; if there is none, two pieces are compared
// whose difference has the least degree.
func nextStep(v *meaning.Values) (s meaning.Step, ok bool) {
	sum, ok := v.Cleared(v.Sum)
	if !ok || len(sum[0]) == 0 {
		return s, ok
	}
	all := relevant(v, sum[0], nil)
	least := -1
	for _, at := range all {
		ps := v.Vars[at].Pieces
		for i := range ps {
			for j := range ps {
				if i == j {
					continue
				}
				more := ps[i].Sub(ps[j])
				if c, times, ok := combination(v, more); ok {
					return meaning.Step{Kind: meaning.StepDrop, Max: at, I: i, J: j, Times: times, Combination: c}, true
				}
				if d := degree(more); least < 0 || d < least {
					s, least = meaning.Step{Kind: meaning.StepBranch, Max: at, I: i, J: j}, d
				}
			}
		}
	}
	return s, least >= 0
}

// relevant are the maxima on which p depends, the pieces of which depend on no other.
func relevant(v *meaning.Values, p meaning.Poly, all []int) []int {
	for _, m := range p {
		for _, w := range m.Of {
			ps := v.Vars[w.Var].Pieces
			n := len(all)
			for _, q := range ps {
				all = relevant(v, q, all)
			}
			if inner := slices.ContainsFunc(ps, func(q meaning.Poly) bool { return hasMaxima(v, q) }); len(ps) > 0 && !inner && !slices.Contains(all[:n], w.Var) {
				all = append(all, w.Var)
			}
		}
	}
	return all
}

func hasMaxima(v *meaning.Values, p meaning.Poly) bool {
	return slices.ContainsFunc(p, func(m meaning.Monomial) bool {
		return slices.ContainsFunc(m.Of, func(w meaning.Pow) bool { return len(v.Vars[w.Var].Pieces) > 0 })
	})
}

// degree is the largest number of factors of a monomial.
func degree(p meaning.Poly) (d int) {
	for _, m := range p {
		n := 0
		for _, w := range m.Of {
			n += max(w.Exp, -w.Exp)
		}
		d = max(d, n)
	}
	return d
}

// maxProducts bounds the products that are tried in a combination.
const maxProducts = 120

// product is what is at least 0, and of which numbers of a [meaning.Product].
type product struct {
	of []int64
	is meaning.Poly
}

// combination shows that p is at least 0: times p is the sum of the products.
func combination(v *meaning.Values, p meaning.Poly) (c []meaning.Product, times int64, ok bool) {
	if len(p) == 0 {
		return nil, 1, true
	}
	one := product{nil, meaning.Poly{{Num: big.NewRat(1, 1)}}}
	all := []product{one}
	add := func(x, y product) {
		is, err := x.is.Times(y.is)
		if err == nil && len(is) > 0 && len(all) < maxProducts && !slices.ContainsFunc(all, func(z product) bool { return z.is.Equal(is) }) {
			all = append(all, product{slices.Concat(x.of, y.of), is})
		}
	}
	for i, k := range v.Known {
		add(product{[]int64{int64(i)}, k}, one)
	}
	divides := false
	for i, x := range v.Vars {
		divides = divides || x.Divides
		if p.Has(i) || x.Divides {
			for kind := range int64(2) {
				n := -1 - 3*int64(i) - kind
				if is, ok := v.AtLeast0(n); ok {
					add(product{[]int64{n}, is}, one)
				}
			}
		}
	}
	simple := len(all)
	common := content(v, p)
	for _, x := range all[:simple] {
		add(common, x)
	}
	if degree(p) > 1 || divides {
		for i, x := range all[:simple] {
			for _, y := range all[i:simple] {
				add(x, y)
				if len(common.of) > 0 && len(all) < maxProducts {
					add(common, product{slices.Concat(x.of, y.of), times2(x.is, y.is)})
				}
			}
		}
	}
	polys := []meaning.Poly{p}
	for _, x := range all {
		polys = append(polys, x.is)
	}
	polys, ok = v.Cleared(polys...)
	if !ok {
		return nil, 0, false
	}
	by := mixture(polys[0], polys[1:])
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
		c = append(c, meaning.Product{Times: n.Int64(), Of: all[i].of})
	}
	return c, scale.Int64(), scale.IsInt64()
}

func times2(x, y meaning.Poly) meaning.Poly {
	p, err := x.Times(y)
	if err != nil {
		return nil
	}
	return p
}

// content are factors of all of p that are at least 0: positive variables, and squares.
func content(v *meaning.Values, p meaning.Poly) product {
	out := product{nil, meaning.Poly{{Num: big.NewRat(1, 1)}}}
	for i := range v.Vars {
		e := least(p, i)
		for e != 0 {
			n := int64(-1 - 3*i)
			switch {
			case e < 0:
				n, e = n-2, e+2
			case e > 1:
				n, e = n-1, e-2
			default:
				e = 0
			}
			if f, ok := v.AtLeast0(n); ok {
				out = product{append(out.of, n), times2(out.is, f)}
			}
		}
	}
	return out
}

// least is the least power of a variable in a monomial of p.
func least(p meaning.Poly, i int) (e int) {
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
	return e
}
