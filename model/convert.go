package model

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// Convert is the elements of a type, little-endian, as those of another. Integers
// and truth values must be kept exactly, or it is an error that names the first
// that is not; floating-point numbers are rounded to floating-point numbers of fewer
// bits, and rounded is how many were changed by it. A finite number that would
// become infinite, or none, or that is beyond all that the type holds, is an error.
func Convert(raw []byte, from, to graph.DType) (out []byte, rounded int, err error) {
	if from == to {
		return raw, 0, nil
	}
	step := from.Bytes()
	if step == 0 || to.Bytes() == 0 || len(raw)%step != 0 {
		return nil, 0, fmt.Errorf("%d bytes are no elements of type %s, or %s is not known", len(raw), from, to)
	}
	out = make([]byte, 0, len(raw)/step*to.Bytes())
	for i := 0; i < len(raw); i += step {
		n, x := Element(from, raw[i:])
		var ok bool
		switch {
		case to.IsFloat() && from.IsFloat():
			y := Round(to, x)
			ok = held(to, x, y)
			if y != x && !math.IsNaN(x) {
				rounded++
			}
		case to.IsFloat():
			// 2^63 - 1 is 2^63 as a number, and would come back as another integer.
			x = float64(n)
			if from == graph.Uint64 {
				x = float64(uint64(n))
			}
			back, whole := integer(from, Round(to, x))
			ok = whole && back == n
		case from.IsFloat():
			n, ok = integer(to, x)
		default:
			ok = fits(to, from, n)
		}
		if !ok {
			element := fmt.Sprint(n)
			switch {
			case from.IsFloat():
				element = fmt.Sprint(x)
			case from == graph.Uint64:
				element = fmt.Sprint(uint64(n))
			}
			return nil, 0, fmt.Errorf("element %d is %s, which %s does not hold", i/step, element, to)
		}
		out = AppendElement(out, to, n, x)
	}
	return out, rounded, nil
}

// held reports whether x is a number of a type, rounded to y.
func held(t graph.DType, x, y float64) bool {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	case t == graph.Float4E2M1: // has no infinity: 6 is the largest, and the next would be 8
		return math.Abs(x) < 7
	}
	return !math.IsNaN(y) && !math.IsInf(y, 0)
}

// integer is x as an element of a type of integers or truth values, if it holds x.
func integer(t graph.DType, x float64) (n int64, ok bool) {
	switch {
	case x != math.Trunc(x) || x < -1<<63 || x >= 1<<64:
		return 0, false
	case x >= 1<<63:
		return int64(uint64(x)), t == graph.Uint64
	}
	return int64(x), fits(t, graph.Int64, int64(x))
}

// fits reports whether a type holds an integer or truth value of another, which is n as
// [Element] gives it.
func fits(to, from graph.DType, n int64) bool {
	if to == graph.Bool {
		return n == 0 || n == 1
	}
	if from == graph.Uint64 && n < 0 {
		return to == graph.Uint64
	}
	lo, hi := to.IntRange()
	return n >= lo && (n < 0 || uint64(n) <= hi)
}

// Stored is the type with which NumPy holds all numbers of a type: its own, if NumPy has
// it.
func Stored(t graph.DType) graph.DType {
	switch {
	case t.IsNarrow() && t != graph.Float16:
		return graph.Float32
	case t.IsSigned() && t.Bits() < 8:
		return graph.Int8
	case t.IsUnsigned() && t.Bits() < 8:
		return graph.Uint8
	}
	return t
}
