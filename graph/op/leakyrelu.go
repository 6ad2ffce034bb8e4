package op

import "github.com/taso-go/taso/graph"

// LeakyRelu is x where it is positive, alpha*x elsewhere, element by element.
var LeakyRelu = graph.Register(cheap(family("leakyrelu", "x where it is positive, alpha times x elsewhere, element by element.",
	finite,
	func(p []float64) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return p[0] * x
			}
			return x
		}
	},
	graph.Param{Name: "alpha", Sort: graph.SortNumber, Doc: "slope below 0"},
)))
