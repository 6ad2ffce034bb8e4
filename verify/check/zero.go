package check

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// keepsZero says of the functions of one element which are 0 at 0: without
// parameters, or for which parameters.
var keepsZero = map[string]func(p []float64) bool{
	"abs":       always,
	"asin":      always,
	"asinh":     always,
	"atan":      always,
	"atanh":     always,
	"ceil":      always,
	"erf":       always,
	"floor":     always,
	"gelu":      always,
	"hardswish": always,
	"isinf":     always,
	"isnan":     always,
	"relu":      always,
	"round":     always,
	"sign":      always,
	"sin":       always,
	"sinh":      always,
	"sqrt":      always,
	"step":      always,
	"tan":       always,
	"tanh":      always,
	"elu":       finite,
	"leakyrelu": finite,
	"clip": func(p []float64) bool { // min(hi, max(lo, 0))
		return len(p) == 2 && (p[0] <= 0 && p[1] >= 0 || p[0] > 0 && p[1] == 0)
	},
	"hardsigmoid": func(p []float64) bool { return len(p) == 2 && finite(p) && p[1] <= 0 },
}

func always(p []float64) bool { return len(p) == 0 }

func finite(p []float64) bool {
	for _, x := range p {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return false
		}
	}
	return true
}

// zeroAtZero reports whether an operator with these parameters is known to be 0
// at 0. Of a parameter that is a variable nothing is known.
func zeroAtZero(op string, attrs []value) bool {
	p := make([]float64, len(attrs))
	for i, v := range attrs {
		if v.kind != graph.KindNumber {
			return false
		}
		p[i] = math.Float64frombits(v.bits)
	}
	f := keepsZero[op]
	return f != nil && f(p)
}

// real requires the numbers of an operator to be real ones: laws are about real
// numbers, and what is infinite less itself is not 0. The bounds of clip may be
// absent.
func real(op string, attrs []value) error {
	for i, v := range attrs {
		x := math.Float64frombits(v.bits)
		absent := op == "clip" && (i == 0 && math.IsInf(x, -1) || i == 1 && math.IsInf(x, 1))
		if v.kind == graph.KindNumber && !absent && !finite([]float64{x}) {
			return fmt.Errorf("operator %s: %s is no real number", op, v)
		}
	}
	return nil
}
