package op

import "github.com/taso-go/taso/graph"

// LeakyRelu is x where it is positive, alpha*x elsewhere, element by element.
var LeakyRelu = graph.Register(family("leakyrelu", "x where it is positive, alpha times x elsewhere, element by element.",
	finite,
	graph.Param{Name: "alpha", Sort: graph.SortNumber, Doc: "slope below 0"},
))
