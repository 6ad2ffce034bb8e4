package onnx

import "github.com/taso-go/taso/graph"

// Optional values: what is a tensor or a sequence is there, and an input that is left out is
// not.

func lowerHasElement(c *call) {
	k := newConstant(graph.Bool)
	if c.need(0, 1)[0] != nil {
		k.ints[0] = 1
	}
	c.set(valueOf(k))
}
