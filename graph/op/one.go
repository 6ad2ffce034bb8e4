package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// One is the tensor of ones of a given shape.
var One = graph.Register(&graph.Op{
	Name: "one", In: 0, Out: 1,
	Class:  "constant",
	Doc:    "Tensor of ones.",
	Params: []graph.Param{{Name: "shape", Sort: "shape", Doc: "its shape"}},
	Infer: func(f *graph.Facts, a graph.Attrs, _ []graph.Shape) ([]graph.Shape, error) {
		s, ok := a[0].Shape()
		if !ok {
			return nil, fmt.Errorf("%s is not a shape", a[0])
		}
		s = f.NormShape(s)
		for _, it := range s {
			if it.Run == "" {
				if err := f.Le(graph.Int(1), it.Dim); err != nil {
					return nil, err
				}
			}
		}
		return one(s)
	},
	Entry: func(*graph.Space, graph.Attrs, []graph.Shape, []graph.Index) (*graph.Expr, error) {
		return graph.EntryNumber(graph.IndexInt(1)), nil
	},
})
