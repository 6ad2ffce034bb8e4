package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Functions of one element. Each may stand for a function variable of a law, see
// [graph.Op.IsFunction].

// pointwise declares the function f of one element; zeroAtZero: f(0) = 0.
func pointwise(name, doc, formula string, zeroAtZero bool, f func(x float64) float64) *graph.Op {
	o := family(name, doc, formula, nil, func([]float64) func(float64) float64 { return f })
	o.ZeroAtZero = zeroAtZero
	return o
}

// family declares a function of one element with real parameters; zero tells
// for which of them it is 0 at 0, nil for none, and value what it is, as formula says
// it, too.
func family(name, doc, formula string, zero func(params []float64) bool, value func(params []float64) func(x float64) float64,
	params ...graph.Param) *graph.Op {
	return &graph.Op{
		Name: name, In: 1, Out: 1, Params: params, Doc: doc + ", element by element.", Pointwise: true, Zero: zero, Value: value, Formula: formula,
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return one(in[0]) },
		Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryFn(graph.NameValue(graph.FuncText(name, a...)), graph.EntryRead(0, at...)), nil
		},
	}
}

// slope is the derivative of a function of one element at x, where it is y, as a term.
type slope func(b *graph.Backward, x, y graph.Tensor) graph.Tensor

// sloped says what the derivative of a function of one element is.
func sloped(f slope, o *graph.Op) *graph.Op {
	o.Grad = func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Mul(b.D[0], f(b, b.In[0], b.Out[0]))}
	}
	return o
}

// cheap marks a function of one element that takes a few instructions.
func cheap(o *graph.Op) *graph.Op {
	o.Class = "pointwise"
	return o
}

// nonNegative marks a function of one element that is nowhere negative.
func nonNegative(o *graph.Op) *graph.Op {
	o.NonNegative = true
	return o
}

// rising marks a function of one element that is nowhere less than where its argument is
// smaller.
func rising(o *graph.Op) *graph.Op {
	o.Rises = true
	return o
}

// idempotent marks a function f of one element with f(f(x)) = f(x).
func idempotent(o *graph.Op) *graph.Op {
	o.Idempotent = true
	return o
}

// partial marks a function of one element that has no value at some real numbers: has tells
// whether it has one at every number of an interval.
func partial(has func(params []float64, x graph.Interval) bool, o *graph.Op) *graph.Op {
	o.HasValue, o.Partial = has, true
	return o
}

// image says which values a function of one element has at the numbers of an interval.
func image(of func(x graph.Interval) graph.Interval, o *graph.Op) *graph.Op {
	o.Image = of
	return o
}

// within is the image of a function whose values are all in one interval.
func within(lo, hi float64) func(graph.Interval) graph.Interval {
	return func(graph.Interval) graph.Interval { return graph.Interval{Lo: lo, Hi: hi}.Wider() }
}

// risingFrom0 is the image of a function that rises, and has values at numbers from 0 on.
func risingFrom0(f func(float64) float64) func(graph.Interval) graph.Interval {
	return func(x graph.Interval) graph.Interval {
		return graph.Interval{Lo: f(max(x.Lo, 0)), Hi: f(max(x.Hi, 0))}.Wider()
	}
}

// imageAbs is that of the absolute value.
func imageAbs(x graph.Interval) graph.Interval {
	if x.Lo >= 0 {
		return x
	}
	return graph.Interval{Lo: 0, Hi: max(-x.Lo, x.Hi)}
}

// nowhere0 marks a function of one element that is nowhere 0.
func nowhere0(o *graph.Op) *graph.Op {
	o.Nowhere0 = true
	return o
}

// only0AtZero marks a function of one element that is 0 at no number but 0.
func only0AtZero(o *graph.Op) *graph.Op {
	o.Only0AtZero = true
	return o
}

// flat marks a function of one element whose derivative is 0 wherever it has one.
func flat(o *graph.Op) *graph.Op {
	o.Grad = func(*graph.Backward) []graph.Tensor { return []graph.Tensor{{}} }
	return o
}

// realParam is a parameter that is a real number.
func realParam(name, doc string) graph.Param {
	return graph.Param{Name: name, Sort: graph.SortNumber, Doc: doc}
}

// boundParam is a parameter that may be infinite, with this sign, where it bounds
// nothing.
func boundParam(name, doc string, infinite int) graph.Param {
	p := realParam(name, doc)
	p.Infinite = infinite
	return p
}

var (
	// Abs is the absolute value.
	Abs = graph.Register(image(imageAbs, idempotent(only0AtZero(sloped(slopeAbs, cheap(nonNegative(pointwise("abs", "Absolute value", "abs(x)", true, math.Abs))))))))

	// Clip is min(hi, max(lo, x)): hi where lo is above it.
	Clip = graph.Register(idempotent(rising(sloped(slopeClip, cheap(family("clip", "x kept between lo and hi", "min(max(x, lo), hi)",
		func(p []float64) bool { return clip(0, p[0], p[1]) == 0 },
		func(p []float64) func(float64) float64 {
			return func(x float64) float64 { return clip(x, p[0], p[1]) }
		},
		boundParam("lo", "least value", -1), boundParam("hi", "largest value", 1)))))))

	// Elu is x where it is positive, alpha*(exp(x) - 1) elsewhere (Clevert and
	// others, arXiv 1511.07289).
	Elu = graph.Register(sloped(slopeElu, family("elu", "x where it is positive, alpha*(exp(x) - 1) elsewhere", "where(x < 0, alpha * expm1(x), x)", finite,
		func(p []float64) func(float64) float64 {
			return func(x float64) float64 {
				if x < 0 {
					return p[0] * math.Expm1(x)
				}
				return x
			}
		},
		realParam("alpha", "minus the limit at minus infinity"))))

	// Erf is the error function.
	Erf = graph.Register(only0AtZero(sloped(slopeErf, pointwise("erf", "Error function", "erf(x)", true, math.Erf))))

	// Exp is the exponential function.
	Exp = graph.Register(nowhere0(rising(sloped(slopeExp, nonNegative(pointwise("exp", "Exponential function", "exp(x)", false, math.Exp))))))

	// Gelu is x/2 * (1 + erf(x/sqrt 2)), the exact form of the Gaussian error
	// linear unit (Hendrycks, Gimpel, arXiv 1606.08415).
	Gelu = graph.Register(sloped(slopeGelu, pointwise("gelu", "Gaussian error linear unit, x/2 * (1 + erf(x/sqrt 2))", "x / 2 * (1 + erf(x / 1.4142135623730951))", true,
		func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) })))

	// HardSigmoid is max(0, min(1, alpha*x + beta)).
	HardSigmoid = graph.Register(sloped(slopeHardSigmoid, cheap(nonNegative(family("hardsigmoid", "max(0, min(1, alpha*x + beta))", "min(max(alpha * x + beta, 0), 1)",
		func(p []float64) bool { return finite(p) && p[1] <= 0 },
		func(p []float64) func(float64) float64 {
			return func(x float64) float64 { return clip(p[0]*x+p[1], 0, 1) }
		},
		realParam("alpha", "slope"), realParam("beta", "value at 0"))))))

	// HardSwish is x * max(0, min(1, x/6 + 1/2)) (MobileNet v3, arXiv 1905.02244).
	HardSwish = graph.Register(sloped(slopeHardSwish, cheap(pointwise("hardswish", "Hard swish, x * max(0, min(1, x/6 + 1/2))", "x * min(max(x / 6 + 0.5, 0), 1)", true,
		func(x float64) float64 { return x * clip(x/6+0.5, 0, 1) }))))

	// LeakyRelu is x where it is positive, alpha*x elsewhere.
	LeakyRelu = graph.Register(sloped(slopeLeakyRelu, cheap(family("leakyrelu", "x where it is positive, alpha times x elsewhere", "where(x < 0, alpha * x, x)", finite,
		func(p []float64) func(float64) float64 {
			return func(x float64) float64 {
				if x < 0 {
					return p[0] * x
				}
				return x
			}
		},
		realParam("alpha", "slope below 0")))))

	// Log is the natural logarithm; of a negative number it is not a number.
	Log = graph.Register(image(risingFrom0(math.Log), partial(func(_ []float64, x graph.Interval) bool { return x.Above(0) }, sloped(slopeLog, pointwise("log", "Natural logarithm", "log(x)", false, math.Log)))))

	// Reciprocal is 1/x; 1/0 is infinity in floating point, and laws hold of no
	// particular value there.
	Reciprocal = graph.Register(nowhere0(partial(func(_ []float64, x graph.Interval) bool { return x.Without0() }, sloped(slopeReciprocal, cheap(pointwise("reciprocal", "Reciprocal, 1/x", "1 / x", false,
		func(x float64) float64 { return 1 / x }))))))

	// Relu is max(x, 0).
	Relu = graph.Register(idempotent(rising(sloped(slopeRelu, cheap(nonNegative(pointwise("relu", "Relu, max(x, 0)", "max(x, 0)", true,
		func(x float64) float64 { return math.Max(x, 0) })))))))

	// Rsqrt is 1/sqrt(x + eps), what a normalization multiplies with.
	Rsqrt = graph.Register(nowhere0(partial(func(p []float64, x graph.Interval) bool { return p[0] == 0 && x.Above(0) || x.Lo+p[0] > 0 }, sloped(slopeRsqrt, cheap(nonNegative(family("rsqrt", "Reciprocal square root, 1/sqrt(x + eps)", "1 / sqrt(x + eps)", nil,
		func(p []float64) func(float64) float64 {
			return func(x float64) float64 { return 1 / math.Sqrt(x+p[0]) }
		},
		realParam("eps", "added before the root is taken"))))))))

	// Sigmoid is 1/(1 + exp(-x)).
	Sigmoid = graph.Register(nowhere0(rising(sloped(slopeSigmoid, nonNegative(pointwise("sigmoid", "Logistic function, 1/(1 + exp(-x))", "1 / (1 + exp(-x))", false,
		func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }))))))

	// Sqrt is the square root; of a negative number it is not a number.
	Sqrt = graph.Register(image(risingFrom0(math.Sqrt), only0AtZero(partial(func(_ []float64, x graph.Interval) bool { return x.Lo >= 0 }, sloped(slopeSqrt, cheap(nonNegative(pointwise("sqrt", "Square root", "sqrt(x)", true, math.Sqrt))))))))

	// Step is 1 where x is positive, 0 elsewhere: where a rectifier lets derivatives
	// through. Its own derivative is 0 wherever it has one.
	Step = graph.Register(idempotent(rising(flat(cheap(nonNegative(pointwise("step", "1 where x is positive, 0 elsewhere", "where(x > 0, 1, 0)", true,
		func(x float64) float64 {
			if x > 0 {
				return 1
			}
			return 0
		})))))))

	// Tanh is the hyperbolic tangent.
	Tanh = graph.Register(only0AtZero(rising(sloped(slopeTanh, pointwise("tanh", "Hyperbolic tangent", "tanh(x)", true, math.Tanh)))))
)

// clip is x between lo and hi; hi where the two cross, NaN for NaN.
func clip(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }

// finite reports whether no number is infinite or not a number: 0 times such a
// number is not 0.
func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return false
		}
	}
	return true
}
