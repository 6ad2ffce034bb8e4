package interp

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Bound is a real number between Lo and Hi, which is exactly Q unless that is
// [Bad]. Of one that is not known Lo and Hi are NaN.
type Bound struct {
	Q      Q
	Lo, Hi float64
}

// Bounds is arithmetic on real numbers between bounds: every operation rounds
// outwards, so that the true result is never outside. What rationals have an
// exact result for has one here. It tells numbers apart that are no rationals,
// such as values of tanh; it never says that two are equal. The bounds are the
// same on all machines.
type Bounds struct{}

var _ Ring[Bound] = Bounds{}

// unknown is a number of which nothing is known.
var unknown = Bound{Q: Bad, Lo: math.NaN(), Hi: math.NaN()}

// IsKnown reports whether there are bounds.
func (b Bound) IsKnown() bool { return b.Lo <= b.Hi }

func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }

// between is a number from lo to hi; unknown if these are not finite.
func between(lo, hi float64) Bound {
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || !(lo <= hi) {
		return unknown
	}
	return Bound{Q: Bad, Lo: lo, Hi: hi}
}

// point is a float64, which is no rounded number here.
func point(x float64) Bound { return between(x, x) }

// hull is a number that is one of a and b.
func hull(a, b Bound) Bound {
	if !a.IsKnown() || !b.IsKnown() {
		return unknown
	}
	return between(min(a.Lo, b.Lo), max(a.Hi, b.Hi))
}

// OfQ is a rational.
func (Bounds) OfQ(q Q) Bound {
	switch {
	case q.IsBad():
		return unknown
	case q.Den == 1 && q.Num > -1<<53 && q.Num < 1<<53:
		return Bound{q, float64(q.Num), float64(q.Num)}
	}
	// Rounded three times.
	x := float64(q.Num) / float64(q.Den)
	return Bound{q, down(down(down(x))), up(up(up(x)))}
}

// exact is the rational q if it has not overflown, else b.
func exact(q Q, b Bound) Bound {
	if q.IsBad() {
		return b
	}
	return Bounds{}.OfQ(q)
}

// Integer is x if x is known to be an integer.
func (Bounds) Integer(x Bound) (int64, bool) { return Rational{}.Integer(x.Q) }

// Rat is num/den.
func (r Bounds) Rat(num, den int64) Bound { return r.OfQ(Rational{}.Rat(num, den)) }

// Add is a + b.
func (Bounds) Add(a, b Bound) Bound {
	if q := (Rational{}).Add(a.Q, b.Q); !q.IsBad() {
		return Bounds{}.OfQ(q)
	}
	return between(down(a.Lo+b.Lo), up(a.Hi+b.Hi))
}

// Mul is a * b.
func (Bounds) Mul(a, b Bound) Bound {
	if q := (Rational{}).Mul(a.Q, b.Q); !q.IsBad() {
		return Bounds{}.OfQ(q)
	}
	p, q, r, s := a.Lo*b.Lo, a.Lo*b.Hi, a.Hi*b.Lo, a.Hi*b.Hi
	return between(down(min(p, q, r, s)), up(max(p, q, r, s)))
}

// Max is the largest element.
func (Bounds) Max(xs []Bound) Bound {
	q, b := xs[0].Q, xs[0]
	for _, x := range xs[1:] {
		q = Rational{}.Max([]Q{q, x.Q})
		b = between(max(b.Lo, x.Lo), max(b.Hi, x.Hi))
	}
	return exact(q, b)
}

// Fn applies a function by name; a value of one that has no bounds here is not
// known.
func (r Bounds) Fn(name string, x Bound) Bound {
	q := Rational{}.Fn(name, x.Q)
	if x.Q == (Q{0, 1}) && graph.FuncKeepsZero(name) {
		q = x.Q
	}
	if !q.IsBad() {
		return r.OfQ(q)
	}
	fn, params, err := graph.ParseFunc(name)
	f, ok := boundFunctions[fn]
	if err != nil || !ok || len(params) != f.params || !x.IsKnown() {
		return unknown
	}
	p := make([]Bound, len(params))
	for i, v := range params {
		d, ok := Decimal(v)
		switch {
		case !ok:
			return unknown
		case d.Den == 0:
			p[i] = Bound{Bad, v, v}
		default:
			p[i] = r.OfQ(d)
		}
	}
	return f.of(r, x, p)
}

// HasBounds says whether Fn has bounds for a function of that name which
// rationals have no values for.
func (Bounds) HasBounds(name string) bool {
	fn, params, err := graph.ParseFunc(name)
	f, ok := boundFunctions[fn]
	_, rational := rationalFunctions[fn]
	return err == nil && ok && !rational && len(params) == f.params
}

var one, two = point(1), point(2)

// boundFunctions are the functions of one element with bounds.
var boundFunctions map[string]boundFunction

type boundFunction struct {
	params int
	of     func(r Bounds, x Bound, p []Bound) Bound
}

func init() {
	boundFunctions = map[string]boundFunction{
		"relu": {0, func(_ Bounds, x Bound, _ []Bound) Bound { return between(max(x.Lo, 0), max(x.Hi, 0)) }},
		"abs": {0, func(_ Bounds, x Bound, _ []Bound) Bound {
			return between(max(x.Lo, -x.Hi, 0), max(-x.Lo, x.Hi))
		}},
		"leakyrelu": {1, func(r Bounds, x Bound, p []Bound) Bound { return positive(x, r.Mul(p[0], x)) }},
		"elu": {1, func(r Bounds, x Bound, p []Bound) Bound {
			return positive(x, r.Mul(p[0], r.Add(exp(x), point(-1))))
		}},
		"clip":        {2, func(_ Bounds, x Bound, p []Bound) Bound { return clipBound(x, p[0], p[1]) }},
		"hardsigmoid": {2, func(r Bounds, x Bound, p []Bound) Bound { return r.hardSigmoid(x, p[0], p[1]) }},
		"hardswish": {0, func(r Bounds, x Bound, _ []Bound) Bound {
			return r.Mul(x, r.hardSigmoid(x, r.Rat(1, 6), r.Rat(1, 2)))
		}},
		"reciprocal": {0, func(_ Bounds, x Bound, _ []Bound) Bound { return inverse(x) }},
		"number":     {1, func(_ Bounds, _ Bound, p []Bound) Bound { return between(p[0].Lo, p[0].Hi) }},
		"exp":        {0, func(_ Bounds, x Bound, _ []Bound) Bound { return exp(x) }},
		"log":        {0, func(_ Bounds, x Bound, _ []Bound) Bound { return hull(logOf(x.Lo), logOf(x.Hi)) }},
		"sqrt":       {0, func(_ Bounds, x Bound, _ []Bound) Bound { return sqrt(x) }},
		"rsqrt":      {1, func(r Bounds, x Bound, p []Bound) Bound { return inverse(sqrt(r.Add(x, p[0]))) }},
		"sigmoid": {0, func(r Bounds, x Bound, _ []Bound) Bound {
			return inverse(r.Add(one, exp(r.Mul(point(-1), x))))
		}},
		"tanh": {0, func(r Bounds, x Bound, _ []Bound) Bound {
			// 1 - 2/(exp(2x) + 1)
			return r.Add(one, r.Mul(point(-2), inverse(r.Add(exp(r.Mul(two, x)), one))))
		}},
		"erf": {0, func(_ Bounds, x Bound, _ []Bound) Bound { return hull(erfOf(x.Lo), erfOf(x.Hi)) }},
		"gelu": {0, func(r Bounds, x Bound, _ []Bound) Bound {
			y := r.Mul(x, inverse(sqrt(two)))
			return r.Mul(r.Mul(x, r.Rat(1, 2)), r.Add(one, hull(erfOf(y.Lo), erfOf(y.Hi))))
		}},
	}
}

// positive is x where it is positive, else y.
func positive(x, y Bound) Bound {
	switch {
	case x.Lo >= 0:
		return x
	case x.Hi <= 0:
		return y
	}
	return hull(x, y)
}

// clipBound is x between lo and hi, which may be infinite; hi where they cross.
func clipBound(x, lo, hi Bound) Bound {
	return between(min(max(x.Lo, lo.Lo), hi.Lo), min(max(x.Hi, lo.Hi), hi.Hi))
}

func (r Bounds) hardSigmoid(x, alpha, beta Bound) Bound {
	return clipBound(r.Add(r.Mul(alpha, x), beta), point(0), one)
}

// inverse is 1/x.
func inverse(x Bound) Bound {
	if !(x.Lo > 0 || x.Hi < 0) {
		return unknown
	}
	return between(down(1/x.Hi), up(1/x.Lo))
}

// sqrt is the root, which IEEE 754 rounds correctly.
func sqrt(x Bound) Bound {
	if !(x.Lo >= 0) {
		return unknown
	}
	return between(max(down(math.Sqrt(x.Lo)), 0), up(math.Sqrt(x.Hi)))
}

// exp grows with x.
func exp(x Bound) Bound {
	if x.Lo == x.Hi {
		y := expOf(x.Lo)
		return hull(y, y)
	}
	return hull(expOf(x.Lo), expOf(x.Hi))
}

// expOf is exp(x) as exp(x/2^k) to the power 2^k, where x/2^k is at most 1/16:
// there the series to x^12/12! is off by less than 16^-13/13! * 1.07 < 1e-25.
func expOf(x float64) Bound {
	if !(math.Abs(x) <= 600) {
		return unknown
	}
	var r Bounds
	k := 0
	for ; math.Abs(x) > 1.0/16; k++ {
		x /= 2
	}
	sum := one
	for n := int64(12); n >= 1; n-- {
		sum = r.Add(one, r.Mul(r.Mul(point(x), r.Rat(1, n)), sum))
	}
	sum = r.Add(between(sum.Lo, sum.Hi), between(-1e-25, 1e-25))
	for range k {
		sum = r.Mul(sum, sum)
	}
	return sum
}

// logOf is log(x): a number whose exp is known to be below x, and one above.
func logOf(x float64) Bound {
	if !(x > 0) || math.IsInf(x, 0) {
		return unknown
	}
	y := math.Log(x)
	for d := 1e-13 * max(1, math.Abs(y)); d < 1e-3; d *= 16 {
		if lo, hi := expOf(y-d), expOf(y+d); lo.Hi <= x && x <= hi.Lo {
			// The sums are not far off, but rounded.
			return between(down(y-d), up(y+d))
		}
	}
	return unknown
}

// erfOf is erf(x) = 2/sqrt(pi) * the sum of (-1)^n x^(2n+1) / (n! (2n+1)). From
// n = 9 on the terms fall where x is at most 3, so that what is left out is
// smaller than the first term left out.
func erfOf(x float64) Bound {
	var r Bounds
	if x < 0 {
		return r.Mul(point(-1), erfOf(-x))
	}
	if !(x <= 3) {
		return between(erfOf(3).Lo, 1)
	}
	square := r.Mul(point(x), point(x))
	term, sum := point(x), point(0) // x^(2n+1)/n!
	const terms = 60
	for n := int64(0); n <= terms; n++ {
		if n > 0 {
			term = r.Mul(r.Mul(term, square), r.Rat(1, n))
		}
		sign := 1 - 2*(n%2)
		if t := r.Mul(term, r.Rat(sign, 2*n+1)); n < terms {
			sum = r.Add(sum, t)
		} else {
			sum = r.Add(sum, hull(t, r.Mul(point(-1), t)))
		}
	}
	pi := between(down(math.Pi), up(math.Pi))
	return r.Mul(sum, r.Mul(two, inverse(sqrt(pi))))
}
