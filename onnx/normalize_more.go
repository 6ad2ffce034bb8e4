package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Normalizations that are expanded: by groups of channels, by the mean square, by norms,
// over neighbouring channels.

// normalized is x without its mean, by its deviation, over axes.
func (im *importer) normalized(x *value, axes []int, eps float64) *value {
	mean, variance := im.moments(x, axes)
	d := im.do("ewsub", x, im.broadcastTo(mean, x.dims()))
	return im.do("ewdiv", d, im.broadcastTo(im.root(variance, eps), x.dims()))
}

// perChannel is times and plus a number for each channel.
func (im *importer) perChannel(y, scale, bias *value) *value {
	for i, v := range []*value{scale, bias} {
		if v.rank() != 1 || !im.open.same(v.size(0), y.size(1)) {
			must.Failf("%s for %s channels", v, y.size(1))
		}
		v = im.reshape(v, ofChannels(v.sizes()[0], y.rank())...)
		y = im.do([]string{"ewmul", "ewadd"}[i], y, im.broadcastTo(v, y.dims()))
	}
	return y
}

// lowerGroupNorm: before operator set 21 the scale and bias were one for each group.
func lowerGroupNorm(c *call) {
	in, im := c.need(3, 3), c.im
	x, groups := in[0], c.int("num_groups", 0)
	c.arithmetic("", x)
	if x.rank() < 3 || groups < 1 || int64(numberOf(x.size(1)))%groups != 0 {
		must.Failf("%d groups of %s", groups, x)
	}
	g, channels := int(groups), numberOf(x.size(1))
	part := graph.Int(int64(channels / g))
	y := im.reshapeTo(x, []graph.Dim{x.size(0), graph.Int(groups), part.Mul(product(x.dims()[2:]...))})
	y = im.reshapeTo(im.normalized(y, []int{2}, c.float("epsilon", 1e-5)), x.dims())
	for i, v := range in[1:] {
		if v.rank() == 1 && v.sizes()[0] == g && g != channels && im.opset < 21 {
			in[1+i] = im.reshape(im.broadcast(im.reshape(v, g, 1), g, channels/g), channels)
		}
	}
	c.set(im.perChannel(y, in[1], in[2]))
}

// lowerRMSNorm: x by the root of the mean of its squares, times a scale.
func lowerRMSNorm(c *call) {
	in := c.need(2, 2)
	x := in[0]
	c.arithmetic("", x)
	y, inverse := c.im.rmsNorm(x, in[1], c.axisAttr(-1, x.rank()), c.float("epsilon", 1e-5))
	if c.wanted(1) {
		c.outs[1] = inverse
	}
	c.outs[0] = y
}

func (im *importer) rmsNorm(x, scale *value, axis int, eps float64) (y, inverse *value) {
	square := im.reduce("reducemean", im.do("ewmul", x, x), upTo(axis, x.rank()), true)
	root := im.root(square, eps)
	inverse = im.do("reciprocal", root)
	return im.elementwise("ewmul", im.do("ewmul", x, im.broadcastTo(inverse, x.dims())), scale), inverse
}

// lowerLRN: x by a power of what the squares of the channels around sum to, an average
// under a window over channels.
func lowerLRN(c *call) {
	x, im := c.need(1, 1)[0], c.im
	c.arithmetic("", x)
	size := c.int("size", 0)
	if x.rank() < 2 || size < 1 || size > graph.MaxSize {
		must.Failf("windows of %d channels of %s", size, x)
	}
	before, after := int(size-1)/2, int(size-1)-int(size-1)/2
	y := im.reshapeTo(im.do("ewmul", x, x), []graph.Dim{x.size(0), graph.Int(1), x.size(1), product(x.dims()[2:]...)})
	y = im.apply("poolavg", attrs{"kh": graph.IntValue(int(size)), "kw": graph.IntValue(1), "stride": graph.TupleValue(1, 1),
		"pad": graph.TupleValue(before, 0, after, 0), "border": graph.NameValue("counted")}, y)
	y = im.scale(im.reshapeTo(y, x.dims()), c.float("alpha", 1e-4))
	y = im.do("ewadd", y, im.scalar(x, c.float("bias", 1)))
	c.set(im.do("ewdiv", x, im.power(y, c.float("beta", 0.75))))
}

// lowerMVN: x without its mean, by its deviation, to which a little is added.
func lowerMVN(c *call) {
	x, im := c.need(1, 1)[0], c.im
	c.arithmetic("", x)
	axes := c.ints("axes")
	if axes == nil {
		axes = []int{0, 2, 3}
	}
	axes = axesOf(axes, x.rank())
	slices.Sort(axes)
	mean, variance := im.moments(x, axes)
	dev := im.do("sqrt", variance)
	dev = im.do("ewadd", dev, im.scalar(dev, 1e-9))
	c.set(im.do("ewdiv", im.do("ewsub", x, im.broadcastTo(mean, x.dims())), im.broadcastTo(dev, x.dims())))
}

// tiny stands for a norm of zero, where all that it divides is zero: a number of the type
// which no other norm is much below.
func tiny(t graph.DType) float64 {
	switch t {
	case graph.Float16:
		return 0x1p-24
	case graph.Float64:
		return 0x1p-1022
	}
	return 1e-37
}

func lowerLpNorm(c *call) {
	x, im := c.need(1, 1)[0], c.im
	c.arithmetic("", x)
	a := []int{c.axisAttr(-1, x.rank())}
	var norm *value
	switch p := c.int("p", 2); p {
	case 1:
		norm = reduceL1(im, x, a, true)
	case 2:
		norm = reduceL2(im, x, a, true)
	default:
		must.Failf("p is %d", p)
	}
	c.set(im.do("ewdiv", x, im.broadcastTo(im.do("ewmax", norm, im.scalar(norm, tiny(norm.dtype))), x.dims())))
}

// lowerHardmax: one at the first place of the largest element and zero elsewhere. Before
// operator set 13 all axes from the given one on were one.
func lowerHardmax(c *call) {
	lowerSoftmax(func(im *importer, x *value, a int) *value {
		is, one := im.largest(x, a), element(x, 1)
		// Of several, those behind the first come after a sum of one.
		before := im.running(is, a, "ewadd", 0, true, false)
		return im.do("ewmul", is, im.not(im.apply("clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(1)}, before), one))
	})(c)
}
