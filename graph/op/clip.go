package op

import "github.com/taso-go/taso/graph"

// Clip is min(hi, max(lo, x)), element by element: hi where lo is above it.
var Clip = graph.Register(cheap(family("clip", "x kept between lo and hi, element by element.",
	func(p []float64) bool { return clip(0, p[0], p[1]) == 0 },
	func(p []float64) func(float64) float64 {
		return func(x float64) float64 { return clip(x, p[0], p[1]) }
	},
	graph.Param{Name: "lo", Sort: graph.SortNumber, Doc: "least value", Infinite: -1},
	graph.Param{Name: "hi", Sort: graph.SortNumber, Doc: "largest value", Infinite: 1},
)))
