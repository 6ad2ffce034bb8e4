package models

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// residual describes ResNet-50, ResNet-101, ResNeXt-50 and Wide-ResNet: blocks of 1x1,
// 3x3 and 1x1 convolutions beside a shortcut.
type residual struct {
	samples int // 0 is 1
	image   int // input height and width
	div     int
	blocks  [4]int // of each stage; none: 3, 4, 6, 3
	width   int    // channels inside a block of the first stage, doubled every stage
	wide    int    // channels behind the 3x3 over those before it; 0 is 1
	expand  int    // output channels of a block over those inside
	groups  int    // of the 3x3
	first   int    // channels of the stem; 0 is 64
	// papers: no batch norm, relu fused and also behind the 1x1 of a shortcut, no
	// classifier; no stem either if stem is false (the input is what the stem
	// would give).
	papers bool
	stem   bool
}

func (r residual) batch() int { return max(r.samples, 1) }

func (r residual) withBatch(samples int) builder {
	r.samples = samples
	return r
}

func (r residual) build(seed uint64) *Network {
	n := newNet(seed, r.div, normed)
	shortcut := ""
	around := func(k int) graph.Value { return pads(k/2, k/2) }
	if r.papers {
		n.style, n.fused, shortcut = plain, true, "relu"
		around = func(int) graph.Value { return same }
	}
	first, blocks, wide := r.first, r.blocks, max(r.wide, 1)
	if first == 0 {
		first = 64
	}
	if blocks == [4]int{} {
		blocks = [4]int{3, 4, 6, 3}
	}
	var x tensor
	if r.stem {
		x = n.input("image", r.batch(), 3, r.image, r.image)
		x = n.conv("stem", x, conv{out: first, kh: 7, kw: 7, stride: 2, pad: around(7), act: "relu"})
		x = n.pool("maxpool", "poolmax", x, 3, 2, around(3))
	} else {
		x = n.input("features", r.batch(), n.ch(first), r.image/4, r.image/4)
	}
	groups := max(r.groups/n.div, 1)
	width := r.width
	for stage, count := range blocks {
		for i := 0; i < count; i++ {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			n.layer(fmt.Sprintf("stage%d_%d", stage+1, i), func() {
				t := n.conv("a", x, conv{out: width, kh: 1, kw: 1, pad: around(1), act: "relu"})
				t = n.conv("b", t, conv{out: width * wide, kh: 3, kw: 3, stride: stride, groups: groups, pad: around(3), act: "relu"})
				t = n.conv("c", t, conv{out: width * r.expand, kh: 1, kw: 1, pad: around(1)})
				if stride > 1 || x.sizes[1] != t.sizes[1] {
					x = n.conv("shortcut", x, conv{out: width * r.expand, kh: 1, kw: 1, stride: stride, pad: around(1), act: shortcut})
				}
				x = n.apply("add", "ewadd", nil, x, t)
				x = n.apply("relu", "relu", nil, x)
			})
		}
		width *= 2
	}
	if !r.papers {
		x = n.classifier("fc", n.flatten(n.globalAverage(x)), n.ch(1000), false)
	}
	return n.finish(x)
}
