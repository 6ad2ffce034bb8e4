package check

import (
	"fmt"
	"math"
)

// inferDefined is the shape rule of an operator that a text defines: for operands of fixed sizes
// the shape that the text gives.
func (a *application) inferDefined() (shape, error) {
	d, ok := a.op.Definition.(interface {
		Sizes(in [][]int) ([]int, error)
	})
	if !ok {
		return nil, fmt.Errorf("the checker has no shape rule for operator %s", a.op.Name)
	}
	in := make([][]int, len(a.in))
	for i, s := range a.in {
		for _, it := range s {
			n, ok := it.size.number()
			if !ok || it.run != "" || !n.IsInt64() || n.Int64() > math.MaxInt32 {
				return nil, fmt.Errorf("operator %s is defined by a text, and the checker knows its shape only for fixed sizes; an operand has shape %s", a.op.Name, s)
			}
			in[i] = append(in[i], int(n.Int64()))
		}
	}
	sizes, err := d.Sizes(in)
	if err != nil {
		return nil, err
	}
	out := make(shape, len(sizes))
	for k, n := range sizes {
		out[k] = item{size: num(int64(n))}
	}
	return out, nil
}
