package onnx

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Normalizations.

func normalizationOperators() []*operator {
	softmax := func(im *importer, x *value, a int) *value {
		return im.apply("softmax", attrs{"axis": graph.IntValue(a)}, x)
	}
	return []*operator{
		{name: "Softmax", versions: "1 11 13", attrs: "axis", lower: lowerSoftmax(softmax), types: sameType,
			writes: map[string]writer{"softmax": writeSoftmax}},
		{name: "LogSoftmax", versions: "1 11 13", attrs: "axis", lower: lowerSoftmax((*importer).logSoftmax), types: sameType},
		{name: "Hardmax", versions: "1 11 13", attrs: "axis", lower: lowerHardmax, types: sameType},
		{name: "BatchNormalization", versions: "1 6 7 9 14 15", lower: lowerBatchNorm, types: sameType,
			attrs:  "~consumed_inputs epsilon is_test momentum spatial training_mode",
			writes: map[string]writer{"batchnorm": numbered("BatchNormalization", "epsilon")}},
		// Sums are computed in the type of the input, or in float32 by default.
		{name: "LayerNormalization", versions: "1 17", attrs: "axis epsilon !stash_type", lower: lowerLayerNorm, types: sameType,
			writes: map[string]writer{"layernorm": writeLayerNorm}},
		{name: "SimplifiedLayerNormalization", versions: "1", attrs: "axis epsilon !stash_type", lower: lowerRMSNorm},
		{name: "RMSNormalization", versions: "23", attrs: "axis epsilon !stash_type", lower: lowerRMSNorm},
		{name: "GroupNormalization", versions: "18 21", attrs: "epsilon num_groups !stash_type", lower: lowerGroupNorm, types: sameType},
		{name: "InstanceNormalization", versions: "1 6 22", attrs: "~consumed_inputs epsilon", lower: lowerInstanceNorm, types: sameType},
		{name: "MeanVarianceNormalization", versions: "9 13", attrs: "axes", lower: lowerMVN, types: sameType},
		{name: "LpNormalization", versions: "1 22", attrs: "axis p", lower: lowerLpNorm, types: sameType},
		{name: "LRN", versions: "1 13", attrs: "alpha beta bias size", lower: lowerLRN, types: sameType},
	}
}

// lowerSoftmax: before operator set 13 all axes from the given one on were
// normalized together.
func lowerSoftmax(along func(im *importer, x *value, axis int) *value) lowering {
	return func(c *call) {
		x := c.need(1, 1)[0]
		c.arithmetic("", x)
		missing := -1
		if c.im.opset < 13 {
			missing = min(1, x.rank()-1)
		}
		a, y := c.axisAttr(missing, x.rank()), x
		if c.im.opset < 13 && a != x.rank()-1 {
			y = c.im.reshapeTo(x, []graph.Dim{product(x.dims()[:a]...), product(x.dims()[a:]...)})
			a = 1
		}
		c.set(c.im.reshapeTo(along(c.im, y, a), x.dims()))
	}
}

// logSoftmax: x - logsumexp(x), which does not underflow.
func (im *importer) logSoftmax(x *value, axis int) *value {
	s := reduceLogSumExp(im, x, []int{axis}, true)
	return im.do("ewsub", x, im.broadcastTo(s, x.dims()))
}

func lowerBatchNorm(c *call) {
	in := c.need(5, 5)
	training, spatial, eps := c.flag("training_mode"), c.int("spatial", 1), c.float("epsilon", 1e-5)
	if c.im.opset < 7 {
		training = !c.flag("is_test")
	} else if c.im.opset < 14 { // further outputs say that it is in training mode
		for _, name := range c.node.GetOutput()[1:] {
			training = training || name != ""
		}
	}
	switch {
	case training && c.im.opset < 14:
		must.Do(unsupported("training mode is not supported"))
	case spatial == 0 && c.im.opset < 9:
		c.elementNorm(in, eps)
	case training:
		c.trainingNorm(in, eps)
	default:
		c.first(c.im.apply("batchnorm", attrs{"eps": c.exact("eps", eps)}, in...))
	}
}

// elementNorm normalizes every element by itself, (x - mean) / sqrt(variance +
// eps) * scale + bias, where each is of the input's sizes but the first.
func (c *call) elementNorm(in []*value, eps float64) {
	im, x := c.im, in[0]
	full := []*value{x}
	for _, v := range in[1:] {
		if v.rank() != x.rank()-1 {
			must.Failf("%s for the elements of %s", v, x)
		}
		full = append(full, im.broadcastTo(v, x.dims()))
	}
	dev := im.root(full[4], eps)
	y := im.do("ewdiv", im.do("ewsub", x, full[3]), dev)
	c.first(im.do("ewadd", im.do("ewmul", y, full[1]), full[2]))
}

// root is the deviation of a variance to which a number is added.
func (im *importer) root(variance *value, eps float64) *value {
	return im.do("sqrt", im.do("ewadd", variance, im.scalar(variance, eps)))
}

// trainingNorm normalizes by the batch's own moments; the other outputs are the
// running ones, of which the batch's are a part.
func (c *call) trainingNorm(in []*value, eps float64) {
	momentum := c.float("momentum", 0.9)
	im, x := c.im, in[0]
	if x.rank() < 2 || len(c.outs) < 1 || len(c.outs) > 3 {
		must.Failf("%d outputs for %s", len(c.outs), x)
	}
	mean, variance := im.moments(x, append([]int{0}, upTo(2, x.rank())...))
	channels := x.dims()[1:2]
	moments := []*value{im.reshapeTo(mean, channels), im.reshapeTo(variance, channels)}
	for i := 1; i < len(c.outs); i++ {
		c.outs[i] = im.do("ewadd", im.scale(in[2+i], momentum), im.scale(moments[i-1], 1-momentum))
	}
	c.outs[0] = im.apply("batchnorm", attrs{"eps": c.exact("eps", eps)}, x, in[1], in[2], moments[0], moments[1])
}

func lowerLayerNorm(c *call) {
	c.layerNorm(int(min(max(c.int("axis", -1), -graph.MaxRank-1), graph.MaxRank+1)), c.float("epsilon", 1e-5))
}

// layerNorm normalizes from an axis on.
func (c *call) layerNorm(from int, eps float64) {
	in, im := c.need(2, 3), c.im
	x, scale, bias := in[0], in[1], in[2]
	c.arithmetic("", x)
	a := axis(from, x.rank())
	if bias == nil {
		bias = valueOf(newConstant(x.dtype))
		if sizes, ok := fixed(x.dims()[a:]); ok && graph.Product(sizes...) <= maxConstant {
			bias = valueOf(newConstant(x.dtype, sizes...))
		}
	}
	scale, bias = im.broadcastTo(scale, x.dims()[a:]), im.broadcastTo(bias, x.dims()[a:])
	y := im.apply("layernorm", attrs{"axis": graph.IntValue(a), "eps": c.exact("eps", eps)}, x, scale, bias)
	if len(c.outs) == 0 || len(c.outs) > 3 {
		must.Failf("%d outputs", len(c.outs))
	}
	c.outs[0] = y
	// The mean and the inverse of the deviation, if somebody reads them.
	if len(c.outs) > 1 {
		mean, variance := im.moments(x, upTo(a, x.rank()))
		c.outs[1] = mean
		if len(c.outs) > 2 {
			c.outs[2] = im.do("reciprocal", im.root(variance, eps))
		}
	}
}

// moments are the mean and the variance over axes, which stay with size 1.
func (im *importer) moments(x *value, axes []int) (mean, variance *value) {
	mean = im.reduce("reducemean", x, axes, true)
	d := im.do("ewsub", x, im.broadcastTo(mean, x.dims()))
	return mean, im.reduce("reducemean", im.do("ewmul", d, d), axes, true)
}

// lowerInstanceNorm: a layer normalization of each channel's image, times and
// plus a number for each channel.
func lowerInstanceNorm(c *call) {
	in, im := c.need(3, 3), c.im
	x := in[0]
	if x.rank() < 3 {
		must.Failf("%s: want at least 3 axes", x)
	}
	y := im.normalized(x, upTo(2, x.rank()), c.float("epsilon", 1e-5))
	c.set(im.perChannel(y, in[1], in[2]))
}
