package meaning

import (
	"cmp"
	"math/big"
	"slices"
)

// Poly is a sum of monomials: in order, no two with the same powers, no number 0.
type Poly []Monomial

// Monomial is a number times powers of variables, by rising number of the variable.
type Monomial struct {
	Num *big.Rat
	Of  []Pow
}

// Pow is a variable of [Values], by number, to a power other than 0.
type Pow struct{ Var, Exp int }

func constant(x *big.Rat) Poly {
	if x.Sign() == 0 {
		return nil
	}
	return Poly{{Num: x}}
}

func variablePoly(i int) Poly { return Poly{{Num: one, Of: []Pow{{i, 1}}}} }

func comparePows(x, y []Pow) int {
	return slices.CompareFunc(x, y, func(p, q Pow) int { return cmp.Or(cmp.Compare(p.Var, q.Var), cmp.Compare(p.Exp, q.Exp)) })
}

// sorted puts monomials in order and adds up those with the same powers.
func sorted(ms []Monomial) Poly {
	slices.SortStableFunc(ms, func(m, n Monomial) int { return comparePows(m.Of, n.Of) })
	var out Poly
	for _, m := range ms {
		if k := len(out) - 1; k >= 0 && comparePows(out[k].Of, m.Of) == 0 {
			out[k].Num = new(big.Rat).Add(out[k].Num, m.Num)
		} else {
			out = append(out, m)
		}
	}
	return slices.DeleteFunc(out, func(m Monomial) bool { return m.Num.Sign() == 0 })
}

// AddTimes is p + k*q.
func (p Poly) AddTimes(k *big.Rat, q Poly) Poly {
	ms := slices.Clone(p)
	for _, m := range q {
		ms = append(ms, Monomial{new(big.Rat).Mul(k, m.Num), m.Of})
	}
	return sorted(ms)
}

// Sub is p - q.
func (p Poly) Sub(q Poly) Poly { return p.AddTimes(big.NewRat(-1, 1), q) }

func timesMonomial(m, n Monomial) Monomial {
	of := make([]Pow, 0, len(m.Of)+len(n.Of))
	x, y := m.Of, n.Of
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Var < y[0].Var:
			of, x = append(of, x[0]), x[1:]
		case x[0].Var > y[0].Var:
			of, y = append(of, y[0]), y[1:]
		default:
			if e := x[0].Exp + y[0].Exp; e != 0 {
				of = append(of, Pow{x[0].Var, e})
			}
			x, y = x[1:], y[1:]
		}
	}
	return Monomial{new(big.Rat).Mul(m.Num, n.Num), append(append(of, x...), y...)}
}

// Times is p * q; it fails where that is too large.
func (p Poly) Times(q Poly) (Poly, error) {
	if len(p)*len(q) > maxTerms {
		return nil, ErrTooLarge
	}
	ms := make([]Monomial, 0, len(p)*len(q))
	for _, m := range p {
		for _, n := range q {
			u := timesMonomial(m, n)
			if slices.ContainsFunc(u.Of, func(w Pow) bool { return max(w.Exp, -w.Exp) > maxAtoms }) {
				return nil, ErrTooLarge
			}
			ms = append(ms, u)
		}
	}
	return sorted(ms), nil
}

// Equal reports whether p and q are written alike.
func (p Poly) Equal(q Poly) bool {
	return slices.EqualFunc(p, q, func(m, n Monomial) bool { return m.Num.Cmp(n.Num) == 0 && comparePows(m.Of, n.Of) == 0 })
}

// Has reports whether a variable occurs.
func (p Poly) Has(i int) bool {
	return slices.ContainsFunc(p, func(m Monomial) bool {
		return slices.ContainsFunc(m.Of, func(w Pow) bool { return w.Var == i })
	})
}

// inverseMonomial is 1/m.
func inverseMonomial(m Monomial) Monomial {
	out := Monomial{Num: new(big.Rat).Inv(m.Num)}
	for _, w := range m.Of {
		out.Of = append(out.Of, Pow{w.Var, -w.Exp})
	}
	return out
}
