package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// The evaluator for what models compute with shapes: small tensors, mostly of
// integers, that may have no elements. Other operators on constants are
// evaluated by the interpreter of graphs, see fold.go.

func init() {
	for op, f := range combining {
		evaluators[op] = f.evaluator(op)
	}
	for op, f := range mapping {
		evaluators[op] = each(f)
	}
	for op, f := range map[string]evaluator{
		"Reshape": resized((*call).reshapeSizes), "Flatten": resized((*call).flattenSizes),
		"Squeeze": resized((*call).squeezeSizes), "Unsqueeze": resized((*call).unsqueezeSizes),
		"Expand": evalExpand, "Tile": evalTile, "Transpose": evalTranspose, "Slice": evalSlice, "Split": evalSplit,
		"Concat": evalConcat, "Gather": evalGather, "ConstantOfShape": evalFilled, "Where": evalWhere,
	} {
		evaluators[op] = f
	}
}

// mapping are operators that look at one element.
var mapping = map[string]func(x float64) float64{
	"Floor": math.Floor, "Ceil": math.Ceil, "Round": math.RoundToEven, "Sqrt": math.Sqrt,
	"Neg": func(x float64) float64 { return -x }, "Abs": math.Abs, "Not": func(x float64) float64 { return 1 - x },
	"Sign": op.Sign.Value(nil),
}

// combination is an operator of two operands that broadcast, or of any number if it
// is many: what it computes from integers and from the others, nil where that is
// not folded, or what it says of less, equal and more, none of
// which what is not a number is.
type combination struct {
	many     bool
	orders   bool // ints depends on what is less
	ints     func(a, b int64) int64
	floats   func(a, b float64) float64
	compares func(less, equal, more bool) bool
}

var combining = map[string]combination{
	"Add": {ints: func(a, b int64) int64 { return a + b }, floats: func(a, b float64) float64 { return a + b }},
	"Sub": {ints: func(a, b int64) int64 { return a - b }, floats: func(a, b float64) float64 { return a - b }},
	"Mul": {ints: func(a, b int64) int64 { return a * b }, floats: func(a, b float64) float64 { return a * b }},
	"Div": {ints: func(a, b int64) int64 { return a / divisor(b) }, floats: func(a, b float64) float64 { return a / b }},
	"Max": {many: true, orders: true, ints: func(a, b int64) int64 { return max(a, b) }, floats: math.Max},
	"Min": {many: true, orders: true, ints: func(a, b int64) int64 { return min(a, b) }, floats: math.Min},
	"Mod": {ints: func(a, b int64) int64 {
		m := a % divisor(b)
		if m != 0 && (m < 0) != (b < 0) {
			return m + b
		}
		return m
	}, floats: math.Mod},
	"BitwiseAnd":     {ints: func(a, b int64) int64 { return a & b }},
	"BitwiseOr":      {ints: func(a, b int64) int64 { return a | b }},
	"BitwiseXor":     {ints: func(a, b int64) int64 { return a ^ b }},
	"And":            {ints: func(a, b int64) int64 { return a & b }},
	"Or":             {ints: func(a, b int64) int64 { return a | b }},
	"Xor":            {ints: func(a, b int64) int64 { return a ^ b }},
	"Equal":          {compares: func(_, equal, _ bool) bool { return equal }},
	"Less":           {compares: func(less, _, _ bool) bool { return less }},
	"LessOrEqual":    {compares: func(less, equal, _ bool) bool { return less || equal }},
	"Greater":        {compares: func(_, _, more bool) bool { return more }},
	"GreaterOrEqual": {compares: func(_, equal, more bool) bool { return equal || more }},
}

// divisor is a number that is not 0.
func divisor(b int64) int64 {
	if b == 0 {
		must.Failf("division by zero")
	}
	return b
}

// evaluator folds a combination. Integers are computed as such.
func (f combination) evaluator(op string) evaluator {
	return func(c *call, in []*constant) []*constant {
		notFolded(len(in) == 0 || slices.Contains(in, nil) || len(in) != 2 && !f.many)
		ints := f.ints
		if c.flag("fmod") && op == "Mod" {
			ints = func(a, b int64) int64 { return a % divisor(b) }
		}
		acc := in[0]
		for _, k := range in[1:] {
			notFolded(c.im.opset < 7 && !slices.Equal(acc.sizes, k.sizes)) // axes were paired otherwise then
			sizes := joint(acc.sizes, k.sizes)
			notFolded(graph.Product(sizes...) > maxConstant || acc.dtype != k.dtype || f.compares == nil && acc.dtype.IsFloat() && !acc.dtype.IsReal())
			t := acc.dtype
			if f.compares != nil {
				t = graph.Bool
			}
			out := newConstant(t, sizes...)
			x, y := acc, k
			graph.Each(sizes, func(flat int, idx []int) {
				i, j := spread(x.sizes, idx), spread(y.sizes, idx)
				switch {
				case f.compares != nil && x.dtype.IsFloat():
					out.ints[flat] = truth(f.compares(x.floats[i] < y.floats[j], x.floats[i] == y.floats[j], x.floats[i] > y.floats[j]))
				case f.compares != nil:
					a, b := inOrder(x.dtype, x.ints[i]), inOrder(x.dtype, y.ints[j])
					out.ints[flat] = truth(f.compares(a < b, a == b, a > b))
				case x.dtype.IsFloat():
					notFolded(f.floats == nil)
					out.floats[flat] = model.Round(t, f.floats(x.floats[i], y.floats[j]))
				case f.orders:
					out.ints[flat] = inOrder(t, ints(inOrder(t, x.ints[i]), inOrder(t, y.ints[j])))
				default:
					out.ints[flat] = model.Wrap(t, ints(x.ints[i], y.ints[j]))
				}
			})
			acc = out
		}
		return []*constant{acc}
	}
}

// inOrder is an integer of a constant as an int64 that is less than another where it is;
// of what comes of it, the integer again.
func inOrder(t graph.DType, x int64) int64 {
	if t == graph.Uint64 {
		return x ^ math.MinInt64
	}
	return x
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// each folds an operator that looks at one element.
func each(f func(x float64) float64) evaluator {
	return func(c *call, in []*constant) []*constant {
		notFolded(len(in) != 1 || in[0] == nil || in[0].dtype.IsFloat() && !in[0].dtype.IsReal())
		out := newConstant(in[0].dtype, in[0].sizes...)
		for i := range in[0].len() {
			x := in[0].number(i)
			if in[0].dtype.IsFloat() {
				out.floats[i] = model.Round(out.dtype, f(x))
				continue
			}
			notFolded(math.Abs(x) >= 1<<53)
			out.ints[i] = model.Wrap(out.dtype, int64(f(x)))
		}
		return []*constant{out}
	}
}
