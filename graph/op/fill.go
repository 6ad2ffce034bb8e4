package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Fill is a tensor all of whose elements are one number, value/den. The number is
// written in two parts so that a third is one, and so that a law can divide by a size.
var Fill = graph.Register(&graph.Op{
	Name: "fill", In: 0, Out: 1,
	Class: "constant",
	Doc:   "Tensor of which every element is the number value/den.",
	Params: []graph.Param{
		{Name: "shape", Sort: "shape", Doc: "its shape"},
		{Name: "value", Sort: graph.SortNumber, Default: graph.NumberValue(1), Doc: "numerator of the number"},
		{Name: "den", Sort: intSort, Default: graph.IntValue(1), Doc: "denominator, at least 1"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, _ []graph.Shape) ([]graph.Shape, error) {
		s, err := targetShape(f, a[0])
		if err != nil {
			return nil, err
		}
		if err := f.Le(graph.Int(1), f.Norm(dim(a, 2))); err != nil {
			return nil, fmt.Errorf("den: %w", err)
		}
		return one(s)
	},
	Entry: func(s *graph.Space, a graph.Attrs, _ []graph.Shape, _ []graph.Index) (*graph.Expr, error) {
		v := entryNumber(a[1])
		if v == nil {
			v = graph.EntryNumber(graph.IndexInt(0))
		}
		if n := dim(a, 2); n != graph.Int(1) {
			v = graph.EntryMul(v, graph.EntryInv(graph.EntryNumber(s.Size(n))))
		}
		return v, nil
	},
})
