package op

import "github.com/taso-go/taso/graph"

// EWAdd is element-wise addition of two tensors of one shape; it does not
// broadcast.
var EWAdd = graph.Register(&graph.Op{
	Name: "ewadd", In: 2, Out: 1, Commutative: true,
	Doc:   "Sum of two tensors of the same shape, element by element.",
	Infer: sameShape,
	Mean: func(_ graph.Attrs, in, _ [][]int) (*graph.Meaning, error) {
		return binary(graph.StepAdd, in), nil
	},
})
