package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Clip is max(lo, min(hi, x)); hi where lo is above it, element by element.
var Clip = graph.Register(family("clip", "x kept between lo and hi, element by element.",
	func(p []float64) bool { return math.Min(math.Max(0, p[0]), p[1]) == 0 },
	graph.Param{Name: "lo", Sort: graph.SortNumber, Doc: "least value"},
	graph.Param{Name: "hi", Sort: graph.SortNumber, Doc: "largest value"},
))
