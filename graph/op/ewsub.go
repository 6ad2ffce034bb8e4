package op

import "github.com/taso-go/taso/graph"

// EWSub is element-wise subtraction of two tensors of one shape; it does not
// broadcast.
var EWSub = graph.Register(&graph.Op{
	Name: "ewsub", In: 2, Out: 1,
	Class: "pointwise", Elementwise: true,
	Doc:   "Difference of two tensors of the same shape, element by element.",
	Infer: sameShape,
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryAdd(graph.EntryRead(0, at...), minus(graph.EntryRead(1, at...))), nil
	},
})
