package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// ScatterAdd adds the parts of a tensor at given positions along an axis of zeros: what
// gather reads at a position is added to that position, so that it is gather's adjoint,
// and the derivative of an embedding by its table.
var ScatterAdd = graph.Register(&graph.Op{
	Name: "scatteradd", In: 2, Out: 1,
	Class: "gather",
	Doc:   "Scatter-add: slices of the first input added to zeros of size n along an axis, each at its index in the second input.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "axis that is indexed; in the first input the axes of the indices replace it"},
		{Name: "n", Sort: intSort, Doc: "size of the result along it"},
	},
	Places: func(a graph.Attrs, _ []graph.Shape) (int, graph.Dim, error) { return 1, dim(a, 1), nil },
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, idx := f.NormShape(in[0]), f.NormShape(in[1])
		i, err := scatterAxis(a, x, idx)
		if err != nil {
			return nil, err
		}
		if err := f.EqShape(x[i:i+len(idx)], idx); err != nil {
			return nil, fmt.Errorf("shape %s with positions of shape %s at axis %d: %w", x, idx, i, err)
		}
		n := f.Norm(dim(a, 1))
		if err := f.Le(f.Least(), n); err != nil {
			return nil, fmt.Errorf("size of the result: %w", err)
		}
		if f.Empty(graph.ShapeOf(n)) && !f.Empty(idx) {
			return nil, fmt.Errorf("positions of shape %s in a result without elements", idx)
		}
		out := append(append(graph.Shape{}, x[:i]...), graph.Axis(n))
		return one(append(out, x[i+len(idx):]...))
	},
	DTypes: positioned,
	// out[p, k, q] = sum over the places i of the positions with positions[i] = k, or k-n,
	// of x[p, i, q]
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := scatterAxis(a, in[0], in[1])
		if err != nil {
			return nil, err
		}
		place := make([]graph.Index, len(in[1]))
		over := make([]graph.Bound, len(in[1]))
		for i, it := range in[1] {
			v := s.Var("i")
			place[i], over[i] = v.Index(), graph.Bound{Var: v, N: s.Size(it.Dim)}
		}
		from := append(append(append([]graph.Index{}, at[:axis]...), place...), at[axis+1:]...)
		here := func(k graph.Index) *graph.Expr {
			return graph.EntryFn(text(graph.IsZero), graph.EntryAdd(graph.EntryRead(1, place...), minus(graph.EntryNumber(k))))
		}
		k := at[axis]
		return graph.EntrySum(graph.EntryMul(
			graph.EntryAdd(here(k), here(k.Sub(s.Size(dim(a, 1))))), graph.EntryRead(0, from...)), over), nil
	},
	FLOPs: perElement(1),
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Op("gather", graph.Named{"axis": b.Attrs[0]}, b.D[0], b.In[1]), {}}
	},
})

// scatterAxis is the axis as a position in the shape x, in which the axes of the
// positions follow from there on.
func scatterAxis(a graph.Attrs, x, idx graph.Shape) (int, error) {
	i, ok := dim(a, 0).Const()
	if !ok || i < 0 || int(i) > len(x)-len(idx) {
		return 0, fmt.Errorf("shape %s with positions of shape %s: no such axis %s", x, idx, dim(a, 0))
	}
	if idx.HasAxisRun() || x[:int(i)+len(idx)].HasAxisRun() {
		return 0, fmt.Errorf("shape %s with positions of shape %s: an axis run stands before the end of the positions", x, idx)
	}
	return int(i), nil
}

// positioned are the element types of an operator whose second operand holds positions.
func positioned(_ graph.Attrs, in []graph.DType) ([]graph.DType, error) {
	if len(in) != 2 || in[1] != graph.Int64 && in[1] != graph.Int32 {
		return nil, fmt.Errorf("positions are of type %s, want int64 or int32", in[len(in)-1])
	}
	return in[:1:1], nil
}
