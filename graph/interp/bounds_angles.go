package interp

import "math"

// Bounds of the functions of geometry. Sine and cosine are series; what is the inverse of
// another function is a number of which that function is known to be below, and one of
// which it is known to be above.

func init() {
	for name, f := range map[string]func(r Bounds, x Bound) Bound{
		"sin": func(_ Bounds, x Bound) Bound { return wave(x, 1) },
		"cos": func(_ Bounds, x Bound) Bound { return wave(x, 0) },
		"tan": func(_ Bounds, x Bound) Bound { return tan(x) },
		"sinh": func(r Bounds, x Bound) Bound {
			return r.Mul(r.Rat(1, 2), r.Add(exp(x), r.Mul(point(-1), exp(r.Mul(point(-1), x)))))
		},
		"cosh": func(r Bounds, x Bound) Bound {
			return r.Mul(r.Rat(1, 2), r.Add(exp(x), exp(r.Mul(point(-1), x))))
		},
		"asinh": func(_ Bounds, x Bound) Bound { return hull(asinhOf(x.Lo), asinhOf(x.Hi)) },
		"acosh": func(_ Bounds, x Bound) Bound { return hull(logOfRoot(x.Lo, -1), logOfRoot(x.Hi, -1)) },
		"atanh": func(_ Bounds, x Bound) Bound { return hull(atanhOf(x.Lo), atanhOf(x.Hi)) },
		"asin":  func(_ Bounds, x Bound) Bound { return hull(asinOf(x.Lo), asinOf(x.Hi)) },
		"acos": func(r Bounds, x Bound) Bound {
			return r.Add(quarter, r.Mul(point(-1), hull(asinOf(x.Lo), asinOf(x.Hi))))
		},
		"atan": func(_ Bounds, x Bound) Bound { return hull(atanOf(x.Lo), atanOf(x.Hi)) },
	} {
		boundFunctions[name] = boundFunction{0, func(r Bounds, x Bound, _ []Bound) Bound { return f(r, x) }}
	}
}

// quarter is pi/2.
var quarter = between(down(math.Pi/2), up(math.Pi/2))

// wave is sin(x), or cos(x) for first 0: neither changes faster than x.
func wave(x Bound, first int64) Bound {
	var r Bounds
	mid := x.Lo + (x.Hi-x.Lo)/2
	y := waveOf(mid, first)
	if off := up(max(up(x.Hi-mid), up(mid-x.Lo))); x.Lo < x.Hi {
		y = r.Add(y, between(-off, off))
	}
	// Both are between -1 and 1 whatever is known of x.
	if !y.IsKnown() {
		return between(-1, 1)
	}
	return between(max(y.Lo, -1), min(y.Hi, 1))
}

// waveOf is the sum of (-1)^n x^(2n+first) / (2n+first)!. Where x is at most 8 the terms
// fall from n = 4 on, so that what is left out is smaller than the first term left out.
func waveOf(x float64, first int64) Bound {
	if !(math.Abs(x) <= 8) {
		return unknown
	}
	var r Bounds
	square := r.Mul(point(x), point(x))
	term, sum := point(1), point(0)
	if first == 1 {
		term = point(x)
	}
	const terms = 24
	for n := int64(0); n < terms; n++ {
		sum = r.Add(sum, r.Mul(point(float64(1-2*(n%2))), term))
		k := 2*n + first
		term = r.Mul(r.Mul(term, square), r.Rat(1, (k+1)*(k+2)))
	}
	return r.Add(sum, hull(term, r.Mul(point(-1), term)))
}

func tan(x Bound) Bound { return Bounds{}.Mul(wave(x, 1), inverse(wave(x, 0))) }

// logOfRoot is log(x + sqrt(x² + c)).
func logOfRoot(x float64, c int64) Bound {
	var r Bounds
	y := r.Add(point(x), sqrt(r.Add(r.Mul(point(x), point(x)), r.Rat(c, 1))))
	return hull(logOf(y.Lo), logOf(y.Hi))
}

// asinhOf: log(x + sqrt(x² + 1)), from 0 on.
func asinhOf(x float64) Bound {
	if x < 0 {
		return Bounds{}.Mul(point(-1), asinhOf(-x))
	}
	return logOfRoot(x, 1)
}

// atanhOf: log((1+x)/(1-x))/2.
func atanhOf(x float64) Bound {
	if !(math.Abs(x) < 1) {
		return unknown
	}
	var r Bounds
	y := r.Mul(r.Add(one, point(x)), inverse(r.Add(one, point(-x))))
	if !y.IsKnown() {
		return unknown
	}
	return r.Mul(r.Rat(1, 2), hull(logOf(y.Lo), logOf(y.Hi)))
}

// asinOf and atanOf are the angle from -pi/2 to pi/2 of a sine and of a tangent.
func asinOf(x float64) Bound {
	if !(math.Abs(x) <= 1) {
		return unknown
	}
	return angle(x, math.Asin(x), func(y float64) Bound { return wave(point(y), 1) })
}

func atanOf(x float64) Bound {
	return angle(x, math.Atan(x), func(y float64) Bound { return tan(point(y)) })
}

// angle is the number near guess between -pi/2 and pi/2 of which f, which grows there,
// is x.
func angle(x, guess float64, f func(float64) Bound) Bound {
	for d := 1e-13; d < 1e-3; d *= 16 {
		lo, hi := guess-d, guess+d
		below, above := lo <= quarter.Lo*-1, hi >= quarter.Lo
		if (below || f(lo).Hi <= x) && (above || x <= f(hi).Lo) {
			if below {
				lo = -quarter.Hi
			}
			if above {
				hi = quarter.Hi
			}
			return between(down(lo), up(hi))
		}
	}
	return unknown
}
