package op

import "github.com/taso-go/taso/graph"

// CPool is the depthwise kernel of an average: every entry is 1/(kh*kw).
var CPool = graph.Register(&graph.Op{
	Name: "cpool", In: 0, Out: 1,
	Class: "constant",
	Doc:   "Kernel [c, 1, kh, kw] of averaging as a convolution in c groups: every entry is 1/(kh*kw).",
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
		return one(graph.ShapeOf(d[0], graph.Int(1), d[1], d[2]))
	},
	Entry: func(s *graph.Space, a graph.Attrs, _ []graph.Shape, _ []graph.Index) (*graph.Expr, error) {
		return graph.EntryInv(graph.EntryMul(graph.EntryNumber(s.Size(dim(a, 1))), graph.EntryNumber(s.Size(dim(a, 2))))), nil
	},
})
