package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// LayerNorm normalizes over the axes from axis to the last (Ba, Kiros, Hinton,
// arXiv 1607.06450): (x - mean) / sqrt(variance + eps) * scale + bias, where
// the variance is the average of (x - mean) squared.
var LayerNorm = graph.Register(&graph.Op{
	Name: "layernorm", In: 3, Out: 1, Partial: true,
	Class: "normalize", Weights: afterFirst,
	Doc: "Layer normalization of the axes from one to the last: (x - mean)/sqrt(variance + eps)*scale + bias; scale and bias have the shape of those axes.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "first axis that is normalized"},
		{Name: "eps", Sort: graph.SortNumber, Doc: "added to the variance"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		if x[i:].HasAxisRun() {
			return nil, fmt.Errorf("shape %s: an axis run stands behind axis %s", x, dim(a, 0))
		}
		if f.Empty(x[i:]) {
			return nil, fmt.Errorf("shape %s: no elements to normalize from axis %s on", x, dim(a, 0))
		}
		for k, what := range []string{"scale", "bias"} {
			if err := f.EqShape(in[k+1], x[i:]); err != nil {
				return nil, fmt.Errorf("%s of shape %s, want %s: %w", what, in[k+1], x[i:], err)
			}
		}
		return one(f.NormShape(x))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		first, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		average := func(of func(at []graph.Index) *graph.Expr) *graph.Expr {
			from := append([]graph.Index{}, at...)
			var bounds []graph.Bound
			for i := first; i < len(at); i++ {
				k := s.Var("k")
				from[i] = k.Index()
				bounds = append(bounds, graph.Bound{Var: k, N: s.Size(in[0][i].Dim)})
			}
			return graph.EntryMul(graph.EntryInv(countOf(s, bounds)), graph.EntrySum(of(from), bounds))
		}
		read := func(at []graph.Index) *graph.Expr { return graph.EntryRead(0, at...) }
		apart := func(at []graph.Index) *graph.Expr { return graph.EntryAdd(read(at), minus(average(read))) }
		variance := average(func(at []graph.Index) *graph.Expr { return graph.EntryMul(apart(at), apart(at)) })
		return graph.EntryAdd(
			graph.EntryMul(apart(at), graph.EntryFn(text("rsqrt", a[1]), variance), graph.EntryRead(1, at[first:]...)),
			graph.EntryRead(2, at[first:]...)), nil
	},
	FLOPs: perElement(8),
	// With n the normalized x, r = 1/sqrt(variance + eps) and g = d*scale:
	// r * (g - mean of g - n * mean of g*n).
	Grad: func(b *graph.Backward) []graph.Tensor {
		x, d := b.In[0], b.D[0]
		sizes, first := b.Sizes(x), num(b.Attrs, 0)
		var axes []int
		for i := first; i < len(sizes); i++ {
			axes = append(axes, i)
		}
		mean := func(y graph.Tensor) graph.Tensor { return b.Broadcast(b.Mean(y, true, axes...), sizes...) }
		apart := b.Sub(x, mean(x))
		r := b.Op("rsqrt", graph.Named{"eps": b.Attrs[1]}, b.Mean(b.Mul(apart, apart), true, axes...))
		r = b.Broadcast(r, sizes...)
		n := b.Mul(apart, r)
		g := b.Mul(d, b.Broadcast(b.In[1], sizes...))
		dx := b.Mul(r, b.Sub(b.Sub(g, mean(g)), b.Mul(n, mean(b.Mul(g, n)))))
		return []graph.Tensor{dx, b.SumTo(b.Mul(d, n), sizes[first:]...), b.SumTo(d, sizes[first:]...)}
	},
})
