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
	Mean: func(_ graph.Attrs, in, _ [][]int) (*graph.Meaning, error) {
		var p program
		n := graph.NumElements(in[0])
		p.add(0, p.neg(1, n), n)
		return p.done(), nil
	},
})
