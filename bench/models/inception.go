package models

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// inception is Inception-v3 without the auxiliary classifier.
type inception struct {
	samples int // 0 is 1
	image   int
	div     int
	full    bool // batch norm, classifier, and the pools of the published network
}

func (c inception) batch() int { return max(c.samples, 1) }

func (c inception) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c inception) build(seed uint64) *Network {
	n := &inceptionNet{net: newNet(seed, c.div, plain), file: !c.full}
	n.fused = true
	// Tensat's graph takes an average in block B and maxima in the blocks E.
	poolB, poolE := "poolavg", "poolmax"
	if c.full {
		n.style, n.eps, poolB, poolE = normed, 1e-3, "poolmax", "poolavg"
	}
	x := n.input("image", c.batch(), 3, c.image, c.image)
	n.in("stem", func() {
		x = n.unit("a", x, 32, 3, 3, 2, valid)
		x = n.unit("b", x, 32, 3, 3, 1, valid)
		x = n.unit("c", x, 64, 3, 3, 1, n.around(3, 3))
		x = n.pool("maxpool", "poolmax", x, 3, 2, valid)
		x = n.unit("d", x, 80, 1, 1, 1, valid)
		x = n.unit("e", x, 192, 3, 3, 1, valid)
		x = n.pool("maxpool", "poolmax", x, 3, 2, valid)
	})
	for i, p := range []int{32, 64, 64} {
		n.layer(fmt.Sprintf("a%d", i+1), func() { x = n.blockA(x, p) })
	}
	n.layer("b", func() { x = n.blockB(x, poolB) })
	for i, w := range []int{128, 160, 160, 192} {
		n.layer(fmt.Sprintf("c%d", i+1), func() { x = n.blockC(x, w) })
	}
	n.layer("d", func() { x = n.blockD(x) })
	for i := 1; i <= 2; i++ {
		n.layer(fmt.Sprintf("e%d", i), func() { x = n.blockE(x, poolE) })
	}
	if c.full {
		x = n.classifier("fc", n.flatten(n.globalAverage(x)), n.ch(1000), false)
	} else {
		x = n.wholeAverage(x)
	}
	return n.finish(x)
}

type inceptionNet struct {
	*net
	file bool // join as Tensat's file does
}

// four joins four tensors: in Tensat's file pairs of pairs.
func (n *inceptionNet) four(a, b, c, d tensor) tensor {
	if n.file {
		return n.concat(n.concat(a, b), n.concat(c, d))
	}
	return n.concat(a, b, c, d)
}

// around pads so that a window of odd size keeps the image.
func (n *inceptionNet) around(kh, kw int) graph.Value { return pads(kh/2, kw/2) }

func (n *inceptionNet) unit(name string, x tensor, out, kh, kw, stride int, pad graph.Value) tensor {
	return n.conv(name, x, conv{out: out, kh: kh, kw: kw, stride: stride, pad: pad, act: "relu"})
}

// path is a row of convolutions that keep the image: out, kh, kw of each.
func (n *inceptionNet) path(name string, x tensor, units ...[3]int) tensor {
	for i, u := range units {
		x = n.unit(fmt.Sprintf("%s%d", name, i+1), x, u[0], u[1], u[2], 1, n.around(u[1], u[2]))
	}
	return x
}

func (n *inceptionNet) blockA(x tensor, p int) tensor {
	return n.four(
		n.path("one", x, [3]int{64, 1, 1}),
		n.path("five", x, [3]int{48, 1, 1}, [3]int{64, 5, 5}),
		n.path("three", x, [3]int{64, 1, 1}, [3]int{96, 3, 3}, [3]int{96, 3, 3}),
		n.path("pool", n.pool("avgpool", "poolavg", x, 3, 1, pads(1, 1)), [3]int{p, 1, 1}))
}

func (n *inceptionNet) blockB(x tensor, pool string) tensor {
	three := n.unit("three", x, 384, 3, 3, 2, valid)
	double := n.unit("double3", n.path("double", x, [3]int{64, 1, 1}, [3]int{96, 3, 3}), 96, 3, 3, 2, valid)
	p := n.pool("pool", pool, x, 3, 2, valid)
	if n.file { // it puts the pool first
		return n.concat(p, n.concat(three, double))
	}
	return n.concat(three, double, p)
}

func (n *inceptionNet) blockC(x tensor, c int) tensor {
	return n.four(
		n.path("one", x, [3]int{192, 1, 1}),
		n.path("seven", x, [3]int{c, 1, 1}, [3]int{c, 1, 7}, [3]int{192, 7, 1}),
		n.path("double", x, [3]int{c, 1, 1}, [3]int{c, 7, 1}, [3]int{c, 1, 7}, [3]int{c, 7, 1}, [3]int{192, 1, 7}),
		n.path("pool", n.pool("avgpool", "poolavg", x, 3, 1, pads(1, 1)), [3]int{192, 1, 1}))
}

func (n *inceptionNet) blockD(x tensor) tensor {
	return n.concat(
		n.unit("three2", n.path("three", x, [3]int{192, 1, 1}), 320, 3, 3, 2, valid),
		n.unit("seven4", n.path("seven", x, [3]int{192, 1, 1}, [3]int{192, 1, 7}, [3]int{192, 7, 1}), 192, 3, 3, 2, valid),
		n.pool("pool", "poolmax", x, 3, 2, valid))
}

func (n *inceptionNet) blockE(x tensor, pool string) tensor {
	wide := func(name string, x tensor) tensor {
		return n.concat(n.path(name+"_row", x, [3]int{384, 1, 3}), n.path(name+"_column", x, [3]int{384, 3, 1}))
	}
	return n.concat(
		n.path("one", x, [3]int{320, 1, 1}),
		wide("three", n.path("three", x, [3]int{384, 1, 1})),
		wide("double", n.path("double", x, [3]int{448, 1, 1}, [3]int{384, 3, 3})),
		n.path("pool", n.pool("pool", pool, x, 3, 1, pads(1, 1)), [3]int{192, 1, 1}))
}
