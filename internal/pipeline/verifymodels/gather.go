package verifymodels

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// gather copies the parts of x at the positions idx along an axis. A position
// that is no number of a row is a sum over all rows, if the field has weights for
// it ([field.spread]), and an unknown function of the position otherwise.
func gather[T any](f field[T], op *graph.Op, a graph.Attrs, x, idx interp.Tensor[T], out []int) ([]interp.Tensor[T], error) {
	d, _ := a[op.ParamIndex("axis")].Dim()
	c, ok := d.Const()
	if !ok || c < 0 || int(c) >= len(x.Sizes) {
		return nil, fmt.Errorf("operator gather: axis %s of %d", d, len(x.Sizes))
	}
	axis := int(c)
	rowsOf, inner := x.Sizes[axis], graph.NumElements(x.Sizes[axis+1:])
	outer := graph.NumElements(x.Sizes[:axis])
	res := interp.Tensor[T]{Sizes: out, Data: make([]T, graph.NumElements(out))}
	n := len(idx.Data)
	mixed := map[int]int{} // place in idx to row of weights
	var weights []T
	for j, at := range idx.Data {
		k, ok := f.Integer(at)
		if k < 0 {
			k += int64(rowsOf)
		}
		if ok && k >= 0 && k < int64(rowsOf) {
			for o := range outer {
				copy(res.Data[(o*n+j)*inner:(o*n+j+1)*inner], x.Data[(o*rowsOf+int(k))*inner:])
			}
			continue
		}
		w := f.spread(at, rowsOf)
		if w == nil {
			unknown := f.Fn("outside", at)
			for o := range outer {
				for i := range inner {
					res.Data[(o*n+j)*inner+i] = unknown
				}
			}
			continue
		}
		mixed[j] = len(mixed)
		weights = append(weights, w...)
	}
	if len(mixed) == 0 {
		return []interp.Tensor[T]{res}, nil
	}
	h := interp.Tensor[T]{Sizes: []int{len(mixed), rowsOf}, Data: weights}
	for o := range outer {
		table := interp.Tensor[T]{Sizes: []int{rowsOf, inner}, Data: x.Data[o*rowsOf*inner : (o+1)*rowsOf*inner]}
		sums := matmul(f, h, table, []int{len(mixed), inner})
		for j, r := range mixed {
			copy(res.Data[(o*n+j)*inner:(o*n+j+1)*inner], sums.Data[r*inner:(r+1)*inner])
		}
	}
	return []interp.Tensor[T]{res}, nil
}
