package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A cast is a function of each element, which entries name. It is the identity only in mode
// exact, which needs a target type that holds every number of the source type
// ([DType.Holds]). Every other cast is a function of its own, also to float32 and float64.

// Truncate names the function that a cast of numbers to an integer type of at least a byte
// is: rounding towards 0. Each type has its own: of a number that a type does not hold
// nothing is said, and runtimes differ.
func Truncate(t DType) string { return "truncate_" + t.String() }

// NearestFn names the function that a cast of numbers to an integer type of less than a byte
// is, as ONNX's documents of these types have it: the nearest integer, the even one of two, modulo
// 2 to the number of bits.
func NearestFn(t DType) string { return "nearest_" + t.String() }

// WrapFn names the function that a cast of integers to an integer type is: that modulo 2 to
// the number of its bits which the type holds.
func WrapFn(t DType) string { return "wrap_" + t.String() }

// RoundFn names the function that rounds to a floating-point type, in one of its modes.
func RoundFn(t DType, mode string) string {
	if mode == "default" {
		return "round_" + t.String()
	}
	return "round_" + t.String() + "_" + mode
}

// IsNarrow reports whether a type is one of floating-point numbers narrower than float32.
func (t DType) IsNarrow() bool { return t.IsFloat() && t.Bits() < 32 }

// Modes are the ways to cast to a type. The default one comes first: to numbers of 8 bits
// with saturation (to Float8E8M0 upwards), to integers what [Truncate] and [NearestFn] say,
// to other types the nearest number. To float32 and float64 a cast is exact where the type
// holds every number of the source.
func Modes(t DType) []string {
	switch t {
	case Float8E8M0:
		return []string{"default", "down", "nearest", "up_overflow", "down_overflow", "nearest_overflow"}
	case Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ:
		return []string{"default", "overflow"}
	case Float32, Float64:
		return []string{"default", Exact}
	}
	if t.IsInt() {
		return []string{"default", "wrap"}
	}
	return []string{"default"}
}

// Exact is the mode of casts that change no number: the identity.
const Exact = "exact"

// CastMode is the mode of a cast that says no more than its types: [Exact] to float32 and
// float64 where these hold every number of the source, else default.
func CastMode(from, to DType) string {
	if (to == Float32 || to == Float64) && to.Holds(from) {
		return Exact
	}
	return "default"
}

// Holds reports whether a type represents every number of another one: integers and truth
// values, infinities and NaN included.
func (t DType) Holds(from DType) bool {
	lo, hi := from.IntRange()
	switch {
	case t == from:
		return true
	case t == Bool || t == Float8E8M0:
		return false
	case from == Bool:
		return true // 0 and 1
	case from.IsInt() && t.IsInt():
		least, most := t.IntRange()
		return lo >= least && hi <= most
	case from.IsInt():
		n := uint64(Whole(t))
		return hi <= n && uint64(-lo) <= n
	case t.IsInt():
		return false
	case t == Float64:
		return true
	case t == Float32:
		return from != Float64
	case from == Float8E8M0:
		return t == BFloat16
	case from == Float32 || from == Float64:
		return false
	}
	f, g := formats[from], formats[t]
	extra := g.special == ieee || f.special == g.special || f.special == never && g.special == allOnes // NaN, infinities and -0
	return extra && f.frac <= g.frac && f.bias+f.frac <= g.bias+g.frac && Largest(from) <= Largest(t)
}

// CastFn names the function that a cast to a type is, in a mode: none, nonzero, or that of
// [Truncate], [NearestFn], [WrapFn] or [RoundFn].
func CastFn(t DType, mode string) (string, error) {
	switch {
	case !slices.Contains(Modes(t), mode):
		return "", fmt.Errorf("mode %s of a cast to %s is not known: want one of %v", mode, t, Modes(t))
	case mode == "wrap":
		return WrapFn(t), nil
	case t.IsInt() && t.Bits() < 8:
		return NearestFn(t), nil
	case t.IsInt():
		return Truncate(t), nil
	case t == Bool:
		return "nonzero", nil
	case mode == Exact:
		return "none", nil
	}
	return RoundFn(t, mode), nil
}

// CastValue is the function that a cast to a type is, in a mode, in float64 arithmetic. NaN
// is where nothing is said. It takes any integer that is a float64 to be exact.
func CastValue(t DType, mode string) func(x float64) float64 {
	switch {
	case mode == "wrap":
		return func(x float64) float64 { return wrapFloat(t, x) }
	case t.IsInt() && t.Bits() < 8:
		return func(x float64) float64 { return wrapFloat(t, math.RoundToEven(x)) }
	case t.IsInt():
		lo, hi := t.IntRange()
		return func(x float64) float64 {
			x = math.Trunc(x)
			if x < float64(lo) || x >= float64(hi)+1 { // 2^63-1 is no float64: what is below hi+1 is held
				return math.NaN()
			}
			return x
		}
	case t == Bool:
		return func(x float64) float64 {
			if x != 0 {
				return 1
			}
			return 0
		}
	case t == Float8E8M0:
		to, overflow := strings.CutSuffix(mode, "_overflow")
		if mode == "default" {
			to = "up"
		}
		return func(x float64) float64 { return Decode(t, powerCode(x, to, !overflow)) }
	case t.IsNarrow():
		f, saturate := formats[t], t.Bits() == 8 && mode == "default"
		return func(x float64) float64 { return f.value(f.code(x, saturate)) }
	case t == Float32:
		return func(x float64) float64 { return float64(float32(x)) }
	}
	return func(x float64) float64 { return x }
}

// wrapFloat is the integer that a type holds and that differs from x by a multiple of 2 to
// the number of its bits; NaN if x is no integer,
// or that is no float64.
func wrapFloat(t DType, x float64) float64 {
	if x != math.Trunc(x) || math.IsInf(x, 0) {
		return math.NaN()
	}
	all := math.Ldexp(1, t.Bits())
	x = math.Mod(x, all) // exact
	lo, _ := t.IntRange()
	y := x
	switch {
	case x < float64(lo):
		y += all
	case t.IsSigned() && x >= all/2:
		y -= all
	}
	if y != x && y-all != x && y+all != x {
		return math.NaN()
	}
	return y
}

// WrapInt is x as a type of integers holds it: modulo 2 to the number of its bits. A
// uint64 is the int64 of the same bits. A truth value is whether x is not 0; to another
// type nothing is done.
func WrapInt(t DType, x int64) int64 {
	left := 64 - t.Bits()
	switch {
	case t == Bool && x != 0:
		return 1
	case t.IsSigned():
		return x << left >> left
	case t.IsUnsigned():
		return int64(uint64(x) << left >> left)
	}
	return x
}
