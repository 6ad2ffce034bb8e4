package op

import "github.com/taso-go/taso/graph"

// ReduceMax is the largest element along axes.
var ReduceMax = graph.Register(&graph.Op{
	Name: "reducemax", In: 1, Out: 1, Params: reduceParams(),
	Class: "reduce",
	Doc:   "The largest element along axes.",
	Infer: inferReduce,
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		from, bounds := entryReduce(s, a, in, at)
		return graph.EntryMax(graph.EntryRead(0, from...), bounds), nil
	},
	FLOPs: perElement(1),
})
