package op

import (
	"cmp"
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// TopK is the positions of the largest, or smallest, elements along an axis, in their
// order; of equal elements the first is first. A number that is none stands behind
// infinity, so that it is the largest, and is equal to others of its kind, as ONNX Runtime
// has it. The elements themselves are what a gather reads at these positions.
var TopK = graph.Register(&graph.Op{
	Name: "topk", In: 1, Out: 1,
	Class: "gather", Turns: 1, Counts: true,
	Doc: "Indices of the k largest or smallest elements along an axis, in order; of equal elements the first comes first.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "axis along which elements are compared"},
		{Name: "k", Sort: intSort, Doc: "how many"},
		{Name: "smallest", Sort: "flag", Default: graph.IntValue(0), Doc: "1: the smallest, beginning with the smallest"},
	},
	AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
		if axis == num(a, 0) {
			return nil
		}
		return sameAxis(a, ranks, axis)
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := f.NormShape(in[0])
		axis, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		if _, err := smallestFirst(a); err != nil {
			return nil, err
		}
		k := f.Norm(dim(a, 1))
		if err := f.Le(f.Least(), k); err != nil {
			return nil, fmt.Errorf("number of elements: %w", err)
		}
		if err := f.Le(k, x[axis].Dim); err != nil {
			return nil, fmt.Errorf("axis %d of shape %s: %w", axis, x, err)
		}
		out := x.Clone()
		out[axis] = graph.Axis(k)
		return one(out)
	},
	DTypes: func(_ graph.Attrs, in []graph.DType) ([]graph.DType, error) {
		if len(in) != 1 || in[0] == graph.Bool {
			return nil, fmt.Errorf("elements of type %s are not compared", in[0])
		}
		return []graph.DType{graph.Int64}, nil
	},
	// out[t] = sum over j of j where t elements stand before x[j]: those that are larger,
	// and those that are equal and at a smaller position.
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		smallest, err := smallestFirst(a)
		if err != nil {
			return nil, err
		}
		n := s.Size(in[0][axis].Dim)
		element := func(k graph.Sym) *graph.Expr {
			from := append([]graph.Index{}, at...)
			from[axis] = k.Index()
			return graph.EntryRead(0, from...)
		}
		i, j := s.Var("i"), s.Var("j")
		x, y := element(i), element(j)
		if smallest {
			x, y = y, x
		}
		before := graph.EntryDirect(exceeds(x, y), exceeding, x, y)
		tied := graph.EntryDirect(graph.EntryFn(text(graph.IsZero), graph.EntryAdd(x, minus(y))), alike, x, y)
		rank := graph.EntrySum(graph.EntryAdd(before, graph.EntryWhen(tied, graph.GuardLt(i.Index(), j.Index()))), []graph.Bound{{Var: i, N: n}})
		here := graph.EntryFn(text(graph.IsZero), graph.EntryAdd(rank, minus(graph.EntryNumber(at[axis]))))
		return graph.EntrySum(graph.EntryMul(graph.EntryNumber(j.Index()), here), []graph.Bound{{Var: j, N: n}}), nil
	},
	// Each element is compared with each of its line.
	FLOPs: func(a graph.Attrs, in, _ [][]int) int64 {
		return graph.Product(append([]int{in[0][num(a, 0)]}, in[0]...)...)
	},
})

// exceeding and alike are the order of all numbers, of which those that are none are the
// largest and alike.
var exceeding, alike = totally("exceeding", "($0 > $1 || ($0 != $0 && $1 == $1))", "($0 > $1)", func(order int) bool { return order > 0 }),
	totally("alike", "($0 == $1 || ($0 != $0 && $1 != $1))", "($0 == $1)", func(order int) bool { return order == 0 })

// totally is a function of this order.
func totally(name, c, cInt string, holds func(order int) bool) *graph.Several {
	f := ordered(name, holds)
	f.C, f.CInt = c, cInt
	f.Float = func(a []float64) float64 {
		x, y := a[0], a[1]
		if math.IsNaN(x) || math.IsNaN(y) {
			x, y = indicator(math.IsNaN(x)), indicator(math.IsNaN(y))
		}
		return indicator(holds(cmp.Compare(x, y)))
	}
	return f
}

func smallestFirst(a graph.Attrs) (bool, error) {
	v, ok := dim(a, 2).Const()
	if !ok || v != 0 && v != 1 {
		return false, fmt.Errorf("smallest is %s, want 0 or 1", a[2])
	}
	return v == 1, nil
}
