package kernel

import (
	"math"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// ctype is a type of CUDA C.
type ctype string

const (
	float   ctype = "float"
	double  ctype = "double"
	int64s  ctype = "long long"
	int32s  ctype = "int"
	noCtype ctype = ""
)

// ctypes are the types of elements as they are held, see [lower.Wide].
var ctypes = map[graph.DType]ctype{graph.Float32: float, graph.Float64: double, graph.Int64: int64s}

// real is the type in which tails compute with elements of a type: their own where
// they are floats.
func (t ctype) real() ctype {
	if t == float {
		return float
	}
	return double
}

// integer reports whether numbers of the type are integers.
func (t ctype) integer() bool { return t != float && t != double }

// literal is the number x of a floating-point type.
func (t ctype) literal(x float64) string {
	switch {
	case math.IsNaN(x):
		if t == float {
			return "__int_as_float(0x7fc00000)"
		}
		return "__longlong_as_double(0x7ff8000000000000LL)"
	case math.IsInf(x, 0) || t == float && math.IsInf(float64(float32(x)), 0):
		sign := ""
		if x < 0 {
			sign = "-"
		}
		if t == float {
			return sign + "__int_as_float(0x7f800000)"
		}
		return sign + "__longlong_as_double(0x7ff0000000000000LL)"
	}
	bits, suffix := 64, ""
	if t == float {
		bits, suffix = 32, "f"
	}
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}

// integerLiteral is the integer n as a constant of 64 bits.
func integerLiteral(n int64) string {
	if n == math.MinInt64 {
		return "(-9223372036854775807LL - 1)"
	}
	return strconv.FormatInt(n, 10) + "LL"
}
