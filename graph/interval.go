package graph

import "math"

// Interval is a set of real numbers that a number is known to be in: from Lo to Hi, which
// may be infinite, and without 0 if NonZero is set.
type Interval struct {
	Lo, Hi  float64
	NonZero bool
}

// AnyReal is the interval of all real numbers.
var AnyReal = Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}

// PointInterval is the interval of x alone.
func PointInterval(x float64) Interval { return Interval{x, x, x != 0} }

// IntervalOf is the interval of the numbers that an element type holds, infinite ones
// aside.
func IntervalOf(t DType) Interval {
	switch {
	case t == Bool:
		return Interval{Lo: 0, Hi: 1}
	case t.IsInt():
		lo, hi := t.IntRange()
		return Interval{Lo: float64(lo), Hi: float64(hi)}
	}
	return AnyReal
}

// Above reports whether every number of the interval is larger than x.
func (i Interval) Above(x float64) bool { return i.Lo > x || x == 0 && i.Lo == 0 && i.NonZero }

// Below reports whether every number of the interval is less than x.
func (i Interval) Below(x float64) bool { return i.Hi < x || x == 0 && i.Hi == 0 && i.NonZero }

// Without0 reports whether 0 is not in the interval.
func (i Interval) Without0() bool { return i.NonZero || i.Lo > 0 || i.Hi < 0 }

// Hull is the smallest interval that holds both.
func (i Interval) Hull(j Interval) Interval {
	return Interval{min(i.Lo, j.Lo), max(i.Hi, j.Hi), i.Without0() && j.Without0()}
}

// Add is an interval that holds the sums of a number of each.
func (i Interval) Add(j Interval) Interval {
	// A sum in float64 arithmetic is 0 only where the sum of these numbers is, and has its
	// sign elsewhere: widening does not step over 0.
	out := Interval{Lo: widen(i.Lo+j.Lo, -1, true), Hi: widen(i.Hi+j.Hi, 1, true)}
	out.NonZero = out.Without0() || i.Lo >= 0 && j.Lo >= 0 && (i.Without0() || j.Without0()) ||
		i.Hi <= 0 && j.Hi <= 0 && (i.Without0() || j.Without0())
	return out
}

// Mul is an interval that holds the products of a number of each.
func (i Interval) Mul(j Interval) Interval {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range []float64{i.Lo, i.Hi} {
		for _, y := range []float64{j.Lo, j.Hi} {
			p := x * y
			exact := x == 0 || y == 0
			if exact {
				p = 0 // no number is infinite
			}
			lo, hi = min(lo, widen(p, -1, exact || (x > 0) == (y > 0))), max(hi, widen(p, 1, exact || (x > 0) != (y > 0)))
		}
	}
	return Interval{lo, hi, i.Without0() && j.Without0()}
}

// Max is an interval that holds the larger one of a number of each.
func (i Interval) Max(j Interval) Interval {
	return Interval{max(i.Lo, j.Lo), max(i.Hi, j.Hi), i.Above(0) || j.Above(0) || i.Without0() && j.Without0()}
}

// Neg is the interval of the negative numbers.
func (i Interval) Neg() Interval { return Interval{-i.Hi, -i.Lo, i.NonZero} }

// Pow is an interval that holds the powers of numbers of i to numbers of n, where they have a
// value.
func (i Interval) Pow(n Interval) Interval {
	out := Interval{Lo: math.Inf(-1), Hi: math.Inf(1), NonZero: i.Without0()}
	if even := n.Lo == n.Hi && math.Mod(n.Lo, 2) == 0; even || i.Lo >= 0 {
		out.Lo = 0
	}
	return out
}

// Square is an interval that holds the squares.
func (i Interval) Square() Interval {
	out := i.Mul(i)
	out.Lo = max(out.Lo, 0)
	return out
}

// Times is an interval that holds the sums of n numbers of i, or, if some may be left
// out, of up to n.
func (i Interval) Times(n float64, some bool) Interval {
	out := i.Mul(PointInterval(n))
	out.NonZero = n > 0 && (i.Above(0) || i.Below(0))
	if some {
		out = out.Hull(PointInterval(0))
	}
	return out
}

// Wider has room for a few units in the last place of float64 arithmetic at both ends.
func (i Interval) Wider() Interval {
	return Interval{widen(i.Lo, -1, false), widen(i.Hi, 1, false), i.NonZero}
}

// widen moves x a few units in the last place down (-1) or up (1), but not from 0 where 0
// is known to be exact, or to be on the right side. What is not a number, as the sum of
// infinite bounds, may be anything.
func widen(x, way float64, exact bool) float64 {
	switch {
	case math.IsNaN(x):
		return math.Inf(int(way))
	case math.IsInf(x, 0) || exact && x == 0:
		return x
	}
	return x + way*(math.Abs(x)/(1<<50)+math.SmallestNonzeroFloat64)
}
