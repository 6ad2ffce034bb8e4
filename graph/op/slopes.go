package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Derivatives of the functions of one element, as terms of ordinary operators. Where a
// function has a corner, they are what one side gives: that of negative numbers, as
// step is 0 at 0. y is used rather than x where both do: a convolution with the function
// inside has y only.

// above is 1 where x > at.
func above(b *graph.Backward, x graph.Tensor, at float64) graph.Tensor {
	if at != 0 {
		x = b.Plus(x, -at)
	}
	return b.Op("step", nil, x)
}

// below is 1 where x < at.
func below(b *graph.Backward, x graph.Tensor, at float64) graph.Tensor {
	return above(b, b.Op("neg", nil, x), -at)
}

// between is 1 where lo < x < hi; a bound that is infinite bounds nothing.
func between(b *graph.Backward, x graph.Tensor, lo, hi float64) graph.Tensor {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return b.Alike(x, 1)
	case math.IsInf(lo, -1):
		return below(b, x, hi)
	case math.IsInf(hi, 1):
		return above(b, x, lo)
	}
	return b.Mul(above(b, x, lo), below(b, x, hi))
}

func param(b *graph.Backward, i int) float64 {
	v, _ := b.Attrs[i].Number()
	return v
}

func slopeAbs(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return b.Sub(above(b, x, 0), below(b, x, 0))
}

func slopeClip(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return between(b, x, param(b, 0), param(b, 1))
}

// slopeElu: alpha*exp(x) = y + alpha where x is negative.
func slopeElu(b *graph.Backward, x, y graph.Tensor) graph.Tensor {
	left := b.Plus(y, param(b, 0))
	is := above(b, x, 0)
	return b.Add(left, b.Mul(is, b.Sub(b.Alike(x, 1), left)))
}

// slopeErf: 2/sqrt(pi) * exp(-x²).
func slopeErf(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	return b.Times(b.Op("exp", nil, b.Op("neg", nil, b.Mul(x, x))), 2/math.Sqrt(math.Pi), 1)
}

func slopeExp(_ *graph.Backward, _, y graph.Tensor) graph.Tensor { return y }

// slopeGelu: P(x) + x*p(x) with P = (1 + erf(x/sqrt 2))/2 and p its derivative,
// exp(-x²/2)/sqrt(2 pi).
func slopeGelu(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	erf := b.Op("erf", nil, b.Times(x, 1/math.Sqrt2, 1))
	density := b.Times(b.Op("exp", nil, b.Times(b.Mul(x, x), -1, 2)), 1/math.Sqrt(2*math.Pi), 1)
	return b.Add(b.Times(b.Plus(erf, 1), 1, 2), b.Mul(x, density))
}

func slopeHardSigmoid(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	alpha, beta := param(b, 0), param(b, 1)
	return b.Times(between(b, b.Plus(b.Times(x, alpha, 1), beta), 0, 1), alpha, 1)
}

// slopeHardSwish: x/3 + 1/2 between -3 and 3, 1 above.
func slopeHardSwish(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	middle := b.Times(b.Plus(b.Times(x, 2, 1), 3), 1, 6)
	return b.Add(b.Mul(between(b, x, -3, 3), middle), above(b, x, 3))
}

func slopeLeakyRelu(b *graph.Backward, x, _ graph.Tensor) graph.Tensor {
	alpha := param(b, 0)
	return b.Plus(b.Times(above(b, x, 0), 1-alpha, 1), alpha)
}

func slopeLog(b *graph.Backward, x, _ graph.Tensor) graph.Tensor { return b.Op("reciprocal", nil, x) }

func slopeReciprocal(b *graph.Backward, _, y graph.Tensor) graph.Tensor {
	return b.Op("neg", nil, b.Mul(y, y))
}

func slopeRelu(b *graph.Backward, _, y graph.Tensor) graph.Tensor { return above(b, y, 0) }

// slopeRsqrt: -y³/2.
func slopeRsqrt(b *graph.Backward, _, y graph.Tensor) graph.Tensor {
	return b.Times(b.Mul(b.Mul(y, y), y), -1, 2)
}

func slopeSigmoid(b *graph.Backward, _, y graph.Tensor) graph.Tensor {
	return b.Sub(y, b.Mul(y, y))
}

func slopeSqrt(b *graph.Backward, _, y graph.Tensor) graph.Tensor {
	return b.Times(b.Op("reciprocal", nil, y), 1, 2)
}

func slopeTanh(b *graph.Backward, _, y graph.Tensor) graph.Tensor {
	return b.Sub(b.Alike(y, 1), b.Mul(y, y))
}
