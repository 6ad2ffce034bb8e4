package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Gelu is x/2 * (1 + erf(x/sqrt 2)), the exact form of the Gaussian error linear unit (Hendrycks, Gimpel, arXiv 1606.08415), element by element.
var Gelu = graph.Register(pointwise("gelu", "Gaussian error linear unit, x/2 * (1 + erf(x/sqrt 2)), element by element.", true,
	func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }))
