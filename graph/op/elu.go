package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Elu is x where it is positive, alpha*(exp(x) - 1) elsewhere (Clevert and others, arXiv 1511.07289), element by element.
var Elu = graph.Register(family("elu", "x where it is positive, alpha*(exp(x) - 1) elsewhere, element by element.",
	finite,
	func(p []float64) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return p[0] * math.Expm1(x)
			}
			return x
		}
	},
	graph.Param{Name: "alpha", Sort: graph.SortNumber, Doc: "minus the limit at minus infinity"},
))
