package meaning

import (
	"slices"

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
	d, ok := determinant(m)
	return ok && (d == 1 || d == -1)
}

// determinant is that of a square matrix, by Bareiss's elimination without
// fractions; false if a number on the way has more than 32 bits, so that products
// of two and their differences fit.
func determinant(rows [][]int64) (d int64, ok bool) {
	n, sign, prev := len(rows), int64(1), int64(1)
	if n == 0 {
		return 1, true
	}
	m := make([][]int64, n)
	for i, row := range rows {
		m[i] = slices.Clone(row)
		if slices.ContainsFunc(row, wide) {
			return 0, false
		}
	}
	for k := 0; k < n-1; k++ {
		if m[k][k] == 0 {
			swap := -1
			for i := k + 1; i < n; i++ {
				if m[i][k] != 0 {
					swap = i
					break
				}
			}
			if swap < 0 {
				return 0, true
			}
			m[k], m[swap] = m[swap], m[k]
			sign = -sign
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				m[i][j] = (m[i][j]*m[k][k] - m[i][k]*m[k][j]) / prev
				if wide(m[i][j]) {
					return 0, false
				}
			}
		}
		prev = m[k][k]
	}
	return sign * m[n-1][n-1], true
}

// wide reports whether a number has more than 32 bits.
func wide(x int64) bool { return int64(int32(x)) != x }
