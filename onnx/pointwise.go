package onnx

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

func pointwiseOperators() []*operator {
	all := []*operator{
		{name: "LeakyRelu", versions: "1 6 16", attrs: "alpha ~consumed_inputs", lower: floats(withNumbers("leakyrelu", num{"alpha", "alpha", 0.01})),
			types: sameType, writes: map[string]writer{"leakyrelu": numbered("LeakyRelu", "alpha")}},
		{name: "Elu", versions: "1 6 22", attrs: "alpha ~consumed_inputs", lower: floats(withNumbers("elu", num{"alpha", "alpha", 1})),
			types: sameType, writes: map[string]writer{"elu": numbered("Elu", "alpha")}},
		{name: "HardSigmoid", versions: "1 6 22", attrs: "alpha beta ~consumed_inputs", types: sameType,
			lower:  floats(withNumbers("hardsigmoid", num{"alpha", "alpha", 0.2}, num{"beta", "beta", 0.5})),
			writes: map[string]writer{"hardsigmoid": numbered("HardSigmoid", "alpha", "beta")}},
		// The defaults of version 1 have fewer digits.
		{name: "Selu", versions: "!1 6 22", attrs: "alpha !consumed_inputs gamma", lower: floats(lowerSelu), types: sameType},
		{name: "Celu", versions: "12", attrs: "alpha", lower: floats(lowerCelu), types: sameType},
		{name: "Gelu", versions: "20", attrs: "approximate", lower: floats(lowerGelu), types: sameType, writes: map[string]writer{"gelu": writeGelu}},
		{name: "Softplus", versions: "1 22", lower: floats(lowerSoftplus), types: sameType},
		{name: "Softsign", versions: "1 22", lower: floats(lowerSoftsign)},
		{name: "Mish", versions: "18 22", lower: floats(lowerMish)},
		{name: "Swish", versions: "24", attrs: "alpha", lower: floats(lowerSwish)},
		{name: "ThresholdedRelu", versions: "10 22", attrs: "alpha", lower: floats(lowerThresholded), types: sameType},
		{name: "Shrink", versions: "9", attrs: "bias lambd", lower: floats(lowerShrink), types: sameType},
		{name: "Sign", versions: "9 13", lower: lowerSign, types: sameType, writes: map[string]writer{"sign": plain("Sign"), "step": writeStep}},
		{name: "Clip", versions: "1 6 11 12 13", attrs: "~consumed_inputs max min", lower: lowerClip, types: sameType,
			writes: map[string]writer{"clip": writeClip}},
		{name: "Pow", versions: "1 7 12 13 15", attrs: "axis broadcast", lower: lowerPow, types: jointOfFirst, writes: map[string]writer{"ewpow": writePow}},
		{name: "PRelu", versions: "1 6 7 9 16", attrs: "~consumed_inputs", lower: lowerPRelu, types: jointOfFirst},
		{name: "Add", versions: "1 6 7 13 14", attrs: "axis broadcast ~consumed_inputs", lower: broadcasting("ewadd"), types: jointOfFirst,
			writes: map[string]writer{"ewadd": plain("Add")}},
		{name: "Sub", versions: "1 6 7 13 14", attrs: "axis broadcast ~consumed_inputs", lower: broadcasting("ewsub"), types: jointOfFirst,
			writes: map[string]writer{"ewsub": plain("Sub")}},
		{name: "Mul", versions: "1 6 7 13 14", attrs: "axis broadcast ~consumed_inputs", lower: broadcasting("ewmul"), types: jointOfFirst,
			writes: map[string]writer{"ewmul": writeMul, "smul": writeSmul}},
		{name: "Div", versions: "1 6 7 13 14", attrs: "axis broadcast ~consumed_inputs", lower: lowerDiv, types: jointOfFirst,
			writes: map[string]writer{"ewdiv": plain("Div")}},
		{name: "Sum", versions: "1 6 8 13", attrs: "~consumed_inputs", lower: variadic("ewadd"), types: jointOfFirst},
		{name: "Mean", versions: "1 6 8 13", attrs: "~consumed_inputs", lower: lowerMean},
		{name: "Max", versions: "1 6 8 12 13", attrs: "~consumed_inputs", lower: variadic("ewmax"), types: jointOfFirst,
			writes: map[string]writer{"ewmax": plain("Max")}},
		{name: "Min", versions: "1 6 8 12 13", attrs: "~consumed_inputs", lower: variadic("ewmin"), types: jointOfFirst,
			writes: map[string]writer{"ewmin": plain("Min")}},
		{name: "Identity", versions: "1 13 14 16 19 21 23 24 25", lower: lowerIdentity, lists: mayList},
		// In inference its ratio and its seed have no effect.
		{name: "Dropout", versions: "1 6 7 10 12 13 22", attrs: "~consumed_inputs is_test ~ratio ~seed", lower: lowerDropout, types: dropoutTypes},
	}
	for name, own := range unary {
		o := &operator{name: name, versions: unaryVersions[name], lower: pointwise(own), types: sameType, writes: map[string]writer{own: plain(name)}}
		if strings.HasPrefix(o.versions, "1 ") {
			o.attrs = "~consumed_inputs"
		}
		switch own {
		case "reciprocal":
			o.writes["rsqrt"] = writeRsqrt
		case "hardswish":
			o.writes[own] = writeHardSwish
		}
		all = append(all, o)
	}
	return all
}

// unaryVersions are the versions of the operators in unary.
var unaryVersions = map[string]string{
	"Relu": "1 6 13 14", "Sigmoid": "1 6 13", "Tanh": "1 6 13", "Exp": "1 6 13", "Sqrt": "1 6 13", "Erf": "9 13",
	"Reciprocal": "1 6 13", "Neg": "1 6 13", "Abs": "1 6 13", "Log": "1 6 13", "HardSwish": "14 22",
	"Sin": "7 22", "Cos": "7 22", "Tan": "7 22", "Asin": "7 22", "Acos": "7 22", "Atan": "7 22",
	"Sinh": "9 22", "Cosh": "9 22", "Asinh": "9 22", "Acosh": "9 22", "Atanh": "9 22",
	"Floor": "1 6 13", "Ceil": "1 6 13", "Round": "11 22",
}

// unary are the pointwise functions without parameters that ONNX has too.
var unary = map[string]string{
	"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "Exp": "exp", "Sqrt": "sqrt", "Erf": "erf",
	"Reciprocal": "reciprocal", "Neg": "neg", "Abs": "abs", "Log": "log", "HardSwish": "hardswish",
	"Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan",
	"Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh",
	"Floor": "floor", "Ceil": "ceil", "Round": "round",
}

// exactOnInts are those that mean on integers what they mean on reals.
var exactOnInts = []string{"relu", "neg", "abs", "sign", "ewadd", "ewsub", "ewmul", "ewmax", "ewmin", "reducemax"}

func pointwise(own string) lowering {
	return func(c *call) {
		x := c.need(1, 1)[0]
		c.arithmetic(own, x)
		v := c.fused(own, x)
		switch {
		case v != nil:
		case own == "reciprocal":
			v = c.rsqrt(x)
		case own == "sqrt":
			c.im.rooted(x)
		}
		if v == nil {
			v = c.im.do(own, x)
		}
		c.set(v)
	}
}

// arithmetic refuses to compute with a type for which an operator means
// something else than on real numbers. Of known integers the interpreter finds what has no
// value.
func (c *call) arithmetic(own string, v *value) {
	if c.im.inFold && v.dtype.IsInt() {
		return
	}
	if !v.dtype.IsReal() && !(v.dtype.IsInt() && slices.Contains(exactOnInts, own)) {
		must.Do(unsupported("input %s is not supported", v.dtype))
	}
}

// floats is a lowering of one input that must be of a floating-point type.
func floats(f func(c *call, x *value) *value) lowering {
	return func(c *call) {
		x := c.need(1, 1)[0]
		c.arithmetic("", x)
		c.set(f(c, x))
	}
}

// num is a parameter that is a number: ours, ONNX's, ONNX's default.
type num struct {
	own, onnx string
	missing   float64
}

func withNumbers(op string, params ...num) func(c *call, x *value) *value {
	return func(c *call, x *value) *value {
		a := attrs{}
		for _, p := range params {
			a[p.own] = c.exact(p.own, c.float(p.onnx, p.missing))
		}
		return c.im.apply(op, a, x)
	}
}

// lowerSelu: gamma * elu[alpha](x).
func lowerSelu(c *call, x *value) *value {
	gamma := c.float("gamma", 1.0507009873554805)
	return c.im.scale(withNumbers("elu", num{"alpha", "alpha", 1.6732632423543772})(c, x), gamma)
}

// lowerCelu: alpha * elu(x / alpha).
func lowerCelu(c *call, x *value) *value {
	alpha := c.float("alpha", 1)
	return c.im.scale(c.im.apply("elu", attrs{"alpha": graph.NumberValue(1)}, c.im.scale(x, 1/alpha)), alpha)
}

// lowerGelu: the operator, or its approximation with tanh.
func lowerGelu(c *call, x *value) *value {
	im := c.im
	kind := c.text("approximate", "none")
	if kind == "none" {
		return im.do("gelu", x)
	}
	if kind != "tanh" {
		must.Do(unsupported("approximate is %q", clip(kind)))
	}
	return im.tanhGelu(x)
}

// tanhGelu is x/2 * (1 + tanh(sqrt(2/pi) (x + 0.044715 x³))).
func (im *importer) tanhGelu(x *value) *value {
	cube := im.do("ewmul", im.do("ewmul", x, x), x)
	inner := im.scale(im.do("ewadd", x, im.scale(cube, 0.044715)), math.Sqrt(2/math.Pi))
	one := im.scalar(x, 1)
	return im.scale(im.do("ewmul", x, im.do("ewadd", im.do("tanh", inner), one)), 0.5)
}

// lowerSoftplus: log(1 + exp(x)) = relu(x) + log(1 + exp(-|x|)), which does not
// overflow.
func lowerSoftplus(c *call, x *value) *value {
	im := c.im
	e := im.do("exp", im.do("neg", im.do("abs", x)))
	return im.do("ewadd", im.do("relu", x), im.do("log", im.do("ewadd", e, im.scalar(x, 1))))
}

func lowerSoftsign(c *call, x *value) *value {
	im := c.im
	return im.do("ewdiv", x, im.do("ewadd", im.do("abs", x), im.scalar(x, 1)))
}

// lowerSwish: x times the sigmoid of a multiple of it.
func lowerSwish(c *call, x *value) *value { return c.im.swish(x, c.float("alpha", 1)) }

func (im *importer) swish(x *value, alpha float64) *value {
	y := x
	if alpha != 1 {
		y = im.scale(x, alpha)
	}
	return im.do("ewmul", x, im.do("sigmoid", y))
}

// above is 1 where x is above a number, else 0.
func (c *call) above(x *value, than float64) *value {
	return c.im.do("ewless", c.im.scalar(x, than), x)
}

// lowerThresholded: what is not above the threshold becomes zero.
func lowerThresholded(c *call, x *value) *value {
	return c.im.do("ewwhere", c.above(x, c.float("alpha", 1)), x, c.im.scalar(x, 0))
}

// lowerShrink: numbers near zero become zero, the others come nearer to it by a bias.
func lowerShrink(c *call, x *value) *value {
	im, lambda, bias := c.im, c.float("lambd", 0.5), c.float("bias", 0)
	if lambda < 0 { // both ranges hold some numbers
		must.Do(unsupported("lambd %g is not supported, it must not be negative", lambda))
	}
	up, down := c.above(x, lambda), c.above(im.do("neg", x), lambda)
	kept := im.do("ewmul", x, im.do("ewadd", up, down))
	return im.do("ewadd", kept, im.scale(im.do("ewsub", down, up), bias))
}

func lowerMish(c *call, x *value) *value {
	return c.im.do("ewmul", x, c.im.do("tanh", lowerSoftplus(c, x)))
}

// lowerClip: bounds are attributes before operator set 11 and inputs since; a
// bound that is not constant is a maximum or minimum with it.
func lowerClip(c *call) {
	in := c.need(1, 3)
	x := in[0]
	if x.dtype.IsInt() {
		c.clipIntegers()
		return
	}
	c.arithmetic("", x)
	bounds := [2]float64{math.Inf(-1), math.Inf(1)}
	open := [2]*value{}
	for i, name := range []string{"min", "max"} {
		bounds[i] = c.float(name, bounds[i])
		if v := in[i+1]; v != nil {
			if v.elements() != 1 || v.dtype != x.dtype {
				must.Failf("the bound %s is not a scalar of type %s", v, x.dtype)
			}
			if k := must.Get(v.constant()); k == nil {
				open[i] = v
			} else {
				bounds[i] = k.written()
			}
		}
	}
	// Some tools write the largest number for "no bound". Numbers of float64 may be larger.
	if x.dtype != graph.Float64 {
		if bounds[0] <= -math.MaxFloat32 {
			bounds[0] = math.Inf(-1)
		}
		if bounds[1] >= math.MaxFloat32 {
			bounds[1] = math.Inf(1)
		}
	}
	y := x
	// The maximum with min comes first: where min is above max, the result is max.
	if open[0] != nil {
		y = c.im.do("ewmax", y, c.im.broadcastTo(open[0], y.dims()))
	}
	if !math.IsInf(bounds[0], -1) || !math.IsInf(bounds[1], 1) || c.marked("keep") {
		y = c.im.apply("clip", attrs{"lo": c.exact("lo", bounds[0]), "hi": c.exact("hi", bounds[1])}, y)
	}
	if open[1] != nil {
		y = c.im.do("ewmin", y, c.im.broadcastTo(open[1], y.dims()))
	}
	c.set(y)
}

// broadcasting is an element-wise operator of two operands that broadcast. A product
// with a single number is smul.
func broadcasting(own string) lowering {
	return func(c *call) {
		in := c.need(2, 2)
		x := in[0]
		c.arithmetic(own, x)
		y := c.placed(x, in[1])
		if own == "ewmul" && c.marked("smul") {
			c.set(c.im.do("smul", x, y))
			return
		}
		if own == "ewmul" && c.marked(noteRepeated) {
			sizes := c.im.open.jointOf(x.dims(), y.dims())
			c.set(c.im.do(own, c.im.broadcastTo(x, sizes), c.im.broadcastTo(y, sizes)))
			return
		}
		if v := c.neutral(own, x, y); v != nil {
			c.set(v)
			return
		}
		c.set(c.spelled(c.im.elementwise(own, x, y)))
	}
}

// placed is the second operand such that it broadcasts. Before operator set 7 its
// axes were those of the first from the attribute axis on, or the last ones.
func (c *call) placed(x, y *value) *value {
	if c.im.opset >= 7 || slices.Equal(x.dims(), y.dims()) {
		return y
	}
	if !c.flag("broadcast") {
		must.Failf("%s and %s have different sizes, and broadcast is not 1", x, y)
	}
	a := c.int("axis", int64(x.rank()-y.rank()))
	if a < 0 {
		a += int64(x.rank())
	}
	behind := int64(x.rank()-y.rank()) - a
	if a < 0 || behind < 0 {
		must.Failf("%s at axis %d of %s", y, a, x)
	}
	return c.im.reshapeTo(y, slices.Concat(y.dims(), slices.Repeat([]graph.Dim{graph.Int(1)}, int(behind))))
}

func (im *importer) elementwise(own string, x, y *value) *value {
	sizes, one := im.open.jointOf(x.dims(), y.dims()), graph.Int(1)
	if own == "ewmul" && !slices.Equal(x.dims(), y.dims()) {
		if product(x.dims()...) == one && (product(y.dims()...) != one || x.rank() < y.rank()) {
			x, y = y, x // the number, if there is one, is y
		}
		if product(y.dims()...) == one && slices.Equal(x.dims(), sizes) {
			return im.do("smul", x, im.reshape(y))
		}
	}
	return im.do(own, im.broadcastTo(x, sizes), im.broadcastTo(y, sizes))
}

// variadic combines any number of operands from the left.
func variadic(own string) lowering {
	return func(c *call) {
		in := c.need(1, max(len(c.in), 1))
		v := in[0]
		c.arithmetic(own, v)
		for _, w := range in[1:] {
			if c.im.opset < 8 && !slices.Equal(v.dims(), w.dims()) {
				must.Failf("%s and %s have different sizes, which operator set %d does not broadcast", v, w, c.im.opset)
			}
			v = c.im.elementwise(own, v, w)
		}
		c.set(v)
	}
}

func lowerMean(c *call) {
	variadic("ewadd")(c)
	if len(c.in) > 1 {
		c.set(c.im.scale(c.outs[0], 1/float64(len(c.in))))
	}
}

// lowerPow: a number that is the exponent of all is a few products and roots, if it is
// one of few; others are left to an operator.
func lowerPow(c *call) {
	in, im := c.need(2, 2), c.im
	x, y := in[0], c.placed(in[0], in[1])
	t := x.dtype
	if !t.IsFloat() && !t.IsInt() || !y.dtype.IsFloat() && !y.dtype.IsInt() {
		must.Do(unsupported("inputs %s and %s are not supported", t, y.dtype))
	}
	sizes := c.im.open.jointOf(x.dims(), y.dims())
	if k := must.Get(y.constant()); k != nil && t.IsFloat() && k.len() > 0 && !c.marked("keep") {
		e, same := k.number(0), true
		for i := range k.len() {
			same = same && k.number(i) == e
		}
		if same && powerful(e) {
			c.set(im.power(im.broadcastTo(x, sizes), e))
			return
		}
	}
	switch {
	case t.IsFloat() || y.dtype.IsInt():
		y = im.cast(y, t)
	default: // of integers to powers of numbers that are none, what is before the point
		x, y = im.cast(x, graph.Float64), im.cast(y, graph.Float64)
	}
	c.set(im.cast(im.do("ewpow", im.broadcastTo(x, sizes), im.broadcastTo(y, sizes)), t))
}

// lowerPRelu: relu(x) - slope * relu(-x).
func lowerPRelu(c *call) {
	in, im := c.need(2, 2), c.im
	x, slope := in[0], in[1]
	c.arithmetic("", x)
	if im.opset < 7 && slope.rank() == 1 && x.rank() > 1 && slope.elements() > 1 {
		slope = im.reshape(slope, ofChannels(slope.elements(), x.rank())[1:]...)
	}
	slope = im.broadcastTo(slope, x.dims())
	c.set(im.do("ewsub", im.do("relu", x), im.do("ewmul", slope, im.do("relu", im.do("neg", x)))))
}

// lowerIdentity: the value gets a second name.
func lowerIdentity(c *call) {
	v := c.need(1, 1)[0]
	text, _ := c.noteOf()
	if axis, ok := strings.CutPrefix(text, noteWhole); ok {
		if a, err := strconv.Atoi(axis); err == nil && a >= 0 && a < v.rank() && !v.empty() {
			v = c.im.apply("slice", attrs{"axis": graph.IntValue(a), "lo": graph.IntValue(0), "hi": graph.IntValue(v.sizes()[a])}, v)
		}
	}
	c.set(v)
}

// lowerDropout does nothing, as in inference; its mask is all true.
func lowerDropout(c *call) {
	x := c.need(1, 3)[0]
	if c.im.opset < 7 && !c.flag("is_test") {
		must.Do(unsupported("training mode is not supported"))
	}
	training := c.known(2, "training mode")
	if training != nil && training.len() == 1 && training.number(0) != 0 {
		ratio := c.known(1, "ratio")
		if ratio == nil || ratio.len() != 1 || ratio.number(0) != 0 {
			must.Do(unsupported("training mode is not supported"))
		}
	}
	if len(c.outs) > 2 {
		must.Failf("%d outputs", len(c.outs))
	}
	if !c.wanted(1) {
		c.first(x)
		return
	}
	if c.im.opset < 12 {
		must.Do(unsupported("the output mask is not defined before operator set 12: convert the model to 12 or later"))
	}
	one := valueOf(&constant{dtype: graph.Bool, ints: []int64{1}})
	c.outs[0], c.outs[1] = x, c.im.broadcastTo(one, x.dims())
}
