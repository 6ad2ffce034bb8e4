package onnx

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// onePiece is a part of a file repeated many times, between a head and a tail,
// that is not held in memory.
type onePiece struct {
	head, piece, tail []byte
	n                 int64
}

func (p *onePiece) size() int64 {
	return int64(len(p.head)) + p.n*int64(len(p.piece)) + int64(len(p.tail))
}

func (p *onePiece) ReadAt(b []byte, off int64) (int, error) {
	for i := range b {
		at := off + int64(i)
		body := int64(len(p.head)) + p.n*int64(len(p.piece))
		switch {
		case at < int64(len(p.head)):
			b[i] = p.head[at]
		case at < body:
			b[i] = p.piece[(at-int64(len(p.head)))%int64(len(p.piece))]
		case at < p.size():
			b[i] = p.tail[at-body]
		default:
			return i, io.EOF
		}
	}
	return len(b), nil
}

// within wraps a body of some length into the fields around it, innermost
// first.
func within(n int64, fields ...protowire.Number) []byte {
	var head []byte
	for _, f := range fields {
		h := protowire.AppendVarint(protowire.AppendTag(nil, f, protowire.BytesType), uint64(n)+uint64(len(head)))
		head = append(h, head...)
	}
	return head
}

// TestManySmall: a file of very many small things is refused before they fill
// the memory: each costs what it takes in memory, not its bytes in the file.
func TestManySmall(t *testing.T) {
	const n = 1 << 26 // pieces: a file of 128 MiB or more
	bytesOf := func(f protowire.Number, b ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, f, protowire.BytesType), b)
	}
	number := func(f protowire.Number) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, f, protowire.VarintType), 1)
	}
	for _, c := range []struct {
		name   string
		piece  []byte
		around []protowire.Number // fields, innermost first
	}{
		{"nodes", bytesOf(1), []protowire.Number{7}},
		{"tensors", bytesOf(5), []protowire.Number{7}},
		{"inputs", bytesOf(11), []protowire.Number{7}},
		{"functions", bytesOf(25), nil},
		{"operator sets", bytesOf(8), nil},
		{"names of inputs", bytesOf(1), []protowire.Number{1, 7}},
		{"attributes", bytesOf(5), []protowire.Number{1, 7}},
		{"integers of an attribute", number(8), []protowire.Number{5, 1, 7}},
		{"dims of a tensor", number(1), []protowire.Number{5, 7}},
		{"packed dims", []byte{1}, []protowire.Number{1, 5, 7}},
		{"packed integers", []byte{1}, []protowire.Number{7, 5, 7}},
		{"strings of a tensor", bytesOf(6), []protowire.Number{5, 7}},
		{"axes of a type", bytesOf(1), []protowire.Number{2, 1, 2, 11, 7}},
		{"properties", bytesOf(14), nil},
		{"unknown fields", number(1000), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &onePiece{piece: c.piece, n: n}
			p.head = within(n*int64(len(c.piece)), c.around...)
			var before, after goruntime.MemStats
			goruntime.GC()
			goruntime.ReadMemStats(&before)
			_, _, err := decode(p, source{size: p.size()}, ReadOptions{MaxBytes: 8 << 20})
			goruntime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), "larger than 8388608 bytes") {
				t.Errorf("got %v", err)
			}
			if a := after.TotalAlloc - before.TotalAlloc; a > 64<<20 {
				t.Errorf("%d MiB were allocated", a>>20)
			}
		})
	}
}

// TestAccounting: what is read takes about as much memory as it is charged for,
// for models and for the worst files.
func TestAccounting(t *testing.T) {
	m := small()
	for i := range 20000 {
		m.Graph.Node = append(m.Graph.Node, node("Relu", []string{fmt.Sprint("v", i)}, []string{fmt.Sprint("v", i+1)}, intAttribute("a", 1)))
		m.Graph.ValueInfo = append(m.Graph.ValueInfo, float32Info(fmt.Sprint("v", i), 1, 2, 3, 4))
	}
	empty := &onnxpb.GraphProto{}
	for range 20000 {
		empty.Node = append(empty.Node, &onnxpb.NodeProto{})
		empty.Input = append(empty.Input, &onnxpb.ValueInfoProto{})
		empty.Initializer = append(empty.Initializer, &onnxpb.TensorProto{})
	}
	ints := small()
	ints.Graph.Initializer = []*onnxpb.TensorProto{{Int64Data: make([]int64, 1<<20), Int32Data: make([]int32, 1<<20)}}
	for name, m := range map[string]*onnxpb.ModelProto{"nodes": m, "empty": {Graph: empty}, "integers": ints} {
		raw := marshal(t, m)
		s := &slim{r: bytes.NewReader(raw), size: int64(len(raw)), left: 1 << 40, limit: 1 << 40}
		var b []byte
		err := must.Try(func() { b = s.message(modelType, int64(len(raw)), 0) })
		if err != nil {
			t.Fatal(err)
		}
		charged := s.limit - s.left
		var before, after goruntime.MemStats
		goruntime.GC()
		goruntime.ReadMemStats(&before)
		p := &onnxpb.ModelProto{}
		if err := proto.Unmarshal(b, p); err != nil {
			t.Fatal(err)
		}
		goruntime.GC()
		goruntime.ReadMemStats(&after)
		used := int64(after.HeapAlloc-before.HeapAlloc) + int64(len(b))
		goruntime.KeepAlive(p)
		t.Logf("%s: file %d, charged %d, used %d", name, len(raw), charged, used)
		if used > 2*charged || charged > 8*used {
			t.Errorf("%s: %d bytes were charged for %d", name, charged, used)
		}
	}
}

// TestNoLargeConstants: sizes that a file only claims allocate nothing, and
// never crash.
func TestNoLargeConstants(t *testing.T) {
	const large = math.MaxInt32
	for _, c := range []struct {
		name string
		in   []*onnxpb.ValueInfoProto
		w    []*onnxpb.TensorProto
		node *onnxpb.NodeProto
	}{
		{"slice with a step", []*onnxpb.ValueInfoProto{float32Info("x", large)},
			[]*onnxpb.TensorProto{intsWeight("lo", []int{1}, 0), intsWeight("hi", []int{1}, large), intsWeight("a", []int{1}, 0), intsWeight("s", []int{1}, 2)},
			node("Slice", []string{"x", "lo", "hi", "a", "s"}, []string{"z"})},
		{"slice backwards", []*onnxpb.ValueInfoProto{float32Info("x", large)},
			[]*onnxpb.TensorProto{intsWeight("lo", []int{1}, -1), intsWeight("hi", []int{1}, math.MinInt64), intsWeight("a", []int{1}, 0), intsWeight("s", []int{1}, -1)},
			node("Slice", []string{"x", "lo", "hi", "a", "s"}, []string{"z"})},
		{"normalization without a bias", []*onnxpb.ValueInfoProto{float32Info("x", 1<<20, 1<<20), float32Info("s", 1<<20, 1<<20)}, nil,
			node("LayerNormalization", []string{"x", "s"}, []string{"z"}, intAttribute("axis", 0))},
		{"dilated kernel", []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, large, 400)}, []*onnxpb.TensorProto{floatsWeight("w", []int{1, 1, 3, 3}, make([]float32, 9)...)},
			node("Conv", []string{"x", "w"}, []string{"z"}, intsAttribute("dilations", large/4, 100))},
		{"dilated kernel of 2^60 cells", []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, 2, 2)}, []*onnxpb.TensorProto{floatsWeight("w", []int{1, 1, 3, 3}, make([]float32, 9)...)},
			node("Conv", []string{"x", "w"}, []string{"z"}, intsAttribute("dilations", large, large), intsAttribute("pads", large, large, large, large))},
		{"transposed, dilated", []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, 2, 2)}, []*onnxpb.TensorProto{floatsWeight("w", []int{1, 1, 3, 3}, make([]float32, 9)...)},
			node("ConvTranspose", []string{"x", "w"}, []string{"z"}, intsAttribute("dilations", large, large))},
		{"dilated maximum", []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, large, 2)}, nil,
			node("MaxPool", []string{"x"}, []string{"z"}, intsAttribute("kernel_shape", 2, 2), intsAttribute("dilations", 2, 1), intsAttribute("strides", 2, 1))},
		{"dilated average", []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, large, 2)}, nil,
			node("AveragePool", []string{"x"}, []string{"z"}, intsAttribute("kernel_shape", 2, 2), intsAttribute("dilations", 2, 1))},
		{"average over all", []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, large, 2)}, nil,
			node("AveragePool", []string{"x"}, []string{"z"}, intsAttribute("kernel_shape", large/2, 1), intsAttribute("dilations", 2, 1))},
		{"reflection", []*onnxpb.ValueInfoProto{float32Info("x", large)}, []*onnxpb.TensorProto{intsWeight("p", []int{2}, 1, 1)},
			node("Pad", []string{"x", "p"}, []string{"z"}, textAttribute("mode", "reflect"))},
		{"cubic", []*onnxpb.ValueInfoProto{float32Info("x", large)}, []*onnxpb.TensorProto{floatsWeight("s", []int{1}, 0.9)},
			node("Resize", []string{"x", "", "s"}, []string{"z"}, textAttribute("mode", "cubic"))},
		{"range", nil, []*onnxpb.TensorProto{intsWeight("a", nil, 0), intsWeight("b", nil, math.MaxInt64), intsWeight("c", nil, 1)},
			node("Range", []string{"a", "b", "c"}, []string{"z"})},
		{"tile", []*onnxpb.ValueInfoProto{float32Info("x", 1)}, []*onnxpb.TensorProto{intsWeight("r", []int{1}, large)},
			node("Tile", []string{"x", "r"}, []string{"z"})},
		{"constant of a shape", nil, []*onnxpb.TensorProto{intsWeight("s", []int{2}, 1<<20, 1<<20)}, node("ConstantOfShape", []string{"s"}, []string{"z"})},
		{"splits", []*onnxpb.ValueInfoProto{float32Info("x", large)}, nil, node("Split", []string{"x"}, []string{"z"})},
		{"batches of averages", []*onnxpb.ValueInfoProto{float32Info("x", 1<<20, 1<<19, 2, 2)}, nil,
			node("AveragePool", []string{"x"}, []string{"z"}, intsAttribute("kernel_shape", 2, 2), intsAttribute("dilations", 1, 1), intsAttribute("pads", 1, 1, 1, 1))},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := small()
			m.OpsetImport[0].Version = proto.Int64(19)
			m.Graph.Input, m.Graph.Initializer, m.Graph.Node = c.in, c.w, []*onnxpb.NodeProto{c.node}
			m.Graph.Output = []*onnxpb.ValueInfoProto{{Name: proto.String("z")}}
			raw := marshal(t, m)
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			got, _, err := decode(bytes.NewReader(raw), inMemory(raw), ReadOptions{})
			goruntime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
				t.Errorf("%d MiB were allocated", n>>20)
			}
			if err != nil {
				t.Log(err)
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("got %v", err)
				}
				return
			}
			t.Logf("read:\n%s", got.Graph)
			if graph.Product(got.Graph.Sizes(got.Graph.Outputs()[0])...) > graph.MaxElements {
				t.Error("too many elements")
			}
		})
	}
}

// TestManyKept: opaque nodes that name the same numbers in a file, or call the
// same function, have a copy each, and all copies together are bounded.
func TestManyKept(t *testing.T) {
	const numbers, nodes = 8192, 100
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data"), make([]byte, 4*numbers), 0o666); err != nil {
		t.Fatal(err)
	}
	kept := func(change func(n *onnxpb.NodeProto)) []byte {
		m := small()
		m.Graph.Node = nil
		at := "x"
		for i := range nodes {
			to := fmt.Sprint("v", i)
			n := of("other", node("Foo", []string{at}, []string{to}))
			change(n)
			m.Graph.Node, m.Graph.ValueInfo = append(m.Graph.Node, n), append(m.Graph.ValueInfo, float32Info(to, 2, 3))
			at = to
		}
		m.Graph.Output[0] = float32Info(at, 2, 3)
		doc := strings.Repeat("d", 1<<20)
		f := callers("A", "Relu")
		f.DocString = &doc
		m.Functions = []*onnxpb.FunctionProto{f}
		return marshal(t, m)
	}
	for name, c := range map[string]struct {
		change func(n *onnxpb.NodeProto)
		want   string
	}{
		"numbers": {func(n *onnxpb.NodeProto) {
			w := &onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{numbers}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
				ExternalData: []*onnxpb.StringStringEntryProto{entry("location", "data")}}
			n.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("w"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: w}}
		}, "nodes that are kept hold more than"},
		"functions": {func(n *onnxpb.NodeProto) {
			n.Attribute = []*onnxpb.AttributeProto{graphAttribute("g", branch(of("f", node("A", []string{"x"}, []string{"t"}))))}
		}, "functions copy more than"},
	} {
		path := filepath.Join(dir, name+".onnx")
		if err := os.WriteFile(path, kept(c.change), 0o666); err != nil {
			t.Fatal(err)
		}
		// The structure, with the one function, takes less.
		_, _, err := Read(path, ReadOptions{MaxBytes: 2 << 20})
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "node ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
