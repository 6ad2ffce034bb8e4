package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Functions of one element of geometry, those that round, and those that tell what a
// number is.

var (
	// Acos is the angle between 0 and pi whose cosine x is; of what is above 1 or below
	// -1 it is not a number.
	Acos = graph.Register(image(within(0, math.Pi), partial(func(_ []float64, x graph.Interval) bool { return x.Lo >= -1 && x.Hi <= 1 }, sloped(slopeAcos, nonNegative(pointwise("acos", "Inverse cosine", "acos(x)", false, math.Acos))))))

	// Acosh is the number from 0 on whose hyperbolic cosine x is; below 1 it is not a
	// number.
	Acosh = graph.Register(partial(func(_ []float64, x graph.Interval) bool { return x.Lo >= 1 }, sloped(slopeAcosh, nonNegative(pointwise("acosh", "Inverse hyperbolic cosine", "acosh(x)", false, math.Acosh)))))

	// Asin is the angle between -pi/2 and pi/2 whose sine x is; of what is above 1 or
	// below -1 it is not a number.
	Asin = graph.Register(image(within(-math.Pi/2, math.Pi/2), partial(func(_ []float64, x graph.Interval) bool { return x.Lo >= -1 && x.Hi <= 1 }, sloped(slopeAsin, pointwise("asin", "Inverse sine", "asin(x)", true, math.Asin)))))

	// Asinh is the number whose hyperbolic sine x is.
	Asinh = graph.Register(only0AtZero(sloped(slopeAsinh, pointwise("asinh", "Inverse hyperbolic sine", "asinh(x)", true, math.Asinh))))

	// Atan is the angle between -pi/2 and pi/2 whose tangent x is.
	Atan = graph.Register(only0AtZero(sloped(slopeAtan, pointwise("atan", "Inverse tangent", "atan(x)", true, math.Atan))))

	// Atanh is the number whose hyperbolic tangent x is; above 1 and below -1 it is not a
	// number.
	Atanh = graph.Register(partial(func(_ []float64, x graph.Interval) bool { return x.Above(-1) && x.Below(1) }, sloped(slopeAtanh, pointwise("atanh", "Inverse hyperbolic tangent", "atanh(x)", true, math.Atanh))))

	// Ceil is the least integer that is not below x. Its derivative is 0 wherever it has
	// one, as that of the others that round.
	Ceil = graph.Register(idempotent(rising(flat(cheap(pointwise("ceil", "Least integer not below x", "ceil(x)", true, math.Ceil))))))

	// Cos is the cosine of an angle in radians.
	Cos = graph.Register(image(within(-1, 1), sloped(slopeCos, pointwise("cos", "Cosine", "cos(x)", false, math.Cos))))

	// Cosh is (exp(x) + exp(-x))/2.
	Cosh = graph.Register(nowhere0(sloped(slopeCosh, nonNegative(pointwise("cosh", "Hyperbolic cosine", "cosh(x)", false, math.Cosh)))))

	// Floor is the largest integer that is not above x.
	Floor = graph.Register(idempotent(rising(flat(cheap(pointwise("floor", "Largest integer not above x", "floor(x)", true, math.Floor))))))

	// IsInf is 1 where x is infinite, which no real number is.
	IsInf = graph.Register(flat(cheap(nonNegative(pointwise("isinf", "1 where x is infinite, 0 elsewhere", "where(x - x == x - x, 0, where(x == x, 1, 0))", true,
		func(x float64) float64 { return indicator(math.IsInf(x, 0)) })))))

	// IsNaN is 1 where x is not a number.
	IsNaN = graph.Register(flat(cheap(nonNegative(pointwise("isnan", "1 where x is not a number, 0 elsewhere", "where(x == x, 0, 1)", true,
		func(x float64) float64 { return indicator(math.IsNaN(x)) })))))

	// Round is the nearest integer, the even one of two.
	Round = graph.Register(idempotent(rising(flat(cheap(pointwise("round", "Nearest integer, the even one of two", "rint(x)", true, math.RoundToEven))))))

	// Sign is 1 above 0, -1 below, and x where it is 0 or not a number.
	Sign = graph.Register(idempotent(rising(flat(cheap(pointwise("sign", "1 above 0, -1 below, 0 at 0", "where(x > 0, 1, where(x < 0, -1, x))", true,
		func(x float64) float64 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return x
		}))))))

	// Sin is the sine of an angle in radians.
	Sin = graph.Register(image(within(-1, 1), sloped(slopeSin, pointwise("sin", "Sine", "sin(x)", true, math.Sin))))

	// Sinh is (exp(x) - exp(-x))/2.
	Sinh = graph.Register(only0AtZero(sloped(slopeSinh, pointwise("sinh", "Hyperbolic sine", "sinh(x)", true, math.Sinh))))

	// Tan is sin(x)/cos(x).
	Tan = graph.Register(partial(func(_ []float64, x graph.Interval) bool { return x.Above(-math.Pi/2) && x.Below(math.Pi/2) }, sloped(slopeTan, pointwise("tan", "Tangent", "tan(x)", true, math.Tan))))
)

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func slopeSin(b *graph.Backward, x, _ graph.Tensor) graph.Tensor { return b.Op("cos", nil, x) }

func slopeCos(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return b.Op("neg", nil, b.Op("sin", nil, x))
}

// slopeTan: 1 + y².
func slopeTan(b *graph.Backward, _, y graph.Tensor) graph.Tensor { return b.Plus(b.Mul(y, y), 1) }

func slopeSinh(b *graph.Backward, x, _ graph.Tensor) graph.Tensor { return b.Op("cosh", nil, x) }

func slopeCosh(b *graph.Backward, x, _ graph.Tensor) graph.Tensor { return b.Op("sinh", nil, x) }

// root is 1/sqrt(x + eps).
func root(b *graph.Backward, x graph.Tensor, eps float64) graph.Tensor {
	return b.Op("rsqrt", graph.Named{"eps": graph.NumberValue(eps)}, x)
}

// slopeAsin: 1/sqrt(1 - x²).
func slopeAsin(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return root(b, b.Op("neg", nil, b.Mul(x, x)), 1)
}

func slopeAcos(b *graph.Backward, x, y graph.Tensor) graph.Tensor {
	return b.Op("neg", nil, slopeAsin(b, x, y))
}

// slopeAtan: 1/(1 + x²).
func slopeAtan(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return b.Op("reciprocal", nil, b.Plus(b.Mul(x, x), 1))
}

func slopeAsinh(b *graph.Backward, x, _ graph.Tensor) graph.Tensor { return root(b, b.Mul(x, x), 1) }

func slopeAcosh(b *graph.Backward, x, _ graph.Tensor) graph.Tensor { return root(b, b.Mul(x, x), -1) }

// slopeAtanh: 1/(1 - x²).
func slopeAtanh(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return b.Op("reciprocal", nil, b.Plus(b.Op("neg", nil, b.Mul(x, x)), 1))
}
