package op

import "github.com/taso-go/taso/graph"

// One is the tensor of ones of a given shape.
var One = graph.Register(&graph.Op{
	Name: "one", In: 0, Out: 1,
	Class:  "constant",
	Doc:    "Tensor of ones.",
	Params: []graph.Param{{Name: "shape", Sort: "shape", Doc: "its shape"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, _ []graph.Shape) ([]graph.Shape, error) {
		s, err := targetShape(f, a[0])
		if err != nil {
			return nil, err
		}
		return one(s)
	},
	Entry: func(*graph.Space, graph.Attrs, []graph.Shape, []graph.Index) (*graph.Expr, error) {
		return graph.EntryNumber(graph.IndexInt(1)), nil
	},
})
