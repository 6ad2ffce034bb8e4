package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Functions of one element or of two, on constants, beside those of evaluate.go.

func init() {
	for op, f := range map[string]evaluator{
		"ThresholdedRelu": onFloats(thresholded), "Shrink": onFloats(shrunk),
		"IsNaN": evalTest(func(*call) func(x float64) bool { return math.IsNaN }), "IsInf": evalTest(infinite),
		"BitwiseNot": evalBitwiseNot, "BitShift": evalBitShift,
		"Pow": evalPow, "Clip": evalClip,
	} {
		evaluators[op] = f
	}
}

// onFloats folds a function of one element, which the node's attributes may say more of.
func onFloats(of func(c *call) func(x float64) float64) evaluator {
	return func(c *call, in []*constant) []*constant {
		notFolded(len(in) != 1 || in[0] == nil || !in[0].dtype.IsFloat())
		return each(of(c))(c, in)
	}
}

func thresholded(c *call) func(x float64) float64 {
	alpha := c.float("alpha", 1)
	return func(x float64) float64 {
		if x > alpha {
			return x
		}
		return 0
	}
}

func shrunk(c *call) func(x float64) float64 {
	lambda, bias := c.float("lambd", 0.5), c.float("bias", 0)
	return func(x float64) float64 {
		switch {
		case x < -lambda:
			return x + bias
		case x > lambda:
			return x - bias
		}
		return 0
	}
}

// evalTest folds a question about each element.
func evalTest(of func(c *call) func(x float64) bool) evaluator {
	return func(c *call, in []*constant) []*constant {
		notFolded(len(in) != 1 || in[0] == nil || !in[0].dtype.IsFloat())
		is, out := of(c), newConstant(graph.Bool, in[0].sizes...)
		for i, x := range in[0].floats {
			out.ints[i] = truth(is(x))
		}
		return []*constant{out}
	}
}

func infinite(c *call) func(x float64) bool {
	below, above := c.int("detect_negative", 1) != 0, c.int("detect_positive", 1) != 0
	return func(x float64) bool { return above && math.IsInf(x, 1) || below && math.IsInf(x, -1) }
}

func evalBitwiseNot(_ *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil || !in[0].dtype.IsInt())
	out := newConstant(in[0].dtype, in[0].sizes...)
	for i, x := range in[0].ints {
		out.ints[i] = model.Wrap(out.dtype, ^x)
	}
	return []*constant{out}
}

func evalBitShift(c *call, in []*constant) []*constant {
	way := c.text("direction", "")
	if way != "LEFT" && way != "RIGHT" {
		must.Failf("direction is %q", clip(way))
	}
	return combination{ints: func(a, b int64) int64 {
		notFolded(a < 0 || b < 0)
		if way == "LEFT" {
			return a << min(b, 63)
		}
		return a >> min(b, 63)
	}}.evaluator("BitShift")(c, in)
}

// evalPow: the exponent may be of another type, and the result is of the base's.
func evalPow(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
	x, y := in[0], in[1]
	notFolded(c.im.opset < 7 && !slices.Equal(x.sizes, y.sizes)) // axes were paired otherwise then
	sizes := joint(x.sizes, y.sizes)
	notFolded(graph.Product(sizes...) > maxConstant)
	out := newConstant(x.dtype, sizes...)
	graph.Each(sizes, func(flat int, idx []int) {
		p := math.Pow(x.number(spread(x.sizes, idx)), y.number(spread(y.sizes, idx)))
		if x.dtype.IsFloat() {
			out.floats[flat] = model.Round(x.dtype, p)
			return
		}
		notFolded(!(math.Abs(p) < 1<<53))
		out.ints[flat] = model.Wrap(x.dtype, int64(p))
	})
	return []*constant{out}
}

// evalClip folds bounds of integers, which are inputs; the interpreter does the others.
func evalClip(_ *call, in []*constant) []*constant {
	notFolded(len(in) == 0 || len(in) > 3 || in[0] == nil || in[0].dtype.IsFloat())
	out := *in[0]
	out.ints = slices.Clone(out.ints)
	for i, f := range []func(a, b int64) int64{func(a, b int64) int64 { return max(a, b) }, func(a, b int64) int64 { return min(a, b) }} {
		if i+1 >= len(in) || in[i+1] == nil {
			continue
		}
		bound := in[i+1]
		if bound.dtype != out.dtype || bound.len() != 1 {
			must.Failf("a bound is %s%v, want a scalar of type %s", bound.dtype, bound.sizes, out.dtype)
		}
		for j, x := range out.ints {
			out.ints[j] = f(x, bound.ints[0])
		}
	}
	return []*constant{&out}
}
