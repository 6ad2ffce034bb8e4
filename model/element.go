package model

import (
	"encoding/binary"
	"math"

	"github.com/taso-go/taso/graph"
)

// Element is the element at the beginning of little-endian bytes: x for a type of
// floating-point numbers, n for integers and truth values, and 0 for the other. n of
// a uint64 is the int64 of the same bits.
func Element(t graph.DType, raw []byte) (n int64, x float64) {
	le := binary.LittleEndian
	switch t {
	case graph.Float32:
		return 0, float64(math.Float32frombits(le.Uint32(raw)))
	case graph.Float16:
		return 0, halfToFloat(le.Uint16(raw))
	case graph.Float64:
		return 0, math.Float64frombits(le.Uint64(raw))
	}
	switch t.Bytes() {
	case 8:
		return int64(le.Uint64(raw)), 0
	case 4:
		return Wrap(t, int64(le.Uint32(raw))), 0
	case 2:
		return Wrap(t, int64(le.Uint16(raw))), 0
	}
	return Wrap(t, int64(raw[0])), 0
}

// AppendElement appends an element as [Element] reads it.
func AppendElement(raw []byte, t graph.DType, n int64, x float64) []byte {
	le := binary.LittleEndian
	switch t {
	case graph.Float32:
		return le.AppendUint32(raw, math.Float32bits(float32(x)))
	case graph.Float16:
		return le.AppendUint16(raw, floatToHalf(x))
	case graph.Float64:
		return le.AppendUint64(raw, math.Float64bits(x))
	}
	switch t.Bytes() {
	case 8:
		return le.AppendUint64(raw, uint64(n))
	case 4:
		return le.AppendUint32(raw, uint32(n))
	case 2:
		return le.AppendUint16(raw, uint16(n))
	}
	return append(raw, byte(n))
}

// Round is x as a type of floating-point numbers holds it.
func Round(t graph.DType, x float64) float64 {
	switch t {
	case graph.Float32:
		return float64(float32(x))
	case graph.Float16:
		return halfToFloat(floatToHalf(x))
	}
	return x
}

// Wrap is x as a type of integers holds it: modulo 2 to the number of its bits. A
// uint64 is the int64 of the same bits. A truth value is whether x is not 0.
func Wrap(t graph.DType, x int64) int64 {
	left := 64 - t.Bits()
	switch {
	case t == graph.Bool && x != 0:
		return 1
	case t.IsSigned():
		return x << left >> left
	case t.IsUnsigned():
		return int64(uint64(x) << left >> left)
	}
	return x
}

// halfToFloat is the value of IEEE 754 binary16 bits.
func halfToFloat(h uint16) float64 {
	sign, exp, frac := float64(1), int(h>>10&31), int(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(float64(frac), -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(float64(1024+frac), exp-25)
}

// floatToHalf rounds to the nearest binary16, ties to even.
func floatToHalf(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	switch {
	case math.IsNaN(x):
		return sign | 0x7e00
	case x >= 65520: // half a unit above the largest
		return sign | 0x7c00
	case x < math.Ldexp(1, -14):
		return sign | uint16(math.RoundToEven(math.Ldexp(x, 24)))
	}
	frac, exp := math.Frexp(x) // x = frac * 2^exp, frac in [1/2, 1)
	m := math.RoundToEven(math.Ldexp(frac, 11))
	if m == 2048 {
		m, exp = 1024, exp+1
	}
	return sign | uint16(exp+14)<<10 | uint16(int(m)-1024)
}
