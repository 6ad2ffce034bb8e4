package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// A cast to a type that holds all numbers of a type, and back, is no cast.
func TestCastAndBack(t *testing.T) {
	to := func(e onnxpb.TensorProto_DataType) *onnxpb.AttributeProto { return intAttribute("to", int64(e)) }
	for _, c := range []struct {
		from, over graph.DType
		nodes      int
	}{
		{graph.Float32, graph.Float64, 0}, {graph.Float16, graph.Float32, 0}, {graph.Int32, graph.Int64, 0},
		{graph.Float64, graph.Float32, 2}, {graph.Int64, graph.Float32, 2}, {graph.Float32, graph.Int64, 2},
	} {
		m := small()
		m.Graph.Input = []*onnxpb.ValueInfoProto{valueInfo("x", graph.TensorType{DType: c.from, Sizes: []int{3}})}
		m.Graph.Output = []*onnxpb.ValueInfoProto{valueInfo("z", graph.TensorType{DType: c.from, Sizes: []int{3}})}
		m.Graph.Node = []*onnxpb.NodeProto{node("Cast", []string{"x"}, []string{"y"}, to(elemOf(c.over))), node("Cast", []string{"y"}, []string{"z"}, to(elemOf(c.from)))}
		m.ProducerName = proto.String("test")
		got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Errorf("%s over %s: %v", c.from, c.over, err)
			continue
		}
		casts := 0
		for id := range got.Graph.WithoutDead().Nodes() {
			if op := got.Graph.WithoutDead().Op(id); op != nil && op.Name == "cast" {
				casts++
			}
		}
		if casts != c.nodes {
			t.Errorf("%s over %s: %d casts, want %d", c.from, c.over, casts, c.nodes)
		}
	}
}

// A weight says whether its elements were computed while reading.
func TestFolded(t *testing.T) {
	m := small()
	m.ProducerName = proto.String("test")
	m.Graph.Input = m.Graph.Input[:1]
	m.Graph.Initializer = []*onnxpb.TensorProto{floatsWeight("w", []int{2, 3}, 1, 2, 3, 4, 5, 6)}
	value := &onnxpb.AttributeProto{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: floatsWeight("", []int{2, 3}, 1, 2, 3, 4, 5, 6)}
	m.Graph.Node = []*onnxpb.NodeProto{node("Constant", nil, []string{"c"}, value), node("Exp", []string{"c"}, []string{"e"}),
		node("Mul", []string{"x", "e"}, []string{"p"}), node("Mul", []string{"p", "w"}, []string{"q"}), node("Mul", []string{"q", "c"}, []string{"z"})}
	got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	folded := 0
	for id, w := range got.Weights {
		if w.Folded {
			folded++
		}
		if w.Folded && got.Graph.Name(id) == "w" {
			t.Error("an initializer is called folded")
		}
	}
	if len(got.Weights) != 3 || folded != 1 {
		t.Errorf("%d of %d weights are folded, want 1 of 3", folded, len(got.Weights))
	}
}
