package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Slice keeps the positions lo <= i < hi along an axis.
var Slice = graph.Register(&graph.Op{
	Name: "slice", In: 1, Out: 1,
	Rearranges: true, Turns: 1,
	Class: "copy", Moves: true, AxisOf: sameAxis,
	Doc: "The part of a tensor at positions lo to hi-1 along an axis.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "axis that is sliced"},
		{Name: "lo", Sort: intSort, Doc: "first position kept"},
		{Name: "hi", Sort: intSort, Doc: "first position no longer kept"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		lo, hi := f.Norm(dim(a, 1)), f.Norm(dim(a, 2))
		if err := f.Le(graph.Int(0), lo); err != nil {
			return nil, fmt.Errorf("slice start: %w", err)
		}
		if err := f.Le(lo.Add(f.Least()), hi); err != nil {
			return nil, fmt.Errorf("slice %s to %s is empty: %w", lo, hi, err)
		}
		if err := f.Le(hi, x[i].Dim); err != nil {
			return nil, fmt.Errorf("slice of %s ends outside: %w", x, err)
		}
		return one(f.NormShape(x).With(i, hi.Sub(lo)))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		from := append([]graph.Index{}, at...)
		from[axis] = at[axis].Add(s.Size(dim(a, 1)))
		return graph.EntryRead(0, from...), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		axis, lo, hi := num(b.Attrs, 0), num(b.Attrs, 1), num(b.Attrs, 2)
		return []graph.Tensor{b.PadAxis(b.D[0], axis, lo, b.Sizes(b.In[0])[axis]-hi)}
	},
})
