package onnx

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// codes are n elements of a type, of all bits that it has, as they are held in memory.
func codes(r *rand.Rand, t graph.DType, n int) (raw []byte) {
	for range n {
		k, x := model.Element(t, []byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())})
		if x != x {
			x = 1 // what is not a number has several codes
		}
		raw = model.AppendElement(raw, t, k, x)
	}
	return raw
}

// TestPacked: elements of less than 8 bits share bytes, the first in the lowest bits.
func TestPacked(t *testing.T) {
	for _, c := range []struct {
		t      graph.DType
		memory []byte
		file   []byte
	}{
		{graph.Int4, []byte{1, 0xfe, 7}, []byte{0xe1, 0x07}},
		{graph.Uint4, []byte{1, 14, 15, 0}, []byte{0xe1, 0x0f}},
		{graph.Float4E2M1, []byte{1, 15, 3}, []byte{0xf1, 0x03}},
		{graph.Uint2, []byte{0, 1, 2, 3, 1}, []byte{0xe4, 0x01}},
		{graph.Int2, []byte{0, 1, 0xfe, 0xff}, []byte{0xe4}},
		{graph.Int16, []byte{1, 2}, []byte{1, 2}},
	} {
		if got := pack(c.t, c.memory); !bytes.Equal(got, c.file) {
			t.Errorf("%s: % x are packed as % x, want % x", c.t, c.memory, got, c.file)
		}
		n := int64(len(c.memory) / c.t.Bytes())
		if got := unpack(c.t, c.file, n); !bytes.Equal(got, c.memory) || packedBytes(c.t, n) != int64(len(c.file)) {
			t.Errorf("%s: % x are % x, want % x", c.t, c.file, got, c.memory)
		}
		if c.t.Bits() < 8 { // what is behind the last element does not matter
			last := slices.Clone(c.file)
			last[len(last)-1] |= 0xff << (int(n) * c.t.Bits() % 8) & 0xff * byte(min(int(n)*c.t.Bits()%8, 1))
			if got := unpack(c.t, last, n); !bytes.Equal(got, c.memory) {
				t.Errorf("%s: % x are % x, want % x", c.t, last, got, c.memory)
			}
		}
	}
}

// typedProto holds elements in the fields for those of their type.
func typedProto(name string, t graph.DType, sizes []int, raw []byte) *onnxpb.TensorProto {
	p := tensorProto(name, graph.TensorType{DType: t, Sizes: sizes})
	if t.Bits() < 8 {
		for _, b := range pack(t, raw) {
			p.Int32Data = append(p.Int32Data, int32(b))
		}
		return p
	}
	for i := 0; i < len(raw); i += t.Bytes() {
		n, x := model.Element(t, raw[i:])
		switch {
		case t == graph.Float32:
			p.FloatData = append(p.FloatData, float32(x))
		case t == graph.Float64:
			p.DoubleData = append(p.DoubleData, x)
		case t == graph.Int64:
			p.Int64Data = append(p.Int64Data, n)
		case t == graph.Uint64 || t == graph.Uint32:
			p.Uint64Data = append(p.Uint64Data, uint64(n))
		case t.IsFloat() && t.Bits() == 16:
			p.Int32Data = append(p.Int32Data, int32(raw[i])|int32(raw[i+1])<<8)
		case t.IsFloat():
			p.Int32Data = append(p.Int32Data, int32(raw[i]))
		default:
			p.Int32Data = append(p.Int32Data, int32(n))
		}
	}
	return p
}

// holding is a model file with a weight that it gives, concatenated with an input.
func holding(p *onnxpb.TensorProto, t graph.DType, n int) *onnxpb.ModelProto {
	m := &onnxpb.ModelProto{IrVersion: proto.Int64(irVersion(25)), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(25)}},
		Graph: &onnxpb.GraphProto{Name: proto.String("m"), Initializer: []*onnxpb.TensorProto{p}}}
	m.Graph.Input = []*onnxpb.ValueInfoProto{valueInfo("x", graph.TensorType{DType: t, Sizes: []int{3}})}
	m.Graph.Node = []*onnxpb.NodeProto{node("Concat", []string{"x", "w"}, []string{"y"}, intAttribute("axis", 0))}
	m.Graph.Output = []*onnxpb.ValueInfoProto{valueInfo("y", graph.TensorType{DType: t, Sizes: []int{3 + n}})}
	return m
}

// TestEveryType: inputs, outputs and weights of every element type are read, however a file
// holds their elements, and come back when they are written, into one file or two.
func TestEveryType(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range graph.DTypes() {
		for _, n := range []int{1, 2, 3, 4, 5, 7, 20_000} {
			raw := codes(r, typ, n)
			packed := tensorProto("w", graph.TensorType{DType: typ, Sizes: []int{n}})
			packed.RawData = pack(typ, raw)
			for way, p := range []*onnxpb.TensorProto{packed, typedProto("w", typ, []int{n}, raw)} {
				name := fmt.Sprintf("%s, %d elements, way %d", typ, n, way)
				m, _, err := Read(put(t, marshal(t, holding(p, typ, n))), ReadOptions{})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, external := range []bool{false, true} {
					_, back := reread(t, m, WriteOptions{External: external})
					sameGraph(t, back.Graph, m.Graph)
					id, _ := back.Graph.Find("w")
					if got, err := back.Weights[id].Read(); err != nil || !bytes.Equal(got, raw) || back.Graph.DType(id.Out(0)) != typ {
						t.Errorf("%s: other elements come back, %v", name, err)
					}
				}
			}
		}
	}
}

// TestWrongLengths: a tensor with too few or too many bytes is told by one line.
func TestWrongLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, typ := range graph.DTypes() {
		const n = 5
		raw := codes(r, typ, n)
		file := pack(typ, raw)
		var bad []*onnxpb.TensorProto
		for _, b := range [][]byte{{}, file[:len(file)-1], append(slices.Clone(file), 0), raw[:len(raw)-1]} {
			p := tensorProto("w", graph.TensorType{DType: typ, Sizes: []int{n}})
			p.RawData = b
			bad = append(bad, p)
		}
		for _, more := range []int{-1, 1} {
			p := typedProto("w", typ, []int{n}, raw)
			for _, field := range []func(){
				func() { p.Int32Data = resizedTo(p.Int32Data, more) }, func() { p.Int64Data = resizedTo(p.Int64Data, more) }, func() { p.Uint64Data = resizedTo(p.Uint64Data, more) },
				func() { p.FloatData = resizedTo(p.FloatData, more) }, func() { p.DoubleData = resizedTo(p.DoubleData, more) },
			} {
				field()
			}
			bad = append(bad, p)
		}
		far := tensorProto("w", graph.TensorType{DType: typ, Sizes: []int{n}})
		far.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
		far.ExternalData = []*onnxpb.StringStringEntryProto{entry("location", "model.onnx"), entry("offset", "0"), entry("length", fmt.Sprint(len(file)+1))}
		bad = append(bad, far)
		for i, p := range bad {
			_, _, err := Read(put(t, marshal(t, holding(p, typ, n))), ReadOptions{})
			if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "want") {
				t.Errorf("%s, case %d: %v", typ, i, err)
			}
		}
	}
}

// resizedTo is a list with one element more or less, if it has any.
func resizedTo[T any](xs []T, by int) []T {
	switch {
	case len(xs) == 0:
		return xs
	case by > 0:
		return append(xs, xs[0])
	}
	return xs[:len(xs)-1]
}

// TestStoredTypes: operators are applied to the types that ONNX applies them to, and to no
// other, neither in the graph nor while reading.
func TestStoredTypes(t *testing.T) {
	for _, typ := range graph.DTypes() {
		for op, n := range map[string]int{"Neg": 1, "Add": 2} {
			m := &onnxpb.ModelProto{IrVersion: proto.Int64(irVersion(25)), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(25)}}, Graph: &onnxpb.GraphProto{Name: proto.String("m")}}
			in := []string{"x", "y"}[:n]
			constants := map[string]*model.Weight{}
			for _, name := range in {
				m.Graph.Input = append(m.Graph.Input, valueInfo(name, graph.TensorType{DType: typ, Sizes: []int{2}}))
				constants[name] = newConstant(typ, 2).weight()
			}
			m.Graph.Node = []*onnxpb.NodeProto{node(op, in, []string{"z"})}
			m.Graph.Output = []*onnxpb.ValueInfoProto{valueInfo("z", graph.TensorType{DType: typ, Sizes: []int{2}})}
			path := put(t, marshal(t, m))
			for _, fixed := range []map[string]*model.Weight{nil, constants} {
				_, report, err := Read(path, ReadOptions{Constants: fixed})
				stored := !lookup("", op).at(25).types["T"].has(&value{dtype: typ})
				if err != nil || stored != (len(report.Opaque) > 0) {
					t.Errorf("%s of %s: %v, %v", op, typ, err, report)
				}
			}
		}
	}
}
