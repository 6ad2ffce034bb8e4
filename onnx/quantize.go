package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Numbers as small integers with a scale: x stands for scale * (q - zero), q for x / scale
// rounded to the nearest integer, the even one of two, plus zero, and within its type's
// range. Both are computed in float32, in which integers of up to 24 bits are exact.

func quantizedOperators() []*operator {
	const conv = "auto_pad dilations group kernel_shape pads strides"
	return []*operator{
		{name: "QuantizeLinear", versions: "10 13 19 21 23 24 25", attrs: "axis block_size output_dtype !precision saturate", lower: lowerQuantize},
		{name: "DequantizeLinear", versions: "10 13 19 21 23 24 25", attrs: "axis block_size output_dtype", lower: lowerDequantize},
		{name: "DynamicQuantizeLinear", versions: "11", lower: lowerDynamicQuantize},
		{name: "MatMulInteger", versions: "10", lower: lowerMatMulInteger},
		{name: "ConvInteger", versions: "10", attrs: conv, lower: lowerConvInteger},
		{name: "QLinearMatMul", versions: "10 21", lower: lowerQLinearMatMul},
		{name: "QLinearConv", versions: "10", attrs: conv, lower: lowerQLinearConv},
	}
}

// quantum is a scale and a zero point, nil for 0.
type quantum struct{ scale, zero *value }

// quantum are inputs i and i+1.
func (c *call) quantum(i int) quantum {
	q := quantum{scale: c.optional(i), zero: c.optional(i + 1)}
	switch {
	case q.scale == nil:
		must.Failf("a scale is missing")
	case !q.scale.dtype.IsFloat():
		must.Failf("the scale %s is not floating-point", q.scale)
	case q.zero != nil && q.zero.elements() != q.scale.elements():
		must.Failf("the zero point %s does not fit the scale %s", q.zero, q.scale)
	}
	return q
}

// along brings scales into the form in which they broadcast: one number for all, one for
// each place on an axis, or one for each block along it.
func (c *call) along(scale *value, sizes []graph.Dim, axis int) *value {
	im := c.im
	if scale.elements() == 1 && scale.rank() <= 1 {
		return im.broadcastTo(im.reshape(scale), sizes)
	}
	if axis < 0 {
		axis += len(sizes)
	}
	if axis < 0 || axis >= len(sizes) {
		must.Failf("axis %d is out of range for shape %v", axis, sizes)
	}
	if scale.rank() == 1 {
		if !im.open.same(scale.size(0), sizes[axis]) {
			must.Failf("scales %s do not fit axis %d of shape %v", scale, axis, sizes)
		}
		form := dimsOf(ones(len(sizes))...)
		form[axis] = sizes[axis]
		return im.broadcastTo(im.reshapeTo(scale, form), sizes)
	}
	block := int(min(c.int("block_size", 0), graph.MaxSize))
	blocks, long := slices.Clone(sizes), numberOf(sizes[axis])
	if block > 0 {
		blocks[axis] = graph.Int(int64((long + block - 1) / block))
	}
	if block < 1 || !slices.Equal(scale.dims(), blocks) {
		must.Failf("scales %s do not fit shape %v with block_size %d along axis %d", scale, sizes, block, axis)
	}
	wide := graph.Int(int64(min(block, long)))
	one, many, all := slices.Insert(slices.Clone(blocks), axis+1, graph.Int(1)), slices.Insert(slices.Clone(blocks), axis+1, wide), slices.Clone(sizes)
	all[axis] = blocks[axis].Mul(wide)
	return im.sliceTo(im.reshapeTo(im.broadcastTo(im.reshapeTo(scale, one), many), all), axis, graph.Int(0), sizes[axis])
}

// centered is q - zero in float32, which holds it exactly but for integers of 32 bits.
func (c *call) centered(x, zero *value, axis int) *value {
	im := c.im
	y := im.cast(x, graph.Float32)
	if zero == nil {
		return y
	}
	if zero.dtype != x.dtype {
		must.Failf("the zero point %s and %s have different element types", zero, x)
	}
	return im.do("ewsub", y, c.along(im.cast(zero, graph.Float32), x.dims(), axis))
}

// dequantized is what quantized numbers stand for, in float32.
func (c *call) dequantized(x *value, q quantum, axis int) *value {
	return c.im.do("ewmul", c.centered(x, q.zero, axis), c.along(c.im.cast(q.scale, graph.Float32), x.dims(), axis))
}

// rounded are numbers that were divided by their scales as numbers of type t.
func (c *call) rounded(y, zero *value, t graph.DType, axis int) *value {
	im := c.im
	if t.IsFloat() { // where zero points are 0
		mode := "default"
		if c.int("saturate", 1) == 0 && t.Bits() == 8 {
			mode = "overflow"
		}
		return im.apply("cast", attrs{"to": graph.NameValue(t.String()), "mode": graph.NameValue(mode)}, y)
	}
	if !t.IsInt() || t.Bits() > 16 {
		must.Do(unsupported("quantization to %s is not supported", t))
	}
	y = im.do("round", y)
	if zero != nil {
		y = im.do("ewadd", y, c.along(im.cast(zero, graph.Float32), y.dims(), axis))
	}
	lo, hi := t.IntRange()
	y = im.apply("clip", attrs{"lo": graph.NumberValue(float64(lo)), "hi": graph.NumberValue(float64(hi))}, y)
	return im.cast(y, t)
}

// quantized are numbers of float32 as small integers.
func (c *call) quantized(x *value, q quantum, t graph.DType, axis int) *value {
	y := c.im.do("ewdiv", x, c.along(c.im.cast(q.scale, graph.Float32), x.dims(), axis))
	return c.rounded(y, q.zero, t, axis)
}

// typeNamed is the element type that an attribute names, or another one.
func (c *call) typeNamed(attr string, missing graph.DType) graph.DType {
	n := c.int(attr, 0)
	if n == 0 {
		return missing
	}
	t, err := dtypeOf(elem(n))
	if err != nil {
		must.Do(unsupported("%v", err))
	}
	return t
}

func lowerQuantize(c *call) {
	x := c.need(2, 3)[0]
	q := c.quantum(1)
	t := graph.Uint8
	if q.zero != nil {
		t = q.zero.dtype
	}
	if named := c.typeNamed("output_dtype", t); q.zero != nil && named != t {
		must.Failf("the zero point %s does not fit output_dtype %s", q.zero, named)
	} else {
		t = named
	}
	if !x.dtype.IsFloat() && x.dtype != graph.Int32 {
		must.Failf("input %s is not supported", x)
	}
	c.set(c.quantized(c.im.cast(x, graph.Float32), q, t, int(c.int("axis", 1))))
}

func lowerDequantize(c *call) {
	x := c.need(2, 3)[0]
	q := c.quantum(1)
	if x.dtype == graph.Float64 || x.dtype.IsInt() && x.dtype.Bits() > 16 && x.dtype != graph.Int32 {
		must.Do(unsupported("input %s is not supported", x.dtype))
	}
	c.set(c.im.cast(c.dequantized(x, q, int(c.int("axis", 1))), c.typeNamed("output_dtype", q.scale.dtype)))
}

// dynamic is the scale of bytes by which all numbers and zero fit, and their zero point,
// both scalars of float32.
func (im *importer) dynamic(x *value) (scale, zero *value) {
	axes := upTo(0, x.rank())
	most := func(v *value) *value {
		if len(axes) > 0 {
			v = im.reduce("reducemax", v, axes, false)
		}
		return im.do("relu", v)
	}
	hi, below := most(x), most(im.do("neg", x))
	wide := im.do("ewadd", hi, below)
	scale = im.do("ewdiv", wide, im.scalar(wide, 255))
	scale = im.do("ewwhere", wide, scale, im.scalar(scale, 1)) // of zeros only any scale will do
	zero = im.apply("clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(255)}, im.do("ewdiv", below, scale))
	return scale, im.do("round", zero)
}

// dynamically are numbers of float32 as bytes, with their scale and zero point.
func (c *call) dynamically(x *value) (y *value, q quantum) {
	if x.dtype != graph.Float32 {
		must.Failf("input %s is not supported", x)
	}
	scale, zero := c.im.dynamic(x)
	q = quantum{scale, c.im.cast(zero, graph.Uint8)}
	return c.quantized(x, quantum{scale, zero}, graph.Uint8, 0), q
}

func lowerDynamicQuantize(c *call) {
	y, q := c.dynamically(c.need(1, 1)[0])
	c.setAll(y, q.scale, q.zero)
}
