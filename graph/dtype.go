package graph

import "fmt"

// DType is the type of a tensor's elements. The zero value is Float32.
type DType uint8

const (
	// Float32 is IEEE 754 binary32, the type operators are written for first.
	Float32 DType = iota
	// Float16 is IEEE 754 binary16.
	Float16
	// Float64 is IEEE 754 binary64.
	Float64
	// Int64 is a 64-bit signed integer.
	Int64
	// Int32 is a 32-bit signed integer.
	Int32
	// Uint8 is an unsigned byte.
	Uint8
	// Int8 is a signed byte.
	Int8
	// Bool is a truth value, one byte.
	Bool

	numDTypes
)

var dtypes = [numDTypes]struct {
	name  string
	bytes int
}{
	Float32: {"float32", 4},
	Float16: {"float16", 2},
	Float64: {"float64", 8},
	Int64:   {"int64", 8},
	Int32:   {"int32", 4},
	Uint8:   {"uint8", 1},
	Int8:    {"int8", 1},
	Bool:    {"bool", 1},
}

// String is the type's name, such as float32.
func (t DType) String() string {
	if t < numDTypes {
		return dtypes[t].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(t))
}

// Bytes is the size of one element in bytes; 0 for a type that is not known.
func (t DType) Bytes() int {
	if t < numDTypes {
		return dtypes[t].bytes
	}
	return 0
}

// ParseDType is the inverse of String.
func ParseDType(name string) (DType, error) {
	for t := range dtypes {
		if dtypes[t].name == name {
			return DType(t), nil
		}
	}
	return 0, fmt.Errorf("element type %q is not known", name)
}

// IsFloat reports whether the elements are floating-point numbers.
func (t DType) IsFloat() bool { return t == Float32 || t == Float16 || t == Float64 }

// IsInt reports whether the elements are integers; truth values are none.
func (t DType) IsInt() bool { return t == Int64 || t == Int32 || t == Uint8 || t == Int8 }

// IntRange are the least and the largest integer of an integer type.
func (t DType) IntRange() (lo, hi int64) {
	switch bits := 8 * t.Bytes(); {
	case !t.IsInt():
		return 0, 0
	case t == Uint8:
		return 0, 1<<bits - 1
	default:
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
}

// Truncate names the function that a cast to an integer type is: rounding towards
// 0. Each type has its own: of a number that a type does not hold nothing is
// said, and runtimes differ.
func Truncate(t DType) string { return "truncate_" + t.String() }

// TensorType is an element type with concrete sizes, outermost axis first; no
// sizes are a scalar.
type TensorType struct {
	DType DType
	Sizes []int
}

// String is the type as in a graph's text: float32[2, 3].
func (t TensorType) String() string { return t.DType.String() + Sizes(t.Sizes...).String() }

// Bytes is the memory of a tensor of this type, dense.
func (t TensorType) Bytes() int64 { return Product(append([]int{t.DType.Bytes()}, t.Sizes...)...) }
