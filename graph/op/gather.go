package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Gather copies the parts of a tensor at given positions along an axis: the
// result has the axes of the positions in the place of that axis. A negative
// position counts from the end; with one that is outside it is not defined, as
// ONNX says.
var Gather = graph.Register(&graph.Op{
	Name: "gather", In: 2, Out: 1,
	Class: "gather", Moves: true,
	Doc:    "Slices of the first input at the indices in the second, along an axis; the axes of the indices replace that axis.",
	Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis that is indexed"}},
	Places: func(a graph.Attrs, in []graph.Shape) (int, graph.Dim, error) {
		i, err := in[0].Index(dim(a, 0))
		if err != nil {
			return 0, graph.Dim{}, err
		}
		return 1, in[0][i].Dim, nil
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, idx := f.NormShape(in[0]), f.NormShape(in[1])
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		if idx.HasAxisRun() {
			return nil, fmt.Errorf("positions of shape %s: want no axis runs", idx)
		}
		if f.Empty(x[i:i+1]) && !f.Empty(idx) {
			return nil, fmt.Errorf("shape %s: positions of shape %s along axis %s, which has no elements", x, idx, dim(a, 0))
		}
		out := append(graph.Shape{}, x[:i]...)
		return one(append(append(out, idx...), x[i+1:]...))
	},
	DTypes: positioned,
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		behind := axis + len(in[1])
		return s.EntryPick(graph.EntryRead(1, at[axis:behind]...), s.Size(in[0][axis].Dim), func(k graph.Index) *graph.Expr {
			return graph.EntryRead(0, append(append(append([]graph.Index{}, at[:axis]...), k), at[behind:]...)...)
		}), nil
	},
	FLOPs: noFLOPs,
	Grad: func(b *graph.Backward) []graph.Tensor {
		n := b.Sizes(b.In[0])[num(b.Attrs, 0)]
		return []graph.Tensor{b.Op("scatteradd", graph.Named{"axis": b.Attrs[0], "n": graph.IntValue(n)}, b.D[0], b.In[1]), {}}
	},
})
