package models

import (
	"fmt"
)

// bottleneck is a row of the table of MobileNet-v2's blocks.
type bottleneck struct{ expand, out, repeat, stride int }

// mobilenet is MobileNet-v2 with batch norm.
type mobilenet struct {
	image  int
	div    int
	blocks []bottleneck
	full   bool // relu6, and the published classifier
}

// tensatBlocks are those of Tensat's graph: the first block expands too, from
// 32 channels to 32, and the stage of 64 channels runs on 28x28 instead of
// 14x14, because the stride is taken by the stage of 96.
var tensatBlocks = []bottleneck{
	{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 1}, {6, 96, 3, 2}, {6, 160, 3, 2}, {6, 320, 1, 1},
}

// sandlerBlocks is table 2 of Sandler et al. (CVPR 2018).
var sandlerBlocks = []bottleneck{
	{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
}

func (c mobilenet) build(seed uint64) *Network {
	n := newNet(seed, c.div, normed)
	act := "relu"
	if c.full {
		act = "relu6"
	}
	x := n.input("image", 1, 3, c.image, c.image)
	x = n.conv("stem", x, conv{out: 32, kh: 3, kw: 3, stride: 2, pad: pads(1, 1), act: act})
	for s, b := range c.blocks {
		for i := 0; i < b.repeat; i++ {
			stride := 1
			if i == 0 {
				stride = b.stride
			}
			n.layer(fmt.Sprintf("stage%d_%d", s+1, i), func() {
				t := x
				if b.expand > 1 || !c.full {
					t = n.conv("expand", t, conv{out: x.sizes[1] * b.expand * n.div, kh: 1, kw: 1, pad: valid, act: act})
				}
				t = n.conv("depth", t, conv{kh: 3, kw: 3, stride: stride, groups: -1, pad: pads(1, 1), act: act})
				t = n.conv("project", t, conv{out: b.out, kh: 1, kw: 1, pad: valid})
				if stride == 1 && x.sizes[1] == t.sizes[1] {
					t = n.apply("add", "ewadd", nil, x, t)
				}
				x = t
			})
		}
	}
	x = n.conv("head", x, conv{out: 1280, kh: 1, kw: 1, pad: valid, act: act})
	if c.full {
		return n.finish(n.classifier("fc", n.flatten(n.globalAverage(x)), n.ch(1000), false))
	}
	x = n.wholeAverage(x)
	x = n.conv("classifier", x, conv{out: 1000, kh: 1, kw: 1, pad: valid, plain: true})
	return n.finish(n.flatten(x))
}
