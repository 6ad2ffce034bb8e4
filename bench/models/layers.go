package models

import (
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// conv describes a convolution of square or oblong kernels.
type conv struct {
	out    int // output channels, before division by net.div
	kh, kw int
	stride int // 0 is 1
	pad    graph.Value
	groups int    // 0 is 1, -1 is one group a channel
	act    string // "", relu or relu6
	plain  bool   // neither bias nor batch norm, whatever the style
}

// conv adds a convolution, what the style puts behind it, and the activation:
// fused into the convolution where net.fused says so and nothing is between.
func (n *net) conv(name string, x tensor, c conv) (y tensor) {
	n.in(name, func() { y = n.convIn(x, c) })
	return y
}

func (n *net) convIn(x tensor, c conv) tensor {
	in, out, groups := x.sizes[1], n.ch(c.out), max(c.groups, 1)
	if c.groups < 0 {
		groups, out = in, in
	}
	style := n.style
	if c.plain {
		style = plain
	}
	fan := in / groups * c.kh * c.kw
	scale := model.Lecun(fan)
	if c.act != "" && style != normed {
		scale = model.He(fan)
	}
	w := n.weight("w", -scale, scale, out, in/groups, c.kh, c.kw)
	a := attrs{"stride": graph.TupleValue(max(c.stride, 1), max(c.stride, 1)), "pad": c.pad, "groups": graph.IntValue(groups)}
	fused := n.fused && style == plain && c.act != ""
	if fused {
		a["act"] = graph.NameValue(c.act)
	}
	y := n.apply("conv", "conv2d", a, x, w)
	switch style {
	case biased:
		b := n.weight("b", -0.1, 0.1, out)
		b = n.apply("b_axes", "reshape", attrs{"shape": shape(1, out, 1, 1)}, b)
		b = n.apply("b_all", "broadcast", attrs{"shape": shape(y.sizes...)}, b)
		y = n.apply("bias", "ewadd", nil, y, b)
	case normed:
		y = n.batchNorm(y, c.act != "")
	}
	if fused {
		return y
	}
	return n.activation(c.act, y)
}

// activation adds an activation as an operator of its own; relu6 is
// min(max(x, 0), 6).
func (n *net) activation(act string, y tensor) tensor {
	switch act {
	case "":
		return y
	case "relu6":
		return n.apply("relu6", "clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(6)}, y)
	}
	return n.apply(act, act, nil, y)
}

// batchNorm normalizes the channels of y. Its scale keeps the mean square of
// what a relu follows; the running variance is about 1, as y's is.
func (n *net) batchNorm(y tensor, rectified bool) tensor {
	c := y.sizes[1]
	g := 1.0
	if rectified {
		g = math.Sqrt2
	}
	scale := n.weight("bn_scale", 0.9*g, 1.1*g, c)
	bias := n.weight("bn_bias", -0.1, 0.1, c)
	mean := n.weight("bn_mean", -0.1, 0.1, c)
	variance := n.weight("bn_var", 0.8, 1.2, c)
	return n.apply("bn", "batchnorm", attrs{"eps": graph.NumberValue(n.eps)}, y, scale, bias, mean, variance)
}

// pool adds a pool with a square window.
func (n *net) pool(name, op string, x tensor, k, stride int, pad graph.Value) tensor {
	return n.apply(name, op, attrs{"kh": graph.IntValue(k), "kw": graph.IntValue(k), "stride": graph.TupleValue(stride, stride), "pad": pad}, x)
}

// wholeAverage averages the whole image to [b, c, 1, 1] by a window of its
// size, as the paper graphs do.
func (n *net) wholeAverage(x tensor) tensor {
	return n.pool("avgpool", "poolavg", x, min(x.sizes[2], x.sizes[3]), 1, valid)
}

// globalAverage averages the whole image to [b, c, 1, 1] as a reduction.
func (n *net) globalAverage(x tensor) tensor {
	return n.apply("avgpool", "reducemean", attrs{"axes": graph.TupleValue(2, 3), "keep": graph.IntValue(1)}, x)
}

// flatten gives [b, rest].
func (n *net) flatten(x tensor) tensor {
	rest := 1
	for _, s := range x.sizes[1:] {
		rest *= s
	}
	return n.apply("flatten", "reshape", attrs{"shape": shape(x.sizes[0], rest)}, x)
}

// classifier is a linear layer with weights [out, in], transposed before use,
// as frameworks export it; with a bias unless the style is plain.
func (n *net) classifier(name string, x tensor, out int, rectified bool) (y tensor) {
	n.in(name, func() {
		in := x.sizes[1]
		w := n.weight("w", -n.gain(in, rectified), n.gain(in, rectified), out, in)
		t := n.apply("w_t", "transpose", attrs{"perm": graph.TupleValue(1, 0)}, w)
		y = n.apply("matmul", "matmul", nil, x, t)
		if n.style != plain {
			y = n.bias("b", y)
		}
		if rectified {
			y = n.apply("relu", "relu", nil, y)
		}
	})
	return y
}

// linear is x times weights [in, out], with a bias if asked.
func (n *net) linear(name string, x tensor, out int, withBias bool) (y tensor) {
	n.in(name, func() {
		in := x.sizes[len(x.sizes)-1]
		y = n.apply("matmul", "matmul", nil, x, n.weight("w", -n.gain(in, false), n.gain(in, false), in, out))
		if withBias {
			y = n.bias("b", y)
		}
	})
	return y
}

// bias adds a weight of the last axis' size.
func (n *net) bias(name string, y tensor) tensor {
	b := n.weight(name, -0.1, 0.1, y.sizes[len(y.sizes)-1])
	b = n.apply(name+"_all", "broadcast", attrs{"shape": shape(y.sizes...)}, b)
	return n.apply("bias", "ewadd", nil, y, b)
}

func (n *net) gain(in int, rectified bool) float64 {
	if rectified {
		return model.He(in)
	}
	return model.Lecun(in)
}

// concat joins tensors along their channels, two at a time from the left: the
// operator takes two.
func (n *net) concat(xs ...tensor) tensor {
	y := xs[0]
	for _, x := range xs[1:] {
		y = n.apply("concat", "concat", axis(1), y, x)
	}
	return y
}

func axis(n int) attrs { return attrs{"axis": graph.IntValue(n)} }

func permuted(perm ...int) attrs { return attrs{"perm": graph.TupleValue(perm...)} }

// part are the places lo to hi-1 of an axis.
func part(axis, lo, hi int) attrs {
	return attrs{"axis": graph.IntValue(axis), "lo": graph.IntValue(lo), "hi": graph.IntValue(hi)}
}
