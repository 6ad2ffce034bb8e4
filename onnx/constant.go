package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// maxConstant is how many elements a constant may have; anything larger is a
// weight that nobody looks into.
const maxConstant = 1 << 20

// constant is a tensor whose elements are known: ints for integers and truth
// values, floats for the others. A uint64 is the int64 of the same bits. It may have no
// elements.
type constant struct {
	dtype  graph.DType
	sizes  []int
	ints   []int64
	floats []float64
	// folded: the elements were computed while reading; the file does not store them.
	folded bool
}

func (c *constant) len() int {
	if c.dtype.IsFloat() {
		return len(c.floats)
	}
	return len(c.ints)
}

// number is element i as a floating-point number.
func (c *constant) number(i int) float64 {
	if c.dtype.IsFloat() {
		return c.floats[i]
	}
	if c.dtype == graph.Uint64 {
		return float64(uint64(c.ints[i]))
	}
	return float64(c.ints[i])
}

// written is the first element, with a float32 as it is written.
func (c *constant) written() float64 {
	if c.dtype == graph.Float32 {
		return shortest(float32(c.floats[0]))
	}
	return c.number(0)
}

func (c *constant) rank() int { return len(c.sizes) }

// newConstant is a constant of zeros.
func newConstant(t graph.DType, sizes ...int) *constant {
	c := &constant{dtype: t, sizes: slices.Clone(sizes)}
	if n := graph.NumElements(sizes); t.IsFloat() {
		c.floats = make([]float64, n)
	} else {
		c.ints = make([]int64, n)
	}
	return c
}

func intConstant(xs ...int) *constant {
	c := newConstant(graph.Int64, len(xs))
	for i, x := range xs {
		c.ints[i] = int64(x)
	}
	return c
}

// intScalar is an int64 without axes.
func intScalar(x int) *constant { return &constant{dtype: graph.Int64, ints: []int64{int64(x)}} }

// decodeConstant reads little-endian elements.
func decodeConstant(t graph.DType, sizes []int, raw []byte) (*constant, error) {
	n := graph.NumElements(sizes)
	if len(raw) != n*t.Bytes() {
		return nil, fmt.Errorf("%d bytes for %s, want %d", len(raw), graph.TensorType{DType: t, Sizes: sizes}, n*t.Bytes())
	}
	c := newConstant(t, sizes...)
	for i := range n {
		k, x := model.Element(t, raw[i*t.Bytes():])
		if t.IsFloat() {
			c.floats[i] = x
		} else {
			c.ints[i] = k
		}
	}
	return c, nil
}

// encode is the inverse of decodeConstant.
func (c *constant) encode() []byte {
	var raw []byte
	for _, x := range c.floats {
		raw = model.AppendElement(raw, c.dtype, 0, x)
	}
	for _, n := range c.ints {
		raw = model.AppendElement(raw, c.dtype, n, 0)
	}
	return raw
}

// weight is the constant as a weight of a model.
func (c *constant) weight() *model.Weight {
	w := model.FromBytes(c.dtype, c.sizes, c.encode())
	w.Folded = c.folded
	return w
}

// values is the constant as the interpreter takes it.
func (c *constant) values() interp.Values {
	return interp.Values{DType: c.dtype, Sizes: c.sizes, Ints: c.ints, Floats: c.floats}
}

func ofValues(v interp.Values) *constant {
	return &constant{dtype: v.DType, sizes: v.Sizes, ints: v.Ints, floats: v.Floats}
}

// cast is the constant as another element type.
func (c *constant) cast(t graph.DType) *constant {
	return ofValues(must.Get(c.values().Cast(t, byDefault.mode(c.dtype, t))))
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
