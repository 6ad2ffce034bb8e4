package op

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// Pad surrounds a tensor with cells that hold a number.
var Pad = graph.Register(&graph.Op{
	Name: "pad", In: 1, Out: 1,
	Class: "copy", Moves: true, AxisOf: beforeImage,
	Doc: "A tensor padded with a constant.",
	Params: []graph.Param{
		{Name: "before", Sort: "tuple", Doc: "padding before the first element of each axis"},
		{Name: "after", Sort: "tuple", Doc: "padding after the last element of each axis"},
		{Name: "value", Sort: graph.SortNumber, Default: graph.NumberValue(0), Doc: "value of the padding"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, before, after := f.NormShape(in[0]), ints(a[0]), ints(a[1])
		if x.HasAxisRun() {
			return nil, fmt.Errorf("shape %s: want no axis runs", x)
		}
		if len(before) != len(x) || len(after) != len(x) {
			return nil, fmt.Errorf("shape %s: pads for %d and %d axes", x, len(before), len(after))
		}
		for i := range x {
			if before[i] < 0 || after[i] < 0 {
				return nil, fmt.Errorf("pads %s and %s: one is negative", a[0], a[1])
			}
			x[i].Dim = x[i].Dim.Add(graph.Int(int64(before[i]))).Add(graph.Int(int64(after[i])))
		}
		return one(x)
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		before, after := ints(a[0]), ints(a[1])
		from := append([]graph.Index{}, at...)
		var inside []graph.Guard
		for i := range at {
			from[i] = at[i].AddInt(-int64(before[i]))
			if before[i] > 0 || after[i] > 0 {
				inside = append(inside, graph.GuardLe(graph.IndexInt(0), from[i]), graph.GuardLt(from[i], s.Size(in[0][i].Dim)))
			}
		}
		read := graph.EntryRead(0, from...)
		if v := entryNumber(a[2]); v != nil {
			// The number everywhere, and inside the difference to it.
			return graph.EntryAdd(v, graph.EntryWhen(graph.EntryAdd(read, minus(v)), inside...)), nil
		}
		return graph.EntryWhen(read, inside...), nil
	},
	DTypes: func(a graph.Attrs, in []graph.DType) ([]graph.DType, error) {
		// What the cells hold must be an element of the type: no integer is infinite.
		if x, ok := a[2].Number(); ok && !in[0].IsFloat() {
			to := in[0]
			if y := graph.CastValue(to, "default")(x); y != x {
				return nil, fmt.Errorf("cells of type %s cannot hold %s", to, a[2])
			}
		}
		return in[:1], nil
	},
	FLOPs: noFLOPs,
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{cut(b.Calc, b.D[0], ints(b.Attrs[0]), b.Sizes(b.In[0]))}
	},
})

// wholeNumber is x as a small integer, if it is one.
func wholeNumber(x float64) (int64, bool) {
	if x == math.Trunc(x) && math.Abs(x) <= 1<<31 && !(x == 0 && math.Signbit(x)) {
		return int64(x), true
	}
	return 0, false
}

// entryNumber is a number attribute as a number; nil for 0.
func entryNumber(v graph.Value) *graph.Expr {
	if x, ok := v.Number(); ok {
		if n, whole := wholeNumber(x); whole {
			if n == 0 {
				return nil
			}
			return graph.EntryNumber(graph.IndexInt(n))
		}
	}
	return graph.EntryFn(text("number", v), graph.EntryNumber(graph.IndexInt(0)))
}
