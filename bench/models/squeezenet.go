package models

import (
	"fmt"
)

// squeezenet is SqueezeNet 1.1.
type squeezenet struct {
	image int
	div   int
	full  bool // with biases
}

func (c squeezenet) build(seed uint64) *Network {
	n := newNet(seed, c.div, plain)
	if c.full {
		n.style = biased
	}
	x := n.input("image", 1, 3, c.image, c.image)
	x = n.conv("stem", x, conv{out: 64, kh: 3, kw: 3, stride: 2, pad: valid, act: "relu"})
	for i, f := range []struct {
		pool    bool // before the module
		s, e, o int
	}{
		{true, 16, 64, 64}, {false, 16, 64, 64},
		{true, 32, 128, 128}, {false, 32, 128, 128},
		{true, 48, 192, 192}, {false, 48, 192, 192}, {false, 64, 256, 256}, {false, 64, 256, 256},
	} {
		n.layer(fmt.Sprintf("fire%d", i+2), func() {
			if f.pool {
				x = n.pool("maxpool", "poolmax", x, 3, 2, valid)
			}
			s := n.conv("squeeze", x, conv{out: f.s, kh: 1, kw: 1, pad: valid, act: "relu"})
			x = n.concat(
				n.conv("expand1", s, conv{out: f.e, kh: 1, kw: 1, pad: valid, act: "relu"}),
				n.conv("expand3", s, conv{out: f.o, kh: 3, kw: 3, pad: pads(1, 1), act: "relu"}))
		})
	}
	x = n.conv("classifier", x, conv{out: 1000, kh: 1, kw: 1, pad: valid, act: "relu"})
	return n.finish(n.flatten(n.wholeAverage(x)))
}
