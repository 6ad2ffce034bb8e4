package interp

import (
	"math"
	"math/bits"
)

// Q is an exact rational num/den in lowest terms with den > 0. A computation
// in which a numerator or denominator, before it is reduced, leaves 63 bits is
// Bad, and Bad stays Bad: an overflow is seen, never wrapped.
type Q struct{ Num, Den int64 }

// Bad is the value of an overflown computation; its denominator is 0.
var Bad = Q{}

// IsBad reports an overflown value.
func (q Q) IsBad() bool { return q.Den == 0 }

// Rational is exact rational arithmetic with true relu and max.
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
	a, b := num, den
	if a < 0 {
		a = -a
	}
	for b != 0 {
		a, b = b, a%b
	}
	if a > 1 {
		num, den = num/a, den/a
	}
	return Q{num, den}
}

func mul64(a, b int64) (int64, bool) {
	ua, ub := uint64(a), uint64(b)
	neg := (a < 0) != (b < 0)
	if a < 0 {
		ua = uint64(-a)
	}
	if b < 0 {
		ub = uint64(-b)
	}
	hi, lo := bits.Mul64(ua, ub)
	if hi != 0 || lo >= 1<<63 {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

func add64(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

// Add is a + b.
func (Rational) Add(a, b Q) Q {
	if a.Den == 0 || b.Den == 0 {
		return Bad
	}
	if a.Den == b.Den {
		s, ok := add64(a.Num, b.Num)
		if !ok {
			return Bad
		}
		return lowest(s, a.Den)
	}
	x, ok1 := mul64(a.Num, b.Den)
	y, ok2 := mul64(b.Num, a.Den)
	d, ok3 := mul64(a.Den, b.Den)
	s, ok4 := add64(x, y)
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
	n, ok1 := mul64(a.Num, b.Num)
	d, ok2 := mul64(a.Den, b.Den)
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
	x, ok1 := mul64(a.Num, b.Den)
	y, ok2 := mul64(b.Num, a.Den)
	return x < y, ok1 && ok2
}

// Fn applies relu; an unknown name is Bad.
func (Rational) Fn(name string, x Q) Q {
	if name != "relu" {
		return Bad
	}
	if x.Num < 0 {
		return Q{0, 1}
	}
	return x
}
