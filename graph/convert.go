package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a cast is to each element, as a function that entries name. To float64 and
// float32 it is none: laws, and what is said here of numbers, are about real numbers, and
// the rounding of these types is neglected throughout. That of narrower types is not:
// it is much of what a cast to them is for.

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

// RoundFn names the function that a cast to a floating-point type narrower than float32 is,
// in one of its modes.
func RoundFn(t DType, mode string) string {
	if mode == "default" {
		return "round_" + t.String()
	}
	return "round_" + t.String() + "_" + mode
}

// IsNarrow reports whether a type is one of floating-point numbers narrower than float32.
func (t DType) IsNarrow() bool { return t.IsFloat() && t.Bits() < 32 }

// Modes are the ways to cast to a type. The default one comes first: to numbers of 8 bits
// with saturation (to Float8E8M0 upwards), to integers what [Truncate] and [NearestFn] say.
func Modes(t DType) []string {
	switch t {
	case Float8E8M0:
		return []string{"default", "down", "nearest", "up_overflow", "down_overflow", "nearest_overflow"}
	case Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ:
		return []string{"default", "overflow"}
	}
	if t.IsInt() {
		return []string{"default", "wrap"}
	}
	return []string{"default"}
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
	case t.IsNarrow():
		return RoundFn(t, mode), nil
	}
	return "none", nil
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
