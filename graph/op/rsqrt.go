package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Rsqrt is 1/sqrt(x + eps), what a normalization multiplies with, element by element.
var Rsqrt = graph.Register(cheap(nonNegative(family("rsqrt", "Reciprocal square root, 1/sqrt(x + eps), element by element.", nil,
	func(p []float64) func(float64) float64 {
		return func(x float64) float64 { return 1 / math.Sqrt(x+p[0]) }
	},
	graph.Param{Name: "eps", Sort: graph.SortNumber, Doc: "added before the root is taken"},
))))
