package extract

import (
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// maxRows is how many rows a linear program may have: gonum's simplex is dense and
// solves a system of that size at every step.
const maxRows = 100

// shares says how much of the price of a kid each class that uses it pays: one
// number for each class and each kid of any of its ways, in the order of kidsOf.
type shares struct {
	kids [][]int32
	at   []int // index of the first share of a class
	pay  []int64
}

// priced is a lower bound on the cost of a core, for any shares that are not
// negative. It is Lagrange's: that a class is chosen if another uses it is not asked
// for any more, but users pay for what they use, and a class earns what its users
// could pay. Then each class decides for itself. Shares that make the bound largest
// make it the optimum of the linear relaxation in which ways are chosen by
// fractions. Cycles are not excluded, so the bound may stay far below where they
// are cheap; see landmarks. It is computed in integers: whatever the shares are, no
// choice costs less.
func (c *core) priced(s *shares) int64 {
	earns := make([]int64, len(c.ways))
	for k, js := range s.kids {
		for x, j := range js {
			earns[j] += s.pay[s.at[k]+x]
		}
	}
	root := make([]bool, len(c.ways))
	for _, r := range c.roots {
		root[r] = true
	}
	var bound int64
	for k, ws := range c.ways {
		if len(ws) == 0 {
			continue
		}
		least := int64(-1)
		for i := range ws {
			cost := ws[i].cost
			for _, j := range ws[i].kids {
				x, _ := slices.BinarySearch(s.kids[k], j)
				cost += s.pay[s.at[k]+x]
			}
			if least < 0 || cost < least {
				least = cost
			}
		}
		if least -= earns[k]; root[k] || least < 0 {
			bound += least
		}
	}
	return bound
}

// linear is the bound of the linear relaxation, or false if the core is too large
// for it or the simplex method fails. The program that is solved is the dual one,
// whose variables are the shares, so that what the bound rests on is not the
// floating-point result but priced.
func (c *core) linear() (int64, bool) {
	s := &shares{kids: c.kidsOf(), at: make([]int, len(c.ways)+1)}
	root := make([]bool, len(c.ways))
	for _, r := range c.roots {
		root[r] = true
	}
	var dear int64
	rows := 0
	for k, ws := range c.ways {
		s.at[k+1] = s.at[k] + len(s.kids[k])
		rows += len(ws)
		if len(ws) > 0 && !root[k] {
			rows++
		}
		for i := range ws {
			dear = max(dear, ws[i].cost)
		}
	}
	if rows > maxRows || dear == 0 {
		return 0, false
	}
	// Columns: what each class costs its users, the shares, a slack for each row.
	edges := s.at[len(c.ways)]
	n := len(c.ways) + edges
	a := mat.NewDense(rows, n+rows, nil)
	b := make([]float64, rows)
	value := make([]float64, n+rows) // to be made least
	basic := make([]int, rows)
	row := 0
	used := make([]bool, n)
	set := func(col int, x float64) {
		a.Set(row, col, a.At(row, col)+x)
		used[col] = true
	}
	next := func() {
		a.Set(row, n+row, 1)
		basic[row] = n + row
		row++
	}
	for k, ws := range c.ways {
		for i := range ws {
			set(k, 1)
			for _, j := range ws[i].kids {
				x, _ := slices.BinarySearch(s.kids[k], j)
				set(len(c.ways)+s.at[k]+x, -1)
			}
			b[row] = float64(ws[i].cost) / float64(dear)
			next()
		}
		if root[k] {
			value[k] = -1
		}
	}
	rowOf := make([]int, len(c.ways))
	for k, ws := range c.ways {
		if len(ws) > 0 && !root[k] {
			set(k, -1)
			rowOf[k] = row
			next()
		}
	}
	for k, js := range s.kids {
		for x, j := range js {
			col := len(c.ways) + s.at[k] + x
			if root[j] {
				value[col]++
			} else {
				a.Set(rowOf[j], col, a.At(rowOf[j], col)+1)
			}
		}
	}
	// Classes without ways have columns of zeros, which the solver refuses.
	var cols []int
	for col := range n + rows {
		if col >= n || used[col] {
			cols = append(cols, col)
		}
	}
	small := mat.NewDense(rows, len(cols), nil)
	cost := make([]float64, len(cols))
	for x, col := range cols {
		for r := range rows {
			small.Set(r, x, a.At(r, col))
		}
		cost[x] = value[col]
		if col >= n {
			basic[col-n] = x
		}
	}
	_, x, err := lp.Simplex(cost, small, b, 1e-10, basic)
	if err != nil && x == nil {
		return 0, false
	}
	s.pay = make([]int64, edges)
	for i, col := range cols {
		if col >= len(c.ways) && col < n && x[i] > 0 {
			s.pay[col-len(c.ways)] = int64(x[i] * float64(dear))
		}
	}
	return c.priced(s), true
}
