package graph

import (
	"fmt"
	"slices"
)

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
	// BFloat16 is binary32 without its lower 16 bits.
	BFloat16
	// Int16 is a 16-bit signed integer.
	Int16
	// Uint16 is a 16-bit unsigned integer.
	Uint16
	// Uint32 is a 32-bit unsigned integer.
	Uint32
	// Uint64 is a 64-bit unsigned integer.
	Uint64
	// Int4 is a 4-bit signed integer.
	Int4
	// Uint4 is a 4-bit unsigned integer.
	Uint4
	// Int2 is a 2-bit signed integer.
	Int2
	// Uint2 is a 2-bit unsigned integer.
	Uint2
	// Float8E4M3FN has 4 bits of exponent and 3 of fraction, no infinity, one NaN of each sign.
	Float8E4M3FN
	// Float8E4M3FNUZ is such with neither infinity nor -0; one NaN.
	Float8E4M3FNUZ
	// Float8E5M2 has 5 bits of exponent and 2 of fraction, as IEEE 754 has it.
	Float8E5M2
	// Float8E5M2FNUZ is such with neither infinity nor -0; one NaN.
	Float8E5M2FNUZ
	// Float4E2M1 has 2 bits of exponent and 1 of fraction; all its codes are finite.
	Float4E2M1
	// Float8E8M0 is a power of 2 from 2^-127 to 2^127, or NaN; there is no 0 and no sign.
	Float8E8M0

	numDTypes
)

// kind is what the elements of a type are.
type kind uint8

const (
	truths kind = iota
	signed
	unsigned
	floating
)

var dtypes = [numDTypes]struct {
	name string
	bits int
	kind kind
}{
	Float32:        {"float32", 32, floating},
	Float16:        {"float16", 16, floating},
	Float64:        {"float64", 64, floating},
	Int64:          {"int64", 64, signed},
	Int32:          {"int32", 32, signed},
	Uint8:          {"uint8", 8, unsigned},
	Int8:           {"int8", 8, signed},
	Bool:           {"bool", 8, truths},
	BFloat16:       {"bfloat16", 16, floating},
	Int16:          {"int16", 16, signed},
	Uint16:         {"uint16", 16, unsigned},
	Uint32:         {"uint32", 32, unsigned},
	Uint64:         {"uint64", 64, unsigned},
	Int4:           {"int4", 4, signed},
	Uint4:          {"uint4", 4, unsigned},
	Int2:           {"int2", 2, signed},
	Uint2:          {"uint2", 2, unsigned},
	Float8E4M3FN:   {"float8e4m3fn", 8, floating},
	Float8E4M3FNUZ: {"float8e4m3fnuz", 8, floating},
	Float8E5M2:     {"float8e5m2", 8, floating},
	Float8E5M2FNUZ: {"float8e5m2fnuz", 8, floating},
	Float4E2M1:     {"float4e2m1", 4, floating},
	Float8E8M0:     {"float8e8m0", 8, floating},
}

// DTypes are all element types.
func DTypes() []DType {
	all := make([]DType, numDTypes)
	for t := range all {
		all[t] = DType(t)
	}
	return all
}

// String is the type's name, such as float32.
func (t DType) String() string {
	if t < numDTypes {
		return dtypes[t].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(t))
}

// Bits is the size of one element in bits, as files pack them; 0 for a type that is
// not known.
func (t DType) Bits() int {
	if t < numDTypes {
		return dtypes[t].bits
	}
	return 0
}

// Bytes is the size of one element in memory, in bytes; 0 for a type that is not
// known. An element of less than 8 bits is a byte, integers in two's complement.
func (t DType) Bytes() int { return (t.Bits() + 7) / 8 }

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
func (t DType) IsFloat() bool { return t < numDTypes && dtypes[t].kind == floating }

// IsReal reports whether laws about real numbers are said of the elements, and operators
// compute with them: floating-point numbers of at least 16 bits. Narrower ones are ways to
// store numbers, which are moved and cast.
func (t DType) IsReal() bool { return t.IsFloat() && t.Bits() >= 16 }

// IsInt reports whether the elements are integers; truth values are none.
func (t DType) IsInt() bool { return t.IsSigned() || t.IsUnsigned() }

// IsSigned reports whether the elements are integers below 0 and above.
func (t DType) IsSigned() bool { return t < numDTypes && dtypes[t].kind == signed }

// IsUnsigned reports whether the elements are integers from 0 on.
func (t DType) IsUnsigned() bool { return t < numDTypes && dtypes[t].kind == unsigned }

// IntRange are the least and the largest integer of an integer type; 0 and 0 of
// another.
func (t DType) IntRange() (lo int64, hi uint64) {
	switch {
	case t.IsUnsigned():
		return 0, 1<<t.Bits() - 1 // 1<<64 is 0
	case t.IsSigned():
		return -1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1
	}
	return 0, 0
}

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

// Empty reports whether a tensor of the type has no elements.
func (t TensorType) Empty() bool { return slices.Contains(t.Sizes, 0) }
