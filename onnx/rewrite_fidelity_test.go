package onnx

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	sweeps "github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// timesOne puts a product with 1 in front of the first output of a model, and is nil if that
// is not possible.
func timesOne(m *onnxpb.ModelProto) *onnxpb.ModelProto {
	m = proto.Clone(m).(*onnxpb.ModelProto)
	g := m.GetGraph()
	out := g.GetOutput()[0]
	v := out.GetName()
	typ := elem(out.GetType().GetTensorType().GetElemType())
	if t, err := dtypeOf(typ); err != nil || !t.IsFloat() || t.Bits() < 16 {
		return nil
	}
	made := false
	for _, n := range g.GetNode() {
		made = made || slices.Contains(n.GetOutput(), v)
		renameNode(n, func(u string) string {
			if u == v {
				return "in front of 1"
			}
			return u
		})
	}
	if !made {
		return nil
	}
	info := proto.Clone(out).(*onnxpb.ValueInfoProto)
	info.Name = proto.String("in front of 1")
	g.ValueInfo = append(g.ValueInfo, info)
	dtype, _ := dtypeOf(typ)
	one := tensorProto("the number 1", graph.TensorType{DType: dtype})
	one.RawData = pack(dtype, (&constant{dtype: dtype, floats: []float64{1}}).encode())
	if g.Initializer = append(g.Initializer, one); m.GetIrVersion() < 4 {
		g.Input = append(g.Input, valueInfo("the number 1", graph.TensorType{DType: dtype}))
	}
	g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Mul"), Input: []string{"in front of 1", "the number 1"}, Output: []string{v}})
	return m
}

// withoutLast is a model whose first output is the first operand of the operator that makes it.
func withoutLast(m *model.Model) (*model.Model, error) {
	outs := slices.Clone(m.Graph.Outputs())
	outs[0] = m.Graph.Operands(outs[0].Node)[0]
	g, _, err := m.Graph.Arranged(graph.Arrangement{Outputs: outs})
	if err != nil {
		return nil, err
	}
	return m.WithGraph(g)
}

// TestFidelity: where a product with 1 goes that was put in front of an output, the file is what
// it was before that, byte by byte.
func TestFidelity(t *testing.T) {
	dir := t.TempDir()
	tried, not := 0, map[string]int{}
	part, met := sweeps.Size(3, 1), map[string]bool{}
	for i, c := range slices.Concat(conformanceTests(t), newerTests(t)) {
		if !addsTo(met, maps.Keys(c.ops)) && i%part != 0 {
			continue
		}
		raw, err := os.ReadFile(c.model)
		if err != nil {
			t.Fatal(err)
		}
		m := &onnxpb.ModelProto{}
		if err := proto.Unmarshal(raw, m); err != nil || len(m.GetGraph().GetOutput()) == 0 {
			continue
		}
		with := timesOne(m)
		if with == nil {
			not["no float output"]++
			continue
		}
		path := filepath.Join(dir, "with.onnx")
		b, _ := proto.Marshal(with)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		g, rep, err := Read(path, ReadOptions{})
		if err != nil {
			not["not read"]++
			continue
		}
		last := g.Graph.Outputs()[0].Node
		if op := g.Graph.Op(last); op == nil || op.Name != "ewmul" && op.Name != "smul" {
			not["folded"]++
			continue
		}
		r, err := withoutLast(g)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		to := filepath.Join(dir, "without.onnx")
		if _, err := Rewrite(to, rep.Source, r, RewriteOptions{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := proto.Marshal(m); !bytes.Equal(got, want) {
			p := &onnxpb.ModelProto{}
			if err := proto.Unmarshal(got, p); err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if !proto.Equal(p, m) {
				t.Errorf("%s is another file:%s", c.name, differences(p.GetGraph(), m.GetGraph()))
			}
		}
	}
	t.Logf("%d files, besides %v", tried, not)
	if tried < sweeps.Size(400, 1000) {
		t.Errorf("only %d files", tried)
	}
}

// differences are what two graphs do not share, a few of them.
func differences(got, want *onnxpb.GraphProto) string {
	a, b := map[string]int{}, map[string]int{}
	for i, g := range []*onnxpb.GraphProto{got, want} {
		count := a
		if i == 1 {
			count = b
		}
		for _, n := range g.GetNode() {
			count["node "+n.String()]++
		}
		for _, w := range g.GetInitializer() {
			count["initializer "+w.GetName()]++
		}
		for _, v := range g.GetValueInfo() {
			count["type of "+v.GetName()]++
		}
	}
	text, n := "", 0
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if n < 4 && a[key] > b[key] {
			n++
			text += "\n+ " + key[:min(len(key), 250)]
		}
	}
	n = 0
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if n < 4 && b[key] > a[key] {
			n++
			text += "\n- " + key[:min(len(key), 250)]
		}
	}
	if text == "" {
		return " the order is another one"
	}
	return text
}
