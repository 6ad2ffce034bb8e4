package op

import "github.com/taso-go/taso/graph"

// HardSigmoid is max(0, min(1, alpha*x + beta)), element by element.
var HardSigmoid = graph.Register(cheap(nonNegative(family("hardsigmoid", "max(0, min(1, alpha*x + beta)), element by element.",
	func(p []float64) bool { return finite(p) && p[1] <= 0 },
	func(p []float64) func(float64) float64 {
		return func(x float64) float64 { return clip(p[0]*x+p[1], 0, 1) }
	},
	graph.Param{Name: "alpha", Sort: graph.SortNumber, Doc: "slope"},
	graph.Param{Name: "beta", Sort: graph.SortNumber, Doc: "value at 0"},
))))
