package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// file builds an ONNX file, as an exporter would.
type file struct {
	g *onnxpb.GraphProto
}

func newFile() *file { return &file{&onnxpb.GraphProto{Name: proto.String("g")}} }

const (
	floatType = int32(onnxpb.TensorProto_FLOAT)
	int64Type = int32(onnxpb.TensorProto_INT64)
)

// info is the entry of an input or output; a size of 0 is left open.
func info(name string, typ int32, sizes []int64) *onnxpb.ValueInfoProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, n := range sizes {
		d := &onnxpb.TensorShapeProto_Dimension{}
		if n != 0 {
			d.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}
		}
		shape.Dim = append(shape.Dim, d)
	}
	return &onnxpb.ValueInfoProto{Name: proto.String(name), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{
		TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(typ), Shape: shape}}}}
}

func (f *file) input(name string, typ int32, sizes ...int64) {
	f.g.Input = append(f.g.Input, info(name, typ, sizes))
}

func (f *file) output(name string, sizes ...int64) {
	f.g.Output = append(f.g.Output, info(name, floatType, sizes))
}

func floats(name string, data []float32, sizes ...int64) *onnxpb.TensorProto {
	t := &onnxpb.TensorProto{Name: proto.String(name), DataType: proto.Int32(floatType), Dims: sizes}
	for _, x := range data {
		t.RawData = binary.LittleEndian.AppendUint32(t.RawData, math.Float32bits(x))
	}
	return t
}

func integers(name string, data ...int64) *onnxpb.TensorProto {
	t := &onnxpb.TensorProto{Name: proto.String(name), DataType: proto.Int32(int64Type), Dims: []int64{int64(len(data))}}
	for _, x := range data {
		t.RawData = binary.LittleEndian.AppendUint64(t.RawData, uint64(x))
	}
	return t
}

func (f *file) weight(name string, data []float32, sizes ...int64) {
	f.g.Initializer = append(f.g.Initializer, floats(name, data, sizes...))
}

func (f *file) integers(name string, data ...int64) {
	f.g.Initializer = append(f.g.Initializer, integers(name, data...))
}

func (f *file) node(op, out string, in ...string) *onnxpb.NodeProto {
	n := &onnxpb.NodeProto{OpType: proto.String(op), Name: proto.String("n_" + out), Input: in, Output: []string{out}}
	f.g.Node = append(f.g.Node, n)
	return n
}

func setInts(n *onnxpb.NodeProto, name string, xs ...int64) *onnxpb.NodeProto {
	n.Attribute = append(n.Attribute, &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INTS.Enum(), Ints: xs})
	return n
}

func setInt(n *onnxpb.NodeProto, name string, x int64) *onnxpb.NodeProto {
	n.Attribute = append(n.Attribute, &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(x)})
	return n
}

func setTensor(n *onnxpb.NodeProto, name string, t *onnxpb.TensorProto) *onnxpb.NodeProto {
	n.Attribute = append(n.Attribute, &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: t})
	return n
}

// find is the initializer of a name.
func (f *file) find(name string) *onnxpb.TensorProto {
	for _, t := range f.g.Initializer {
		if t.GetName() == name {
			return t
		}
	}
	return nil
}

// set changes an element of an initializer.
func (f *file) set(name string, at int, change func(float32) float32) {
	raw := f.find(name).RawData[4*at:]
	binary.LittleEndian.PutUint32(raw, math.Float32bits(change(math.Float32frombits(binary.LittleEndian.Uint32(raw)))))
}

func (f *file) write(t *testing.T, name string) string {
	t.Helper()
	m := &onnxpb.ModelProto{IrVersion: proto.Int64(8), Graph: f.g,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}}}
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".onnx")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// numbers are multiples of 2^-10 below 1, which no sum of few products rounds.
func numbers(seed uint64, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		out[i] = float32(int64(seed>>53)-1024) / 1024
	}
	return out
}
