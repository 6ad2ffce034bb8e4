package interp

import (
	"cmp"
	"math"
	"math/big"

	"github.com/taso-go/taso/graph"
)

// Q is an exact rational num/den in lowest terms with den > 0. A computation
// in which a numerator or denominator, before it is reduced, leaves 63 bits is
// Bad, and Bad stays Bad: an overflow is seen, never wrapped.
type Q struct{ Num, Den int64 }

// Bad is the value of an overflown computation; its denominator is 0.
var Bad = Q{}

// IsBad reports an overflown value.
func (q Q) IsBad() bool { return q.Den == 0 }

// Rational is exact rational arithmetic with the true maximum and those true
// functions that take rationals to rationals.
type Rational struct{}

// Rat is num/den.
func (Rational) Rat(num, den int64) Q { return lowest(num, den) }

func lowest(num, den int64) Q {
	// The smallest int64 has no opposite, so that it has no gcd either.
	if den <= 0 || num == math.MinInt64 {
		return Bad
	}
	if den == 1 {
		return Q{num, 1}
	}
	if g := graph.GCD(num, den); g > 1 {
		num, den = num/g, den/g
	}
	return Q{num, den}
}

// Add is a + b.
func (Rational) Add(a, b Q) Q {
	if a.Den == 0 || b.Den == 0 {
		return Bad
	}
	if a.Den == b.Den {
		s, ok := graph.AddInt(a.Num, b.Num)
		if !ok {
			return Bad
		}
		return lowest(s, a.Den)
	}
	x, ok1 := graph.MulInt(a.Num, b.Den)
	y, ok2 := graph.MulInt(b.Num, a.Den)
	d, ok3 := graph.MulInt(a.Den, b.Den)
	s, ok4 := graph.AddInt(x, y)
	if !(ok1 && ok2 && ok3 && ok4) {
		return Bad
	}
	return lowest(s, d)
}

// Mul is a * b.
func (Rational) Mul(a, b Q) Q {
	if a.Den == 0 || b.Den == 0 {
		return Bad
	}
	n, ok1 := graph.MulInt(a.Num, b.Num)
	d, ok2 := graph.MulInt(a.Den, b.Den)
	if !ok1 || !ok2 {
		return Bad
	}
	return lowest(n, d)
}

// Max is the largest element; Bad if any element is.
func (r Rational) Max(xs []Q) Q {
	m := xs[0]
	for _, x := range xs {
		less, ok := r.less(m, x)
		if !ok {
			return Bad
		}
		if less {
			m = x
		}
	}
	return m
}

func (Rational) less(a, b Q) (less, ok bool) {
	if a.Den == 0 || b.Den == 0 {
		return false, false
	}
	x, ok1 := graph.MulInt(a.Num, b.Den)
	y, ok2 := graph.MulInt(b.Num, a.Den)
	return x < y, ok1 && ok2
}

// Integer is x if x is an integer.
func (Rational) Integer(x Q) (int64, bool) { return x.Num, x.Den == 1 }

// Fn applies a function that takes rationals to rationals; any other, such as
// exp, is Bad, and so is the reciprocal of 0.
func (r Rational) Fn(name string, x Q) Q {
	if x.IsBad() {
		return Bad
	}
	if name == "relu" { // nearly always
		return r.clip(x, Q{0, 1}, Q{1, 0})
	}
	fn, params, err := graph.ParseFunc(name)
	f, ok := rationalFunctions[fn]
	if err != nil || !ok || len(params) != f.params {
		return Bad
	}
	p := make([]Q, len(params))
	for i, v := range params {
		if p[i], ok = Decimal(v); !ok {
			return Bad
		}
	}
	return f.of(r, x, p)
}

// rationalFunctions are the functions of one element that are exact here. A
// bound that is infinite has the denominator 0, as in [Decimal].
var rationalFunctions = map[string]struct {
	params int
	of     func(r Rational, x Q, p []Q) Q
}{
	"leakyrelu": {1, func(r Rational, x Q, p []Q) Q {
		if x.Num < 0 {
			return r.Mul(x, p[0])
		}
		return x
	}},
	"clip": {2, func(r Rational, x Q, p []Q) Q { return r.clip(x, p[0], p[1]) }},
	"hardsigmoid": {2, func(r Rational, x Q, p []Q) Q {
		return r.clip(r.Add(r.Mul(x, p[0]), p[1]), Q{0, 1}, Q{1, 1})
	}},
	"hardswish": {0, func(r Rational, x Q, _ []Q) Q {
		return r.Mul(x, r.clip(r.Add(r.Mul(x, Q{1, 6}), Q{1, 2}), Q{0, 1}, Q{1, 1}))
	}},
	"abs": {0, func(r Rational, x Q, _ []Q) Q { return r.Max([]Q{x, r.Mul(x, Q{-1, 1})}) }},
	"reciprocal": {0, func(_ Rational, x Q, _ []Q) Q {
		switch {
		case x.Num == 0:
			return Bad
		case x.Num < 0:
			return lowest(-x.Den, -x.Num)
		}
		return Q{x.Den, x.Num}
	}},
	"floor":   {0, func(_ Rational, x Q, _ []Q) Q { return Q{floorOf(x), 1} }},
	"ceil":    {0, func(_ Rational, x Q, _ []Q) Q { return Q{-floorOf(Q{-x.Num, x.Den}), 1} }},
	"round":   {0, func(r Rational, x Q, _ []Q) Q { return r.round(x) }},
	"sign":    {0, func(_ Rational, x Q, _ []Q) Q { return Q{int64(cmp.Compare(x.Num, 0)), 1} }},
	"isinf":   {0, func(Rational, Q, []Q) Q { return Q{0, 1} }},
	"isnan":   {0, func(Rational, Q, []Q) Q { return Q{0, 1} }},
	"step":    {0, func(_ Rational, x Q, _ []Q) Q { return truth(x.Num > 0) }},
	"number":  {1, func(_ Rational, _ Q, p []Q) Q { return finite(p[0]) }},
	"nonzero": {0, func(_ Rational, x Q, _ []Q) Q { return truth(x.Num != 0) }},
	"iszero":  {0, func(_ Rational, x Q, _ []Q) Q { return truth(x.Num == 0) }},
}

func init() {
	for _, t := range graph.DTypes() {
		if !t.IsInt() {
			continue
		}
		lo, hi := t.IntRange()
		for _, wraps := range []bool{false, true} {
			f := rationalFunctions["nonzero"]
			f.of = func(_ Rational, x Q, _ []Q) Q {
				n, small := x.Num/x.Den, t.Bits() < 8
				switch {
				case (wraps || small) && x.Den != 1, t == graph.Uint64 && n < 0, !wraps && !small && (n < lo || n > 0 && uint64(n) > hi):
					return Bad
				}
				return Q{graph.WrapInt(t, n), 1}
			}
			mode := "default"
			if wraps {
				mode = "wrap"
			}
			if name, err := graph.CastFn(t, mode); err == nil {
				rationalFunctions[name] = f
			}
		}
	}
}

// floorOf is the largest integer that is not above x.
func floorOf(x Q) int64 {
	n := x.Num / x.Den
	if x.Num%x.Den < 0 {
		n--
	}
	return n
}

// round is the nearest integer, the even one of two.
func (r Rational) round(x Q) Q {
	n := floorOf(x)
	rest := r.Add(x, Q{-n, 1})
	if rest.IsBad() {
		return Bad
	}
	if half := rest.Den - rest.Num; rest.Num > half || rest.Num == half && n%2 != 0 {
		n++
	}
	return Q{n, 1}
}

func truth(b bool) Q {
	if b {
		return Q{1, 1}
	}
	return Q{0, 1}
}

// finite makes an infinite bound Bad: it is no value.
func finite(q Q) Q {
	if q.Den == 0 {
		return Bad
	}
	return q
}

// clip is x between lo and hi; hi where the two cross.
func (r Rational) clip(x, lo, hi Q) Q {
	if x.IsBad() {
		return Bad
	}
	out := x
	if lo.Den != 0 {
		out = r.Max([]Q{out, lo})
	} else if lo.Num > 0 {
		out = hi
	}
	switch {
	case hi.Den == 0 && hi.Num < 0:
		return Bad
	case hi.Den == 0:
		return finite(out)
	}
	less, ok := r.less(hi, out)
	if !ok {
		return Bad
	}
	if less {
		return hi
	}
	return out
}

// Decimal is the rational that a parameter is written as, since laws speak of
// that number and not of the nearest one in binary. Infinities are 1/0 and -1/0;
// false if there is none or it does not fit.
func Decimal(x float64) (Q, bool) {
	switch {
	case math.IsNaN(x):
		return Bad, false
	case math.IsInf(x, 1):
		return Q{1, 0}, true
	case math.IsInf(x, -1):
		return Q{-1, 0}, true
	}
	q, ok := new(big.Rat).SetString(graph.FormatNumber(x))
	if !ok || !q.Num().IsInt64() || !q.Denom().IsInt64() {
		return Bad, false
	}
	return lowest(q.Num().Int64(), q.Denom().Int64()), true
}
