package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

func init() {
	l := map[string]lowering{
		"LeakyRelu": floats(func(c *call, x *value) (*value, error) {
			return c.numbers("leakyrelu", x, num{"alpha", "alpha", 0.01})
		}),
		"Elu": floats(func(c *call, x *value) (*value, error) {
			return c.numbers("elu", x, num{"alpha", "alpha", 1})
		}),
		"HardSigmoid": floats(func(c *call, x *value) (*value, error) {
			return c.numbers("hardsigmoid", x, num{"alpha", "alpha", 0.2}, num{"beta", "beta", 0.5})
		}),
		"Selu": floats(lowerSelu), "Celu": floats(lowerCelu), "Gelu": floats(lowerGelu),
		"Softplus": floats(lowerSoftplus), "Softsign": floats(lowerSoftsign), "Mish": floats(lowerMish),
		"Clip": lowerClip, "Pow": lowerPow, "PRelu": lowerPRelu,
		"Add": broadcasting("ewadd"), "Sub": broadcasting("ewsub"), "Mul": broadcasting("ewmul"), "Div": broadcasting("ewdiv"),
		"Sum": variadic("ewadd"), "Max": variadic("ewmax"), "Min": variadic("ewmin"), "Mean": lowerMean,
		"Cast": lowerCast, "CastLike": lowerCastLike,
		"Identity": lowerIdentity, "Dropout": lowerDropout,
	}
	for onnx, own := range unary {
		l[onnx] = pointwise(own)
	}
	register(l)
}

// unary are the pointwise functions without parameters that ONNX has too.
var unary = map[string]string{
	"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "Exp": "exp", "Sqrt": "sqrt", "Erf": "erf",
	"Reciprocal": "reciprocal", "Neg": "neg", "Abs": "abs", "Log": "log", "HardSwish": "hardswish",
}

// exactOnInts are those that mean on integers what they mean on reals.
var exactOnInts = []string{"relu", "neg", "abs", "ewadd", "ewsub", "ewmul", "ewmax", "ewmin"}

func pointwise(own string) lowering {
	return func(c *call) error {
		in, err := c.need(1, 1)
		if err != nil {
			return err
		}
		if err := c.arithmetic(own, in[0]); err != nil {
			return err
		}
		// An activation that a convolution was written with.
		if s := from(in[0], "conv2d"); s != nil && c.marked("fused") && in[0].uses == 1 {
			at := s.op.ParamIndex("act")
			if a := slices.Clone(s.attrs); a[at] == graph.NameValue("none") {
				a[at] = graph.NameValue(own)
				return c.set(c.im.applyAttrs(s.op, a, s.in...))
			}
		}
		if own == "reciprocal" {
			if v := c.rsqrt(in[0]); v != nil {
				return c.set(v, nil)
			}
		}
		if own == "sqrt" {
			c.im.rooted(in[0])
		}
		return c.set(c.im.apply(own, nil, in[0]))
	}
}

// arithmetic refuses to compute with a type for which an operator means
// something else than on real numbers.
func (c *call) arithmetic(own string, v *value) error {
	if v.dtype.IsFloat() || v.dtype.IsInt() && slices.Contains(exactOnInts, own) {
		return nil
	}
	return unsupported("it is applied to %s", v.dtype)
}

// floats is a lowering of one input that must be of a floating-point type.
func floats(f func(c *call, x *value) (*value, error)) lowering {
	return func(c *call) error {
		in, err := c.need(1, 1)
		if err != nil {
			return err
		}
		if err := c.arithmetic("", in[0]); err != nil {
			return err
		}
		return c.set(f(c, in[0]))
	}
}

// num is a parameter that is a number: ours, ONNX's, ONNX's default.
type num struct {
	own, onnx string
	missing   float64
}

func (c *call) numbers(op string, x *value, params ...num) (*value, error) {
	a := attrs{}
	for _, p := range params {
		y, err := c.float(p.onnx, p.missing)
		if err != nil {
			return nil, err
		}
		a[p.own] = c.exact(p.own, y)
	}
	return c.im.apply(op, a, x)
}

// lowerSelu: gamma * elu[alpha](x).
func lowerSelu(c *call, x *value) (*value, error) {
	gamma, err := c.float("gamma", 1.0507009873554805)
	if err != nil {
		return nil, err
	}
	y, err := c.numbers("elu", x, num{"alpha", "alpha", 1.6732632423543772})
	if err != nil {
		return nil, err
	}
	return c.im.scale(y, gamma)
}

// lowerCelu: alpha * elu(x / alpha).
func lowerCelu(c *call, x *value) (*value, error) {
	alpha, err := c.float("alpha", 1)
	if err != nil {
		return nil, err
	}
	y, err := c.im.scale(x, 1/alpha)
	if err != nil {
		return nil, err
	}
	if y, err = c.im.apply("elu", attrs{"alpha": graph.NumberValue(1)}, y); err != nil {
		return nil, err
	}
	return c.im.scale(y, alpha)
}

// lowerGelu: the operator, or with tanh x/2 * (1 + tanh(sqrt(2/pi) (x + 0.044715 x³))).
func lowerGelu(c *call, x *value) (*value, error) {
	kind, err := c.text("approximate", "none")
	if err != nil {
		return nil, err
	}
	if kind == "none" {
		return c.im.apply("gelu", nil, x)
	}
	if kind != "tanh" {
		return nil, unsupported("approximate is %q", clip(kind))
	}
	b := calc{im: c.im}
	cube := b.do("ewmul", b.do("ewmul", x, x), x)
	inner := b.scale(b.do("ewadd", x, b.scale(cube, 0.044715)), math.Sqrt(2/math.Pi))
	one := b.scalar(x, 1)
	return b.scale(b.do("ewmul", x, b.do("ewadd", b.do("tanh", inner), one)), 0.5), b.err
}

// calc applies several operators and keeps the first error.
type calc struct {
	im  *importer
	err error
}

func (b *calc) do(op string, in ...*value) *value { return b.with(op, nil, in...) }

func (b *calc) with(op string, a attrs, in ...*value) *value {
	if b.err != nil {
		return in[0]
	}
	v, err := b.im.apply(op, a, in...)
	if b.err = err; err != nil {
		return in[0]
	}
	return v
}

func (b *calc) keep(v *value, err error) *value {
	if b.err == nil {
		b.err = err
	}
	return v
}

func (b *calc) scale(v *value, by float64) *value {
	if b.err != nil {
		return v
	}
	return b.keep(b.im.scale(v, by))
}

func (b *calc) scalar(like *value, x float64) *value {
	if b.err != nil {
		return like
	}
	return b.keep(b.im.scalar(like, x))
}

// lowerSoftplus: log(1 + exp(x)) = relu(x) + log(1 + exp(-|x|)), which does not
// overflow.
func lowerSoftplus(c *call, x *value) (*value, error) {
	b := calc{im: c.im}
	e := b.do("exp", b.do("neg", b.do("abs", x)))
	return b.do("ewadd", b.do("relu", x), b.do("log", b.do("ewadd", e, b.scalar(x, 1)))), b.err
}

func lowerSoftsign(c *call, x *value) (*value, error) {
	b := calc{im: c.im}
	return b.do("ewdiv", x, b.do("ewadd", b.do("abs", x), b.scalar(x, 1))), b.err
}

func lowerMish(c *call, x *value) (*value, error) {
	s, err := lowerSoftplus(c, x)
	if err != nil {
		return nil, err
	}
	b := calc{im: c.im}
	return b.do("ewmul", x, b.do("tanh", s)), b.err
}

// lowerClip: bounds are attributes before operator set 11 and inputs since; a
// bound that is not constant is a maximum or minimum with it.
func lowerClip(c *call) error {
	in, err := c.need(1, 3)
	if err != nil {
		return err
	}
	x := in[0]
	if err := c.arithmetic("", x); err != nil {
		return err
	}
	bounds := [2]float64{math.Inf(-1), math.Inf(1)}
	open := [2]*value{}
	for i, name := range []string{"min", "max"} {
		if bounds[i], err = c.float(name, bounds[i]); err != nil {
			return err
		}
		if v := in[i+1]; v != nil {
			if v.elements() != 1 || v.dtype != x.dtype {
				return fmt.Errorf("the bound %s is not a scalar of type %s", v, x.dtype)
			}
			k, err := v.constant()
			if err != nil {
				return err
			}
			if k == nil {
				open[i] = v
			} else if k.dtype == graph.Float32 {
				bounds[i] = shortest(float32(k.floats[0]))
			} else {
				bounds[i] = k.floats[0]
			}
		}
	}
	// Some tools write the largest number for "no bound".
	if bounds[0] <= -math.MaxFloat32 {
		bounds[0] = math.Inf(-1)
	}
	if bounds[1] >= math.MaxFloat32 {
		bounds[1] = math.Inf(1)
	}
	y := x
	b := calc{im: c.im}
	if !math.IsInf(bounds[0], -1) || !math.IsInf(bounds[1], 1) || c.marked("keep") {
		y = b.with("clip", attrs{"lo": c.exact("lo", bounds[0]), "hi": c.exact("hi", bounds[1])}, y)
	}
	for i, op := range []string{"ewmax", "ewmin"} {
		if open[i] != nil && b.err == nil {
			y = b.do(op, y, b.keep(c.im.broadcast(open[i], y.sizes...)))
		}
	}
	return c.set(y, b.err)
}

// broadcasting is an element-wise operator of two operands that broadcast. A product
// with a single number is smul.
func broadcasting(own string) lowering {
	return func(c *call) error {
		in, err := c.need(2, 2)
		if err != nil {
			return err
		}
		x, y := in[0], in[1]
		if err := c.arithmetic(own, x); err != nil {
			return err
		}
		if c.im.opset < 7 && !slices.Equal(x.sizes, y.sizes) {
			if y, err = c.oldBroadcast(x, y); err != nil {
				return err
			}
		}
		if own == "ewmul" && c.marked("smul") {
			return c.set(c.im.apply("smul", nil, x, y))
		}
		v, err := c.im.elementwise(own, x, y)
		if err == nil {
			if whole := c.spelled(v); whole != nil {
				v = whole
			}
		}
		return c.set(v, err)
	}
}

// oldBroadcast makes the second operand broadcast as before operator set 7: its
// axes are those of the first from the attribute axis on, or the last ones.
func (c *call) oldBroadcast(x, y *value) (*value, error) {
	a, err := c.int("axis", int64(x.rank()-y.rank()))
	if err != nil {
		return nil, err
	}
	if a < 0 {
		a += int64(x.rank())
	}
	behind := int64(x.rank()-y.rank()) - a
	if a < 0 || behind < 0 {
		return nil, fmt.Errorf("%s at axis %d of %s", y, a, x)
	}
	sizes := slices.Clone(y.sizes)
	for range behind {
		sizes = append(sizes, 1)
	}
	return c.im.reshape(y, sizes...)
}

func (im *importer) elementwise(own string, x, y *value) (*value, error) {
	sizes, err := joint(x, y)
	if err != nil {
		return nil, err
	}
	if own == "ewmul" && !slices.Equal(x.sizes, y.sizes) {
		if x.elements() == 1 && (y.elements() > 1 || x.rank() < y.rank()) {
			x, y = y, x // the number, if there is one, is y
		}
		if y.elements() == 1 && slices.Equal(x.sizes, sizes) {
			s, err := im.reshape(y)
			if err != nil {
				return nil, err
			}
			return im.apply("smul", nil, x, s)
		}
	}
	if x, err = im.broadcast(x, sizes...); err != nil {
		return nil, err
	}
	if y, err = im.broadcast(y, sizes...); err != nil {
		return nil, err
	}
	return im.apply(own, nil, x, y)
}

// variadic combines any number of operands from the left.
func variadic(own string) lowering {
	return func(c *call) error {
		in, err := c.need(1, max(len(c.in), 1))
		if err != nil {
			return err
		}
		v := in[0]
		if err := c.arithmetic(own, v); err != nil {
			return err
		}
		for _, w := range in[1:] {
			if w == nil {
				return fmt.Errorf("an input is missing")
			}
			if v, err = c.im.elementwise(own, v, w); err != nil {
				return err
			}
		}
		return c.set(v, nil)
	}
}

func lowerMean(c *call) error {
	if err := variadic("ewadd")(c); err != nil || len(c.in) == 1 {
		return err
	}
	return c.set(c.im.scale(c.outs[0], 1/float64(len(c.in))))
}

// lowerPow knows the exponents that networks use.
func lowerPow(c *call) error {
	in, err := c.need(2, 2)
	if err != nil {
		return err
	}
	x := in[0]
	if err := c.arithmetic("", x); err != nil {
		return err
	}
	k, err := c.known(1, "exponent")
	if err != nil {
		return err
	}
	if k.len() == 0 {
		return fmt.Errorf("the exponent %s has no elements", in[1])
	}
	y := in[1]
	if c.im.opset < 7 && k.len() != 1 && !slices.Equal(x.sizes, y.sizes) {
		if y, err = c.oldBroadcast(x, y); err != nil {
			return err
		}
	}
	sizes, err := joint(x, y)
	if err != nil {
		return err
	}
	if x, err = c.im.broadcast(x, sizes...); err != nil {
		return err
	}
	e := k.number(0)
	for i := range k.len() {
		if k.number(i) != e {
			return unsupported("the exponents differ")
		}
	}
	b := calc{im: c.im}
	switch e {
	case 1:
		return c.set(x, nil)
	case 2:
		return c.set(b.do("ewmul", x, x), b.err)
	case 3:
		return c.set(b.do("ewmul", b.do("ewmul", x, x), x), b.err)
	case 0.5:
		return c.set(b.do("sqrt", x), b.err)
	case -1:
		return c.set(b.do("reciprocal", x), b.err)
	case -0.5:
		return c.set(b.do("reciprocal", b.do("sqrt", x)), b.err)
	}
	return unsupported("the exponent is %g", e)
}

// lowerPRelu: relu(x) - slope * relu(-x).
func lowerPRelu(c *call) error {
	in, err := c.need(2, 2)
	if err != nil {
		return err
	}
	x, slope := in[0], in[1]
	if err := c.arithmetic("", x); err != nil {
		return err
	}
	if c.im.opset < 7 && slope.rank() == 1 && x.rank() > 1 && slope.elements() > 1 {
		// A number for each channel.
		ones := make([]int, x.rank()-1)
		for i := range ones {
			ones[i] = 1
		}
		ones[0] = slope.elements()
		if slope, err = c.im.reshape(slope, ones...); err != nil {
			return err
		}
	}
	if slope, err = c.im.broadcast(slope, x.sizes...); err != nil {
		return err
	}
	b := calc{im: c.im}
	return c.set(b.do("ewsub", b.do("relu", x), b.do("ewmul", slope, b.do("relu", b.do("neg", x)))), b.err)
}

func lowerCast(c *call) error {
	in, err := c.need(1, 1)
	if err != nil {
		return err
	}
	to, err := c.int("to", 0)
	if err != nil {
		return err
	}
	t, err := dtypeOf(elem(to))
	if err != nil {
		return unsupported("%v", err)
	}
	if c.marked("keep") {
		return c.set(c.im.apply("cast", attrs{"to": graph.NameValue(t.String())}, in[0]))
	}
	return c.set(c.im.cast(in[0], t))
}

func lowerCastLike(c *call) error {
	in, err := c.need(2, 2)
	if err != nil {
		return err
	}
	return c.set(c.im.cast(in[0], in[1].dtype))
}

func (im *importer) cast(v *value, t graph.DType) (*value, error) {
	if v.ones != nil && t == v.ones.dtype {
		return v.ones, nil
	}
	if v.dtype == t {
		return v, nil
	}
	return im.apply("cast", attrs{"to": graph.NameValue(t.String())}, v)
}

// lowerIdentity: the value gets a second name.
func lowerIdentity(c *call) error {
	in, err := c.need(1, 1)
	if err != nil {
		return err
	}
	return c.set(in[0], nil)
}

// lowerDropout does nothing, as in inference; its mask is all true.
func lowerDropout(c *call) error {
	in, err := c.need(1, 3)
	if err != nil {
		return err
	}
	training, err := c.known(2, "training mode")
	if err != nil {
		return err
	}
	if training != nil && training.len() == 1 && training.number(0) != 0 {
		ratio, err := c.known(1, "ratio")
		if err != nil {
			return err
		}
		if ratio == nil || ratio.len() != 1 || ratio.number(0) != 0 {
			return unsupported("it is in training mode")
		}
	}
	if len(c.outs) != 2 || c.node.GetOutput()[1] == "" {
		return c.set(in[0], nil)
	}
	if c.im.opset < 12 {
		return unsupported("its mask is in use") // whose value was not said then
	}
	one := valueOf(&constant{dtype: graph.Bool, ints: []int64{1}})
	c.outs[0] = in[0]
	c.outs[1], err = c.im.broadcast(one, in[0].sizes...)
	return err
}
