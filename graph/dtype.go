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
