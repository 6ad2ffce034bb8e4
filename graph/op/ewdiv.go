package op

import "github.com/taso-go/taso/graph"

// EWDiv is element-wise division of two tensors of one shape: the first times
// the reciprocal of the second. It does not broadcast.
var EWDiv = graph.Register(&graph.Op{
	Name: "ewdiv", In: 2, Out: 1,
	Class: "pointwise", Elementwise: true,
	Doc:   "Quotient of two tensors of the same shape, element by element.",
	Infer: sameShape,
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryMul(graph.EntryRead(0, at...), graph.EntryFn(text("reciprocal"), graph.EntryRead(1, at...))), nil
	},
})
