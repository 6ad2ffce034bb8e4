package op

import "github.com/taso-go/taso/graph"

// IMatMul is the identity matrix.
var IMatMul = graph.Register(&graph.Op{
	Name: "imatmul", In: 0, Out: 1,
	Class:  "constant",
	Doc:    "Identity matrix [n, n].",
	Params: []graph.Param{{Name: "n", Sort: intSort, Doc: "rows and columns"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, _ []graph.Shape) ([]graph.Shape, error) {
		d, err := positive(f, a)
		if err != nil {
			return nil, err
		}
		return one(graph.ShapeOf(d[0], d[0]))
	},
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryWhen(graph.EntryNumber(graph.IndexInt(1)), graph.GuardEq(at[0], at[1])), nil
	},
})
