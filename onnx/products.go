package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Products, reductions and normalizations.

func init() {
	register(map[string]lowering{
		"MatMul": lowerMatMul, "Gemm": lowerGemm,
		"ReduceSum": lowerReduce(plainReduce("reducesum")), "ReduceMean": lowerReduce(plainReduce("reducemean")),
		"ReduceMax": lowerReduce(plainReduce("reducemax")), "ReduceMin": lowerReduce(reduceMin),
		"ReduceL1": lowerReduce(reduceL1), "ReduceL2": lowerReduce(reduceL2), "ReduceSumSquare": lowerReduce(reduceSumSquare),
		"ReduceLogSum": lowerReduce(reduceLogSum), "ReduceLogSumExp": lowerReduce(reduceLogSumExp),
		"Softmax": lowerSoftmax(false), "LogSoftmax": lowerSoftmax(true),
		"BatchNormalization": lowerBatchNorm, "LayerNormalization": lowerLayerNorm,
		"InstanceNormalization": lowerInstanceNorm,
	})
}

// lowest pads where a maximum is taken.
var lowest = math.Inf(-1)

// lowerMatMul: the last two axes are multiplied, the others broadcast. A
// product with one matrix is that with one tall matrix.
func lowerMatMul(c *call) error {
	in, err := c.need(2, 2)
	if err != nil {
		return err
	}
	if err := c.arithmetic("", in[0]); err != nil {
		return err
	}
	return c.set(c.im.matmul(in[0], in[1]))
}

func (im *importer) matmul(x, y *value) (*value, error) {
	if x.rank() == 0 || y.rank() == 0 {
		return nil, fmt.Errorf("%s and %s: a scalar has no product", x, y)
	}
	var err error
	row, column := x.rank() == 1, y.rank() == 1
	if row {
		if x, err = im.reshape(x, 1, x.sizes[0]); err != nil {
			return nil, err
		}
	}
	if column {
		if y, err = im.reshape(y, y.sizes[0], 1); err != nil {
			return nil, err
		}
	}
	p, err := im.product(x, y)
	if err != nil || !row && !column {
		return p, err
	}
	sizes := slices.Clone(p.sizes)
	if column {
		sizes = sizes[:len(sizes)-1]
	}
	if row {
		sizes = append(sizes[:max(0, len(p.sizes)-2)], p.sizes[len(p.sizes)-1:]...)
		if column {
			sizes = sizes[:len(sizes)-1]
		}
	}
	return im.reshape(p, sizes...)
}

func (im *importer) product(x, y *value) (*value, error) {
	xb, yb := x.sizes[:x.rank()-2], y.sizes[:y.rank()-2]
	m, k, n := x.sizes[x.rank()-2], x.sizes[x.rank()-1], y.sizes[y.rank()-1]
	if y.sizes[y.rank()-2] != k {
		return nil, fmt.Errorf("%s and %s: %d columns and %d rows", x, y, k, y.sizes[y.rank()-2])
	}
	if x.rank() > 2 && y.rank() == 2 {
		tall, err := im.reshape(x, graph.NumElements(xb)*m, k)
		if err != nil {
			return nil, err
		}
		p, err := im.apply("matmul", nil, tall, y)
		if err != nil {
			return nil, err
		}
		return im.reshape(p, append(slices.Clone(xb), m, n)...)
	}
	batch, err := joint(&value{sizes: xb}, &value{sizes: yb})
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", x, y, err)
	}
	if x, err = im.broadcast(x, append(slices.Clone(batch), m, k)...); err != nil {
		return nil, err
	}
	if y, err = im.broadcast(y, append(slices.Clone(batch), k, n)...); err != nil {
		return nil, err
	}
	return im.apply("matmul", nil, x, y)
}

// lowerGemm: alpha A B + beta C, A and B perhaps transposed.
func lowerGemm(c *call) error {
	in, err := c.need(2, 3)
	if err != nil {
		return err
	}
	if err := c.arithmetic("", in[0]); err != nil {
		return err
	}
	for i, name := range []string{"transA", "transB"} {
		t, err := c.int(name, 0)
		if err != nil {
			return err
		}
		if in[i].rank() != 2 {
			return fmt.Errorf("operand %s: want 2 axes", in[i])
		}
		if t != 0 {
			if in[i], err = c.im.transpose(in[i], 1, 0); err != nil {
				return err
			}
		}
	}
	y, err := c.im.apply("matmul", nil, in[0], in[1])
	if err != nil {
		return err
	}
	alpha, err := c.float("alpha", 1)
	if err != nil {
		return err
	}
	if alpha != 1 {
		if y, err = c.im.scale(y, alpha); err != nil {
			return err
		}
	}
	if in[2] == nil {
		return c.set(y, nil)
	}
	beta, err := c.float("beta", 1)
	if err != nil {
		return err
	}
	add := in[2]
	if beta != 1 {
		if add, err = c.im.scale(add, beta); err != nil {
			return err
		}
	}
	if add, err = c.im.broadcast(add, y.sizes...); err != nil {
		return err
	}
	return c.set(c.im.apply("ewadd", nil, y, add))
}

// reduction reduces over axes, of which there is at least one.
type reduction func(im *importer, x *value, axes []int, keep bool) (*value, error)

func plainReduce(op string) reduction {
	return func(im *importer, x *value, axes []int, keep bool) (*value, error) {
		return im.reduce(op, x, axes, keep)
	}
}

func (im *importer) reduce(op string, x *value, axes []int, keep bool) (*value, error) {
	k := 0
	if keep {
		k = 1
	}
	return im.apply(op, attrs{"axes": tupleAttr(axes...), "keep": intAttr(k)}, x)
}

// reduceMin: the opposite of the largest opposite.
func reduceMin(im *importer, x *value, axes []int, keep bool) (*value, error) {
	b := calc{im: im}
	return b.do("neg", b.reduce("reducemax", b.do("neg", x), axes, keep)), b.err
}

func reduceL1(im *importer, x *value, axes []int, keep bool) (*value, error) {
	b := calc{im: im}
	return b.reduce("reducesum", b.do("abs", x), axes, keep), b.err
}

func reduceSumSquare(im *importer, x *value, axes []int, keep bool) (*value, error) {
	b := calc{im: im}
	return b.reduce("reducesum", b.do("ewmul", x, x), axes, keep), b.err
}

func reduceL2(im *importer, x *value, axes []int, keep bool) (*value, error) {
	y, err := reduceSumSquare(im, x, axes, keep)
	if err != nil {
		return nil, err
	}
	return im.apply("sqrt", nil, y)
}

func reduceLogSum(im *importer, x *value, axes []int, keep bool) (*value, error) {
	b := calc{im: im}
	return b.do("log", b.reduce("reducesum", x, axes, keep)), b.err
}

// reduceLogSumExp: m + log(sum(exp(x - m))) with m the maximum, so that nothing
// overflows.
func reduceLogSumExp(im *importer, x *value, axes []int, keep bool) (*value, error) {
	b := calc{im: im}
	m := b.reduce("reducemax", x, axes, true)
	if b.err != nil {
		return nil, b.err
	}
	d := b.do("ewsub", x, b.keep(im.broadcast(m, x.sizes...)))
	s := b.do("log", b.reduce("reducesum", b.do("exp", d), axes, keep))
	if b.err == nil {
		m = b.keep(im.reshape(m, s.sizes...))
	}
	return b.do("ewadd", s, m), b.err
}

func (b *calc) reduce(op string, x *value, axes []int, keep bool) *value {
	if b.err != nil {
		return x
	}
	return b.keep(b.im.reduce(op, x, axes, keep))
}

func lowerReduce(f reduction) lowering {
	return func(c *call) error {
		x, axes, keep, err := c.reduction()
		if err != nil {
			return err
		}
		if err := c.arithmetic("", x); err != nil {
			return err
		}
		if len(axes) == 0 {
			return c.set(f2(c.im, f, x))
		}
		return c.set(f(c.im, x, axes, keep))
	}
}

// f2 reduces over no axes: an axis of size 1 is added, and reduced.
func f2(im *importer, f reduction, x *value) (*value, error) {
	y, err := im.reshape(x, append(slices.Clone(x.sizes), 1)...)
	if err != nil {
		return nil, err
	}
	return f(im, y, []int{x.rank()}, false)
}

// reduction reads the operand, the axes and whether they are kept.
func (c *call) reduction() (x *value, axes []int, keep bool, err error) {
	in, err := c.need(1, 2)
	if err != nil {
		return nil, nil, false, err
	}
	x = in[0]
	list, err := c.intsOrInput("axes", 1)
	if err != nil {
		return nil, nil, false, err
	}
	if axes, err = axesOf(list, x.rank()); err != nil {
		return nil, nil, false, err
	}
	slices.Sort(axes)
	k, err := c.int("keepdims", 1)
	if err != nil {
		return nil, nil, false, err
	}
	none, err := c.int("noop_with_empty_axes", 0)
	if err != nil {
		return nil, nil, false, err
	}
	if len(axes) == 0 && none == 0 {
		for i := range x.rank() {
			axes = append(axes, i)
		}
	}
	return x, axes, k != 0, nil
}

// lowerSoftmax: before operator set 13 all axes from the given one on were
// normalized together.
func lowerSoftmax(log bool) lowering {
	return func(c *call) error {
		in, err := c.need(1, 1)
		if err != nil {
			return err
		}
		x := in[0]
		if err := c.arithmetic("", x); err != nil {
			return err
		}
		missing := -1
		if c.im.opset < 13 {
			missing = min(1, x.rank()-1)
		}
		a, err := c.axisAttr(missing, x.rank())
		if err != nil {
			return err
		}
		y := x
		if c.im.opset < 13 && a != x.rank()-1 {
			if y, err = c.im.reshape(x, graph.NumElements(x.sizes[:a]), graph.NumElements(x.sizes[a:])); err != nil {
				return err
			}
			a = 1
		}
		if log {
			y, err = c.im.logSoftmax(y, a)
		} else {
			y, err = c.im.apply("softmax", attrs{"axis": intAttr(a)}, y)
		}
		if err != nil {
			return err
		}
		return c.set(c.im.reshape(y, x.sizes...))
	}
}

// logSoftmax: x - logsumexp(x), which does not underflow.
func (im *importer) logSoftmax(x *value, axis int) (*value, error) {
	s, err := reduceLogSumExp(im, x, []int{axis}, true)
	if err != nil {
		return nil, err
	}
	if s, err = im.broadcast(s, x.sizes...); err != nil {
		return nil, err
	}
	return im.apply("ewsub", nil, x, s)
}

func lowerBatchNorm(c *call) error {
	in, err := c.need(5, 5)
	if err != nil {
		return err
	}
	training, err := c.int("training_mode", 0)
	if err != nil {
		return err
	}
	spatial, err := c.int("spatial", 1)
	if err != nil {
		return err
	}
	eps, err := c.float("epsilon", 1e-5)
	if err != nil {
		return err
	}
	if spatial == 0 && c.im.opset < 9 {
		return c.elementNorm(in, eps)
	}
	if training != 0 {
		return c.trainingNorm(in, eps)
	}
	return c.set(c.im.apply("batchnorm", attrs{"eps": c.exact("eps", eps)}, in...))
}

// elementNorm normalizes every element by itself, (x - mean) / sqrt(variance +
// eps) * scale + bias, where each is of the input's sizes but the first.
func (c *call) elementNorm(in []*value, eps float64) error {
	b := calc{im: c.im}
	full := make([]*value, len(in))
	for i, v := range in {
		if i > 0 && v.rank() != in[0].rank()-1 {
			return fmt.Errorf("%s for the elements of %s", v, in[0])
		}
		if full[i] = v; i > 0 && b.err == nil {
			full[i] = b.keep(c.im.broadcast(v, in[0].sizes...))
		}
	}
	if b.err != nil {
		return b.err
	}
	dev := b.do("sqrt", b.do("ewadd", full[4], b.scalar(full[4], eps)))
	y := b.do("ewdiv", b.do("ewsub", full[0], full[3]), dev)
	return c.set(b.do("ewadd", b.do("ewmul", y, full[1]), full[2]), b.err)
}

// trainingNorm normalizes by the batch's own moments; the other outputs are the
// running ones, of which the batch's are a part.
func (c *call) trainingNorm(in []*value, eps float64) error {
	momentum, err := c.float("momentum", 0.9)
	if err != nil {
		return err
	}
	x := in[0]
	if x.rank() < 2 || len(c.outs) < 1 || len(c.outs) > 3 {
		return fmt.Errorf("%d outputs for %s", len(c.outs), x)
	}
	axes := []int{0}
	for i := 2; i < x.rank(); i++ {
		axes = append(axes, i)
	}
	b := calc{im: c.im}
	mean, variance := b.moments(x, axes)
	moments := []*value{mean, variance}
	for i, m := range moments {
		if b.err == nil {
			moments[i] = b.keep(c.im.reshape(m, x.sizes[1]))
		}
	}
	for i := 1; i < len(c.outs); i++ {
		c.outs[i] = b.do("ewadd", b.scale(in[2+i], momentum), b.scale(moments[i-1], 1-momentum))
	}
	c.outs[0] = b.with("batchnorm", attrs{"eps": c.exact("eps", eps)}, x, in[1], in[2], moments[0], moments[1])
	return b.err
}

func lowerLayerNorm(c *call) error {
	in, err := c.need(2, 3)
	if err != nil {
		return err
	}
	x, scale, bias := in[0], in[1], in[2]
	if err := c.arithmetic("", x); err != nil {
		return err
	}
	a, err := c.axisAttr(-1, x.rank())
	if err != nil {
		return err
	}
	eps, err := c.float("epsilon", 1e-5)
	if err != nil {
		return err
	}
	if bias == nil {
		if bias = valueOf(newConstant(x.dtype)); graph.Product(x.sizes[a:]...) <= maxConstant {
			bias = valueOf(newConstant(x.dtype, x.sizes[a:]...))
		}
	}
	if scale, err = c.im.broadcast(scale, x.sizes[a:]...); err != nil {
		return err
	}
	if bias, err = c.im.broadcast(bias, x.sizes[a:]...); err != nil {
		return err
	}
	y, err := c.im.apply("layernorm", attrs{"axis": intAttr(a), "eps": c.exact("eps", eps)}, x, scale, bias)
	if err != nil {
		return err
	}
	// The mean and the inverse of the deviation, if somebody reads them.
	if len(c.outs) > 1 {
		var axes []int
		for i := a; i < x.rank(); i++ {
			axes = append(axes, i)
		}
		b := calc{im: c.im}
		mean, variance := b.moments(x, axes)
		c.outs[1] = mean
		if len(c.outs) > 2 {
			c.outs[2] = b.do("reciprocal", b.do("sqrt", b.do("ewadd", variance, b.scalar(variance, eps))))
		}
		if b.err != nil {
			return b.err
		}
	}
	if len(c.outs) == 0 || len(c.outs) > 3 {
		return fmt.Errorf("%d outputs", len(c.outs))
	}
	c.outs[0] = y
	return nil
}

// moments are the mean and the variance over axes, which stay with size 1.
func (b *calc) moments(x *value, axes []int) (mean, variance *value) {
	mean = b.reduce("reducemean", x, axes, true)
	if b.err != nil {
		return x, x
	}
	d := b.do("ewsub", x, b.keep(b.im.broadcast(mean, x.sizes...)))
	return mean, b.reduce("reducemean", b.do("ewmul", d, d), axes, true)
}

// lowerInstanceNorm: a layer normalization of each channel's image, times and
// plus a number for each channel.
func lowerInstanceNorm(c *call) error {
	in, err := c.need(3, 3)
	if err != nil {
		return err
	}
	x := in[0]
	if x.rank() < 3 {
		return fmt.Errorf("%s: want at least 3 axes", x)
	}
	eps, err := c.float("epsilon", 1e-5)
	if err != nil {
		return err
	}
	b := calc{im: c.im}
	var axes []int
	ones := make([]int, x.rank()-1)
	for i := range ones {
		ones[i] = 1
	}
	for i := 2; i < x.rank(); i++ {
		axes = append(axes, i)
	}
	mean, variance := b.moments(x, axes)
	if b.err != nil {
		return b.err
	}
	d := b.do("ewsub", x, b.keep(c.im.broadcast(mean, x.sizes...)))
	dev := b.do("sqrt", b.do("ewadd", variance, b.scalar(variance, eps)))
	if b.err != nil {
		return b.err
	}
	y := b.do("ewdiv", d, b.keep(c.im.broadcast(dev, x.sizes...)))
	for i, op := range []string{"ewmul", "ewadd"} {
		v := in[1+i]
		if v.rank() != 1 || v.sizes[0] != x.sizes[1] {
			return fmt.Errorf("%s for %d channels", v, x.sizes[1])
		}
		ones[0] = v.sizes[0]
		v = b.keep(c.im.reshape(v, append([]int{1}, ones...)...))
		if b.err != nil {
			return b.err
		}
		y = b.do(op, y, b.keep(c.im.broadcast(v, x.sizes...)))
	}
	return c.set(y, b.err)
}
