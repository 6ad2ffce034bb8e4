package order

import (
	"math/big"
	"slices"
)

// mixture is a mixture of corners that is a form; nil if there is none.
//
// It is the first phase of the simplex method: rows say that the parts come out and that
// the numbers add up to 1, each with a variable of its own that is to become 0. Bland's
// rule chooses, so that it ends.
func mixture(f form, corners []form) []*big.Rat {
	for k, c := range corners {
		if slices.Equal(c, f) {
			m := zeros(len(corners))
			m[k].SetInt64(1)
			return m
		}
	}
	rows, cols := len(f)+1, len(corners)
	t := make([][]*big.Rat, rows) // columns, then own variables, then the right side
	basis := make([]int, rows)
	for i := range t {
		t[i] = zeros(cols + rows + 1)
		for k, c := range corners {
			if t[i][k].SetInt64(1); i < len(f) {
				t[i][k].SetInt64(c[i])
			}
		}
		right := t[i][cols+rows]
		if right.SetInt64(1); i < len(f) {
			right.SetInt64(f[i])
		}
		if right.Sign() < 0 {
			for _, x := range t[i] {
				x.Neg(x)
			}
		}
		t[i][cols+i].SetInt64(1)
		basis[i] = cols + i
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
			q := new(big.Rat).Quo(t[i][cols+rows], t[i][enter])
			if c := cmp(q, least); c < 0 || c == 0 && basis[i] < basis[leave] {
				leave, least = i, q
			}
		}
		pivot(t, leave, enter)
		basis[leave] = enter
	}
	m := zeros(cols)
	for i, b := range basis {
		switch x := t[i][cols+rows]; {
		case b < cols:
			m[b] = x
		case x.Sign() != 0:
			return nil
		}
	}
	return m
}

func zeros(n int) []*big.Rat {
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	return out
}

// cmp compares with a least number that may not be there yet.
func cmp(q, least *big.Rat) int {
	if least == nil {
		return -1
	}
	return q.Cmp(least)
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
