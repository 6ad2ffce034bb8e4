package interp

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Float is float64 arithmetic with the true functions, the reference for
// backends. Unknown function names yield NaN.
type Float struct{}

var (
	_ Ring[float64]      = Float{}
	_ Functions[float64] = Float{}
	_ Integers[float64]  = Float{}
	_ Rounding           = Float{}
	_ Dots[float64]      = Float{}
	_ Direct[float64]    = Float{}
)

// Rat is num/den.
func (Float) Rat(num, den int64) float64 { return float64(num) / float64(den) }

// Add is a + b.
func (Float) Add(a, b float64) float64 { return a + b }

// Mul is a * b.
func (Float) Mul(a, b float64) float64 { return a * b }

// Scale is x*num/den.
func (Float) Scale(x float64, num, den int64) float64 { return x * float64(num) / float64(den) }

// Dot adds four partial sums, in an order that depends on the length only. Products are
// rounded before they are added, so that all machines have the same sums.
func (Float) Dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += float64(x[i] * y[i])
		s1 += float64(x[i+1] * y[i+1])
		s2 += float64(x[i+2] * y[i+2])
		s3 += float64(x[i+3] * y[i+3])
	}
	for ; i < len(x); i++ {
		s0 += float64(x[i] * y[i])
	}
	return s0 + s1 + (s2 + s3)
}

// Max is the largest element, and what is not a number if any element is such
// (math.Max prefers infinity to it).
func (Float) Max(xs []float64) float64 {
	m := xs[0]
	for _, x := range xs[1:] {
		m = max(m, x)
	}
	return m
}

// Rounds says that float64 arithmetic rounds.
func (Float) Rounds() bool { return true }

// Integer is x if x is an integer.
func (Float) Integer(x float64) (int64, bool) {
	return int64(x), x == math.Trunc(x) && math.Abs(x) < 1<<53
}

// Fn applies a function by name.
func (f Float) Fn(name string, x float64) float64 { return f.FnOf(name)(x) }

// FnOf is the function of that name, with its parameters if it has any: that of
// an operator ([graph.Op.Value]), or one that only entries name.
func (Float) FnOf(text string) func(float64) float64 {
	name, p, err := graph.ParseFunc(text)
	op, ok := graph.Lookup(name)
	switch {
	case err != nil:
	case ok && op.Value != nil && len(p) == len(op.Params):
		return op.Value(p)
	case steps[name] != nil && len(p) == 0:
		return steps[name]
	case name == "number" && len(p) == 1:
		return func(float64) float64 { return p[0] }
	}
	return func(float64) float64 { return math.NaN() }
}

// DirectOf is the function as it is in float64 arithmetic.
func (Float) DirectOf(f *graph.Several) func(args []float64) float64 { return f.Float }

// steps are functions that are no operators: what casts are, and iszero.
var steps = map[string]func(float64) float64{
	graph.IsZero: func(x float64) float64 { return indicator(x == 0) },
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
