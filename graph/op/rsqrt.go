package op

import "github.com/taso-go/taso/graph"

// Rsqrt is 1/sqrt(x + eps), what a normalization multiplies with, element by element.
var Rsqrt = graph.Register(family("rsqrt", "Reciprocal square root, 1/sqrt(x + eps), element by element.", nil,
	graph.Param{Name: "eps", Sort: graph.SortNumber, Doc: "added before the root is taken"},
))
