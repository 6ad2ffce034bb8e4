package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Numbers as small integers with a scale, on constants.

func init() {
	for op, f := range map[string]evaluator{
		"QuantizeLinear": evalQuantize, "DequantizeLinear": evalDequantize, "DynamicQuantizeLinear": evalDynamicQuantize,
		"MatMulInteger": evalMatMulInteger,
	} {
		evaluators[op] = f
	}
}

// grains says which element of a scale belongs to an element of a tensor: one for all, one
// for each position on an axis, or one for each block along it.
func (c *call) grains(x, scale *constant) func(idx []int) int {
	if scale.len() == 1 && scale.rank() <= 1 {
		return func([]int) int { return 0 }
	}
	a, st := c.axisAttr(1, x.rank()), graph.Strides(scale.sizes)
	block := c.int("block_size", 0)
	switch {
	case block > 0 && scale.rank() == x.rank():
		for i, n := range x.sizes {
			if i == a {
				n = (n + int(block) - 1) / int(block)
			}
			if scale.sizes[i] != n {
				must.Failf("scales of sizes %v for sizes %v in blocks of %d", scale.sizes, x.sizes, block)
			}
		}
		return func(idx []int) int { return dot(idx, st) + (idx[a]/int(block)-idx[a])*st[a] }
	case scale.rank() != 1 || scale.len() != x.sizes[a]:
		must.Failf("scales of sizes %v for axis %d of sizes %v", scale.sizes, a, x.sizes)
	}
	return func(idx []int) int { return idx[a] }
}

// zeroPoint is what stands for zero, of a type that is given if it is left out.
func zeroPoint(in []*constant, t graph.DType) *constant {
	scale := in[1]
	if len(in) < 3 || in[2] == nil {
		return newConstant(t, scale.sizes...)
	}
	if !slices.Equal(in[2].sizes, scale.sizes) && (in[2].len() != 1 || scale.len() != 1) {
		must.Failf("zero points of sizes %v and scales of sizes %v", in[2].sizes, scale.sizes)
	}
	return in[2]
}

// evalQuantize: x / scale, rounded to the nearest integer, the even one of two, and within
// the type's range.
func evalQuantize(c *call, in []*constant) []*constant {
	notFolded(len(in) < 2 || len(in) > 3 || in[0] == nil || in[1] == nil || !in[1].dtype.IsFloat())
	x, scale := in[0], in[1]
	t := graph.Uint8
	if c.int("output_dtype", 0) != 0 {
		t = must.Get(dtypeOf(elem(c.int("output_dtype", 0))))
	}
	zero := zeroPoint(in, t)
	notFolded(!zero.dtype.IsInt() || !x.dtype.IsFloat() && x.dtype != graph.Int32)
	grain, out := c.grains(x, scale), newConstant(zero.dtype, x.sizes...)
	lo, hi := zero.dtype.IntRange()
	graph.Each(x.sizes, func(flat int, idx []int) {
		g := grain(idx)
		q := math.RoundToEven(model.Round(scale.dtype, x.number(flat)/scale.floats[g])) + zero.number(g)
		notFolded(math.IsNaN(q))
		out.ints[flat] = int64(min(max(q, float64(lo)), float64(hi)))
	})
	return []*constant{out}
}

func evalDequantize(c *call, in []*constant) []*constant {
	notFolded(len(in) < 2 || len(in) > 3 || in[0] == nil || in[1] == nil || !in[1].dtype.IsFloat() || !in[0].dtype.IsInt())
	x, scale := in[0], in[1]
	zero := zeroPoint(in, x.dtype)
	if zero.dtype != x.dtype {
		must.Failf("a zero point of type %s for %s", zero.dtype, x.dtype)
	}
	t := scale.dtype
	if c.int("output_dtype", 0) != 0 {
		t = must.Get(dtypeOf(elem(c.int("output_dtype", 0))))
	}
	notFolded(!t.IsFloat())
	grain, out := c.grains(x, scale), newConstant(t, x.sizes...)
	graph.Each(x.sizes, func(flat int, idx []int) {
		g := grain(idx)
		out.floats[flat] = model.Round(t, float64(x.ints[flat]-zero.ints[g])*scale.floats[g])
	})
	return []*constant{out}
}

// evalDynamicQuantize: to bytes, by a scale such that all elements and zero fit.
func evalDynamicQuantize(_ *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil || in[0].dtype != graph.Float32 || in[0].len() == 0)
	x := in[0]
	lo, hi := min(0, slices.Min(x.floats)), max(0, slices.Max(x.floats))
	notFolded(!(hi-lo > 0 && hi-lo < math.MaxFloat32))
	round := func(v float64) float64 { return model.Round(graph.Float32, v) }
	scale := round(round(hi-lo) / 255)
	zero := math.RoundToEven(min(max(round(-lo/scale), 0), 255))
	out := newConstant(graph.Uint8, x.sizes...)
	for i, v := range x.floats {
		out.ints[i] = int64(min(max(math.RoundToEven(round(v/scale))+zero, 0), 255))
	}
	s, z := newConstant(graph.Float32), newConstant(graph.Uint8)
	s.floats[0], z.ints[0] = scale, int64(zero)
	return []*constant{out, s, z}
}

// evalMatMulInteger: products of matrices of bytes, from which zero points are taken: one,
// or one for each row of the first and each column of the second.
func evalMatMulInteger(_ *call, in []*constant) []*constant {
	notFolded(len(in) < 2 || len(in) > 4 || in[0] == nil || in[1] == nil || in[0].rank() != 2 || in[1].rank() != 2)
	x, y := in[0], in[1]
	m, k, n := x.sizes[0], x.sizes[1], y.sizes[1]
	if y.sizes[0] != k {
		must.Failf("%d columns and %d rows", k, y.sizes[0])
	}
	notFolded(graph.Product(m, k, n) > maxFoldWork || x.dtype.IsFloat() || y.dtype.IsFloat())
	zero := func(i, at int) int64 {
		if len(in) <= i || in[i] == nil {
			return 0
		}
		notFolded(in[i].rank() > 1 || in[i].len() != 1 && in[i].len() != [4]int{2: m, 3: n}[i])
		return in[i].ints[at%in[i].len()]
	}
	out := newConstant(graph.Int32, m, n)
	for i := range m {
		for j := range n {
			s := int64(0)
			for l := range k {
				s += (x.ints[i*k+l] - zero(2, i)) * (y.ints[l*n+j] - zero(3, j))
			}
			out.ints[i*n+j] = model.Wrap(graph.Int32, s)
		}
	}
	return []*constant{out}
}
