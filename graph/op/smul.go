package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// SMul multiplies every element of a tensor by a scalar (a tensor without
// axes).
var SMul = graph.Register(&graph.Op{
	Name: "smul", In: 2, Out: 1,
	Class: "pointwise", Elementwise: true,
	Doc: "Tensor times scalar; the second input has no axes.",
	Infer: func(_ *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if len(in[1]) != 0 {
			return nil, fmt.Errorf("second input has shape %s, want a scalar []", in[1])
		}
		return one(in[0])
	},
	Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return graph.EntryMul(graph.EntryRead(0, at...), graph.EntryRead(1)), nil
	},
})
