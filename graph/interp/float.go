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
)

// Rat is num/den.
func (Float) Rat(num, den int64) float64 { return float64(num) / float64(den) }

// Add is a + b.
func (Float) Add(a, b float64) float64 { return a + b }

// Mul is a * b.
func (Float) Mul(a, b float64) float64 { return a * b }

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

// FnOf is the function of that name, with its parameters if it has any. The
// operators of package graph/op say what each one is.
func (Float) FnOf(text string) func(float64) float64 {
	name, p, err := graph.ParseFunc(text)
	if f, ok := functions[name]; ok && err == nil && len(p) == 0 {
		return f
	}
	if f, ok := families[name]; ok && err == nil && len(p) == f.params {
		return f.of(p)
	}
	return func(float64) float64 { return math.NaN() }
}

var functions = map[string]func(float64) float64{
	"relu":       func(x float64) float64 { return math.Max(x, 0) },
	"sigmoid":    func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"tanh":       math.Tanh,
	"gelu":       func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) },
	"exp":        math.Exp,
	"sqrt":       math.Sqrt,
	"erf":        math.Erf,
	"reciprocal": func(x float64) float64 { return 1 / x },
	"neg":        func(x float64) float64 { return -x },
	"abs":        math.Abs,
	"log":        math.Log,
	"hardswish":  func(x float64) float64 { return x * clip(x/6+0.5, 0, 1) },
	"truncate":   math.Trunc,
	"iszero": func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return 0
	},
	"nonzero": func(x float64) float64 {
		if x == 0 {
			return 0
		}
		return 1
	},
}

var families = map[string]struct {
	params int
	of     func(p []float64) func(float64) float64
}{
	"leakyrelu": {1, func(p []float64) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return p[0] * x
			}
			return x
		}
	}},
	"elu": {1, func(p []float64) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return p[0] * math.Expm1(x)
			}
			return x
		}
	}},
	"clip": {2, func(p []float64) func(float64) float64 {
		return func(x float64) float64 { return clip(x, p[0], p[1]) }
	}},
	"hardsigmoid": {2, func(p []float64) func(float64) float64 {
		return func(x float64) float64 { return clip(p[0]*x+p[1], 0, 1) }
	}},
	"rsqrt": {1, func(p []float64) func(float64) float64 {
		return func(x float64) float64 { return 1 / math.Sqrt(x+p[0]) }
	}},
	"number": {1, func(p []float64) func(float64) float64 { return func(float64) float64 { return p[0] } }},
}

// clip is x between lo and hi; hi where the two cross, NaN for NaN.
func clip(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }
