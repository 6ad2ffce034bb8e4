package interp

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Single is float32 arithmetic: each operation and each function of one element is rounded
// to float32, as on a device without wider accumulators. Unknown function names yield NaN.
type Single struct{}

var (
	_ Ring[float32]      = Single{}
	_ Functions[float32] = Single{}
	_ Integers[float32]  = Single{}
	_ Rounding           = Single{}
	_ Direct[float32]    = Single{}
)

// Rat is num/den.
func (Single) Rat(num, den int64) float32 { return float32(float64(num) / float64(den)) }

// Add is a + b.
func (Single) Add(a, b float32) float32 { return a + b }

// Mul is a * b.
func (Single) Mul(a, b float32) float32 { return float32(a * b) }

// Max is the largest element, and what is not a number if any element is such.
func (Single) Max(xs []float32) float32 {
	m := xs[0]
	for _, x := range xs[1:] {
		m = max(m, x)
	}
	return m
}

// Rounds says that float32 arithmetic rounds.
func (Single) Rounds() bool { return true }

// Integer is x if x is an integer.
func (Single) Integer(x float32) (int64, bool) {
	return int64(x), float64(x) == math.Trunc(float64(x)) && math.Abs(float64(x)) < 1<<24
}

// Fn applies a function by name.
func (s Single) Fn(name string, x float32) float32 { return s.FnOf(name)(x) }

// FnOf is the function of that name, see [Float.FnOf], rounded.
func (Single) FnOf(name string) func(float32) float32 {
	f := Float{}.FnOf(name)
	return func(x float32) float32 { return float32(f(float64(x))) }
}

// DirectOf is the function, rounded.
func (Single) DirectOf(f *graph.Several) func(args []float32) float32 {
	return func(args []float32) float32 {
		xs := make([]float64, len(args))
		for i, x := range args {
			xs[i] = float64(x)
		}
		return float32(f.Float(xs))
	}
}
