package interp

import "github.com/taso-go/taso/graph"

// Dots is a ring with a fast sum of products. Sums of products are then products of
// matrices of which one holds copies, as of the cells under a window, where the
// operand has no rows to read. That takes fewer steps than lists of places, and no
// room for these; where arithmetic rounds, the order of the sums is Dot's.
type Dots[T any] interface {
	// Dot is the sum of x[i]*y[i]; the slices have one length.
	Dot(x, y []T) T
}

// Absent is a ring that tells where a sum of products has no term from one with the
// factor 0: its Dot is given Absent() there.
type Absent[T any] interface{ Absent() T }

// rows are the rows of a factor that are not 0, and what each adds to the place in
// the result.
type rows[T any] struct {
	out []int
	row [][]T
}

// rowsOf reads the rows of a factor. A row that lies in the operand is not copied.
func rowsOf[T any](r Ring[T], f *graph.Rows, k int, fixed []int, x []T) rows[T] {
	zero := r.Rat(0, 1)
	if a, ok := r.(Absent[T]); ok {
		zero = a.Absent()
	}
	all := make([][]T, f.Count)
	var free []T
	at := func(i int) []T {
		if all[i] == nil {
			if len(free) < k {
				free = make([]T, k*min(f.Count-i, max(1<<20/k, 1)))
				for i := range free {
					free[i] = zero
				}
			}
			all[i], free = free[:k:k], free[k:]
		}
		return all[i]
	}
	f.Each(fixed, func(s *graph.Stretch) {
		from, to, last := s.From, s.To, s.From+s.By*(s.N-1)
		inside := uint(from) < uint(len(x)) && uint(last) < uint(len(x))
		switch {
		case inside && s.RowStep == 0 && s.N == k && to == 0 && (k == 1 || s.By == 1 && s.Step == 1):
			all[s.Row] = x[from : from+k]
		case inside && s.RowStep == 0:
			row := at(s.Row)
			for range s.N {
				row[to] = x[from]
				to, from = to+s.Step, from+s.By
			}
		default:
			for j := range s.N {
				if uint(from) < uint(len(x)) { // else the other factor is 0 there
					at(s.Row + j*s.RowStep)[to] = x[from]
				}
				to, from = to+s.Step, from+s.By
			}
		}
	})
	res := rows[T]{out: f.Outs(fixed), row: all}
	n := 0
	for i, row := range all {
		if row != nil {
			res.out[n], res.row[n] = res.out[i], row
			n++
		}
	}
	res.out, res.row = res.out[:n], res.row[:n]
	return res
}

// dots evaluates a sum of products by rows.
func dots[T any](r Ring[T], d Dots[T], st *graph.Step, fs []graph.Factors, x, y, out []T) {
	zero := r.Rat(0, 1)
	for i := range out {
		out[i] = zero
	}
	for i := range fs {
		f := &fs[i]
		var left, right rows[T]
		graph.Each(f.Fixed, func(flat int, at []int) {
			if flat == 0 || f.Left.Varies {
				left = rowsOf(r, &f.Left, f.K, at, x)
			}
			if flat == 0 || f.Right.Varies {
				right = rowsOf(r, &f.Right, f.K, at, y)
			}
			multiply(r, d, left, right, f.K, out, len(fs) == 1)
		})
	}
	for i := range out {
		out[i] = scale(r, out[i], st)
	}
}

// multiply adds the products of all rows; alone says that nothing was added before.
// The rows of b are taken in blocks that stay in the cache.
func multiply[T any](r Ring[T], d Dots[T], a, b rows[T], k int, out []T, alone bool) {
	block := max(1<<14/k, 1)
	for first := 0; first < len(b.row); first += block {
		last := min(first+block, len(b.row))
		for i, row := range a.row {
			for j := first; j < last; j++ {
				p := &out[a.out[i]+b.out[j]]
				if v := d.Dot(row, b.row[j]); alone {
					*p = v
				} else {
					*p = r.Add(*p, v)
				}
			}
		}
	}
}
