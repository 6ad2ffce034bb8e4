package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Erf is the error function, element by element.
var Erf = graph.Register(pointwise("erf", "Error function, element by element.", true,
	math.Erf))
