package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Truth values are numbers 0 and 1 with a cast behind them, so that masks made of them
// (Cast of Equal, to multiply with) are arithmetic.

func comparisonOperators() []*operator {
	isNaN := floats(func(c *call, x *value) *value { return c.im.truths(c.im.do("isnan", x)) })
	and := func(im *importer, x, y *value) *value { return im.do("ewmul", x, y) }
	or := func(im *importer, x, y *value) *value { return im.do("ewmax", x, y) }
	xor := func(im *importer, x, y *value) *value { return im.do("abs", im.do("ewsub", x, y)) }
	return []*operator{
		{name: "Equal", versions: "1 7 11 13 19", attrs: "axis broadcast", lower: compared("ewequal", false), types: truthType,
			writes: map[string]writer{"ewequal": writeTruths("Equal")}},
		{name: "Greater", versions: "1 7 9 13", attrs: "axis broadcast", lower: compared("ewless", true), types: truthType},
		{name: "Less", versions: "1 7 9 13", attrs: "axis broadcast", lower: compared("ewless", false), types: truthType,
			writes: map[string]writer{"ewless": writeTruths("Less")}},
		{name: "GreaterOrEqual", versions: "12 16", lower: compared("ewlessequal", true), types: truthType},
		{name: "LessOrEqual", versions: "12 16", lower: compared("ewlessequal", false), types: truthType,
			writes: map[string]writer{"ewlessequal": writeTruths("LessOrEqual")}},
		{name: "And", versions: "1 7", attrs: "axis broadcast", lower: logical(and), types: truthType},
		{name: "Or", versions: "1 7", attrs: "axis broadcast", lower: logical(or), types: truthType},
		{name: "Xor", versions: "1 7", attrs: "axis broadcast", lower: logical(xor), types: truthType},
		{name: "Not", versions: "1", lower: lowerNot, types: truthType},
		{name: "IsNaN", versions: "9 13 20", lower: isNaN, types: truthType, writes: map[string]writer{"isnan": writeTruths("IsNaN")}},
		{name: "IsInf", versions: "10 20", attrs: "detect_negative detect_positive", lower: floats(lowerIsInf), types: truthType,
			writes: map[string]writer{"isinf": writeTruths("IsInf")}},
		{name: "Where", versions: "9 16", lower: lowerWhere, types: chosenType, writes: map[string]writer{"ewwhere": writeWhere}},
	}
}

// positive is 1 where v is above 0, else 0, of type float32.
func (im *importer) positive(v *value) *value {
	zero := im.broadcastTo(valueOf(newConstant(v.dtype)), v.dims())
	return im.cast(im.do("ewless", zero, v), graph.Float32)
}

// not is one less v.
func (im *importer) not(v, one *value) *value {
	return im.do("ewsub", im.broadcastTo(one, v.dims()), v)
}

// truths makes truth values of zeros and ones.
func (im *importer) truths(ones *value) *value {
	v := im.cast(ones, graph.Bool)
	v.ones = ones
	return v
}

// compared is a comparison, of the operands in the other order if they are exchanged.
func compared(own string, exchanged bool) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		x, y := in[0], in[1]
		switch t := x.dtype; {
		case t != y.dtype:
			must.Failf("%s and %s have different element types", x, y)
		case t == graph.Bool:
			x, y = c.im.onesOf(x), c.im.onesOf(y)
		}
		c.set(c.im.truths(c.im.both(x, c.placed(x, y), func(im *importer, x, y *value) *value {
			if exchanged {
				x, y = y, x
			}
			return im.do(own, x, y)
		})))
	}
}

func logical(f func(im *importer, x, y *value) *value) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		for _, v := range in {
			if v.dtype != graph.Bool {
				must.Failf("input %s is not supported", v)
			}
		}
		if v := c.neutral(c.node.GetOpType(), in[0], c.placed(in[0], in[1])); v != nil {
			c.set(v)
			return
		}
		x := c.im.onesOf(in[0])
		c.set(c.im.truths(c.im.both(x, c.placed(x, c.im.onesOf(in[1])), f)))
	}
}

// onesOf are truth values as zeros and ones.
func (im *importer) onesOf(v *value) *value {
	if v.ones != nil {
		return im.cast(v.ones, graph.Float32)
	}
	return im.cast(v, graph.Float32)
}

// both broadcasts two operands and combines them.
func (im *importer) both(x, y *value, f func(im *importer, x, y *value) *value) *value {
	sizes := im.open.jointOf(x.dims(), y.dims())
	return f(im, im.broadcastTo(x, sizes), im.broadcastTo(y, sizes))
}

func lowerNot(c *call) {
	in := c.need(1, 1)
	if in[0].dtype != graph.Bool {
		must.Failf("input %s is not supported", in[0])
	}
	ones := c.im.onesOf(in[0])
	c.set(c.im.truths(c.im.not(ones, element(ones, 1))))
}

// lowerIsInf: infinite, and of the signs that are asked for; relu keeps what is infinite and
// positive, and what is not a number.
func lowerIsInf(c *call, x *value) *value {
	im := c.im
	below, above := c.int("detect_negative", 1) != 0, c.int("detect_positive", 1) != 0
	switch {
	case !below && !above:
		return im.truths(im.scale(im.do("isnan", x), 0))
	case !below:
		x = im.do("relu", x)
	case !above:
		x = im.do("relu", im.do("neg", x))
	}
	return im.truths(im.do("isinf", x))
}

// lowerWhere: unlike sums of products with zeros and ones, a choice is right for what is
// not finite.
func lowerWhere(c *call) {
	if c.foldKnown() {
		return
	}
	in, im := c.need(3, 3), c.im
	is, x, y := in[0], in[1], in[2]
	switch {
	case is.dtype != graph.Bool:
		must.Failf("its condition is %s", is)
	case x.dtype != y.dtype:
		must.Failf("%s and %s have different element types", x, y)
	}
	sizes := c.im.open.jointOf(is.dims(), x.dims(), y.dims())
	for i, v := range []*value{y, x} {
		if c.simplifies() && slices.Equal(v.dims(), sizes) && must.Get(is.everywhere(float64(i))) {
			c.set(v)
			return
		}
	}
	c.set(im.do("ewwhere", im.broadcastTo(im.chooses(is, x.dtype), sizes), im.broadcastTo(x, sizes), im.broadcastTo(y, sizes)))
}

// chooses are truth values as numbers of a type that are not 0 where they hold.
func (im *importer) chooses(is *value, t graph.DType) *value {
	if is.ones != nil {
		return im.cast(is.ones, t)
	}
	if k := must.Get(is.constant()); k != nil && is.tensor.Node == 0 {
		return valueOf(k.cast(t))
	}
	if id := im.from(is.tensor, "cast"); id != 0 {
		if of := im.valuesOf(im.made.Graph().Operands(id))[0]; of.dtype == t {
			return of
		}
	}
	return im.cast(is, t)
}
