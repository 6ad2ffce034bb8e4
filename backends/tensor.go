package backends

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Tensor is a dense tensor as it is handed to and returned by a Plan. Elements
// are row-major, in the slice of the type that holds them ([lower.Wide]): F64 for
// graph.Float64, F32 for all other floating-point numbers, I64 for integers and truth
// values, which are 0 and 1. A uint64 is the int64 of the same bits. All elements are
// such that the element type holds them.
type Tensor struct {
	DType graph.DType
	Sizes []int // no sizes are a scalar
	F32   []float32
	F64   []float64
	I64   []int64
}

// Float32s is a float32 tensor that keeps data.
func Float32s(data []float32, sizes ...int) Tensor {
	return Tensor{DType: graph.Float32, Sizes: slices.Clone(sizes), F32: data}
}

// Int64s is an int64 tensor that keeps data.
func Int64s(data []int64, sizes ...int) Tensor {
	return Tensor{DType: graph.Int64, Sizes: slices.Clone(sizes), I64: data}
}

// Zeros is a tensor of zeros, or an error for an element type that is not known.
func Zeros(t graph.TensorType) (Tensor, error) {
	x := Tensor{DType: t.DType, Sizes: slices.Clone(t.Sizes)}
	if t.DType.Bytes() == 0 {
		return Tensor{}, fmt.Errorf("tensor %s: elements of type %s cannot be handed over", t, t.DType)
	}
	n := graph.NumElements(t.Sizes)
	switch lower.Wide(t.DType) {
	case graph.Float32:
		x.F32 = make([]float32, n)
	case graph.Float64:
		x.F64 = make([]float64, n)
	default:
		x.I64 = make([]int64, n)
	}
	return x, nil
}

// Random is a tensor of random numbers: uniform in -1 to 1, rounded to the type and
// never 0, for floating-point numbers; 0 for integers, which fits every tensor as an
// index, and for truth values. The same seed gives the same numbers.
func Random(seed uint64, t graph.TensorType) (Tensor, error) {
	x, err := Zeros(t)
	if err != nil {
		return x, err
	}
	r := rand.New(rand.NewPCG(seed, 0x7a50))
	x.fill(func(int) float64 {
		x := float64(2*r.Float32() - 1)
		v := model.Round(t.DType, x)
		if v != v { // of a type without a sign
			v = model.Round(t.DType, -x)
		}
		if v == 0 {
			return 0.5
		}
		return v
	})
	return x, nil
}

// fill gives the floating-point elements values that the type holds.
func (t Tensor) fill(f func(i int) float64) {
	for i := range t.F32 {
		t.F32[i] = float32(f(i))
	}
	for i := range t.F64 {
		t.F64[i] = f(i)
	}
}

// Numbers is a tensor of the given numbers, rounded to the type, or wrapped around if
// it is one of integers: their fraction is dropped.
func Numbers(t graph.TensorType, xs []float64) (Tensor, error) {
	x, err := Zeros(t)
	switch {
	case err != nil:
		return x, err
	case x.Len() != len(xs):
		return x, fmt.Errorf("tensor %s: %d numbers", t, len(xs))
	}
	x.fill(func(i int) float64 { return model.Round(t.DType, xs[i]) })
	for i := range x.I64 {
		x.I64[i] = model.Wrap(t.DType, int64(xs[i]))
	}
	return x, nil
}

// FromBytes is a tensor of the elements that raw holds, little-endian and
// row-major, as package model has them. It is an error if their number does not fit
// the type.
func FromBytes(t graph.TensorType, raw []byte) (Tensor, error) {
	if int64(len(raw)) != t.Bytes() {
		return Tensor{}, fmt.Errorf("tensor %s: %d bytes, want %d", t, len(raw), t.Bytes())
	}
	x, err := Zeros(t)
	if err != nil {
		return x, err
	}
	x.decode(raw)
	return x, nil
}

// Bytes are the elements as [FromBytes] reads them.
func (t Tensor) Bytes() []byte {
	raw := make([]byte, 0, t.Type().Bytes())
	for _, v := range t.F32 {
		raw = model.AppendElement(raw, t.DType, 0, float64(v))
	}
	for _, v := range t.F64 {
		raw = model.AppendElement(raw, t.DType, 0, v)
	}
	for _, n := range t.I64 {
		raw = model.AppendElement(raw, t.DType, n, 0)
	}
	return raw
}

// Len is the number of elements that are there.
func (t Tensor) Len() int { return len(t.F32) + len(t.F64) + len(t.I64) }

// Number is element i as a float64, to which a large integer is rounded.
func (t Tensor) Number(i int) float64 {
	switch {
	case t.F32 != nil:
		return float64(t.F32[i])
	case t.F64 != nil:
		return t.F64[i]
	case t.DType == graph.Uint64:
		return float64(uint64(t.I64[i]))
	}
	return float64(t.I64[i])
}

// Float64s are the elements as float64s, see Number.
func (t Tensor) Float64s() []float64 {
	out := make([]float64, t.Len())
	for i := range out {
		out[i] = t.Number(i)
	}
	return out
}

// Clone is a tensor with elements of its own.
func (t Tensor) Clone() Tensor {
	t.Sizes, t.F32, t.F64, t.I64 = slices.Clone(t.Sizes), slices.Clone(t.F32), slices.Clone(t.F64), slices.Clone(t.I64)
	return t
}

// Type is the tensor's type.
func (t Tensor) Type() graph.TensorType {
	return graph.TensorType{DType: t.DType, Sizes: t.Sizes}
}

// Check reports how a tensor differs from the type wanted: element type,
// sizes, a slice whose length does not fit the sizes, or an integer that the type
// does not hold.
func (t Tensor) Check(want graph.TensorType) error {
	if t.DType != want.DType || !slices.Equal(t.Sizes, want.Sizes) {
		return fmt.Errorf("it is %s, want %s", t.Type(), want)
	}
	if t.DType.Bytes() == 0 {
		return fmt.Errorf("elements of type %s cannot be handed over", t.DType)
	}
	have := map[graph.DType]int{graph.Float32: len(t.F32), graph.Float64: len(t.F64), graph.Int64: len(t.I64)}[lower.Wide(t.DType)]
	if n := graph.NumElements(t.Sizes); have != n || t.Len() != n {
		return fmt.Errorf("%s holds %d elements, not %d", want, n, have)
	}
	if t.DType.Bits() == 64 {
		return nil
	}
	for i, n := range t.I64 {
		if model.Wrap(t.DType, n) != n {
			return fmt.Errorf("element %d is %d, which %s does not hold", i, n, t.DType)
		}
	}
	return nil
}

// CheckInputs checks the inputs of a run: one tensor for each input of the
// graph that is no weight.
func CheckInputs(g *graph.Graph, in []Tensor) error {
	k := 0
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			continue
		}
		if k < len(in) {
			if err := in[k].Check(g.Type(id.Out(0))); err != nil {
				return fmt.Errorf("input %s: %w", g.Name(id), err)
			}
		}
		k++
	}
	if k != len(in) {
		return fmt.Errorf("%d inputs, want %d", len(in), k)
	}
	return nil
}
