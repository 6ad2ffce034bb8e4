package onnx

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
// version 3 of the format; since then that is an assumption, which the report names.
func TestInputsWithDefaults(t *testing.T) {
	for ir, warns := range map[int64]bool{3: false, 4: true, 8: true} {
		m := small()
		m.IrVersion = proto.Int64(ir)
		m.Graph.Initializer = []*onnxpb.TensorProto{floatsWeight("y", []int{2, 3}, 1, 2, 3, 4, 5, 6)}
		got, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Defaults, r.Defaults) {
			t.Errorf("version %d: the model has %q, the report %q", ir, got.Defaults, r.Defaults)
		}
		want := `inputs with a default in the file are taken to be constant: "y"`
		if warns != slices.Equal(r.Warnings, []string{want}) || warns != slices.Equal(r.Defaults, []string{"y"}) {
			t.Errorf("version %d: warnings %q, defaults %q", ir, r.Warnings, r.Defaults)
		}
	}
}

// TestAttentionWindow: a window of Attention is not ignored.
func TestAttentionWindow(t *testing.T) {
	_, r, err := Read(filepath.Join("testdata", "interface", "attention_window.onnx"), ReadOptions{})
	if err != nil || len(r.Opaque) != 1 || r.Opaque[0].Reason != "its attribute left_window_size is 2, which is not read" {
		t.Errorf("got %v, %+v", err, r)
	}
}
