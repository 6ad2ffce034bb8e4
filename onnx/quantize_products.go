package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Products of quantized numbers. Sums of products of bytes are computed in float32 where
// it holds all of them, that is, below 2^24: longer ones are cut into parts that it holds,
// which are added up as integers of 32 bits. What does not fit that way is computed with
// integers from the start.

// meanOfImage and softmaxOfLast are two of the operators on quantized numbers.
func meanOfImage(c *call, x *value) *value {
	if c.flag("channels_last") || x.rank() < 3 {
		must.Do(unsupported("channels_last = 1 is not supported"))
	}
	return c.im.reduce("reducemean", x, upTo(2, x.rank()), true)
}

func softmaxOfLast(c *call, x *value) *value {
	if c.int("opset", 13) < 13 {
		must.Do(unsupported("its definition of operator set %d is not supported", c.int("opset", 13)))
	}
	return c.im.apply("softmax", attrs{"axis": graph.IntValue(c.axisAttr(-1, x.rank()))}, x)
}

// exactSum is up to which all integers are float32 numbers.
const exactSum = 1 << 24

// worthCutting is the least number of terms for which it pays to cut a sum.
const worthCutting = 16

// reach is the largest magnitude of integers less their zero point.
func (c *call) reach(x, zero *value) float64 {
	if k := must.Get(x.constant()); k != nil && zero == nil {
		most := 0.0
		for i := range k.len() {
			most = max(most, math.Abs(k.number(i)))
		}
		return most
	}
	lo, hi := x.dtype.IntRange()
	zl, zh := float64(lo), float64(hi)
	if zero == nil {
		zl, zh = 0, 0
	} else if k := must.Get(zero.constant()); k != nil && k.len() > 0 {
		zl, zh = math.Inf(1), math.Inf(-1)
		for i := range k.len() {
			zl, zh = min(zl, k.number(i)), max(zh, k.number(i))
		}
	}
	return max(float64(hi)-zl, zh-float64(lo))
}

// bytes8 requires integers of 8 bits, and a zero point of their type if there is one.
func bytes8(x, zero *value) {
	if !x.dtype.IsInt() || x.dtype.Bits() > 8 {
		must.Do(unsupported("products of %s are not supported", x.dtype))
	}
	if zero != nil && zero.dtype != x.dtype {
		must.Failf("the zero point %s and %s have different element types", zero, x)
	}
}

// cut is how many terms a part of a sum of products may have, 0 if too few.
func (c *call) cut(x, xz, w, wz *value) int {
	terms := exactSum / max(1, c.reach(x, xz)*c.reach(w, wz))
	if terms < worthCutting {
		return 0
	}
	return int(min(terms, graph.MaxSize))
}

// inParts adds up parts of float32 that are integers: as such if there is one, else of 32
// bits.
func (im *importer) inParts(n int, part func(i int) *value) *value {
	if n == 1 {
		return part(0)
	}
	var sum *value
	for i := range n {
		p := im.cast(part(i), graph.Int32)
		if sum == nil {
			sum = p
		} else {
			sum = im.do("ewadd", sum, p)
		}
	}
	return sum
}

// rowZero is the zero point of a first factor, one for all or one for each row, as it
// broadcasts, and columnZero that of a second one.
func (c *call) rowZero(x, zero *value) *value {
	if zero == nil || zero.elements() == 1 || zero.rank() != 1 {
		return c.factorZero(x, zero)
	}
	if x.rank() < 2 || !c.im.open.same(zero.size(0), x.size(x.rank()-2)) {
		must.Failf("the zero point %s and %s have different element types", zero, x)
	}
	return c.im.broadcastTo(c.im.reshape(zero, zero.sizes()[0], 1), x.dims())
}

func (c *call) factorZero(x, zero *value) *value {
	switch {
	case zero == nil:
		return nil
	case zero.elements() == 1:
		zero = c.im.reshape(zero)
	case !slices.Equal(c.im.open.jointOf(zero.dims(), x.dims()), x.dims()):
		must.Failf("the zero point %s and %s have different element types", zero, x)
	}
	return c.im.broadcastTo(zero, x.dims())
}

// products is the product of matrices of bytes less their zero points: of float32 where
// that is exact, else of int32.
func (c *call) products(x, xz, w, wz *value) *value {
	im := c.im
	bytes8(x, xz)
	bytes8(w, wz)
	if x.rank() < 1 || w.rank() < 1 {
		must.Failf("%s and %s: a scalar has no product", x, w)
	}
	terms := c.cut(x, xz, w, wz)
	t := graph.Float32
	if terms == 0 {
		t = graph.Int32
	}
	less := func(v, zero *value, spread func(v, zero *value) *value) *value {
		y := im.cast(v, t)
		if zero == nil {
			return y
		}
		return im.do("ewsub", y, spread(y, im.cast(zero, t)))
	}
	a, b := less(x, xz, c.rowZero), less(w, wz, c.factorZero)
	columns, at := a.size(a.rank()-1), max(0, b.rank()-2)
	if terms == 0 {
		return im.matmul(a, b)
	}
	if !im.open.same(b.size(at), columns) {
		must.Failf("%s and %s: %s columns and %s rows", x, w, columns, b.size(at))
	}
	long := numberOf(columns)
	return im.inParts((long+terms-1)/terms, func(i int) *value {
		lo, hi := i*terms, min(long, (i+1)*terms)
		return im.matmul(im.slice(a, a.rank()-1, lo, hi), im.slice(b, at, lo, hi))
	})
}

// convolved is the convolution of bytes less their zero points, as products is the product.
func (c *call) convolved(x, xz, w, wz *value) *value {
	im := c.im
	bytes8(x, xz)
	bytes8(w, wz)
	if x.rank() < 3 || w.rank() != x.rank() {
		must.Failf("input %s and kernel %s: want the same number of axes, at least 3", x, w)
	}
	if xz != nil && xz.elements() != 1 {
		must.Failf("the zero point %s and %s have different element types", xz, x)
	}
	groups := c.int("group", 1)
	cells := graph.NumElements(w.sizes()[2:])
	terms := c.cut(x, xz, w, wz) / cells // channels
	if terms == 0 {
		must.Do(unsupported("windows of %d elements of %s and %s are too large", cells, x.dtype, w.dtype))
	}
	a, b := c.centered(x, xz, 1), c.centered(w, wz, 0)
	long := w.sizes()[1]
	win := func() *window { return c.window(x.rank()-2, w.sizes()[2:]) }
	if long <= terms {
		return im.convolve(a, b, win(), groups)
	}
	if groups != 1 || x.size(1) != graph.Int(int64(long)) {
		must.Do(unsupported("groups of %d channels with windows of %d elements are not supported", long, cells))
	}
	return im.inParts((long+terms-1)/terms, func(i int) *value {
		lo, hi := i*terms, min(long, (i+1)*terms)
		return im.convolve(im.slice(a, 1, lo, hi), im.slice(b, 1, lo, hi), win(), 1)
	})
}

func lowerMatMulInteger(c *call) {
	in := c.need(2, 4)
	c.set(c.im.cast(c.products(in[0], in[2], in[1], in[3]), graph.Int32))
}

func lowerConvInteger(c *call) {
	in := c.need(2, 4)
	c.set(c.im.cast(c.convolved(in[0], in[2], in[1], in[3]), graph.Int32))
}

// requantized are sums of products times the scales of their factors, as numbers of the
// type of another zero point. axis is that along which the second factor's scales count.
func (c *call) requantized(y *value, x, w, out quantum, axis int) *value {
	im := c.im
	if out.zero == nil {
		must.Failf("the zero point of the result is missing")
	}
	if x.scale.elements() != 1 || out.scale.elements() != 1 {
		must.Do(unsupported("scales %s and %s must be scalars", x.scale, out.scale))
	}
	y = im.cast(y, graph.Float32)
	factor := im.do("ewmul", im.broadcastTo(im.reshape(x.scale), w.scale.dims()), w.scale)
	factor = im.do("ewdiv", factor, im.broadcastTo(im.reshape(out.scale), w.scale.dims()))
	y = im.do("ewmul", y, c.along(factor, y.dims(), axis))
	return c.rounded(y, out.zero, out.zero.dtype, 0)
}

func lowerQLinearMatMul(c *call) {
	in := c.need(8, 8)
	x, w, out := c.quantum(1), c.quantum(4), c.quantum(6)
	if w.scale.dtype != x.scale.dtype || out.scale.dtype != x.scale.dtype {
		must.Failf("scales of types %s, %s and %s", x.scale.dtype, w.scale.dtype, out.scale.dtype)
	}
	for _, q := range []*quantum{&x, &w, &out} {
		q.scale = c.im.cast(q.scale, graph.Float32)
	}
	c.set(c.requantized(c.products(in[0], x.zero, in[3], w.zero), x, w, out, -1))
}

func lowerQLinearConv(c *call) {
	in := c.need(8, 9)
	if c.flag("channels_last") {
		must.Do(unsupported("channels_last = 1 is not supported"))
	}
	x, w, out := c.quantum(1), c.quantum(4), c.quantum(6)
	y := c.convolved(in[0], x.zero, in[3], w.zero)
	if b := in[8]; b != nil {
		if b.dtype != graph.Int32 {
			must.Failf("the bias %s is of no type int32", b)
		}
		y = c.im.addBias(c.im.cast(y, graph.Int32), b)
	}
	c.set(c.requantized(y, x, w, out, 1))
}

// lowerMatMulIntegerToFloat: the product times the scales of both, and a bias.
func lowerMatMulIntegerToFloat(c *call) {
	in := c.need(4, 7)
	c.set(c.scaledProduct(in[0], in[1], quantum{in[2], in[4]}, quantum{in[3], in[5]}, in[6]))
}

// lowerDynamicQuantizeMatMul: the first factor is quantized before.
func lowerDynamicQuantizeMatMul(c *call) {
	in := c.need(3, 5)
	x, q := c.dynamically(in[0])
	c.set(c.scaledProduct(x, in[1], q, quantum{in[2], in[3]}, in[4]))
}

func (c *call) scaledProduct(x, w *value, xq, wq quantum, bias *value) *value {
	im := c.im
	if xq.scale.elements() != 1 {
		must.Do(unsupported("scale %s must be a scalar", xq.scale))
	}
	y := im.cast(c.products(x, xq.zero, w, wq.zero), graph.Float32)
	factor := im.do("ewmul", im.broadcastTo(im.reshape(xq.scale), wq.scale.dims()), wq.scale)
	y = im.do("ewmul", y, c.along(factor, y.dims(), -1))
	if bias != nil {
		y = im.do("ewadd", y, im.broadcastTo(bias, y.dims()))
	}
	return y
}

// lowerQGemm: alpha times a product, plus integers, which are of the scale of the product;
// without a scale of the result it is of float32.
func lowerQGemm(c *call) {
	in, im := c.need(6, 9), c.im
	x, w := c.quantum(1), c.quantum(4)
	a, b := in[0], in[3]
	if a.rank() != 2 || b.rank() != 2 {
		must.Failf("operands %s and %s: want 2 axes", a, b)
	}
	if c.flag("transA") {
		a = im.transpose(a, 1, 0)
	}
	if c.flag("transB") {
		if w.zero != nil && w.zero.rank() == 2 {
			must.Do(unsupported("zero point %s with transB = 1 is not supported", w.zero))
		}
		b = im.transpose(b, 1, 0)
	}
	y := c.products(a, x.zero, b, w.zero)
	if in[6] != nil {
		y = im.cast(y, graph.Int32)
		y = im.do("ewadd", y, im.broadcastTo(in[6], y.dims()))
	}
	if alpha := c.float("alpha", 1); alpha != 1 {
		x.scale = im.scale(x.scale, alpha)
	}
	if in[7] == nil {
		if x.scale.elements() != 1 {
			must.Do(unsupported("scale %s must be a scalar", x.scale))
		}
		factor := im.do("ewmul", im.broadcastTo(im.reshape(x.scale), w.scale.dims()), w.scale)
		y = im.cast(y, graph.Float32)
		c.set(im.do("ewmul", y, c.along(factor, y.dims(), 1)))
		return
	}
	c.set(c.requantized(y, x, w, c.quantum(7), 1))
}

// quantizedPair is an operator on two tensors of quantized numbers.
func quantizedPair(own string) lowering {
	return func(c *call) {
		in := c.need(7, 8)
		x, y, out := c.quantum(1), c.quantum(4), quantum{in[6], in[7]}
		t := in[0].dtype
		if in[3].dtype != t || out.zero != nil && out.zero.dtype != t {
			must.Failf("elements of types %s and %s", t, in[3].dtype)
		}
		z := c.im.elementwise(own, c.dequantized(in[0], x, 0), c.dequantized(in[3], y, 0))
		c.set(c.quantized(z, out, t, 0))
	}
}

// quantizedOne is an operator on one tensor of quantized numbers.
func quantizedOne(f func(c *call, x *value) *value) lowering {
	return func(c *call) {
		in := c.need(4, 5)
		x, out := c.quantum(1), quantum{in[3], in[4]}
		c.set(c.quantized(f(c, c.dequantized(in[0], x, 0)), out, in[0].dtype, 0))
	}
}

// lowerQLinearConcat: each tensor has a scale of its own.
func lowerQLinearConcat(c *call) {
	in := c.need(5, max(5, len(c.in)))
	if len(in)%3 != 2 {
		must.Failf("%d inputs", len(in))
	}
	out, axis := c.quantum(0), 0
	var all *value
	for i := 2; i < len(in); i += 3 {
		if in[i] == nil {
			must.Failf("input %d is missing", i)
		}
		v := c.dequantized(in[i], c.quantum(i+1), 0)
		if all == nil {
			axis, all = c.axisAttr(0, v.rank()), v
			continue
		}
		all = c.im.apply("concat", attrs{"axis": graph.IntValue(axis)}, all, v)
	}
	c.set(c.quantized(all, out, in[2].dtype, 0))
}
