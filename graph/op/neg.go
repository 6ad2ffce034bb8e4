package op

import "github.com/taso-go/taso/graph"

// Neg is -x, element by element. It is linear and exact in every ring, so it is
// no function of which laws know nothing else.
var Neg = graph.Register(&graph.Op{
	Name: "neg", In: 1, Out: 1,
	Class: "pointwise", Elementwise: true,
	Doc:   "Negation, -x, element by element.",
	Infer: func(_ *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return one(in[0]) },
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return minus(graph.EntryRead(0, at...)), nil
	},
})
