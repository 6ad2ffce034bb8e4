package onnx

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Truth values are numbers 0 and 1 with a cast behind them, so that masks made
// of them (Cast of Equal, to multiply with) are arithmetic. A comparison is that
// of a difference with zero, so it says nothing of use where the difference is
// not a number: of two infinities of one sign, and of what is not a number.

func init() {
	register(map[string]lowering{
		"Equal": compared(func(im *importer, x, y *value) *value {
			return im.not(im.positive(im.do("abs", im.do("ewsub", x, y))))
		}),
		"Greater":        compared(func(im *importer, x, y *value) *value { return im.positive(im.do("ewsub", x, y)) }),
		"Less":           compared(func(im *importer, x, y *value) *value { return im.positive(im.do("ewsub", y, x)) }),
		"GreaterOrEqual": compared(func(im *importer, x, y *value) *value { return im.not(im.positive(im.do("ewsub", y, x))) }),
		"LessOrEqual":    compared(func(im *importer, x, y *value) *value { return im.not(im.positive(im.do("ewsub", x, y))) }),
		"And":            logical(func(im *importer, x, y *value) *value { return im.do("ewmul", x, y) }),
		"Or":             logical(func(im *importer, x, y *value) *value { return im.do("ewmax", x, y) }),
		"Xor":            logical(func(im *importer, x, y *value) *value { return im.do("abs", im.do("ewsub", x, y)) }),
		"Not":            lowerNot,
	})
}

// huge times any difference of two float32 numbers of ordinary size is at
// least 1.
const huge = 3e38

// positive is 1 where v is above 0, else 0. A difference below 1/huge counts as
// none; such numbers are not normal float32 numbers.
func (im *importer) positive(v *value) *value {
	return im.apply("clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(1)}, im.scale(v, huge))
}

func (im *importer) not(v *value) *value { return im.do("ewsub", im.scalar(v, 1), v) }

// truths makes truth values of zeros and ones.
func (im *importer) truths(ones *value) *value {
	v := im.cast(ones, graph.Bool)
	v.ones = ones
	return v
}

func compared(f func(im *importer, x, y *value) *value) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		if in[0].dtype != graph.Float32 || in[1].dtype != graph.Float32 {
			must.Do(unsupported("it compares %s", in[0].dtype))
		}
		c.set(c.im.truths(c.im.both(in[0], c.placed(in[0], in[1]), f)))
	}
}

func logical(f func(im *importer, x, y *value) *value) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		if in[0].ones == nil || in[1].ones == nil {
			must.Do(unsupported("its inputs are truth values from outside"))
		}
		c.set(c.im.truths(c.im.both(in[0].ones, in[1].ones, f)))
	}
}

// both broadcasts two operands and combines them.
func (im *importer) both(x, y *value, f func(im *importer, x, y *value) *value) *value {
	sizes := joint(x.sizes, y.sizes)
	return f(im, im.broadcast(x, sizes...), im.broadcast(y, sizes...))
}

func lowerNot(c *call) {
	in := c.need(1, 1)
	if in[0].ones == nil {
		must.Do(unsupported("its input is a truth value from outside"))
	}
	c.set(c.im.truths(c.im.not(in[0].ones)))
}
