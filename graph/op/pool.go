package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// What the two pooling operators share.

func poolParams(more ...graph.Param) []graph.Param {
	return append([]graph.Param{
		{Name: "kh", Sort: intSort, Doc: "window height"},
		{Name: "kw", Sort: intSort, Doc: "window width"},
		{Name: "stride", Sort: graph.SortStride, Default: unit, Doc: "(vertical, horizontal)"},
		{Name: "pad", Sort: graph.SortPadding, Doc: "same_upper, same_lower, valid or (top, left, bottom, right)"},
	}, more...)
}

func inferPool(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	x := in[0]
	if len(x) != 4 || x.HasAxisRun() {
		return nil, fmt.Errorf("shape %s: want [b, c, h, w]", x)
	}
	if f.Empty(x[1:]) {
		return nil, fmt.Errorf("shape %s: the batch alone may be empty", x)
	}
	out := f.NormShape(x)
	for axis := 0; axis < 2; axis++ {
		k := f.Norm(dim(a, axis))
		if err := f.Le(graph.Int(1), k); err != nil {
			return nil, fmt.Errorf("kernel: %w", err)
		}
		d, err := graph.CheckWindow(f, x[2+axis].Dim, k, a[2], a[3], axis)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", x, err)
		}
		out[2+axis].Dim = f.Norm(d)
	}
	return one(out)
}

func poolFLOPs(a graph.Attrs, _, out [][]int) int64 {
	return graph.Product(graph.NumElements(out[0]), num(a, 0), num(a, 1))
}
