package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Transpose permutes axes: output axis i is input axis perm[i].
var Transpose = graph.Register(&graph.Op{
	Name: "transpose", In: 1, Out: 1,
	Rearranges: true,
	Class:      "transpose", Moves: true,
	Doc: "Axes in another order: axis i of the result is axis perm[i] of the input.",
	Params: []graph.Param{{Name: "perm", Sort: "perm", Default: graph.TupleValue(1, 0),
		Doc: "input axis of each output axis"}},
	AxisOf: func(a graph.Attrs, _ []int, axis int) []graph.OperandAxis {
		if perm := ints(a[0]); axis < len(perm) {
			return []graph.OperandAxis{{Operand: 0, Axis: perm[axis]}}
		}
		return nil
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		perm, ok := a[0].Tuple()
		if !ok || !isPerm(perm) {
			return nil, fmt.Errorf("perm %s is not a permutation", a[0])
		}
		if x.HasAxisRun() || len(x) != len(perm) {
			return nil, fmt.Errorf("shape %s: want %d axes", x, len(perm))
		}
		out := make(graph.Shape, len(x))
		for i, p := range perm {
			out[i] = x[p]
		}
		return one(f.NormShape(out))
	},
	Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		perm, _ := a[0].Tuple()
		from := make([]graph.Index, len(at))
		for i, p := range perm {
			from[p] = at[i]
		}
		return graph.EntryRead(0, from...), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		perm := ints(b.Attrs[0])
		back := make([]int, len(perm))
		for i, p := range perm {
			back[p] = i
		}
		return []graph.Tensor{b.Transpose(b.D[0], back...)}
	},
})

func isPerm(p []int64) bool {
	seen := make([]bool, len(p))
	for _, x := range p {
		if x < 0 || int(x) >= len(p) || seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}
