package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Tanh is the hyperbolic tangent, element by element.
var Tanh = graph.Register(pointwise("tanh", "Hyperbolic tangent, element by element.", true,
	math.Tanh))
