package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Sqrt is the square root; of a negative number it is not a number, element by element.
var Sqrt = graph.Register(cheap(nonNegative(pointwise("sqrt", "Square root, element by element.", true,
	math.Sqrt))))
