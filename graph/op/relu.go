package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Relu is max(x, 0), element by element.
var Relu = graph.Register(cheap(nonNegative(pointwise("relu", "Rectifier, max(x, 0), element by element.", true,
	func(x float64) float64 { return math.Max(x, 0) }))))
