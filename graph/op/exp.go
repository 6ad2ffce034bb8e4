package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Exp is the exponential function, element by element.
var Exp = graph.Register(nonNegative(pointwise("exp", "Exponential function, element by element.", false,
	math.Exp)))
