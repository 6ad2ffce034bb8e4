package models

import (
	"fmt"

	"github.com/taso-go/taso/model"
)

// Stack builds linear layers of one width in a row, each with a bias and relu; input and
// output are [samples, width]. All sizes must be at least 1.
func Stack(samples, layers, width int, seed uint64) (*model.Model, error) {
	if samples < 1 || layers < 1 || width < 1 {
		return nil, fmt.Errorf("build a stack of %d layers of %d, %d samples: sizes must be at least 1", layers, width, samples)
	}
	n, err := try(stack{samples, layers, width}, seed)
	if err != nil {
		return nil, fmt.Errorf("build a stack: %w", err)
	}
	n.Name = fmt.Sprintf("stack-%dx%d", layers, width)
	return n.Model, nil
}

type stack struct{ samples, layers, width int }

func (c stack) build(seed uint64) *Network {
	n := newNet(seed, 1, biased)
	return n.finish(n.chain("layer", n.input("x", c.samples, c.width), c.layers, c.width))
}
