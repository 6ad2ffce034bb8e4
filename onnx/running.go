package onnx

import (
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Sums and products along an axis, and powers: few element-wise operators instead of many.

func lowerRunning(op string, none float64) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		x := in[0]
		c.arithmetic(op, x)
		a := c.knownInts(1, "axis")
		if len(a) != 1 {
			must.Failf("its axis is %s", in[1])
		}
		c.set(c.im.running(x, axis(a[0], x.rank()), op, none, c.flag("exclusive"), c.flag("reverse")))
	}
}

// running combines each element along an axis with all before it, by adding what lies 1,
// 2, 4, … before: as many steps as the axis is twice as long as 1.
func (im *importer) running(x *value, axis int, op string, none float64, exclusive, back bool) *value {
	turn := func(v *value) *value {
		if !back {
			return v
		}
		return im.apply("reverse", attrs{"axes": graph.TupleValue(axis)}, v)
	}
	n := x.sizes()[axis]
	later := func(v *value, by int) *value {
		before, after := make([]int, x.rank()), make([]int, x.rank())
		before[axis] = by
		return im.slice(im.pad(v, before, after, none), axis, 0, n)
	}
	y := turn(x)
	if exclusive {
		y = later(y, 1)
	}
	for by := 1; by < n; by *= 2 {
		y = im.do(op, y, later(y, by))
	}
	return turn(y)
}

// reduceProd multiplies the first half with the second until one is left.
func reduceProd(im *importer, x *value, axes []int, keep bool) *value {
	sizes := reducedSizes(x.sizes(), axes, keep)
	for _, a := range axes {
		for x.sizes()[a] > 1 {
			half := x.sizes()[a] / 2
			y := im.do("ewmul", im.slice(x, a, 0, half), im.slice(x, a, half, 2*half))
			if x.sizes()[a]%2 == 1 {
				y = im.apply("concat", attrs{"axis": graph.IntValue(a)}, y, im.slice(x, a, 2*half, 2*half+1))
			}
			x = y
		}
	}
	return im.reshape(x, sizes...)
}

// powerful reports whether a power is one of those that power makes of other operators.
func powerful(e float64) bool {
	return math.Abs(e) <= 64 || e != math.Trunc(e) && !math.IsInf(e, 0) && !math.IsNaN(e)
}

// power is v to a number: by products, square roots and a reciprocal where these are few,
// else by a logarithm, which is not a number below zero, as the power is.
func (im *importer) power(v *value, e float64) *value {
	if e < 0 {
		return im.do("reciprocal", im.power(v, -e))
	}
	quarters := 4 * e
	if quarters != math.Trunc(quarters) || e > 64 {
		if !powerful(e) {
			return im.do("ewpow", v, im.scalar(v, e))
		}
		return im.do("exp", im.scale(im.do("log", v), e))
	}
	var y *value
	times := func(w *value) {
		if y == nil {
			y = w
		} else {
			y = im.do("ewmul", y, w)
		}
	}
	square := v
	for n := int(e); n > 0; n /= 2 {
		if n%2 == 1 {
			times(square)
		}
		if n > 1 {
			square = im.do("ewmul", square, square)
		}
	}
	if part := int(quarters) % 4; part > 0 {
		root := im.do("sqrt", v)
		if part >= 2 {
			times(root)
		}
		if part%2 == 1 {
			times(im.do("sqrt", root))
		}
	}
	if y == nil {
		y = im.scalar(v, 1)
	}
	return y
}
