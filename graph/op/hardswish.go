package op

import "github.com/taso-go/taso/graph"

// HardSwish is x * max(0, min(1, x/6 + 1/2)) (MobileNet v3, arXiv 1905.02244), element by element.
var HardSwish = graph.Register(cheap(pointwise("hardswish", "Hard swish, x * max(0, min(1, x/6 + 1/2)), element by element.", true,
	func(x float64) float64 { return x * clip(x/6+0.5, 0, 1) })))
