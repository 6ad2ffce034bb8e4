package op

import "github.com/taso-go/taso/graph"

// PoolMax is the maximum over a sliding window; cells outside the image are
// left out.
var PoolMax = graph.Register(&graph.Op{
	Name: "poolmax", In: 1, Out: 1, Params: poolParams(),
	Class: "pool", AxisOf: beforeImage,
	Doc:   "Maximum over a sliding window; elements outside the image are ignored.",
	Infer: inferPool,
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		win := entryWindow(s, in[0][2].Dim, in[0][3].Dim, dim(a, 0), dim(a, 1), a[2], a[3], unit, at)
		return graph.EntryMax(graph.EntryRead(0, at[0], at[1], win.cell[0], win.cell[1]), win.over, win.inside...), nil
	},
	FLOPs: poolFLOPs,
	Grad:  gradPoolMax,
})
