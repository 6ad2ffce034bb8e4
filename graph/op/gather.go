package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Gather copies the parts of a tensor at given positions along an axis: the
// result has the axes of the positions in the place of that axis. A negative
// position counts from the end; one that is outside has no value.
var Gather = graph.Register(&graph.Op{
	Name: "gather", In: 2, Out: 1,
	Class: "gather", Moves: true,
	Doc:    "Parts of the first input at the positions along an axis that the second input holds; its axes take the place of that axis.",
	Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis along which positions count"}},
	Infer: func(f *graph.Facts, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, idx := f.NormShape(in[0]), f.NormShape(in[1])
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		if idx.HasRun() {
			return nil, fmt.Errorf("positions of shape %s: want no axis runs", idx)
		}
		out := append(graph.Shape{}, x[:i]...)
		return one(append(append(out, idx...), x[i+1:]...))
	},
	DTypes: func(_ graph.Attrs, in []graph.DType) ([]graph.DType, error) {
		if len(in) != 2 || in[1] != graph.Int64 && in[1] != graph.Int32 {
			return nil, fmt.Errorf("positions are of type %s, want int64 or int32", in[len(in)-1])
		}
		return in[:1:1], nil
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		// The sum over all positions k of those that are looked up, as k or, counted
		// from the end, as k-n.
		k, behind, n := s.Var("k"), axis+len(in[1]), s.Size(in[0][axis].Dim)
		from := append(append(append([]graph.Index{}, at[:axis]...), k.Index()), at[behind:]...)
		here := func(k graph.Index) *graph.Expr {
			return graph.EntryFn(text(graph.IsZero),
				graph.EntryAdd(graph.EntryRead(1, at[axis:behind]...), minus(graph.EntryNumber(k))))
		}
		return graph.EntrySum(graph.EntryMul(graph.EntryAdd(here(k.Index()), here(k.Index().Sub(n))), graph.EntryRead(0, from...)),
			[]graph.Bound{{Var: k, N: n}}), nil
	},
	Mean: func(a graph.Attrs, in, out [][]int) (*graph.Meaning, error) {
		x, axis := in[0], num(a, 0)
		inner, k := graph.NumElements(x[axis+1:]), graph.NumElements(in[1])
		n := graph.NumElements(out[0])
		st := graph.Step{Kind: graph.StepTake, N: n, X: 0, Y: 1, A: make([]int32, n), B: make([]int32, n),
			Num: int64(inner), Den: int64(x[axis])}
		for i := range n {
			st.A[i] = int32(i/inner/k*x[axis]*inner + i%inner)
			st.B[i] = int32(i / inner % k)
		}
		return &graph.Meaning{Steps: []graph.Step{st}, Outs: []int{0}}, nil
	},
	FLOPs: noFLOPs,
})
