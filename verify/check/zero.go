package check

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// keepsZero says of the functions of one element which are 0 at 0: without
// parameters, or for which parameters.
var keepsZero = map[string]func(p []float64) bool{
	"abs":       always,
	"erf":       always,
	"gelu":      always,
	"hardswish": always,
	"relu":      always,
	"sqrt":      always,
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
