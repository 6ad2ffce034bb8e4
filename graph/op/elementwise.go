package op

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// What the operators that work element by element share.

// pointwise declares the function f of one element; zeroAtZero: f(0) = 0.
func pointwise(name, doc string, zeroAtZero bool, f func(x float64) float64) *graph.Op {
	o := family(name, doc, nil, func([]float64) func(float64) float64 { return f })
	o.ZeroAtZero = zeroAtZero
	return o
}

// family declares a function of one element with real parameters; zero tells
// for which of them it is 0 at 0, nil for none, and value what it is.
func family(name, doc string, zero func(params []float64) bool, value func(params []float64) func(x float64) float64,
	params ...graph.Param) *graph.Op {
	return &graph.Op{
		Name: name, In: 1, Out: 1, Params: params, Doc: doc, Pointwise: true, Zero: zero, Value: value,
		Infer: func(_ *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return one(in[0]) },
		Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryFn(graph.NameValue(graph.FuncText(name, a...)), graph.EntryRead(0, at...)), nil
		},
	}
}

func sameShape(f *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	if err := f.EqShape(in[0], in[1]); err != nil {
		return nil, err
	}
	return one(f.NormShape(in[0]))
}

// clip is x between lo and hi; hi where the two cross, NaN for NaN.
func clip(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }

// finite reports whether no number is infinite or not a number: 0 times such a
// number is not 0.
func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return false
		}
	}
	return true
}

// over marks axes.
func over(rank int, axes ...int) []bool {
	out := make([]bool, rank)
	for _, a := range axes {
		out[a] = true
	}
	return out
}

// ints are the numbers of a tuple as ints.
func ints(v graph.Value) []int {
	xs, _ := v.Tuple()
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}

// perElement counts k operations for each element of the first input.
func perElement(k int) func(graph.Attrs, [][]int, [][]int) int64 {
	return func(_ graph.Attrs, in, _ [][]int) int64 { return graph.Product(append([]int{k}, in[0]...)...) }
}

// noFLOPs is for operators that only move elements.
func noFLOPs(graph.Attrs, [][]int, [][]int) int64 { return 0 }

// minus is -e.
func minus(e *graph.Expr) *graph.Expr {
	return graph.EntryMul(graph.EntryNumber(graph.IndexInt(-1)), e)
}

func text(name string, params ...graph.Value) graph.Value {
	return graph.NameValue(graph.FuncText(name, params...))
}

// sizeProduct is the number of elements of a shape without runs.
func sizeProduct(s graph.Shape) (graph.Dim, error) {
	n := graph.Int(1)
	for _, it := range s {
		if it.Run != "" {
			return n, fmt.Errorf("shape %s: an axis run has no size", s)
		}
		n = n.Mul(it.Dim)
	}
	return n, nil
}
