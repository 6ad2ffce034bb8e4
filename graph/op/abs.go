package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Abs is the absolute value, element by element.
var Abs = graph.Register(cheap(nonNegative(pointwise("abs", "Absolute value, element by element.", true,
	math.Abs))))
