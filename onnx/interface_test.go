package onnx

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

func readFixture(t *testing.T, name string, opt ReadOptions) (*interp.Tensor[float64], []int, *Report) {
	t.Helper()
	m, r, err := Read(filepath.Join("testdata", "interface", name), opt)
	if err != nil {
		t.Fatal(err)
	}
	sizes := m.Graph.Sizes(m.Graph.Outputs()[0])
	var args []interp.Tensor[float64]
	for _, id := range m.Graph.Inputs() {
		args = append(args, interp.Tensor[float64]{Sizes: m.Graph.Sizes(id.Out(0)), Data: make([]float64, elementsOf(m.Graph.Sizes(id.Out(0))))})
	}
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, m.Graph, args)
	if err != nil {
		return nil, sizes, r
	}
	return &out[0], sizes, r
}

func elementsOf(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// TestAnonymousDimensions: "?" is no name, so axes that have it are different dimensions.
func TestAnonymousDimensions(t *testing.T) {
	out, sizes, _ := readFixture(t, "anonymous_dims.onnx", ReadOptions{Shapes: map[string][]int{"x": {1, 3, 4, 5}}})
	if out == nil || !slices.Equal(sizes, []int{1, 3, 4, 5}) {
		t.Errorf("got %v of sizes %v", out, sizes)
	}
	for name, want := range map[string]string{"?": "", "*": "", "-1": "", "None": "", "": "", "N": "N", "unk__3": "unk__3", "größe": "größe"} {
		if got := dimName(&onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: name}}); got != want {
			t.Errorf("%q is the name %q, want %q", name, got, want)
		}
	}
}

// TestSizeZero: 0 in a file is the size 0.
func TestSizeZero(t *testing.T) {
	out, sizes, r := readFixture(t, "concat_empty.onnx", ReadOptions{})
	if out == nil || !slices.Equal(sizes, []int{0, 8}) || len(out.Data) != 0 || len(r.Open) != 0 {
		t.Errorf("got %v of sizes %v, open %v", out, sizes, r.Open)
	}
}

// TestDeclaredOutputs: a declared output that is computed otherwise gives a warning.
func TestDeclaredOutputs(t *testing.T) {
	_, _, r := readFixture(t, "declared_output.onnx", ReadOptions{})
	want := []string{`output "y" is declared as float32[1, 3, 440, 440], but computed as float32[1, 3, 256, 256]`}
	if !slices.Equal(r.Warnings, want) {
		t.Errorf("got %q, want %q", r.Warnings, want)
	}
	for _, c := range []struct {
		change func(p *onnxpb.TypeProto_Tensor)
		want   string
	}{
		{func(*onnxpb.TypeProto_Tensor) {}, ""},
		{func(p *onnxpb.TypeProto_Tensor) { p.Shape = nil }, ""},
		{func(p *onnxpb.TypeProto_Tensor) { p.Shape.Dim = p.Shape.Dim[:1] }, `output "z" is declared as float32[2], but computed as float32[2, 3]`},
		{func(p *onnxpb.TypeProto_Tensor) { p.ElemType = proto.Int32(int32(elemInt64)) }, `output "z" is declared as int64[2, 3], but computed as float32[2, 3]`},
		{func(p *onnxpb.TypeProto_Tensor) {
			p.Shape.Dim[1].Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "n"}
		}, ""},
		{func(p *onnxpb.TypeProto_Tensor) {
			p.Shape.Dim[1].Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: 0}
		}, `output "z" is declared as float32[2, 0], but computed as float32[2, 3]`},
	} {
		m := small()
		c.change(m.Graph.Output[0].Type.GetTensorType())
		_, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil || strings.Join(r.Warnings, "\n") != c.want {
			t.Errorf("got %v, %q, want %q", err, r.Warnings, c.want)
		}
	}
}

// TestInputsWithDefaults: an initializer that is listed as an input is a constant up to
// version 3 of the format. Since then it is an input, or, if that is wanted, a constant by an
// assumption, which the report names.
func TestInputsWithDefaults(t *testing.T) {
	for _, c := range []struct {
		ir               int64
		defaults, inputs bool
	}{{3, false, false}, {3, true, false}, {4, false, true}, {8, false, true}, {8, true, false}} {
		m := small()
		m.IrVersion = proto.Int64(c.ir)
		m.Graph.Initializer = []*onnxpb.TensorProto{floatsWeight("y", []int{2, 3}, 1, 2, 3, 4, 5, 6)}
		got, r, err := Read(put(t, marshal(t, m)), ReadOptions{Defaults: c.defaults})
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, id := range got.Inputs() {
			names = append(names, got.Graph.Name(id))
		}
		if slices.Contains(names, "y") != c.inputs || (got.Standard["y"] != nil) != c.inputs {
			t.Errorf("version %d: inputs %q, defaults %v", c.ir, names, got.Standard)
		}
		var assumed []string
		if c.ir > 3 && !c.inputs {
			assumed = []string{"y"}
		}
		if !slices.Equal(got.Defaults, assumed) || !slices.Equal(r.Defaults, assumed) || (len(r.Warnings) > 0) != (assumed != nil) {
			t.Errorf("version %d: the model has %q, the report %q, warnings %q", c.ir, got.Defaults, r.Defaults, r.Warnings)
		}
		if !c.inputs {
			continue
		}
		// What is written has the default.
		path := filepath.Join(t.TempDir(), "again.onnx")
		if err := Write(path, got, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		back, _, err := Read(path, ReadOptions{})
		if err != nil || back.Standard["y"] == nil {
			t.Fatalf("read again: %v, %v", err, back)
		}
		x, err := back.Standard["y"].Float32s()
		if err != nil || !slices.Equal(x, []float32{1, 2, 3, 4, 5, 6}) {
			t.Errorf("the default read again: %v, %v", x, err)
		}
	}
}

// TestDefaultThatDecides: where a graph's form depends on an input with a default, the reason
// names the way to a constant.
func TestDefaultThatDecides(t *testing.T) {
	m := small()
	m.IrVersion = proto.Int64(8)
	m.Graph.Input = []*onnxpb.ValueInfoProto{float32Info("x", 2, 3), valueInfo("shape", graph.TensorType{DType: graph.Int64, Sizes: []int{2}})}
	m.Graph.Initializer = []*onnxpb.TensorProto{intsWeight("shape", []int{2}, 3, 2)}
	m.Graph.Node = []*onnxpb.NodeProto{node("Reshape", []string{"x", "shape"}, []string{"z"})}
	m.Graph.Output = []*onnxpb.ValueInfoProto{float32Info("z", 3, 2)}
	path := put(t, marshal(t, m))
	_, r, err := Read(path, ReadOptions{})
	const want = `input "shape" has a default in the file, which --defaults takes for a constant`
	if err != nil || len(r.Opaque) != 1 || !strings.Contains(r.Opaque[0].Reason, want) {
		t.Errorf("%v, %+v", err, r)
	}
	if _, r, err := Read(path, ReadOptions{Defaults: true}); err != nil || len(r.Opaque) != 0 {
		t.Errorf("with the default: %v, %+v", err, r)
	}
}

// TestAttentionWindow: a window of Attention is not ignored.
func TestAttentionWindow(t *testing.T) {
	_, r, err := Read(filepath.Join("testdata", "interface", "attention_window.onnx"), ReadOptions{})
	if err != nil || len(r.Opaque) != 1 || r.Opaque[0].Reason != "attribute left_window_size is 2, which is not supported" {
		t.Errorf("got %v, %+v", err, r)
	}
}
