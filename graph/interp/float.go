package interp

import "math"

// Float is float64 arithmetic with the true activations, the reference for
// backends. Unknown function names yield NaN.
type Float struct{}

// Rat is num/den.
func (Float) Rat(num, den int64) float64 { return float64(num) / float64(den) }

// Add is a + b.
func (Float) Add(a, b float64) float64 { return a + b }

// Mul is a * b.
func (Float) Mul(a, b float64) float64 { return a * b }

// Max is the largest element.
func (Float) Max(xs []float64) float64 {
	m := xs[0]
	for _, x := range xs[1:] {
		m = math.Max(m, x)
	}
	return m
}

// Fn applies relu.
func (Float) Fn(name string, x float64) float64 {
	if name == "relu" {
		return math.Max(x, 0)
	}
	return math.NaN()
}
