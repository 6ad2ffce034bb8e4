package onnx

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Truth values are numbers 0 and 1 with a cast behind them, so that masks made
// of them (Cast of Equal, to multiply with) are arithmetic. A comparison is that
// of a difference with zero, so it says nothing of use where the difference is
// not a number: of two infinities of one sign, and of what is not a number.

func init() {
	register(map[string]lowering{
		"Equal":          compared(func(c *call, x, y *value) *value { return c.im.not(c.differ(x, y), c.numbered(noteOne, 1)) }),
		"Greater":        compared((*call).more),
		"Less":           compared(func(c *call, x, y *value) *value { return c.more(y, x) }),
		"GreaterOrEqual": compared(func(c *call, x, y *value) *value { return c.im.not(c.more(y, x), c.numbered(noteOne, 1)) }),
		"LessOrEqual":    compared(func(c *call, x, y *value) *value { return c.im.not(c.more(x, y), c.numbered(noteOne, 1)) }),
		"And":            logical(func(im *importer, x, y *value) *value { return im.do("ewmul", x, y) }),
		"Or":             logical(func(im *importer, x, y *value) *value { return im.do("ewmax", x, y) }),
		"Xor":            logical(func(im *importer, x, y *value) *value { return im.do("abs", im.do("ewsub", x, y)) }),
		"Not":            lowerNot,
		"IsNaN":          floats(func(c *call, x *value) *value { return c.im.truths(c.im.do("isnan", x)) }),
		"IsInf":          floats(lowerIsInf),
	})
}

// huge times any difference of two float32 numbers of ordinary size is at
// least 1.
const huge = 3e38

// positive is 1 where v is above 0, else 0. A difference below 1/huge counts as
// none; such numbers are not normal float32 numbers.
func (c *call) positive(v *value) *value {
	if v.dtype.IsInt() {
		return c.im.nonzero(c.im.do("ewmax", v, c.im.broadcast(valueOf(newConstant(v.dtype)), v.sizes...)))
	}
	return c.im.apply("clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(1)}, c.im.do("smul", v, c.numbered(noteHuge, huge)))
}

// more is 1 where x is above y, else 0. Of integers, whose differences wrap around, the
// larger one less y tells it: it is 0 if and only if x is not above y.
func (c *call) more(x, y *value) *value {
	if x.dtype.IsInt() {
		return c.im.nonzero(c.im.do("ewsub", c.im.do("ewmax", x, y), y))
	}
	return c.positive(c.im.do("ewsub", x, y))
}

// differ is 1 where x is not y, else 0.
func (c *call) differ(x, y *value) *value {
	if x.dtype.IsUnsigned() { // a difference below 0 would be a large number
		x, y = c.im.do("ewmax", x, y), c.im.do("ewmin", x, y)
	}
	d := c.im.do("ewsub", x, y)
	if x.dtype.IsInt() {
		return c.im.nonzero(d)
	}
	return c.positive(c.im.do("abs", d))
}

// nonzero is 1 where an integer is not 0, else 0.
func (im *importer) nonzero(v *value) *value { return im.cast(im.cast(v, graph.Bool), graph.Float32) }

// not is one less v.
func (im *importer) not(v, one *value) *value {
	return im.do("ewsub", im.broadcast(one, v.sizes...), v)
}

// Notes of comparisons: which weights the graph has as its numbers.
const (
	noteHuge = "huge"
	noteOne  = "one"
)

// numbered is a number: the weight that a comparison's note names, if it has that value, or
// a new one.
func (c *call) numbered(name string, x float64) *value {
	fresh := valueOf(floatScalar(x))
	text, _ := c.noteOf()
	for _, part := range strings.Fields(text) {
		quoted, ok := strings.CutPrefix(part, name+"=")
		if !ok {
			continue
		}
		weight, err := url.QueryUnescape(quoted)
		if v := c.env.find(weight); err == nil && v != nil && v.weight != nil && v.dtype == graph.Float32 && len(v.sizes) == 0 {
			if raw, err := v.weight.Read(); err == nil && bytes.Equal(raw, fresh.known.encode()) {
				return v
			}
		}
	}
	return fresh
}

// truths makes truth values of zeros and ones.
func (im *importer) truths(ones *value) *value {
	v := im.cast(ones, graph.Bool)
	v.ones = ones
	return v
}

func compared(f func(c *call, x, y *value) *value) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		x, y := in[0], in[1]
		switch t := x.dtype; {
		case t != y.dtype:
			must.Failf("%s and %s have different element types", x, y)
		case t == graph.Float32:
		case t == graph.Bool:
			x, y = c.im.onesOf(x), c.im.onesOf(y)
		case !t.IsInt():
			must.Do(unsupported("it compares %s", t))
		}
		c.set(c.im.truths(c.im.both(x, c.placed(x, y), func(_ *importer, x, y *value) *value { return f(c, x, y) })))
	}
}

func logical(f func(im *importer, x, y *value) *value) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		for _, v := range in {
			if v.dtype != graph.Bool {
				must.Failf("it is applied to %s", v)
			}
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
	sizes := joint(x.sizes, y.sizes)
	return f(im, im.broadcast(x, sizes...), im.broadcast(y, sizes...))
}

func lowerNot(c *call) {
	in := c.need(1, 1)
	if in[0].dtype != graph.Bool {
		must.Failf("it is applied to %s", in[0])
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
