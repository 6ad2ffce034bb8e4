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
	case graph.Float64:
		return 0, math.Float64frombits(le.Uint64(raw))
	}
	switch t.Bytes() {
	case 8:
		return int64(le.Uint64(raw)), 0
	case 4:
		return Wrap(t, int64(le.Uint32(raw))), 0
	case 2:
		if t.IsFloat() {
			return 0, graph.Decode(t, le.Uint16(raw))
		}
		return Wrap(t, int64(le.Uint16(raw))), 0
	}
	if t.IsFloat() {
		return 0, graph.Decode(t, uint16(raw[0]))
	}
	return Wrap(t, int64(raw[0])), 0
}

// AppendElement appends an element as [Element] reads it.
func AppendElement(raw []byte, t graph.DType, n int64, x float64) []byte {
	le := binary.LittleEndian
	switch t {
	case graph.Float32:
		return le.AppendUint32(raw, math.Float32bits(float32(x)))
	case graph.Float64:
		return le.AppendUint64(raw, math.Float64bits(x))
	}
	if t.IsFloat() {
		n = int64(graph.Encode(t, x))
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

// Round is x as a type of floating-point numbers holds it: rounded to the nearest number,
// the even one of two; what is too large is infinite, or NaN where that is not there, see
// [graph.Encode].
func Round(t graph.DType, x float64) float64 {
	switch {
	case t == graph.Float32:
		return float64(float32(x))
	case t.IsNarrow():
		return graph.Decode(t, graph.Encode(t, x))
	}
	return x
}

// Wrap is x as a type of integers or truth values holds it, see [graph.WrapInt].
func Wrap(t graph.DType, x int64) int64 { return graph.WrapInt(t, x) }
