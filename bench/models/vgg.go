package models

import (
	"fmt"
)

// vgg is VGG-19.
type vgg struct {
	image int
	div   int
	full  bool // with biases
}

func (c vgg) build(seed uint64) *Network {
	n := newNet(seed, c.div, plain)
	if c.full {
		n.style = biased
	}
	x := n.input("image", 1, 3, c.image, c.image)
	for g, group := range [][]int{{64, 64}, {128, 128}, {256, 256, 256, 256}, {512, 512, 512, 512}, {512, 512, 512, 512}} {
		n.layer(fmt.Sprintf("group%d", g+1), func() {
			for i, out := range group {
				x = n.conv(fmt.Sprint(i+1), x, conv{out: out, kh: 3, kw: 3, pad: pads(1, 1), act: "relu"})
			}
			x = n.pool("maxpool", "poolmax", x, 2, 2, valid)
		})
	}
	x = n.flatten(x)
	x = n.classifier("fc1", x, n.ch(4096), true)
	x = n.classifier("fc2", x, n.ch(4096), true)
	return n.finish(n.classifier("fc3", x, n.ch(1000), false))
}
