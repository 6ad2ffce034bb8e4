package onnx

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestSweepChoice: branches between which a condition chooses that is fed: both are read,
// unless one of them may fail, or they differ in what they give.
func TestSweepChoice(t *testing.T) {
	t.Parallel()
	var vs []*variant
	// Both branches have the output t; c is what is fed for the condition.
	add := func(c operand, name string, in []operand, then, other []*onnxpb.NodeProto, held ...*onnxpb.TensorProto) *variant {
		body := func(ns []*onnxpb.NodeProto) *onnxpb.GraphProto {
			return &onnxpb.GraphProto{Name: &name, Node: ns, Initializer: held, Output: []*onnxpb.ValueInfoProto{{Name: &z[0]}}}
		}
		v := &variant{name: name, opset: 16, in: append(in, c), outs: []string{"y"},
			nodes: []*onnxpb.NodeProto{node("If", []string{"c"}, []string{"y"}, graphAttribute("then_branch", body(then)), graphAttribute("else_branch", body(other)))}}
		vs = append(vs, v)
		return v
	}
	one := func(op string, in []string, as ...*onnxpb.AttributeProto) []*onnxpb.NodeProto {
		return []*onnxpb.NodeProto{node(op, in, []string{"z"}, as...)}
	}
	x, y := feed("x", 2, 3), feed("w", 2, 3)
	odd := given("x", math.Inf(1), math.NaN(), 1, math.Inf(-1), 0, -5).sized(2, 3)
	places := []*onnxpb.TensorProto{intsWeight("k", []int{2}, 1, -1)}
	for _, b := range []float64{0, 1} {
		c := truths("c", b)
		for _, c := range []operand{c, c.sized()} {
			add(c, "sums or products", list(x, y), one("Add", []string{"x", "w"}), one("Mul", []string{"x", "w"}))
			add(c, "what is no number", list(odd), one("Sqrt", []string{"x"}), one("Identity", []string{"x"}))
			add(c, "the same", list(x), one("Identity", []string{"x"}), one("Identity", []string{"x"}))
		}
		for _, d := range []graph.DType{graph.Int64, graph.Int32} {
			add(c, "integers", list(x.as(d), y.as(d)), one("Sub", []string{"x", "w"}), one("Neg", []string{"x"}))
		}
		add(c, "truth values", list(x, y), one("Less", []string{"x", "w"}), one("Equal", []string{"x", "w"}))
		add(c, "constant places", list(x), one("Gather", []string{"x", "k"}), one("Neg", []string{"q"}), places...).nodes[0].Attribute[1].G.Node =
			[]*onnxpb.NodeProto{node("Slice", []string{"x", "from", "to"}, []string{"q"}), node("Expand", []string{"q", "sh"}, []string{"z"})}
		last := vs[len(vs)-1]
		last.nodes[0].Attribute[1].G.Initializer = []*onnxpb.TensorProto{intsWeight("from", []int{1}, 0), intsWeight("to", []int{1}, 1), intsWeight("sh", []int{2}, 2, 3)}
		add(c, "computed places", list(x, integers("at", graph.Int64, 0, 1).sized(2)), one("Gather", []string{"x", "at"}), one("Neg", []string{"x"})).
			keeps("an index is computed").declare("y", graph.Float32, 2, 3)
		add(c, "a quotient", list(x.as(graph.Int64), integers("w", graph.Int64, 1, 2, 3)), one("Div", []string{"x", "w"}), one("Neg", []string{"x"})).
			keeps("might be undefined").declare("y", graph.Int64, 2, 3)
		if b == 0 {
			add(c, "places that are not there", list(x), one("Gather", []string{"x", "k"}), one("Neg", []string{"x"}), intsWeight("k", []int{2}, 1, 7)).
				keeps("its then_branch").declare("y", graph.Float32, 2, 3)
		}
		// The one that is not taken has the wrong sizes.
		v := add(c, "other sizes", list(x), one("Transpose", []string{"x"}), one("Neg", []string{"x"})).keeps("float32[3, 2] or float32[2, 3]")
		if v.declare("y", graph.Float32, 2, 3); b == 1 {
			v.declare("y", graph.Float32, 3, 2)
		}
	}
	sweep(t, vs)
}
