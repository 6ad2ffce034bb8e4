package op

import "github.com/taso-go/taso/graph"

// Softmax is exp(x) over the sum of exp(x) along an axis. Arithmetic that
// rounds takes the largest x along the axis off first, which cancels.
var Softmax = graph.Register(&graph.Op{
	Name: "softmax", In: 1, Out: 1, Partial: true,
	Class: "softmax", AxisOf: sameAxis, Turns: 1, Bounded: true,
	Doc:    "Exponentials divided by their sum along an axis.",
	Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis along which the results sum to 1"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if _, err := in[0].Index(dim(a, 0)); err != nil {
			return nil, err
		}
		return one(f.NormShape(in[0]))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		n := s.Size(in[0][axis].Dim)
		along := func() ([]graph.Index, []graph.Bound) {
			k := s.Var("k")
			from := append([]graph.Index{}, at...)
			from[axis] = k.Index()
			return from, []graph.Bound{{Var: k, N: n}}
		}
		from, over := along()
		largest := graph.EntryMax(graph.EntryRead(0, from...), over)
		exp := func(at []graph.Index) *graph.Expr {
			return graph.EntryShifted(text("exp"), graph.EntryRead(0, at...), largest)
		}
		from, over = along()
		sum := graph.EntrySum(exp(from), over)
		return graph.EntryMul(exp(at), graph.EntryFn(text("reciprocal"), sum)), nil
	},
	FLOPs: perElement(5),
	// With y the result: y * (d - the sum of d*y along the axis).
	Grad: func(b *graph.Backward) []graph.Tensor {
		y := b.Out[0]
		weighed := b.Mul(b.D[0], y)
		all := b.Broadcast(b.Sum(weighed, true, num(b.Attrs, 0)), b.Sizes(y)...)
		return []graph.Tensor{b.Sub(weighed, b.Mul(y, all))}
	},
})
