package onnx

import (
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Places of extremes, and tensors that are one at places that indices say.

func init() {
	register(map[string]lowering{"ArgMax": lowerArg(false), "ArgMin": lowerArg(true), "OneHot": lowerOneHot})
}

// nearlyAll is a little less than the largest number, which as a bound means none.
const nearlyAll = 3.4e38

// finite has large numbers for infinities, whose differences are none.
func (im *importer) finite(x *value) *value {
	return im.apply("clip", attrs{"lo": graph.NumberValue(-nearlyAll), "hi": graph.NumberValue(nearlyAll)}, x)
}

// largest is 1 where an element is the largest along an axis, else 0.
func (c *call) largest(x *value, axis int) *value {
	if x.dtype.IsFloat() {
		x = c.im.finite(x)
	} else {
		x = c.im.cast(x, graph.Int64) // which holds the differences
	}
	top := c.im.reduce("reducemax", x, []int{axis}, true)
	less := c.positive(c.im.do("ewsub", c.im.broadcast(top, x.sizes...), x))
	return c.im.not(less, element(less, 1))
}

// lowerArg: of the places where the extreme stands, counted from the other end for the
// first, the largest.
func lowerArg(least bool) lowering {
	return func(c *call) {
		x, im := c.need(1, 1)[0], c.im
		if x.dtype != graph.Float32 && (!x.dtype.IsInt() || x.dtype.Bytes() > 4) {
			must.Do(unsupported("it is applied to %s", x.dtype))
		}
		if x.rank() == 0 {
			must.Failf("%s has no axes", x)
		}
		a, last := c.axisAttr(0, x.rank()), c.flag("select_last_index")
		n := x.sizes[a]
		if n > maxConstant {
			must.Do(unsupported("it looks at %d elements, more than %d", n, maxConstant))
		}
		if least && !x.dtype.IsFloat() {
			x = im.cast(x, graph.Int64)
		}
		if least {
			x = im.do("neg", x)
		}
		place := newConstant(graph.Float32, append([]int{n}, ones(x.rank()-a-1)...)...)
		for i := range place.floats {
			if place.floats[i] = float64(i); !last {
				place.floats[i] = float64(n - 1 - i)
			}
		}
		y := im.do("ewmul", c.largest(x, a), im.broadcast(valueOf(place), x.sizes...))
		y = im.reduce("reducemax", y, []int{a}, c.int("keepdims", 1) != 0)
		if !last {
			y = im.do("ewsub", im.scalar(y, float64(n-1)), y)
		}
		c.set(im.cast(y, graph.Int64))
	}
}

// lowerOneHot: one of two values, by whether an index is the position on a new axis.
func lowerOneHot(c *call) {
	in, im := c.need(3, 3), c.im
	indices, values := in[0], in[2]
	depth := c.known(1, "depth")
	if must.Get(indices.constant()) != nil {
		lowerMoved(2)(c)
		return
	}
	if depth.len() != 1 || depth.number(0) < 1 || depth.number(0) != math.Trunc(depth.number(0)) || values.elements() != 2 || values.rank() != 1 {
		must.Failf("a depth of %v and values %s", depth.sizes, values)
	}
	if depth.number(0) > maxConstant {
		must.Do(unsupported("a depth of %g", depth.number(0)))
	}
	if indices.dtype != graph.Float32 && indices.dtype != graph.Int64 && indices.dtype != graph.Int32 {
		must.Do(unsupported("its indices are %s", indices.dtype))
	}
	if indices.dtype.IsFloat() { // the fraction does not count
		indices = im.cast(indices, graph.Int64)
	}
	n := int(depth.number(0))
	a := c.axisAttr(-1, indices.rank()+1)
	before, after := indices.sizes[:a], indices.sizes[a:]
	apart := append(append(append([]int{}, before...), 1), after...)
	sizes := append(append(append([]int{}, before...), n), after...)
	x := im.broadcast(im.reshape(indices, apart...), sizes...)
	equal := func(from int) *value {
		k := newConstant(graph.Float32, n)
		for i := range k.floats {
			k.floats[i] = float64(from + i)
		}
		k = k.cast(indices.dtype)
		k.sizes = append([]int{n}, ones(len(after))...)
		return im.not(c.differ(x, im.broadcast(valueOf(k), sizes...)), c.numbered(noteOne, 1))
	}
	is := equal(0)
	if c.im.opset >= 11 { // positions may count from the end
		is = im.do("ewmax", is, equal(-n))
	}
	c.set(im.apply("gather", attrs{"axis": graph.IntValue(0)}, values, im.cast(is, graph.Int64)))
}

// ones are n sizes of 1.
func ones(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 1
	}
	return out
}
