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
	Infer: func(f *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		if len(x) < 2 || x[:2].HasRun() {
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
				graph.EntryFn(text("rsqrt", a[0]), of(4)), of(1)),
			of(2)), nil
	},
	Mean: func(a graph.Attrs, in, _ [][]int) (*graph.Meaning, error) {
		x := in[0]
		n, c := graph.NumElements(x), x[1]
		per := graph.NumElements(x[2:])
		channel := make([]int32, n)
		for i := range channel {
			channel[i] = int32(i / per % c)
		}
		var p program
		apart := p.add(0, p.gather(p.neg(3, c), channel), n)
		factor := p.mul(p.fn(graph.FuncText("rsqrt", a[0]), 4, c), 1, c)
		p.add(p.mul(apart, p.gather(factor, channel), n), p.gather(2, channel), n)
		return p.done(), nil
	},
	FLOPs: perElement(2),
})
