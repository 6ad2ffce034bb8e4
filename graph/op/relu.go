package op

import "github.com/taso-go/taso/graph"

// Relu is max(x, 0), element by element.
var Relu = graph.Register(pointwise("relu", "Rectifier, max(x, 0), element by element.", true))
