package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Log is the natural logarithm; of a negative number it is not a number, element by element.
var Log = graph.Register(pointwise("log", "Natural logarithm, element by element.", false,
	math.Log))
