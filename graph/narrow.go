package graph

import "math"

// format is how a type of floating-point numbers of at most 16 bits codes them: a sign,
// an exponent and a fraction, from the highest bit to the lowest. Exponent 0 holds
// numbers below the smallest power of 2 that another exponent holds.
type format struct {
	exp, frac, bias int // bits, bits, what is taken off the exponent
	special         special
}

// special is which codes are no numbers.
type special uint8

const (
	ieee      special = iota // the highest exponent: infinity with fraction 0, else NaN
	allOnes                  // exponent and fraction all ones: NaN
	minusZero                // that of -0: NaN
	never                    // none
)

// formats are those of the types with a sign. Float8E8M0 has none.
var formats = map[DType]format{
	Float16:        {5, 10, 15, ieee},
	BFloat16:       {8, 7, 127, ieee},
	Float8E4M3FN:   {4, 3, 7, allOnes},
	Float8E4M3FNUZ: {4, 3, 8, minusZero},
	Float8E5M2:     {5, 2, 15, ieee},
	Float8E5M2FNUZ: {5, 2, 16, minusZero},
	Float4E2M1:     {2, 1, 1, never},
}

// all is the code of all ones behind the sign.
func (f format) all() int { return 1<<(f.exp+f.frac) - 1 }

// infinity is the code of infinity, or of what would be the number above the largest.
func (f format) infinity() int {
	switch f.special {
	case ieee:
		return f.all() &^ (1<<f.frac - 1)
	case allOnes:
		return f.all()
	}
	return f.all() + 1
}

// nan is the code of NaN; of a type without NaN, that of 0.
func (f format) nan() int {
	switch f.special {
	case ieee:
		return f.infinity() | 1<<(f.frac-1)
	case allOnes:
		return f.all()
	case minusZero:
		return f.all() + 1
	}
	return 0
}

// value is the number of a code; bits before the sign are not looked at.
func (f format) value(code uint16) float64 {
	sign, magnitude := 1, int(code)&f.all()
	if int(code)&(f.all()+1) != 0 {
		sign = -1
	}
	switch {
	case f.special == ieee && magnitude > f.infinity(), f.special == allOnes && magnitude == f.all(), f.special == minusZero && sign < 0 && magnitude == 0:
		return math.NaN()
	case f.special == ieee && magnitude == f.infinity():
		return math.Inf(sign)
	}
	exp, frac := magnitude>>f.frac, magnitude&(1<<f.frac-1)
	if exp > 0 {
		frac, exp = frac+1<<f.frac, exp-1
	}
	return math.Copysign(math.Ldexp(float64(frac), exp+1-f.bias-f.frac), float64(sign))
}

// code is that of the number nearest to x, the even one of two. Beyond the largest
// number, that is, where it is rounded to one above it, x becomes infinity, or NaN where
// that is not there; with saturation, or where neither is there, the largest.
func (f format) code(x float64, saturate bool) uint16 {
	sign := 0
	if math.Signbit(x) {
		sign, x = f.all()+1, -x
	}
	if math.IsNaN(x) {
		if f.special == minusZero || f.special == never {
			sign = 0
		}
		return uint16(sign | f.nan())
	}
	out := f.infinity()
	if !math.IsInf(x, 0) {
		least := 1 - f.bias // the exponent of the smallest power of 2 with an exponent of its own
		exp := least
		if x >= math.Ldexp(1, least) {
			exp = math.Ilogb(x)
		}
		if exp <= f.bias+1 { // else it is beyond all codes
			// A fraction that is rounded up to the next power of 2 counts the exponent up.
			out = min(out, (exp-least)<<f.frac+int(math.RoundToEven(math.Ldexp(x, f.frac-exp))))
		}
	}
	switch {
	case out < f.infinity():
	case saturate || f.special == never:
		out = f.infinity() - 1
	case f.special == minusZero:
		return uint16(f.nan())
	}
	if out == 0 && f.special == minusZero {
		sign = 0
	}
	return uint16(sign | out)
}

// Decode is the number of a code of a type of floating-point numbers of at most 16 bits.
func Decode(t DType, code uint16) float64 {
	if t == Float8E8M0 {
		if code == 255 {
			return math.NaN()
		}
		return math.Ldexp(1, int(code)-127)
	}
	return formats[t].value(code)
}

// Largest is the largest number of a type of floating-point numbers.
func Largest(t DType) float64 {
	switch t {
	case Float64:
		return math.MaxFloat64
	case Float32:
		return math.MaxFloat32
	case Float8E8M0:
		return math.Ldexp(1, 127)
	}
	f := formats[t]
	return f.value(uint16(f.infinity() - 1))
}

// Whole is a number below which a type of floating-point numbers holds all whole numbers from
// 1 on, and 0 if it has that.
func Whole(t DType) int64 {
	switch t {
	case Float64:
		return 1 << 53
	case Float32:
		return 1 << 24
	case Float8E8M0:
		return 3
	}
	return 1 << (formats[t].frac + 1)
}

// Encode is the code of x as a type of floating-point numbers of at most 16 bits holds it:
// the nearest number, the even one of two, as IEEE 754 rounds; where the type has no
// infinity, NaN is in its place, and where it has no NaN either, the largest number and 0.
// Float8E8M0 has the larger of two, and NaN for what is below its smallest number.
func Encode(t DType, x float64) uint16 {
	if t == Float8E8M0 {
		return powerCode(x, "nearest", false)
	}
	return formats[t].code(x, false)
}

// powerCode is the code of x in Float8E8M0: rounded up, down, or to the nearest power of 2,
// the larger one of two. What is outside the range of powers, which 0 is, becomes the nearest
// one with saturation, and NaN without. Of a number below 0 ONNX says nothing: it is NaN.
func powerCode(x float64, to string, saturate bool) uint16 {
	const nan, largest = 255, 254
	least := math.Ldexp(1, -127)
	switch {
	case math.IsNaN(x) || x < 0:
		return nan
	case x < least || x > math.Ldexp(1, 127):
		if !saturate {
			return nan
		}
		if x < least {
			return 0
		}
		return largest
	}
	frac, exp := math.Frexp(x) // x = frac * 2^exp, frac in [1/2, 1)
	code := exp - 1 + 127
	if to == "up" && frac > 0.5 || to == "nearest" && frac >= 0.75 {
		code++
	}
	return uint16(code)
}
