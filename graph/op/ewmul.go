package op

import "github.com/taso-go/taso/graph"

// EWMul is element-wise multiplication of two tensors of one shape; it does
// not broadcast.
var EWMul = graph.Register(&graph.Op{
	Name: "ewmul", In: 2, Out: 1, Commutative: true,
	Class: "pointwise", Elementwise: true,
	Doc:   "Product of two tensors of the same shape, element by element.",
	Infer: sameShape,
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryMul(graph.EntryRead(0, at...), graph.EntryRead(1, at...)), nil
	},
})
