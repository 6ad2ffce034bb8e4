package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Split cuts a tensor in two along an axis at an explicit position. It is
// derived: its outputs are two slices.
var Split = graph.Register(&graph.Op{
	Name: "split", In: 1, Out: 2,
	Class: "copy", Moves: true, AxisOf: sameAxis,
	Doc: "A tensor split in two along an axis: before a position, and from it on.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "axis that is split"},
		{Name: "at", Sort: intSort, Doc: "first position of the second part"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		at := f.Norm(dim(a, 1))
		if err := f.Le(f.Least(), at); err != nil {
			return nil, fmt.Errorf("first part is empty: %w", err)
		}
		if err := f.Le(at.Add(f.Least()), x[i].Dim); err != nil {
			return nil, fmt.Errorf("second part of %s cut at %s is empty: %w", x, at, err)
		}
		n := f.NormShape(x)
		return []graph.Shape{n.With(i, at), n.With(i, n[i].Dim.Sub(at))}, nil
	},
	ExpandsTo: []*graph.Op{Slice},
	Expand: func(a graph.Attrs, in []graph.Shape) ([]graph.Prim, error) {
		i, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		zero, end := graph.IntValue(0), graph.DimValue(in[0][i].Dim)
		return []graph.Prim{
			{Op: Slice, Attrs: graph.Attrs{a[0], zero, a[1]}},
			{Op: Slice, Attrs: graph.Attrs{a[0], a[1], end}},
		}, nil
	},
	// Both parts beside each other; zeros for one that nothing depends on.
	Grad: func(b *graph.Backward) []graph.Tensor {
		axis, at := num(b.Attrs, 0), num(b.Attrs, 1)
		switch {
		case b.D[0] == graph.Tensor{}:
			return []graph.Tensor{b.PadAxis(b.D[1], axis, at, 0)}
		case b.D[1] == graph.Tensor{}:
			return []graph.Tensor{b.PadAxis(b.D[0], axis, 0, b.Sizes(b.In[0])[axis]-at)}
		}
		return []graph.Tensor{b.Concat(axis, b.D[0], b.D[1])}
	},
})
