package op

import "github.com/taso-go/taso/graph"

// EWMax is the larger of two elements, for two tensors of one shape; it does
// not broadcast.
var EWMax = graph.Register(&graph.Op{
	Name: "ewmax", In: 2, Out: 1, Commutative: true,
	Class: "pointwise", Elementwise: true,
	Doc:   "The larger one of the elements of two tensors of the same shape.",
	Infer: sameShape,
	Entry: func(s *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return entryLarger(s, graph.EntryRead(0, at...), graph.EntryRead(1, at...)), nil
	},
})

// entryLarger is the larger of two expressions: the maximum over k of 0 and 1
// of the one with that number.
func entryLarger(s *graph.Space, x, y *graph.Expr) *graph.Expr {
	k := s.Var("k")
	first := graph.EntryWhen(x, graph.GuardEq(k.Index(), graph.IndexInt(0)))
	second := graph.EntryWhen(y, graph.GuardEq(k.Index(), graph.IndexInt(1)))
	return graph.EntryMax(graph.EntryAdd(first, second), []graph.Bound{{Var: k, N: graph.IndexInt(2)}})
}
