package op

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Reverse puts the elements along axes in the opposite order: the kernel of a
// convolution's adjoint is the kernel reversed.
var Reverse = graph.Register(&graph.Op{
	Name: "reverse", In: 1, Out: 1,
	Rearranges: true,
	Class:      "copy", Moves: true,
	Doc:    "A tensor with the elements along axes in the opposite order.",
	Params: []graph.Param{{Name: "axes", Sort: "tuple", Doc: "axes that are reversed, ascending"}},
	AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
		if slices.Contains(ints(a[0]), axis) {
			return nil
		}
		return sameAxis(a, ranks, axis)
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if _, err := listedAxes(a, in[0]); err != nil {
			return nil, err
		}
		return one(f.NormShape(in[0]))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axes, err := listedAxes(a, in[0])
		if err != nil {
			return nil, err
		}
		from := slices.Clone(at)
		for _, i := range axes {
			from[i] = s.Size(in[0][i].Dim).AddInt(-1).Sub(at[i])
		}
		return graph.EntryRead(0, from...), nil
	},
	FLOPs: noFLOPs,
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Reverse(b.D[0], ints(b.Attrs[0])...)}
	},
})

// listedAxes are the axes of the first attribute as positions in a shape. An axis run
// may only stand behind them, since axes are counted from the front.
func listedAxes(a graph.Attrs, x graph.Shape) ([]int, error) {
	axes := ints(a[0])
	for i, n := range axes {
		if n < 0 || n >= len(x) || i > 0 && n <= axes[i-1] {
			return nil, fmt.Errorf("shape %s: axes %s: want ascending axes below %d", x, a[0], len(x))
		}
	}
	if len(axes) > 0 && x[:axes[len(axes)-1]+1].HasAxisRun() {
		return nil, fmt.Errorf("shape %s: an axis run stands before axis %d", x, axes[len(axes)-1])
	}
	return axes, nil
}
