package op

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// BatchNorm is batch normalization at inference (Ioffe, Szegedy, arXiv
// 1502.03167): for each channel, axis 1, (x - mean) / sqrt(variance + eps) *
// scale + bias with the stored mean and variance.
var BatchNorm = graph.Register(&graph.Op{
	Name: "batchnorm", In: 5, Out: 1, Partial: true,
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
	// The mean and the variance are operands like any other.
	Grad: func(b *graph.Backward) []graph.Tensor {
		x, d, scale := b.In[0], b.D[0], b.In[1]
		sizes := b.Sizes(x)
		beside := []int{0} // all axes but that of the channels
		column := slices.Repeat([]int{1}, len(sizes)-1)
		column[0] = sizes[1]
		for i := 2; i < len(sizes); i++ {
			beside = append(beside, i)
		}
		all := func(y graph.Tensor) graph.Tensor { return b.Broadcast(b.Reshape(y, column...), sizes...) }
		sum := func(y graph.Tensor) graph.Tensor { return b.Sum(y, false, beside...) }
		r := b.Op("rsqrt", graph.Named{"eps": b.Attrs[0]}, b.In[4])
		gain := b.Mul(scale, r)
		moment, total := sum(b.Mul(d, b.Sub(x, all(b.In[3])))), sum(d)
		dv := b.Times(b.Mul(b.Mul(moment, gain), b.Mul(r, r)), -1, 2)
		return []graph.Tensor{b.Mul(d, all(gain)), b.Mul(moment, r), total, b.Op("neg", nil, b.Mul(total, gain)), dv}
	},
})
