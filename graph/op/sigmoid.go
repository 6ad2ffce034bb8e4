package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Sigmoid is 1/(1 + exp(-x)), element by element.
var Sigmoid = graph.Register(nonNegative(pointwise("sigmoid", "Logistic function, 1/(1 + exp(-x)), element by element.", false,
	func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })))
