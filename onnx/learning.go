package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// The simplest operators of ONNX's domain for classical machine learning.

// learning is their domain.
const learning = "ai.onnx.ml"

func learningOperators() []*operator {
	return []*operator{
		{domain: learning, name: "ArrayFeatureExtractor", versions: "1", lower: lowerFeatures},
		{domain: learning, name: "Binarizer", versions: "1", attrs: "threshold", lower: lowerBinarizer},
		{domain: learning, name: "Scaler", versions: "1", attrs: "offset scale", lower: lowerScaler},
	}
}

// lowerFeatures: columns at places; of a vector, a matrix with one row.
func lowerFeatures(c *call) {
	in, im := c.need(2, 2), c.im
	x, at := in[0], in[1]
	if x.rank() < 1 || at.dtype != graph.Int64 {
		must.Failf("%s of %s", at, x)
	}
	last, n := x.rank()-1, at.elements()
	y := im.apply("gather", attrs{"axis": graph.IntValue(last)}, x, im.reshape(at, n))
	if last == 0 {
		y = im.reshape(y, 1, n)
	}
	c.set(y)
}

func lowerBinarizer(c *call) {
	x := c.need(1, 1)[0]
	c.arithmetic("", x)
	c.set(c.im.do("step", c.im.plus(x, -c.float("threshold", 0))))
}

// lowerScaler: (x - offset) * scale, by columns or for all.
func lowerScaler(c *call) {
	x, im := c.need(1, 1)[0], c.im
	if x.dtype != graph.Float32 || x.rank() < 1 {
		must.Do(unsupported("input %s is not supported", x))
	}
	row := func(name string) *value {
		xs := c.floats(name)
		if n := x.sizes()[x.rank()-1]; len(xs) != 1 && len(xs) != n {
			must.Failf("%d numbers %s for %d columns", len(xs), name, n)
		}
		return valueOf(&constant{dtype: graph.Float32, sizes: []int{len(xs)}, floats: slices.Clone(xs)})
	}
	c.set(im.elementwise("ewmul", im.elementwise("ewsub", x, row("offset")), row("scale")))
}
