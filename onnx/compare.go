package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Truth values are numbers 0 and 1 with a cast behind them, so that masks made
// of them (Cast of Equal, to multiply with) are arithmetic. A comparison is that
// of a difference with zero, so it says nothing of use where the difference is
// not a number: of two infinities of one sign, and of what is not a number.

func init() {
	register(map[string]lowering{
		"Equal":          compared(func(b *calc, x, y *value) *value { return b.not(b.positive(b.do("abs", b.do("ewsub", x, y)))) }),
		"Greater":        compared(func(b *calc, x, y *value) *value { return b.positive(b.do("ewsub", x, y)) }),
		"Less":           compared(func(b *calc, x, y *value) *value { return b.positive(b.do("ewsub", y, x)) }),
		"GreaterOrEqual": compared(func(b *calc, x, y *value) *value { return b.not(b.positive(b.do("ewsub", y, x))) }),
		"LessOrEqual":    compared(func(b *calc, x, y *value) *value { return b.not(b.positive(b.do("ewsub", x, y))) }),
		"And":            logical(func(b *calc, x, y *value) *value { return b.do("ewmul", x, y) }),
		"Or":             logical(func(b *calc, x, y *value) *value { return b.do("ewmax", x, y) }),
		"Xor":            logical(func(b *calc, x, y *value) *value { return b.do("abs", b.do("ewsub", x, y)) }),
		"Not":            lowerNot,
	})
}

// huge times any difference of two float32 numbers of ordinary size is at
// least 1.
const huge = 3e38

// positive is 1 where v is above 0, else 0. A difference below 1/huge counts as
// none; such numbers are not normal float32 numbers.
func (b *calc) positive(v *value) *value {
	return b.with("clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(1)}, b.scale(v, huge))
}

func (b *calc) not(v *value) *value { return b.do("ewsub", b.scalar(v, 1), v) }

// truths makes truth values of zeros and ones.
func (im *importer) truths(ones *value, err error) (*value, error) {
	if err != nil {
		return nil, err
	}
	v, err := im.cast(ones, graph.Bool)
	if err != nil {
		return nil, err
	}
	v.ones = ones
	return v, nil
}

func compared(f func(b *calc, x, y *value) *value) lowering {
	return func(c *call) error {
		in, err := c.need(2, 2)
		if err != nil {
			return err
		}
		if in[0].dtype != graph.Float32 || in[1].dtype != graph.Float32 {
			return unsupported("it compares %s", in[0].dtype)
		}
		if c.im.opset < 7 && !slices.Equal(in[0].sizes, in[1].sizes) {
			if in[1], err = c.oldBroadcast(in[0], in[1]); err != nil {
				return err
			}
		}
		return c.set(c.im.truths(c.im.both(in[0], in[1], f)))
	}
}

func logical(f func(b *calc, x, y *value) *value) lowering {
	return func(c *call) error {
		in, err := c.need(2, 2)
		if err != nil {
			return err
		}
		if in[0].ones == nil || in[1].ones == nil {
			return unsupported("its inputs are truth values from outside")
		}
		return c.set(c.im.truths(c.im.both(in[0].ones, in[1].ones, f)))
	}
}

// both broadcasts two operands and combines them.
func (im *importer) both(x, y *value, f func(b *calc, x, y *value) *value) (*value, error) {
	sizes, err := joint(x, y)
	if err != nil {
		return nil, err
	}
	b := &calc{im: im}
	x = b.keep(im.broadcast(x, sizes...))
	y = b.keep(im.broadcast(y, sizes...))
	if b.err != nil {
		return nil, b.err
	}
	return f(b, x, y), b.err
}

func lowerNot(c *call) error {
	in, err := c.need(1, 1)
	if err != nil {
		return err
	}
	if in[0].ones == nil {
		return unsupported("its input is a truth value from outside")
	}
	b := &calc{im: c.im}
	return c.set(c.im.truths(b.not(in[0].ones), b.err))
}
