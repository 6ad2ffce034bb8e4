package verifymodels

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// matmul is the product of [B.., m, k] and [B.., k, n]. The columns of the
// second factor are copied to rows, so that every entry is a dot product.
func matmul[T any](f field[T], x, y interp.Tensor[T], out []int) interp.Tensor[T] {
	r := len(out)
	m, n, k := out[r-2], out[r-1], x.Sizes[r-1]
	res := interp.Tensor[T]{Sizes: out, Data: make([]T, graph.NumElements(out))}
	cols := make([]T, n*k)
	for b := 0; b*m*n < len(res.Data); b++ {
		a, c := x.Data[b*m*k:(b+1)*m*k], y.Data[b*k*n:(b+1)*k*n]
		for p := 0; p < k; p++ {
			for j, v := range c[p*n : (p+1)*n] {
				cols[j*k+p] = v
			}
		}
		rows(f, res.Data[b*m*n:(b+1)*m*n], a, cols, k)
	}
	return res
}

// rows sets out[i*n+j] to the product of row i of a and row j of b; rows have k
// elements. The rows of b are taken in blocks that stay in the cache.
func rows[T any](f field[T], out, a, b []T, k int) {
	m, n := len(a)/k, len(b)/k
	block := max(1<<14/k, 1)
	for first := 0; first < n; first += block {
		last := min(first+block, n)
		for i := 0; i < m; i++ {
			row := a[i*k : (i+1)*k]
			for j := first; j < last; j++ {
				out[i*n+j] = f.dot(row, b[j*k:(j+1)*k])
			}
		}
	}
}

// conv2d is the convolution of x [b, c, h, w] with w [o, c/groups, kh, kw]: the
// cells under each window are copied to a row, zeros outside the image.
func conv2d[T any](f field[T], op *graph.Op, a graph.Attrs, x, w interp.Tensor[T], out []int) ([]interp.Tensor[T], error) {
	get := func(name string) graph.Value { return a[op.ParamIndex(name)] }
	stride, pad := get("stride"), get("pad")
	var before [2]int
	for axis := range before {
		var err error
		if before[axis], _, err = graph.WindowPads(x.Sizes[2+axis], w.Sizes[2+axis], stride, pad, axis); err != nil {
			return nil, fmt.Errorf("operator conv2d: %w", err)
		}
	}
	st, _ := stride.Tuple()
	gd, _ := get("groups").Dim()
	gc, ok := gd.Const()
	if !ok {
		return nil, fmt.Errorf("operator conv2d: groups %s is not a number", gd)
	}
	groups := int(gc)
	o, c, kh, kw := w.Sizes[0], w.Sizes[1], w.Sizes[2], w.Sizes[3]
	k, per := c*kh*kw, o/groups
	h, v := out[2], out[3]
	res := interp.Tensor[T]{Sizes: out, Data: make([]T, graph.NumElements(out))}
	zero := f.fromInt(0)
	cells := make([]T, h*v*k)
	for b := 0; b < out[0]; b++ {
		for g := 0; g < groups; g++ {
			at := 0
			for i := 0; i < h; i++ {
				for j := 0; j < v; j++ {
					for q := 0; q < c; q++ {
						plane := x.Data[(b*x.Sizes[1]+g*c+q)*x.Sizes[2]*x.Sizes[3]:]
						for r := 0; r < kh; r++ {
							row := i*int(st[0]) + r - before[0]
							for s := 0; s < kw; s++ {
								col := j*int(st[1]) + s - before[1]
								cells[at] = zero
								if row >= 0 && row < x.Sizes[2] && col >= 0 && col < x.Sizes[3] {
									cells[at] = plane[row*x.Sizes[3]+col]
								}
								at++
							}
						}
					}
				}
			}
			to := (b*o + g*per) * h * v
			rows(f, res.Data[to:to+per*h*v], w.Data[g*per*k:(g+1)*per*k], cells, k)
		}
	}
	if act, _ := get("act").Name(); act != "none" {
		fn := f.FnOf(act)
		for i, e := range res.Data {
			res.Data[i] = fn(e)
		}
	}
	return []interp.Tensor[T]{res}, nil
}
