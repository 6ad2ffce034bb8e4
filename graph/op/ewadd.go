package op

import "github.com/taso-go/taso/graph"

// EWAdd is element-wise addition of two tensors of one shape; it does not
// broadcast.
var EWAdd = graph.Register(&graph.Op{
	Name: "ewadd", In: 2, Out: 1, Commutative: true,
	Class: "pointwise", Elementwise: true,
	Doc:   "Sum of two tensors of the same shape, element by element.",
	Infer: sameShape,
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryAdd(graph.EntryRead(0, at...), graph.EntryRead(1, at...)), nil
	},
})
