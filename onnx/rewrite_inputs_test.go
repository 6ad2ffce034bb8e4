package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// writeProto writes a model file.
func writeProto(t *testing.T, path string, p *onnxpb.ModelProto) {
	t.Helper()
	raw, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readProto(t *testing.T, path string) *onnxpb.ModelProto {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(raw, p); err != nil {
		t.Fatal(err)
	}
	return p
}

// withoutNeg is a graph without its neg operators.
func withoutNeg(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	var b graph.Builder
	to := map[graph.Tensor]graph.Tensor{}
	for id := range m.Graph.Nodes() {
		if op := m.Graph.Op(id); op != nil && op.Name == "neg" {
			to[id.Out(0)] = to[m.Graph.Operands(id)[0]]
			continue
		}
		var in []graph.Tensor
		for _, x := range m.Graph.Operands(id) {
			in = append(in, to[x])
		}
		n, err := b.Copy(m.Graph, id, in)
		if err != nil {
			t.Fatal(err)
		}
		for k := range m.Graph.NumOut(id) {
			to[id.Out(k)] = n.Out(k)
		}
	}
	g, err := b.Finish(to[m.Graph.Outputs()[0]])
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.WithGraph(g)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inputNames are the inputs and the initializers of a file.
func inputNames(p *onnxpb.ModelProto) (inputs, stored []string) {
	for _, t := range p.GetGraph().GetInitializer() {
		stored = append(stored, t.GetName())
	}
	return namesOf(p.GetGraph().GetInput()), stored
}

// What was taken to be a constant is no input of a changed file; otherwise an input that has
// a default keeps it.
func TestRewriteDefaults(t *testing.T) {
	two := (&constant{dtype: graph.Float32, sizes: []int{2}, floats: []float64{5, 6}}).weight()
	for _, c := range []struct {
		name           string
		opt            ReadOptions
		inputs, stored []string
		value          []float64
	}{
		{"an input with a default", ReadOptions{}, []string{"x", "w"}, []string{"w"}, []float64{1, 2}},
		{"taken as it is", ReadOptions{Defaults: true}, []string{"x"}, []string{"w"}, []float64{1, 2}},
		{"given a value", ReadOptions{Constants: map[string]*model.Weight{"w": two}}, []string{"x"}, []string{"w"}, []float64{5, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			from, to := filepath.Join(dir, "from.onnx"), filepath.Join(dir, "to.onnx")
			writeProto(t, from, nodeFile(t, 17, "x w", "y", []int{2}, map[string][]float32{"w": {1, 2}}, "Neg x -> a", "Neg a -> b", "Mul b w -> y"))
			m, rep, err := Read(from, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Rewrite(to, rep.Source, withoutNeg(t, m), RewriteOptions{}); err != nil {
				t.Fatal(err)
			}
			p := readProto(t, to)
			inputs, stored := inputNames(p)
			if !slices.Equal(inputs, c.inputs) || !slices.Equal(stored, c.stored) {
				t.Errorf("inputs %v, initializers %v: want %v, %v", inputs, stored, c.inputs, c.stored)
			}
			w, err := readWeight(p.GetGraph().GetInitializer()[0], source{})
			if err != nil {
				t.Fatal(err)
			}
			if k, err := weightValue("w", w).constant(); err != nil || !slices.Equal(k.floats, c.value) {
				t.Errorf("w is %v, %v; want %v", k, err, c.value)
			}
		})
	}
}

// Fix fixes open sizes although nothing else changes; without it the file stays.
func TestRewriteFix(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.onnx"), filepath.Join(dir, "to.onnx")
	p := nodeFile(t, 17, "x", "y", []int{2, 3}, nil, "Neg x -> y")
	p.Graph.Input[0].Type.GetTensorType().Shape.Dim[0].Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "batch"}
	writeProto(t, from, p)
	m, rep, err := Read(from, ReadOptions{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, fix := range []bool{false, true} {
		c, err := Rewrite(to, rep.Source, m, RewriteOptions{Fix: fix})
		if err != nil {
			t.Fatal(err)
		}
		d := readProto(t, to).GetGraph().GetInput()[0].GetType().GetTensorType().GetShape().GetDim()[0]
		if (d.GetDimValue() == 4) != fix || (d.GetDimParam() == "batch") == fix || (len(c.Fixed) == 1) != fix {
			t.Errorf("fix %v: the batch is %v; %+v", fix, d, c)
		}
	}
}

// Numbers in another file go with a result in another folder, as a copy, and are left alone
// in the same one.
func TestRewriteExternal(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from.onnx")
	p := nodeFile(t, 17, "x", "y", []int{2}, nil, "Neg x -> a", "Neg a -> b", "Mul b w -> y")
	w := tensorProto("w", graph.TensorType{DType: graph.Float32, Sizes: []int{2}})
	w.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
	w.ExternalData = []*onnxpb.StringStringEntryProto{entry("location", "numbers.bin"), entry("offset", "8"), entry("length", "8")}
	p.Graph.Initializer = append(p.Graph.Initializer, w)
	writeProto(t, from, p)
	numbers := []byte("--------\x00\x00\x80\x3f\x00\x00\x00\x40")
	if err := os.WriteFile(filepath.Join(dir, "numbers.bin"), numbers, 0o644); err != nil {
		t.Fatal(err)
	}
	m, rep, err := Read(from, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := withoutNeg(t, m)
	for _, to := range []string{filepath.Join(dir, "to.onnx"), filepath.Join(dir, "sub", "to.onnx")} {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Rewrite(to, rep.Source, r, RewriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := readProto(t, to).GetGraph().GetInitializer(); len(got) != 1 || !proto.Equal(got[0], w) {
			t.Errorf("%s: initializers %v", to, got)
		}
		back, _, err := Read(to, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if back.Graph.Hash() != r.Graph.Hash() {
			t.Errorf("%s is\n%s\nwant\n%s", to, back.Graph, r.Graph)
		}
		for id, w := range back.Weights {
			if raw, err := w.Read(); err != nil || !bytes.Equal(raw, numbers[8:]) {
				t.Errorf("%s: weight %s is %v, %v", to, back.Graph.Name(id), raw, err)
			}
		}
	}
	// It is a copy: the result stays when the first file changes.
	at := filepath.Join(dir, "sub", "numbers.bin")
	if err := os.WriteFile(filepath.Join(dir, "numbers.bin"), make([]byte, 16), 0o644); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(at); err != nil || !bytes.Equal(raw, numbers) {
		t.Errorf("%s is %v, %v", at, raw, err)
	}
}
