package op

import "github.com/taso-go/taso/graph"

// IConv is the kernel of the identity convolution on c channels: 1 at
// [i, i, floor(kh/2), floor(kw/2)].
var IConv = graph.Register(&graph.Op{
	Name: "iconv", In: 0, Out: 1,
	Class: "constant",
	Doc:   "Kernel [c, c, kh, kw] of the identity convolution: 1 at the center of each diagonal kernel, 0 elsewhere.",
	Params: []graph.Param{
		{Name: "c", Sort: intSort, Doc: "channels"},
		{Name: "kh", Sort: intSort, Doc: "height"},
		{Name: "kw", Sort: intSort, Doc: "width"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, _ []graph.Shape) ([]graph.Shape, error) {
		d, err := positive(f, a)
		if err != nil {
			return nil, err
		}
		return one(graph.ShapeOf(d[0], d[0], d[1], d[2]))
	},
	Entry: func(s *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryWhen(graph.EntryNumber(graph.IndexInt(1)), graph.GuardEq(at[0], at[1]),
			graph.GuardEq(at[2], s.Div(s.Size(dim(a, 1)), 2)), graph.GuardEq(at[3], s.Div(s.Size(dim(a, 2)), 2))), nil
	},
})
