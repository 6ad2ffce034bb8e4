package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// elem is an ONNX element type.
type elem = onnxpb.TensorProto_DataType

const (
	elemFloat = onnxpb.TensorProto_FLOAT
	elemUint8 = onnxpb.TensorProto_UINT8
	elemInt64 = onnxpb.TensorProto_INT64
	elemBool  = onnxpb.TensorProto_BOOL
)

// elements are the element types, with the first operator set whose operators take them.
var elements = []struct {
	elem  elem
	dtype graph.DType
	since int64
}{
	{elemFloat, graph.Float32, 1}, {onnxpb.TensorProto_FLOAT16, graph.Float16, 1}, {onnxpb.TensorProto_DOUBLE, graph.Float64, 1},
	{elemInt64, graph.Int64, 1}, {onnxpb.TensorProto_INT32, graph.Int32, 1}, {onnxpb.TensorProto_INT16, graph.Int16, 1}, {onnxpb.TensorProto_INT8, graph.Int8, 1},
	{onnxpb.TensorProto_UINT64, graph.Uint64, 1}, {onnxpb.TensorProto_UINT32, graph.Uint32, 1}, {onnxpb.TensorProto_UINT16, graph.Uint16, 1}, {elemUint8, graph.Uint8, 1},
	{elemBool, graph.Bool, 1}, {onnxpb.TensorProto_BFLOAT16, graph.BFloat16, 13},
	{onnxpb.TensorProto_FLOAT8E4M3FN, graph.Float8E4M3FN, 19}, {onnxpb.TensorProto_FLOAT8E4M3FNUZ, graph.Float8E4M3FNUZ, 19},
	{onnxpb.TensorProto_FLOAT8E5M2, graph.Float8E5M2, 19}, {onnxpb.TensorProto_FLOAT8E5M2FNUZ, graph.Float8E5M2FNUZ, 19},
	{onnxpb.TensorProto_INT4, graph.Int4, 21}, {onnxpb.TensorProto_UINT4, graph.Uint4, 21}, {onnxpb.TensorProto_FLOAT4E2M1, graph.Float4E2M1, 23},
	{onnxpb.TensorProto_FLOAT8E8M0, graph.Float8E8M0, 24}, {onnxpb.TensorProto_INT2, graph.Int2, 25}, {onnxpb.TensorProto_UINT2, graph.Uint2, 25},
}

// dtypeOf is the element type of an ONNX one.
func dtypeOf(e elem) (graph.DType, error) {
	for _, x := range elements {
		if x.elem == e {
			return x.dtype, nil
		}
	}
	return 0, fmt.Errorf("element type %s is not supported", e)
}

func elemOf(t graph.DType) elem {
	for _, x := range elements {
		if x.dtype == t {
			return x.elem
		}
	}
	return onnxpb.TensorProto_UNDEFINED
}

// typedSince is the first operator set whose operators take elements of a type.
func typedSince(t graph.DType) int64 {
	for _, x := range elements {
		if x.dtype == t {
			return x.since
		}
	}
	return newestOpset
}

// packedBytes is the size of n elements in a file: elements of less than 8 bits share
// bytes.
func packedBytes(t graph.DType, n int64) int64 {
	if t.Bits() >= 8 {
		return graph.Product(int(n), t.Bytes())
	}
	per := int64(8 / t.Bits())
	return (n + per - 1) / per
}

// unpack are n elements of a file, which fills packedBytes of it, a byte for each that has less
// than 8 bits. The first element is in the lowest bits; bits behind the last are not looked at.
func unpack(t graph.DType, raw []byte, n int64) []byte {
	bits := t.Bits()
	if bits >= 8 {
		return raw
	}
	out := make([]byte, n)
	for i := range out {
		b := raw[i*bits/8] >> (i * bits % 8) & (1<<bits - 1)
		if t.IsSigned() {
			b = byte(int8(b<<(8-bits)) >> (8 - bits))
		}
		out[i] = b
	}
	return out
}

// pack is the inverse of unpack; the bits behind the last element are 0.
func pack(t graph.DType, raw []byte) []byte {
	bits := t.Bits()
	if bits >= 8 {
		return raw
	}
	out := make([]byte, packedBytes(t, int64(len(raw))))
	for i, b := range raw {
		out[i*bits/8] |= b & (1<<bits - 1) << (i * bits % 8)
	}
	return out
}

// typedData are the entries of the field that holds elements of a type, and the bytes they
// stand for: elements as raw data has them, packed ones too.
func typedData(p *onnxpb.TensorProto, t graph.DType) (n int64, raw func() []byte) {
	le := binary.LittleEndian
	switch t {
	case graph.Float32:
		return encoded(p.GetFloatData(), func(b []byte, x float32) []byte { return le.AppendUint32(b, math.Float32bits(x)) })
	case graph.Float64:
		return encoded(p.GetDoubleData(), func(b []byte, x float64) []byte { return le.AppendUint64(b, math.Float64bits(x)) })
	case graph.Int64:
		return encoded(p.GetInt64Data(), func(b []byte, x int64) []byte { return le.AppendUint64(b, uint64(x)) })
	case graph.Uint64:
		return encoded(p.GetUint64Data(), le.AppendUint64)
	case graph.Uint32:
		return encoded(p.GetUint64Data(), func(b []byte, x uint64) []byte { return le.AppendUint32(b, uint32(x)) })
	}
	return encoded(p.GetInt32Data(), func(b []byte, x int32) []byte {
		// The low bytes: also of numbers of 16 and 8 bits, and of bytes that hold several elements.
		return le.AppendUint32(b, uint32(x))[:len(b)+t.Bytes()]
	})
}

// encoded are elements in little-endian bytes, made when they are asked for.
func encoded[T any](xs []T, add func(b []byte, x T) []byte) (n int64, raw func() []byte) {
	return int64(len(xs)), func() (b []byte) {
		for _, x := range xs {
			b = add(b, x)
		}
		return b
	}
}
