package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// maxConstant is how many elements a constant may have; anything larger is a
// weight that nobody looks into.
const maxConstant = 1 << 20

// elem is an ONNX element type.
type elem = onnxpb.TensorProto_DataType

const (
	elemFloat   = onnxpb.TensorProto_FLOAT
	elemFloat16 = onnxpb.TensorProto_FLOAT16
	elemDouble  = onnxpb.TensorProto_DOUBLE
	elemInt64   = onnxpb.TensorProto_INT64
	elemInt32   = onnxpb.TensorProto_INT32
	elemUint8   = onnxpb.TensorProto_UINT8
	elemInt8    = onnxpb.TensorProto_INT8
	elemBool    = onnxpb.TensorProto_BOOL
)

var dtypes = map[elem]graph.DType{
	elemFloat: graph.Float32, elemFloat16: graph.Float16, elemDouble: graph.Float64,
	elemInt64: graph.Int64, elemInt32: graph.Int32, elemUint8: graph.Uint8, elemInt8: graph.Int8, elemBool: graph.Bool,
}

// dtypeOf is the element type of an ONNX one.
func dtypeOf(e elem) (graph.DType, error) {
	if t, ok := dtypes[e]; ok {
		return t, nil
	}
	return 0, fmt.Errorf("element type %s is not supported", e)
}

func elemOf(t graph.DType) elem {
	for e, d := range dtypes {
		if d == t {
			return e
		}
	}
	return onnxpb.TensorProto_UNDEFINED
}

// constant is a tensor whose elements are known: ints for integers and truth
// values, floats for the others. It may have no elements.
type constant struct {
	dtype  graph.DType
	sizes  []int
	ints   []int64
	floats []float64
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

func floatScalar(x float64) *constant {
	return &constant{dtype: graph.Float32, floats: []float64{round(graph.Float32, x)}}
}

// round is x as the element type holds it.
func round(t graph.DType, x float64) float64 {
	switch t {
	case graph.Float32:
		return float64(float32(x))
	case graph.Float16:
		return halfToFloat(floatToHalf(x))
	}
	return x
}

// wrap is x as the integer type holds it.
func wrap(t graph.DType, x int64) int64 {
	switch t {
	case graph.Int32:
		return int64(int32(x))
	case graph.Uint8:
		return int64(uint8(x))
	case graph.Int8:
		return int64(int8(x))
	case graph.Bool:
		if x != 0 {
			return 1
		}
	}
	return x
}

// decodeConstant reads little-endian elements.
func decodeConstant(t graph.DType, sizes []int, raw []byte) (*constant, error) {
	n := graph.NumElements(sizes)
	if len(raw) != n*t.Bytes() {
		return nil, fmt.Errorf("%d bytes for %s, want %d", len(raw), graph.TensorType{DType: t, Sizes: sizes}, n*t.Bytes())
	}
	c := newConstant(t, sizes...)
	le := binary.LittleEndian
	for i := range n {
		switch t {
		case graph.Float32:
			c.floats[i] = float64(math.Float32frombits(le.Uint32(raw[4*i:])))
		case graph.Float16:
			c.floats[i] = halfToFloat(le.Uint16(raw[2*i:]))
		case graph.Float64:
			c.floats[i] = math.Float64frombits(le.Uint64(raw[8*i:]))
		case graph.Int64:
			c.ints[i] = int64(le.Uint64(raw[8*i:]))
		case graph.Int32:
			c.ints[i] = int64(int32(le.Uint32(raw[4*i:])))
		case graph.Uint8:
			c.ints[i] = int64(raw[i])
		case graph.Int8:
			c.ints[i] = int64(int8(raw[i]))
		case graph.Bool:
			c.ints[i] = wrap(graph.Bool, int64(raw[i]))
		}
	}
	return c, nil
}

// encode is the inverse of decodeConstant.
func (c *constant) encode() []byte {
	le := binary.LittleEndian
	var raw []byte
	for i := range c.len() {
		switch c.dtype {
		case graph.Float32:
			raw = le.AppendUint32(raw, math.Float32bits(float32(c.floats[i])))
		case graph.Float16:
			raw = le.AppendUint16(raw, floatToHalf(c.floats[i]))
		case graph.Float64:
			raw = le.AppendUint64(raw, math.Float64bits(c.floats[i]))
		case graph.Int64:
			raw = le.AppendUint64(raw, uint64(c.ints[i]))
		case graph.Int32:
			raw = le.AppendUint32(raw, uint32(c.ints[i]))
		default:
			raw = append(raw, byte(c.ints[i]))
		}
	}
	return raw
}

// weight is the constant as a weight of a model.
func (c *constant) weight() *model.Weight {
	return model.FromBytes(c.dtype, c.sizes, c.encode())
}

// halfToFloat is the value of IEEE 754 binary16 bits.
func halfToFloat(h uint16) float64 {
	sign, exp, frac := float64(1), int(h>>10&31), int(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(float64(frac), -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(float64(1024+frac), exp-25)
}

// floatToHalf rounds to the nearest binary16, ties to even.
func floatToHalf(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	switch {
	case math.IsNaN(x):
		return sign | 0x7e00
	case x >= 65520: // half a unit above the largest
		return sign | 0x7c00
	case x < math.Ldexp(1, -14):
		return sign | uint16(math.RoundToEven(math.Ldexp(x, 24)))
	}
	frac, exp := math.Frexp(x) // x = frac * 2^exp, frac in [1/2, 1)
	m := math.RoundToEven(math.Ldexp(frac, 11))
	if m == 2048 {
		m, exp = 1024, exp+1
	}
	return sign | uint16(exp+14)<<10 | uint16(int(m)-1024)
}
