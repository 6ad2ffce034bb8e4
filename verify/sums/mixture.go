package sums

import (
	"math/big"
	"slices"

	"github.com/taso-go/taso/verify/meaning"
)

// mixture are numbers of at least 0 by which columns are multiplied to add up to p; nil if
// there are none.
//
// It is the first phase of the simplex method: each monomial has a row, with a variable of
// its own that is to become 0. Bland's rule chooses, so that it ends.
func mixture(p meaning.Poly, columns []meaning.Poly) []*big.Rat {
	var rows []meaning.Monomial
	row := func(m meaning.Monomial) int {
		return slices.IndexFunc(rows, func(r meaning.Monomial) bool { return slices.Equal(r.Of, m.Of) })
	}
	for _, q := range append(slices.Clone(columns), p) {
		for _, m := range q {
			if row(m) < 0 {
				rows = append(rows, m)
			}
		}
	}
	cols := len(columns)
	t := make([][]*big.Rat, len(rows)) // columns, then own variables, then the right side
	basis := make([]int, len(rows))
	right := cols + len(rows)
	for i := range t {
		t[i] = zeros(right + 1)
		basis[i] = cols + i
	}
	for k, q := range append(slices.Clone(columns), p) {
		for _, m := range q {
			if k == cols {
				k = right
			}
			t[row(m)][k].Set(m.Num)
		}
	}
	for i := range t {
		if t[i][right].Sign() < 0 {
			for _, x := range t[i] {
				x.Neg(x)
			}
		}
		t[i][cols+i].SetInt64(1)
	}
	for {
		// The first column that makes the sum of own variables smaller.
		enter := -1
		for k := 0; k < cols && enter < 0; k++ {
			gain := new(big.Rat)
			for i, b := range basis {
				if b >= cols {
					gain.Add(gain, t[i][k])
				}
			}
			if gain.Sign() > 0 {
				enter = k
			}
		}
		if enter < 0 {
			break
		}
		leave := -1
		var least *big.Rat
		for i := range t {
			if t[i][enter].Sign() <= 0 {
				continue
			}
			q := new(big.Rat).Quo(t[i][right], t[i][enter])
			if leave < 0 || q.Cmp(least) < 0 || q.Cmp(least) == 0 && basis[i] < basis[leave] {
				leave, least = i, q
			}
		}
		pivot(t, leave, enter)
		basis[leave] = enter
	}
	out := zeros(cols)
	for i, b := range basis {
		switch x := t[i][right]; {
		case b < cols:
			out[b] = x
		case x.Sign() != 0:
			return nil
		}
	}
	return out
}

func zeros(n int) []*big.Rat {
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	return out
}

// pivot makes a column that of a row's variable.
func pivot(t [][]*big.Rat, row, col int) {
	p := new(big.Rat).Set(t[row][col])
	for _, x := range t[row] {
		x.Quo(x, p)
	}
	for i := range t {
		if i == row || t[i][col].Sign() == 0 {
			continue
		}
		f := new(big.Rat).Set(t[i][col])
		for k, x := range t[row] {
			if x.Sign() != 0 {
				t[i][k].Sub(t[i][k], new(big.Rat).Mul(f, x))
			}
		}
	}
}
