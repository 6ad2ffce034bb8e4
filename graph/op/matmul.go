package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// MatMul is the matrix product over the last two axes; any axes before them
// are batch axes and must agree.
var MatMul = graph.Register(&graph.Op{
	Name: "matmul", In: 2, Out: 1,
	Batched: true,
	Class:   "matmul", Weights: func(operand int, sizes []int) bool {
		return operand == 1 && graph.NumElements(sizes[:len(sizes)-2]) == 1
	},
	Doc: "Matrix product: [B.., m, k] times [B.., k, n] is [B.., m, n].",
	AxisOf: func(_ graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
		switch r := ranks[0]; {
		case axis < r-2:
			return []graph.OperandAxis{{Operand: 0, Axis: axis}, {Operand: 1, Axis: axis}}
		case axis == r-2:
			return []graph.OperandAxis{{Operand: 0, Axis: axis}}
		case axis == r-1:
			return []graph.OperandAxis{{Operand: 1, Axis: axis}}
		}
		return nil
	},
	Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, y := in[0], in[1]
		r := len(x)
		if r < 2 || len(y) != r || x[r-1].AxisRun != "" || x[r-2].AxisRun != "" || y[r-1].AxisRun != "" || y[r-2].AxisRun != "" {
			return nil, fmt.Errorf("shapes %s and %s: want [B.., m, k] and [B.., k, n]", x, y)
		}
		if err := f.Eq(x[r-1].Dim, y[r-2].Dim); err != nil {
			return nil, fmt.Errorf("shapes %s and %s: inner sizes differ: %w", x, y, err)
		}
		if err := f.EqShape(x[:r-2], y[:r-2]); err != nil {
			return nil, fmt.Errorf("shapes %s and %s: batch axes differ: %w", x, y, err)
		}
		return one(f.NormShape(x).With(r-1, f.Norm(y[r-1].Dim)))
	},
	Entry: func(s *graph.Space, _ graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		r := len(at)
		k := s.Var("k")
		x, y := append([]graph.Index{}, at...), append([]graph.Index{}, at...)
		x[r-1], y[r-2] = k.Index(), k.Index()
		return graph.EntrySum(graph.EntryMul(graph.EntryRead(0, x...), graph.EntryRead(1, y...)),
			[]graph.Bound{{Var: k, N: s.Size(in[0][r-1].Dim)}}), nil
	},
	FLOPs: func(_ graph.Attrs, in, out [][]int) int64 {
		return graph.Product(2, graph.NumElements(out[0]), in[0][len(in[0])-1])
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.MatMul(b.D[0], b.Matrix(b.In[1])), b.MatMul(b.Matrix(b.In[0]), b.D[0])}
	},
})
