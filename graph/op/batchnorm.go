package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// BatchNorm is batch normalization at inference (Ioffe, Szegedy, arXiv
// 1502.03167): for each channel, axis 1, (x - mean) / sqrt(variance + eps) *
// scale + bias with the stored mean and variance.
var BatchNorm = graph.Register(&graph.Op{
	Name: "batchnorm", In: 5, Out: 1,
	Class: "pointwise", Weights: afterFirst,
	Doc:    "Batch normalization with stored statistics: inputs x [n, c, S..], scale, bias, mean and variance [c]; (x - mean)/sqrt(variance + eps)*scale + bias for each channel.",
	Params: []graph.Param{{Name: "eps", Sort: graph.SortNumber, Doc: "added to the variance"}},
	Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		if len(x) < 2 || x[:2].HasAxisRun() {
			return nil, fmt.Errorf("shape %s: want [n, c, S..]", x)
		}
		for k, what := range []string{"scale", "bias", "mean", "variance"} {
			if err := f.EqShape(in[k+1], x[1:2]); err != nil {
				return nil, fmt.Errorf("%s of shape %s, want %s: %w", what, in[k+1], x[1:2], err)
			}
		}
		return one(f.NormShape(x))
	},
	Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		of := func(in int) *graph.Expr { return graph.EntryRead(in, at[1]) }
		return graph.EntryAdd(
			graph.EntryMul(graph.EntryAdd(graph.EntryRead(0, at...), minus(of(3))),
				graph.EntryMul(graph.EntryFn(text("rsqrt", a[0]), of(4)), of(1))),
			of(2)), nil
	},
	FLOPs: perElement(2),
})
