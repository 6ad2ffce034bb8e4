package backends

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Tensor is a dense tensor as it is handed to and returned by a Plan. Elements
// are row-major, in the slice that the element type asks for: F32 for
// graph.Float32, I64 for graph.Int64.
type Tensor struct {
	DType graph.DType
	Sizes []int // no sizes are a scalar
	F32   []float32
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

// Zeros is a tensor of zeros, or an error for an element type that Tensor has
// no slice for.
func Zeros(t graph.TensorType) (Tensor, error) {
	x := Tensor{DType: t.DType, Sizes: slices.Clone(t.Sizes)}
	n := graph.NumElements(t.Sizes)
	switch t.DType {
	case graph.Float32:
		x.F32 = make([]float32, n)
	case graph.Int64:
		x.I64 = make([]int64, n)
	default:
		return Tensor{}, fmt.Errorf("tensor %s: elements of type %s cannot be handed over", t, t.DType)
	}
	return x, nil
}

// Random is a tensor of random numbers: uniform in -1 to 1, never 0, for
// float32; 0 for int64, which fits every tensor as an index. The same seed gives
// the same numbers.
func Random(seed uint64, t graph.TensorType) (Tensor, error) {
	x, err := Zeros(t)
	if err != nil {
		return x, err
	}
	r := rand.New(rand.NewPCG(seed, 0x7a50))
	for i := range x.F32 {
		x.F32[i] = 2*r.Float32() - 1
		if x.F32[i] == 0 {
			x.F32[i] = 0.5
		}
	}
	return x, nil
}

// FromBytes is a tensor of the elements that raw holds, little-endian and
// row-major. It is an error if their number does not fit the type, or for an
// element type that Tensor has no slice for.
func FromBytes(t graph.TensorType, raw []byte) (Tensor, error) {
	if int64(len(raw)) != t.Bytes() {
		return Tensor{}, fmt.Errorf("tensor %s: %d bytes, want %d", t, len(raw), t.Bytes())
	}
	x, err := Zeros(t)
	if err != nil {
		return x, err
	}
	step := t.DType.Bytes()
	for i := range len(raw) / step {
		n, v := model.Element(t.DType, raw[i*step:])
		if x.F32 != nil {
			x.F32[i] = float32(v)
		} else {
			x.I64[i] = n
		}
	}
	return x, nil
}

// Bytes are the elements as [FromBytes] reads them.
func (t Tensor) Bytes() []byte {
	raw := make([]byte, 0, t.Type().Bytes())
	for _, v := range t.F32 {
		raw = model.AppendElement(raw, t.DType, 0, float64(v))
	}
	for _, n := range t.I64 {
		raw = model.AppendElement(raw, t.DType, n, 0)
	}
	return raw
}

// Type is the tensor's type.
func (t Tensor) Type() graph.TensorType {
	return graph.TensorType{DType: t.DType, Sizes: t.Sizes}
}

// Check reports how a tensor differs from the type wanted: element type,
// sizes, or a slice whose length does not fit the sizes.
func (t Tensor) Check(want graph.TensorType) error {
	if t.DType != want.DType || !slices.Equal(t.Sizes, want.Sizes) {
		return fmt.Errorf("it is %s, want %s", t.Type(), want)
	}
	n := graph.NumElements(t.Sizes)
	have := len(t.F32)
	switch t.DType {
	case graph.Float32:
	case graph.Int64:
		have = len(t.I64)
	default:
		return fmt.Errorf("elements of type %s cannot be handed over", t.DType)
	}
	if have != n {
		return fmt.Errorf("%s holds %d elements, not %d", want, n, have)
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
