package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Operators on integers that are not those on numbers: quotients, remainders and bits.

func integerOperators() []*operator {
	return []*operator{
		{name: "Mod", versions: "10 13", attrs: "fmod", lower: lowerMod, types: jointOfFirst, writes: map[string]writer{"ewint": writeInt}},
		{name: "BitwiseAnd", versions: "18", lower: onIntegers("bitand"), types: jointOfFirst},
		{name: "BitwiseOr", versions: "18", lower: onIntegers("bitor"), types: jointOfFirst},
		{name: "BitwiseXor", versions: "18", lower: onIntegers("bitxor"), types: jointOfFirst},
		{name: "BitwiseNot", versions: "18", lower: lowerBitwiseNot},
		{name: "BitShift", versions: "11", attrs: "direction", lower: lowerBitShift, types: sameType},
	}
}

// onIntegers is a function of two integers.
func onIntegers(fn string) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		for _, v := range in {
			if v.dtype != in[0].dtype {
				must.Failf("%s and %s have different element types", in[0], v)
			}
			if !v.dtype.IsInt() && !(v.dtype.IsFloat() && fn == "rem") {
				must.Do(unsupported("input %s is not supported", v.dtype))
			}
		}
		if k := must.Get(in[1].constant()); c.im.inFold && slices.Contains([]string{"quo", "rem", "mod"}, fn) && slices.Contains(k.ints, 0) {
			must.Failf("division by zero")
		}
		if v := c.neutral(fn, in[0], c.placed(in[0], in[1])); v != nil {
			c.set(v)
			return
		}
		c.set(c.im.both(in[0], c.placed(in[0], in[1]), func(im *importer, x, y *value) *value { return im.whole2(fn, x, y) }))
	}
}

func (im *importer) whole2(fn string, x, y *value) *value {
	return im.apply("ewint", attrs{"fn": graph.NameValue(fn)}, x, y)
}

// lowerDiv: quotients of integers are rounded towards 0.
func lowerDiv(c *call) {
	if c.need(2, 2)[0].dtype.IsInt() {
		onIntegers("quo")(c)
		return
	}
	broadcasting("ewdiv")(c)
}

// lowerMod: of numbers that are no integers there is the remainder with the sign of the
// first only.
func lowerMod(c *call) {
	switch {
	case c.flag("fmod"):
		onIntegers("rem")(c)
	case c.need(2, 2)[0].dtype.IsFloat():
		must.Failf("a remainder of %s with the sign of the divisor", c.in[0].dtype)
	default:
		onIntegers("mod")(c)
	}
}

func lowerBitwiseNot(c *call) {
	x := c.need(1, 1)[0]
	if !x.dtype.IsInt() {
		must.Failf("input %s is not supported", x)
	}
	c.set(c.im.opposite(x))
}

func lowerBitShift(c *call) {
	fn, ok := map[string]string{"LEFT": "shl", "RIGHT": "shr"}[c.text("direction", "")]
	if !ok {
		must.Failf("direction is %q", clip(c.text("direction", "")))
	}
	if t := c.need(2, 2)[0].dtype; !t.IsUnsigned() {
		must.Failf("bits of %s are moved", t)
	}
	onIntegers(fn)(c)
}

// clipIntegers: bounds of integers are inputs of their type.
func (c *call) clipIntegers() {
	in := c.need(1, 3)
	y := in[0]
	for i, op := range []string{"ewmax", "ewmin"} {
		if b := in[i+1]; b != nil {
			if b.elements() != 1 || b.dtype != y.dtype {
				must.Failf("the bound %s is not a scalar of type %s", b, y.dtype)
			}
			y = c.im.do(op, y, c.im.broadcastTo(c.im.reshape(b), y.dims()))
		}
	}
	c.set(y)
}
