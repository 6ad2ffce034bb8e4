package op

import "github.com/taso-go/taso/graph"

// Iota is the numbers 0, 1, 2, ..., n-1: the places along an axis.
var Iota = graph.Register(&graph.Op{
	Name: "iota", In: 0, Out: 1,
	Class:  "constant",
	Doc:    "The numbers from 0 to n-1.",
	Params: []graph.Param{{Name: "n", Sort: intSort, Doc: "how many"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, _ []graph.Shape) ([]graph.Shape, error) {
		n, err := positive(f, a)
		if err != nil {
			return nil, err
		}
		return one(graph.ShapeOf(n...))
	},
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryNumber(at[0]), nil
	},
})
