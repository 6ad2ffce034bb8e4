package op

import "github.com/taso-go/taso/graph"

// ReduceMean is the average along axes.
var ReduceMean = graph.Register(&graph.Op{
	Name: "reducemean", In: 1, Out: 1, Params: reduceParams(),
	Class: "reduce",
	Doc:   "Average along axes.",
	Infer: inferReduce,
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		from, bounds := entryReduce(s, a, in, at)
		return graph.EntryMul(graph.EntryInv(countOf(s, bounds)), graph.EntrySum(graph.EntryRead(0, from...), bounds)), nil
	},
	FLOPs: perElement(1),
})
