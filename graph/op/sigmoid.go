package op

import "github.com/taso-go/taso/graph"

// Sigmoid is 1/(1 + exp(-x)), element by element.
var Sigmoid = graph.Register(pointwise("sigmoid", "Logistic function, 1/(1 + exp(-x)), element by element.", false))
