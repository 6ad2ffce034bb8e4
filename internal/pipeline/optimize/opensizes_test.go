package optimize

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/onnx/onnxpb"
	"github.com/taso-go/taso/verify/assume"
	"google.golang.org/protobuf/proto"
)

// openFile writes a graph to a file in which the first sizes of x and of the outputs are open.
func openFile(t *testing.T, text string) string {
	t.Helper()
	g, err := graph.ParseText("g", text)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := onnx.Write(path, &model.Model{Name: "g", Graph: g}, onnx.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	p := readProto(t, path)
	p.ProducerName = proto.String("somebody")
	for _, v := range append(p.Graph.Output, p.Graph.Input...) {
		v.Type.GetTensorType().Shape.Dim[0].Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "batch"}
	}
	for _, n := range p.Graph.Node {
		n.DocString = nil
	}
	p.Graph.ValueInfo = nil
	raw, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
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

// optimizedFile optimizes a file and writes the result.
func optimizedFile(t *testing.T, path string, opt onnx.ReadOptions) (*Result, string) {
	t.Helper()
	m, rep, err := onnx.Read(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := cost.FindMachine("zen5")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Options{Model: m, Source: rep.Source, Folder: t.TempDir(), Cost: machine, Tries: 200, Method: Descend})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.onnx")
	if err := r.Write(out); err != nil {
		t.Fatal(err)
	}
	return r, out
}

// Sizes that the file leaves open are open in the result if it is proved for all of them; else they
// are fixed, and the report says why.
func TestOpenSizes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		open       bool
	}{
		{"a law for all sizes", "x : float32[1, 4]\na = neg(x)\nb = neg(a)\ny = exp(b)\nreturn y", true},
		{"a reshape for batch 1 only", "x : float32[1, 4, 6]\na = neg(x)\nb = reshape[shape=[1, 24]](a)\nc = reshape[shape=[1, 2, 12]](b)\nd = neg(c)\ny = exp(d)\nreturn y", false},
		{"what is so at batch 1 only", "x : float32[1, 4]\na = concat[axis=0](x, x)\nb = slice[axis=0, lo=0, hi=1](a)\ny = exp(b)\nreturn y", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := openFile(t, c.text)
			r, out := optimizedFile(t, path, onnx.ReadOptions{})
			if r.Changes == nil {
				t.Fatalf("nothing changed: %v", r.Refused)
			}
			p, was := readProto(t, out), readProto(t, path)
			if got := proto.Equal(p.Graph.Input[0], was.Graph.Input[0]); got != c.open || len(r.Changes.Open) > 0 != c.open || (r.Changes.FixedBecause == "") != c.open {
				t.Errorf("open: %v, want %v: %+v\n%v", got, c.open, r.Changes, p.Graph.Node)
			}
			if !proto.Equal(p.Graph.Output[0], was.Graph.Output[0]) {
				t.Errorf("the output is declared as %v", p.Graph.Output[0])
			}
			if slices.Contains(r.Checked.Assumptions, assume.Sizes) != c.open {
				t.Errorf("assumptions %v", r.Checked.Assumptions)
			}
			if c.open {
				if _, _, err := onnx.Read(out, onnx.ReadOptions{Batch: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestDecidedBySizes: what a model does at small sizes only is no model for all. Each of these does
// nothing at sizes of 1, 2 and 3: a slice to place 100, or to the smaller of the size and 100, and an
// If whose condition is that the size is less than 100. The result is for the size that was given.
func TestDecidedBySizes(t *testing.T) {
	node := func(op, out string, in ...string) *onnxpb.NodeProto {
		return &onnxpb.NodeProto{OpType: proto.String(op), Input: in, Output: []string{out}}
	}
	size := []*onnxpb.NodeProto{node("Shape", "d", "x"), node("Gather", "n", "d", "zero")}
	branch := func(name string, n *onnxpb.NodeProto) *onnxpb.AttributeProto {
		return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: &onnxpb.GraphProto{
			Name: proto.String(name), Node: []*onnxpb.NodeProto{n}, Output: []*onnxpb.ValueInfoProto{{Name: proto.String(n.Output[0])}}}}
	}
	choice := node("If", "p", "c")
	choice.Attribute = []*onnxpb.AttributeProto{branch("then_branch", node("Neg", "then", "x")), branch("else_branch", node("Unsqueeze", "else", "x", "zero"))}
	for name, nodes := range map[string][]*onnxpb.NodeProto{
		"a slice":             {node("Slice", "s", "x", "zero", "hundred"), node("Neg", "p", "s")},
		"the smaller of both": append(slices.Clone(size), node("Min", "m", "n", "hundred"), node("Slice", "s", "x", "zero", "m"), node("Neg", "p", "s")),
		"a choice":            append(slices.Clone(size), node("Less", "c", "n", "hundred"), choice),
	} {
		for _, given := range []map[string][]int{nil, {"batch": {2}}} {
			path := openFile(t, "x : float32[1, 4]\ny = neg(x)\nreturn y")
			p := readProto(t, path)
			for k, n := range map[string]int64{"zero": 0, "hundred": 100} {
				p.Graph.Initializer = append(p.Graph.Initializer, &onnxpb.TensorProto{Name: proto.String(k), DataType: proto.Int32(7), Dims: []int64{1}, Int64Data: []int64{n}})
			}
			p.Graph.Node = append(slices.Clone(nodes), node("Neg", "y", "p"))
			raw, err := proto.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, raw, 0o644); err != nil {
				t.Fatal(err)
			}
			r, out := optimizedFile(t, path, onnx.ReadOptions{Shapes: given})
			if r.Changes == nil {
				t.Errorf("%s, %v: nothing changed: %v", name, given, r.Refused)
				continue
			}
			d := readProto(t, out).Graph.Input[0].Type.GetTensorType().Shape.Dim[0]
			if d.GetDimValue() == 0 || len(r.Changes.Fixed) != 1 || len(r.Changes.Open) > 0 || !strings.Contains(r.Changes.FixedBecause, "cannot be read for all sizes") {
				t.Errorf("%s, %v: the dimension is %v, changes %+v", name, given, d, r.Changes)
			}
		}
	}
}

// Write leaves a file as it is where the model's file changed since it was read.
// TestInlinedIf: a model whose only fault is an If with a constant condition is cleaned, and the
// result is proved. It is not where the condition depends on a size that stays open.
func TestInlinedIf(t *testing.T) {
	for _, shaped := range []bool{false, true} {
		path := openFile(t, "x : float32[2, 4]\ny = softmax[axis=1](x)\nreturn y")
		p := readProto(t, path)
		g := p.Graph
		branch := func(op string) *onnxpb.GraphProto {
			out := proto.Clone(g.Output[0]).(*onnxpb.ValueInfoProto)
			out.Name = proto.String(op)
			return &onnxpb.GraphProto{Name: proto.String(op), Node: []*onnxpb.NodeProto{{OpType: proto.String(op), Input: []string{"s"}, Output: []string{op}}}, Output: []*onnxpb.ValueInfoProto{out}}
		}
		g.Node[0].Output[0] = "s"
		if shaped {
			g.Initializer = append(g.Initializer, &onnxpb.TensorProto{Name: proto.String("k"), DataType: proto.Int32(7), Dims: []int64{2}, Int64Data: []int64{2, 4}})
			g.Initializer = append(g.Initializer, &onnxpb.TensorProto{Name: proto.String("zero"), DataType: proto.Int32(7), Int64Data: []int64{0}})
			g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Shape"), Input: []string{"x"}, Output: []string{"d"}},
				&onnxpb.NodeProto{OpType: proto.String("Equal"), Input: []string{"d", "k"}, Output: []string{"e"}},
				&onnxpb.NodeProto{OpType: proto.String("Gather"), Input: []string{"e", "zero"}, Output: []string{"c"}})
		} else {
			g.Initializer = append(g.Initializer, &onnxpb.TensorProto{Name: proto.String("c"), DataType: proto.Int32(9), Int32Data: []int32{1}})
		}
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("If"), Input: []string{"c"}, Output: []string{"y"}, Attribute: []*onnxpb.AttributeProto{
			{Name: proto.String("then_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: branch("Exp")},
			{Name: proto.String("else_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: branch("Neg")}}})
		raw, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		r, to := optimizedFile(t, path, onnx.ReadOptions{Shapes: map[string][]int{"batch": {2}}})
		if r.Cleaned == shaped || !r.ProofChecked {
			t.Errorf("condition on a size: %v: cleaned %v, proof checked %v", shaped, r.Cleaned, r.ProofChecked)
		}
		nodes := readProto(t, to).Graph.Node
		if last := nodes[len(nodes)-1].GetOpType(); (last == "Exp") == shaped || len(nodes) != 2 && !shaped {
			t.Errorf("condition on a size: %v: the last of %d nodes is %s", shaped, len(nodes), last)
		}
	}
}

func TestWriteCompares(t *testing.T) {
	path := openFile(t, "x : float32[1, 4]\na = neg(x)\nb = neg(a)\ny = exp(b)\nreturn y")
	r, _ := optimizedFile(t, path, onnx.ReadOptions{})
	if r.File == "" {
		t.Fatal("nothing changed")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(raw, []byte("somebody"), []byte("nobodies"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.onnx")
	if err := os.WriteFile(out, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(out); err == nil {
		t.Error("another file was written without an error")
	}
	if raw, err := os.ReadFile(out); err != nil || string(raw) != "precious" {
		t.Errorf("the file became %q, %v", raw, err)
	}
}
