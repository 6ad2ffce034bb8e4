package bounded

import (
	"math/big"
	"strings"

	"github.com/taso-go/taso/graph"
)

// fnNonneg reports that a known function is nowhere negative where it has a
// value, at the argument x.
func (s *space) fnNonneg(name string, x *poly) bool {
	name, _, _ = strings.Cut(name, "(")
	switch name {
	case "iszero", "nonzero":
		return true
	case "reciprocal":
		return s.nonneg(x)
	}
	op, ok := graph.Lookup(name)
	return ok && op.NonNegative
}

// maxSquares bounds the atoms of a quadratic form that is looked at.
const maxSquares = 16

// squares reports that p is a quadratic form that is nowhere negative. Such a
// form is a sum of squares: Lagrange's elimination finds them one by one.
func (s *space) squares(p *poly) bool {
	at := map[atom]int{}
	for _, t := range p.terms {
		as := s.monos[t.m]
		if len(as) != 2 {
			return false
		}
		for _, a := range as {
			if _, ok := at[a]; !ok {
				at[a] = len(at)
			}
		}
	}
	n := len(at)
	if n > maxSquares {
		return false
	}
	m := make([][]*big.Rat, n) // p is the sum of m[i][j]*x[i]*x[j]
	for i := range m {
		m[i] = make([]*big.Rat, n)
		for j := range m[i] {
			m[i][j] = new(big.Rat)
		}
	}
	for _, t := range p.terms {
		as := s.monos[t.m]
		i, j := at[as[0]], at[as[1]]
		c := big.NewRat(t.c.Num, t.c.Den)
		if i != j {
			c.Mul(c, big.NewRat(1, 2))
			m[j][i] = c
		}
		m[i][j] = c
	}
	for k := range n {
		switch m[k][k].Sign() {
		case -1:
			return false
		case 0:
			for i := k + 1; i < n; i++ {
				if m[k][i].Sign() != 0 {
					return false
				}
			}
			continue
		}
		// What is left after the square that x[k] is in.
		for i := k + 1; i < n; i++ {
			f := new(big.Rat).Quo(m[i][k], m[k][k])
			for j := k + 1; j < n; j++ {
				m[i][j] = new(big.Rat).Sub(m[i][j], new(big.Rat).Mul(f, m[k][j]))
			}
		}
	}
	return true
}
