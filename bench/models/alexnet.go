package models

// alexnet is AlexNet on one device, without local normalization.
type alexnet struct {
	samples int
	image   int
	div     int
}

func (c alexnet) batch() int { return c.samples }

func (c alexnet) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c alexnet) build(seed uint64) *Network {
	n := newNet(seed, c.div, biased)
	x := n.input("image", c.samples, 3, c.image, c.image)
	x = n.conv("conv1", x, conv{out: 64, kh: 11, kw: 11, stride: 4, pad: pads(2, 2), act: "relu"})
	x = n.pool("pool1", "poolmax", x, 3, 2, valid)
	x = n.conv("conv2", x, conv{out: 192, kh: 5, kw: 5, pad: pads(2, 2), act: "relu"})
	x = n.pool("pool2", "poolmax", x, 3, 2, valid)
	x = n.conv("conv3", x, conv{out: 384, kh: 3, kw: 3, pad: pads(1, 1), act: "relu"})
	x = n.conv("conv4", x, conv{out: 256, kh: 3, kw: 3, pad: pads(1, 1), act: "relu"})
	x = n.conv("conv5", x, conv{out: 256, kh: 3, kw: 3, pad: pads(1, 1), act: "relu"})
	x = n.flatten(n.pool("pool5", "poolmax", x, 3, 2, valid))
	x = n.classifier("fc6", x, n.ch(4096), true)
	x = n.classifier("fc7", x, n.ch(4096), true)
	return n.finish(n.classifier("fc8", x, n.ch(1000), false))
}
