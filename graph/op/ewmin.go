package op

import "github.com/taso-go/taso/graph"

// EWMin is the smaller of two elements, for two tensors of one shape; it does
// not broadcast. It is -max(-x, -y).
var EWMin = graph.Register(&graph.Op{
	Name: "ewmin", In: 2, Out: 1, Commutative: true,
	Class: "pointwise", Elementwise: true,
	Doc:   "The smaller one of the elements of two tensors of the same shape.",
	Infer: sameShape,
	Entry: func(s *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return minus(entryLarger(s, minus(graph.EntryRead(0, at...)), minus(graph.EntryRead(1, at...)))), nil
	},
})
