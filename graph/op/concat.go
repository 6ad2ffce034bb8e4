package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Concat joins two tensors along an axis; all other sizes must agree.
var Concat = graph.Register(&graph.Op{
	Name: "concat", In: 2, Out: 1,
	Rearranges: true, Turns: 2,
	Class: "copy", Moves: true,
	AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
		if axis == num(a, 0) {
			return sameAxis(a, ranks, axis)
		}
		return []graph.OperandAxis{{Operand: 0, Axis: axis}, {Operand: 1, Axis: axis}}
	},
	Doc:    "Two tensors concatenated along an axis.",
	Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis of concatenation"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, y := in[0], in[1]
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		if len(y) != len(x) || y[i].AxisRun != "" {
			return nil, fmt.Errorf("shapes %s and %s cannot be joined along axis %s", x, y, dim(a, 0))
		}
		if err := f.EqShape(x, y.With(i, x[i].Dim)); err != nil {
			return nil, fmt.Errorf("shapes %s and %s differ beside axis %s: %w", f.NormShape(x), f.NormShape(y), dim(a, 0), err)
		}
		return one(f.NormShape(x.With(i, x[i].Dim.Add(y[i].Dim))))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		first := s.Size(in[0][axis].Dim)
		behind := append([]graph.Index{}, at...)
		behind[axis] = at[axis].Sub(first)
		return graph.EntryAdd(
			graph.EntryWhen(graph.EntryRead(0, at...), graph.GuardLt(at[axis], first)),
			graph.EntryWhen(graph.EntryRead(1, behind...), graph.GuardLe(first, at[axis])),
		), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		axis := num(b.Attrs, 0)
		first, all := b.Sizes(b.In[0])[axis], b.Sizes(b.D[0])[axis]
		return []graph.Tensor{b.Slice(b.D[0], axis, 0, first), b.Slice(b.D[0], axis, first, all)}
	},
})
