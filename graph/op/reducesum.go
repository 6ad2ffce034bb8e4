package op

import "github.com/taso-go/taso/graph"

// ReduceSum is the sum along axes.
var ReduceSum = graph.Register(&graph.Op{
	Name: "reducesum", In: 1, Out: 1, Params: reduceParams(),
	Class: "reduce",
	Doc:   "Sum along axes.",
	Infer: inferReduce,
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		from, bounds := entryReduce(s, a, in, at)
		return graph.EntrySum(graph.EntryRead(0, from...), bounds), nil
	},
	FLOPs: perElement(1),
})
