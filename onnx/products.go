package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Products and reductions.

func productOperators() []*operator {
	all := []*operator{
		{name: "MatMul", versions: "1 9 13", lower: lowerMatMul, types: productType, writes: map[string]writer{"matmul": writeMatMul}},
		{name: "Gemm", versions: "1 6 7 9 11 13", attrs: "alpha beta broadcast transA transB", lower: lowerGemm, types: gemmType},
		{name: "Einsum", versions: "12", attrs: "equation", lower: lowerEinsum, types: einsumType},
		{name: "Det", versions: "11 22", lower: lowerDet},
		{name: "CumSum", versions: "11 14", attrs: "exclusive reverse", lower: lowerRunning("ewadd", 0), types: sameType},
		{name: "CumProd", versions: "26", attrs: "exclusive reverse", lower: lowerRunning("ewmul", 1)},
	}
	const versions = "1 11 13 18"
	for _, o := range []*operator{
		{name: "ReduceSum", versions: "1 11 13", lower: lowerReduce("", plainReduce("reducesum")), types: reducedType,
			writes: map[string]writer{"reducesum": writeReduce("ReduceSum", 13)}},
		{name: "ReduceMean", versions: versions, lower: lowerReduce("", plainReduce("reducemean")), types: reducedType,
			writes: map[string]writer{"reducemean": writeReduce("ReduceMean", reduceOpset)}},
		{name: "ReduceMax", versions: "1 11 12 13 18 20", lower: lowerReduce("reducemax", plainReduce("reducemax")), types: reducedType,
			writes: map[string]writer{"reducemax": writeReduce("ReduceMax", reduceOpset)}},
		{name: "ReduceMin", versions: "1 11 12 13 18 20", lower: lowerReduce("", reduceMin), types: reducedType},
		{name: "ReduceProd", versions: versions, lower: lowerReduce("", reduceProd), types: reducedType},
		{name: "ReduceL1", versions: versions, lower: lowerReduce("", reduceL1)},
		{name: "ReduceL2", versions: versions, lower: lowerReduce("", reduceL2)},
		{name: "ReduceSumSquare", versions: versions, lower: lowerReduce("", reduceSumSquare)},
		{name: "ReduceLogSum", versions: versions, lower: lowerReduce("", reduceLogSum)},
		{name: "ReduceLogSumExp", versions: versions, lower: lowerReduce("", reduceLogSumExp)},
	} {
		o.attrs = "axes keepdims noop_with_empty_axes"
		all = append(all, o)
	}
	return all
}

// lowest pads where a maximum is taken.
var lowest = math.Inf(-1)

// least is lowest, or the least integer of a type of integers.
func least(t graph.DType) float64 {
	if t.IsInt() {
		lo, _ := t.IntRange()
		return float64(lo)
	}
	return lowest
}

// lowerMatMul: the last two axes are multiplied, the others broadcast. A
// product with one matrix is that with one tall matrix.
func lowerMatMul(c *call) {
	in := c.need(2, 2)
	c.arithmetic("", in[0])
	c.set(c.im.matmul(in[0], c.markedMatrix(in[0], in[1])))
}

func (im *importer) matmul(x, y *value) *value {
	if x.rank() == 0 || y.rank() == 0 {
		must.Failf("%s and %s: a scalar has no product", x, y)
	}
	row, column := x.rank() == 1, y.rank() == 1
	if row {
		x = im.reshapeTo(x, []graph.Dim{graph.Int(1), x.size(0)})
	}
	if column {
		y = im.reshapeTo(y, []graph.Dim{y.size(0), graph.Int(1)})
	}
	p := im.product(x, y)
	sizes := slices.Clone(p.dims())
	if column {
		sizes = sizes[:len(sizes)-1]
	}
	if row {
		at := p.rank() - 2
		sizes = slices.Delete(sizes, at, at+1)
	}
	return im.reshapeTo(p, sizes)
}

func (im *importer) product(x, y *value) *value {
	xb, yb := x.dims()[:x.rank()-2], y.dims()[:y.rank()-2]
	m, k, n := x.size(x.rank()-2), x.size(x.rank()-1), y.size(y.rank()-1)
	if rows := y.size(y.rank() - 2); !im.open.same(rows, k) {
		must.Failf("%s and %s: %s columns and %s rows", x, y, k, rows)
	}
	if x.rank() > 2 && y.rank() == 2 {
		tall := im.reshapeTo(x, []graph.Dim{product(xb...).Mul(m), k})
		return im.reshapeTo(im.do("matmul", tall, y), append(slices.Clone(xb), m, n))
	}
	var batch []graph.Dim
	if err := must.Try(func() { batch = im.open.jointOf(xb, yb) }); err != nil {
		must.Failf("%s and %s: %w", x, y, err)
	}
	x = im.broadcastTo(x, append(slices.Clone(batch), m, k))
	y = im.broadcastTo(y, append(slices.Clone(batch), k, n))
	return im.do("matmul", x, y)
}

// lowerGemm: alpha A B + beta C, A and B perhaps transposed.
func lowerGemm(c *call) {
	in, im := c.need(2, 3), c.im
	c.arithmetic("", in[0])
	for i, name := range []string{"transA", "transB"} {
		turned := c.flag(name)
		if in[i].rank() != 2 {
			must.Failf("operand %s: want 2 axes", in[i])
		}
		if turned {
			in[i] = im.transpose(in[i], 1, 0)
		}
	}
	y := c.scaled("alpha", im.do("matmul", in[0], in[1]))
	if in[2] != nil {
		add := c.scaled("beta", in[2])
		if im.opset < 7 && !slices.Equal(add.dims(), y.dims()) && !c.flag("broadcast") {
			must.Failf("%s and %s have different sizes, and broadcast is not 1", y, add)
		}
		y = im.do("ewadd", y, im.broadcastTo(add, y.dims()))
	}
	c.set(y)
}

// scaled multiplies by an attribute, if that is not 1.
func (c *call) scaled(by string, v *value) *value {
	if x := c.float(by, 1); x != 1 {
		return c.im.scale(v, x)
	}
	return v
}

// reduction reduces over axes, of which there is at least one.
type reduction func(im *importer, x *value, axes []int, keep bool) *value

func plainReduce(op string) reduction {
	return func(im *importer, x *value, axes []int, keep bool) *value { return im.reduce(op, x, axes, keep) }
}

// reduce refuses the largest of no elements: where it has a value in ONNX, ofNothing gives it.
func (im *importer) reduce(op string, x *value, axes []int, keep bool) *value {
	if op == "reducemax" && x.empty() && !slices.Contains(reducedSizes(x.sizes(), axes, keep), 0) {
		must.Failf("the largest of no elements: %s has none along axes %v", x, axes)
	}
	return im.apply(op, attrs{"axes": graph.TupleValue(axes...), "keep": graph.IntValue(int(truth(keep)))}, x)
}

// reduceMin: the opposite of the largest opposite.
func reduceMin(im *importer, x *value, axes []int, keep bool) *value {
	return im.opposite(im.reduce("reducemax", im.opposite(x), axes, keep))
}

func reduceL1(im *importer, x *value, axes []int, keep bool) *value {
	return im.reduce("reducesum", im.do("abs", x), axes, keep)
}

func reduceSumSquare(im *importer, x *value, axes []int, keep bool) *value {
	return im.reduce("reducesum", im.do("ewmul", x, x), axes, keep)
}

func reduceL2(im *importer, x *value, axes []int, keep bool) *value {
	return im.do("sqrt", reduceSumSquare(im, x, axes, keep))
}

func reduceLogSum(im *importer, x *value, axes []int, keep bool) *value {
	return im.do("log", im.reduce("reducesum", x, axes, keep))
}

// reduceLogSumExp: m + log(sum(exp(x - m))) with m the maximum, so that nothing
// overflows.
// reduceLogSumExp takes the largest element out of the exponents, as a finite number, since
// it may be infinite. The bound is not the largest number: that means none in files.
func reduceLogSumExp(im *importer, x *value, axes []int, keep bool) *value {
	m := im.reduce("reducemax", x, axes, true)
	if x.dtype != graph.Float64 {
		most := float64(math.Nextafter32(math.MaxFloat32, 0))
		m = im.apply("clip", attrs{"lo": graph.NumberValue(-most), "hi": graph.NumberValue(most)}, m)
	}
	d := im.do("ewsub", x, im.broadcastTo(m, x.dims()))
	s := im.do("log", im.reduce("reducesum", im.do("exp", d), axes, keep))
	return im.do("ewadd", s, im.reshapeTo(m, s.dims()))
}

// lowerReduce: own is the operator that does it alone, which may be exact on integers.
func lowerReduce(own string, f reduction) lowering {
	return func(c *call) {
		x, axes, keep := c.reduction()
		if x.dtype == graph.Bool && (c.node.GetOpType() == "ReduceMax" || c.node.GetOpType() == "ReduceMin") && !x.empty() {
			c.set(c.im.truths(c.reduced(f, c.im.onesOf(x), axes, keep)))
			return
		}
		c.arithmetic(own, x)
		c.set(c.reduced(f, x, axes, keep))
	}
}

func (c *call) reduced(f reduction, x *value, axes []int, keep bool) *value {
	if len(axes) == 0 {
		// An axis of size 1 is added, and reduced.
		x, axes, keep = c.im.reshapeTo(x, append(slices.Clone(x.dims()), graph.Int(1))), []int{x.rank()}, false
	}
	if x.empty() {
		if y := c.ofNothing(x, reducedSizes(x.sizes(), axes, keep)); y != nil {
			return y
		}
	}
	return f(c.im, x, axes, keep)
}

// ofNothing is a reduction of no elements that is not what operators of graphs give; nil if
// it is not such.
func (c *call) ofNothing(x *value, sizes []int) *value {
	to, ok := map[string]float64{"ReduceProd": 1, "ReduceMax": math.Inf(-1), "ReduceLogSumExp": math.Inf(-1), "ReduceMin": math.Inf(1)}[c.node.GetOpType()]
	if !ok {
		return nil
	}
	k := newConstant(x.dtype, sizes...)
	for i := range k.floats {
		k.floats[i] = to
	}
	lo, hi := x.dtype.IntRange()
	for i := range k.ints {
		switch to {
		case 1:
			k.ints[i] = 1
		case math.Inf(1):
			k.ints[i] = int64(hi)
		default:
			k.ints[i] = lo
		}
	}
	return valueOf(k)
}

// reduction reads the operand, the axes and whether they are kept.
func (c *call) reduction() (x *value, axes []int, keep bool) {
	x = c.need(1, 2)[0]
	axes = axesOf(c.intsOrInput("axes", 1), x.rank())
	slices.Sort(axes)
	keep = c.int("keepdims", 1) != 0
	if none := c.flag("noop_with_empty_axes"); len(axes) == 0 && !none {
		axes = upTo(0, x.rank())
	}
	return x, axes, keep
}

// maxDet is how large matrices may be whose determinants are spelled out.
const maxDet = 6

// lowerDet: by the first row, the determinants of what is left of the others for each set of
// columns being computed once.
func lowerDet(c *call) {
	if c.foldKnown() {
		return
	}
	x, im := c.need(1, 1)[0], c.im
	c.arithmetic("", x)
	r := x.rank()
	if r < 2 || x.sizes()[r-1] != x.sizes()[r-2] {
		must.Failf("%s is not a square matrix", x)
	}
	n, lead := x.sizes()[r-1], slices.Clone(x.sizes()[:r-2])
	if n > maxDet {
		must.Do(unsupported("matrices with %d rows, at most %d are supported", n, maxDet))
	}
	// minor is the determinant of the last rows and a set of columns, as many.
	made := map[int]*value{}
	var minor func(row, columns int) *value
	minor = func(row, columns int) *value {
		if v := made[columns]; v != nil {
			return v
		}
		var sum *value
		minus := false
		for j := range n {
			if columns>>j&1 == 0 {
				continue
			}
			v := im.reshape(im.slice(im.slice(x, r-2, row, row+1), r-1, j, j+1), lead...)
			if row < n-1 {
				v = im.do("ewmul", v, minor(row+1, columns&^(1<<j)))
			}
			switch {
			case sum == nil:
				sum = v
			case minus:
				sum = im.do("ewsub", sum, v)
			default:
				sum = im.do("ewadd", sum, v)
			}
			minus = !minus
		}
		made[columns] = sum
		return sum
	}
	c.set(minor(0, 1<<n-1))
}
