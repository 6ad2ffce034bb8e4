package onnx

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// A cleaned file has no nodes that change nothing, and none that compute constants; nodes that
// only look alike stay.
func TestRewriteNeutral(t *testing.T) {
	const f, i, i32, h, b = graph.Float32, graph.Int64, graph.Int32, graph.Float16, graph.Bool
	to := func(d graph.DType) *onnxpb.AttributeProto { return intAttribute("to", int64(elemOf(d))) }
	n := func(text string, a ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
		left, right, _ := strings.Cut(text, " -> ")
		words := strings.Fields(left)
		return node(words[0], words[1:], strings.Fields(right), a...)
	}
	last := func(d graph.DType) *onnxpb.NodeProto {
		if d == b {
			return n("Not t -> y")
		}
		return n("Neg t -> y")
	}
	for _, c := range []struct {
		dtype graph.DType
		k     []int64 // elements of the weight k
		of    graph.DType
		nodes []*onnxpb.NodeProto
		want  string
	}{
		{i, []int64{0}, i, []*onnxpb.NodeProto{n("Add x k -> t")}, "Neg"},
		{i, []int64{0}, i, []*onnxpb.NodeProto{n("Add k x -> t")}, "Neg"},
		{i32, []int64{0, 0, 0}, i32, []*onnxpb.NodeProto{n("Sub x k -> t")}, "Neg"},
		{i, []int64{1}, i, []*onnxpb.NodeProto{n("Mul k x -> t")}, "Neg"},
		{i, []int64{1}, i, []*onnxpb.NodeProto{n("Div x k -> t")}, "Neg"},
		{i, []int64{2, 0, 1}, i, []*onnxpb.NodeProto{n("Gather x k -> t", intAttribute("axis", 1))}, "Gather Neg"},
		{f, []int64{0, 1, 2}, i, []*onnxpb.NodeProto{n("Gather x k -> t", intAttribute("axis", 1))}, "Neg"},
		{f, []int64{0, 1, 2}, i, []*onnxpb.NodeProto{n("Gather x k -> u", intAttribute("axis", 1)), n("Add u u -> t")}, "Add Neg"},
		{f, []int64{1}, b, []*onnxpb.NodeProto{n("Exp x -> u"), n("Where k x u -> t")}, "Neg"},
		{f, []int64{0, 0, 0}, b, []*onnxpb.NodeProto{n("Exp x -> u"), n("Where k u x -> t")}, "Neg"},
		{f, []int64{0, 0, 1}, b, []*onnxpb.NodeProto{n("Exp x -> u"), n("Where k u x -> t")}, "Exp Where Neg"},
		{h, nil, i, []*onnxpb.NodeProto{n("Cast x -> u", to(f)), n("Cast u -> t", to(h))}, "Neg"},
		{i32, nil, i, []*onnxpb.NodeProto{n("Cast x -> u", to(i)), n("Cast u -> t", to(i32))}, "Neg"},
		{i, nil, i, []*onnxpb.NodeProto{n("Cast x -> u", to(i32)), n("Cast u -> t", to(i))}, "Cast Cast Neg"},
		{f, nil, i, []*onnxpb.NodeProto{n("Cast x -> u", to(h)), n("Cast u -> t", to(f))}, "Cast Cast Neg"},
		{f, []int64{1}, i, []*onnxpb.NodeProto{n("Transpose x -> v"), n("Shape v -> u"), n("Mul u k -> w"), n("Reshape x w -> v2"), n("Transpose v2 -> t")}, "Reshape Transpose Neg"},

		// What looks alike and is something else stays.
		{i, []int64{0, 0, 1}, i, []*onnxpb.NodeProto{n("Add x k -> t")}, "Add Neg"},
		{i, []int64{0}, i, []*onnxpb.NodeProto{n("Sub k x -> t")}, "Sub Neg"},
		{i, []int64{1}, i, []*onnxpb.NodeProto{n("Div k x -> t")}, "Div Neg"},
		{i, []int64{-1}, i, []*onnxpb.NodeProto{n("Mul x k -> t")}, "Mul Neg"},
	} {
		p := &onnxpb.ModelProto{IrVersion: proto.Int64(8), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}}}
		sizes := graph.TensorType{DType: c.dtype, Sizes: []int{2, 3}}
		p.Graph = &onnxpb.GraphProto{Name: proto.String("g"), Input: []*onnxpb.ValueInfoProto{valueInfo("x", sizes)},
			Output: []*onnxpb.ValueInfoProto{valueInfo("y", sizes)}, Node: append(c.nodes, last(c.dtype))}
		if c.k != nil {
			k := newConstant(c.of, len(c.k))
			copy(k.ints, c.k)
			w := tensorProto("k", graph.TensorType{DType: c.of, Sizes: k.sizes})
			w.RawData = k.encode()
			p.Graph.Initializer = append(p.Graph.Initializer, w)
		}
		out, _ := rewritten(t, p, func(m *model.Model) *graph.Graph { return m.Graph }, RewriteOptions{Clean: true})
		var ops []string
		for _, n := range out.GetGraph().GetNode() {
			ops = append(ops, n.GetOpType())
		}
		if got := strings.Join(ops, " "); got != c.want {
			t.Errorf("%v of %s with %v: got %s, want %s", nodesText(p), c.dtype, c.k, got, c.want)
		}
	}
}
