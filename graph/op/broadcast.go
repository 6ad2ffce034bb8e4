package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Broadcast repeats a tensor along the axes that it has not, the way numpy and
// ONNX do for the operands of element-wise operators: shapes are aligned at
// the end, an axis of size 1 takes any size, and axes that are missing in front
// are added.
var Broadcast = graph.Register(&graph.Op{
	Name: "broadcast", In: 1, Out: 1,
	Rearranges: true,
	Class:      "copy", Moves: true,
	Doc:    "A tensor repeated to a larger shape: axes are aligned at the end, those of size 1 take any size, missing ones are added in front.",
	Params: []graph.Param{{Name: "shape", Sort: "shape", Doc: "shape of the result"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		to, err := targetShape(f, a[0])
		if err != nil {
			return nil, err
		}
		x := f.NormShape(in[0])
		front := len(to) - len(x)
		if front < 0 {
			return nil, fmt.Errorf("shape %s has more axes than %s", x, to)
		}
		for i := len(x) - 1; i >= 0; i-- {
			from, into := x[i], to[front+i]
			var err error
			switch {
			case from.AxisRun != into.AxisRun:
				err = fmt.Errorf("an axis run stands for itself only")
			case from.AxisRun == "" && from.Dim != graph.Int(1):
				err = f.Eq(from.Dim, into.Dim)
			}
			if err != nil {
				return nil, fmt.Errorf("shape %s cannot be broadcast to %s: %w", x, to, err)
			}
		}
		return one(f.NormShape(to))
	},
	Entry: func(_ *graph.Space, _ graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		from := append([]graph.Index{}, at[len(at)-len(in[0]):]...)
		for i, it := range in[0] {
			if it.Dim == graph.Int(1) {
				from[i] = graph.IndexInt(0)
			}
		}
		return graph.EntryRead(0, from...), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.SumTo(b.D[0], b.Sizes(b.In[0])...)}
	},
})
