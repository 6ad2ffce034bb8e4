package op

import "github.com/taso-go/taso/graph"

// Elu is x where it is positive, alpha*(exp(x) - 1) elsewhere (Clevert and others, arXiv 1511.07289), element by element.
var Elu = graph.Register(family("elu", "x where it is positive, alpha*(exp(x) - 1) elsewhere, element by element.",
	finite,
	graph.Param{Name: "alpha", Sort: graph.SortNumber, Doc: "minus the limit at minus infinity"},
))
