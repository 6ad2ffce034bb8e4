package meaning

import (
	"math/big"

	"github.com/taso-go/taso/graph"
)

// Unimodular reports whether by maps the integer points of to one to one to
// those of from: its matrix has determinant 1 or -1. The images may depend on
// to linearly only.
func (b *Engine) Unimodular(by map[graph.Sym]graph.Index, from, to []graph.Sym) bool {
	n := len(from)
	m := make([][]int64, n)
	for i, v := range from {
		e := by[v]
		m[i] = make([]int64, n)
		for j, w := range to {
			m[i][j] = e.Coef(w)
			e = e.AddScaled(w.Index(), -m[i][j])
		}
		if b.anyMention(e, to) || b.anyMention(e, from) {
			return false
		}
	}
	d := determinant(m)
	return d.IsInt64() && (d.Int64() == 1 || d.Int64() == -1)
}

// determinant is that of a square matrix, by Bareiss's elimination without
// fractions.
func determinant(rows [][]int64) *big.Int {
	n, sign, prev := len(rows), int64(1), big.NewInt(1)
	if n == 0 {
		return prev
	}
	m := make([][]*big.Int, n)
	for i, row := range rows {
		for _, x := range row {
			m[i] = append(m[i], big.NewInt(x))
		}
	}
	for k := 0; k < n-1; k++ {
		if m[k][k].Sign() == 0 {
			swap := -1
			for i := k + 1; i < n; i++ {
				if m[i][k].Sign() != 0 {
					swap = i
					break
				}
			}
			if swap < 0 {
				return new(big.Int)
			}
			m[k], m[swap] = m[swap], m[k]
			sign = -sign
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				x, y := new(big.Int).Mul(m[i][j], m[k][k]), new(big.Int).Mul(m[i][k], m[k][j])
				m[i][j] = x.Quo(x.Sub(x, y), prev)
			}
		}
		prev = m[k][k]
	}
	return new(big.Int).Mul(big.NewInt(sign), m[n-1][n-1])
}
