package models

import (
	"fmt"
)

// nasnet is TASO's NasNet-A: three stages of five normal cells and a reduction
// cell, convolutions without normalization.
type nasnet struct {
	image int
	div   int
}

func (c nasnet) build(seed uint64) *Network {
	n := &nasnetNet{newNet(seed, c.div, plain)}
	n.fused = true
	x := n.input("image", 1, 3, c.image, c.image)
	x = n.conv("stem", x, conv{out: 64, kh: 7, kw: 7, stride: 2, pad: same, act: "relu"})
	x = n.pool("maxpool", "poolmax", x, 3, 2, same)
	out := 128
	for stage := 1; stage <= 3; stage++ {
		prev, cur := x, x
		for i := 1; i <= 5; i++ {
			n.layer(fmt.Sprintf("stage%d_normal%d", stage, i), func() {
				prev, cur = cur, n.normal(n.squeeze("prev", prev, out), n.squeeze("cur", cur, out), out)
			})
		}
		out *= 2
		n.layer(fmt.Sprintf("stage%d_reduction", stage), func() {
			x = n.reduction(n.squeeze("prev", prev, out), n.squeeze("cur", cur, out), out)
		})
	}
	return n.finish(x)
}

type nasnetNet struct{ *net }

// squeeze fits a tensor to a number of channels. (Both inputs of a cell have
// the same image size here, because a stage starts with its input twice.)
func (n *nasnetNet) squeeze(name string, x tensor, out int) tensor {
	return n.conv(name, x, conv{out: out, kh: 1, kw: 1, pad: same, act: "relu"})
}

// sep is a depthwise k x k convolution, then a 1x1.
func (n *nasnetNet) sep(name string, x tensor, out, k, stride int) tensor {
	x = n.conv(name+"_depth", x, conv{kh: k, kw: k, stride: stride, groups: -1, pad: same})
	return n.conv(name+"_point", x, conv{out: out, kh: 1, kw: 1, pad: same})
}

func (n *nasnetNet) add(x, y tensor) tensor { return n.apply("add", "ewadd", nil, x, y) }

func (n *nasnetNet) avg(x tensor, stride int) tensor {
	return n.pool("avgpool", "poolavg", x, 3, stride, same)
}

func (n *nasnetNet) max(x tensor, stride int) tensor {
	return n.pool("maxpool", "poolmax", x, 3, stride, same)
}

func (n *nasnetNet) normal(prev, cur tensor, out int) tensor {
	a := n.add(n.sep("a", cur, out, 3, 1), cur)
	b := n.add(n.sep("b1", prev, out, 3, 1), n.sep("b2", cur, out, 3, 1))
	c := n.add(n.avg(cur, 1), prev)
	d := n.add(n.avg(prev, 1), n.avg(prev, 1))
	e := n.add(n.sep("e1", prev, out, 3, 1), n.sep("e2", prev, out, 3, 1))
	return n.concat(a, b, c, d, e)
}

func (n *nasnetNet) reduction(prev, cur tensor, out int) tensor {
	o0 := n.add(n.sep("a1", prev, out, 7, 2), n.sep("a2", cur, out, 5, 2))
	o1 := n.add(n.max(cur, 2), n.sep("b", prev, out, 7, 2))
	o2 := n.add(n.avg(cur, 2), n.sep("c", prev, out, 5, 2))
	o3 := n.add(n.max(cur, 2), n.sep("d", o0, out, 3, 1))
	o4 := n.add(n.avg(o0, 1), o1)
	return n.concat(o0, o1, o2, o3, o4)
}
