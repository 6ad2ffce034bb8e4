package op

import "github.com/taso-go/taso/graph"

// Reciprocal is 1/x; 1/0 is infinity in floating point, and laws hold of no particular value there, element by element.
var Reciprocal = graph.Register(cheap(pointwise("reciprocal", "Reciprocal, 1/x, element by element.", false,
	func(x float64) float64 { return 1 / x })))
