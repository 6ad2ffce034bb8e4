package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// bodyGraph is the graph of a loop; inputs are declared as graph.TensorType says.
func bodyGraph(in []*onnxpb.ValueInfoProto, outs []string, ns ...*onnxpb.NodeProto) *onnxpb.AttributeProto {
	g := &onnxpb.GraphProto{Name: proto.String("body"), Input: in, Node: ns}
	for _, o := range outs {
		g.Output = append(g.Output, &onnxpb.ValueInfoProto{Name: proto.String(o)})
	}
	return graphAttribute("body", g)
}

func scalarInfo(name string, t graph.DType) *onnxpb.ValueInfoProto {
	return valueInfo(name, graph.TensorType{DType: t})
}

// looped is a model of nodes, with constants for a loop: n rounds, yes and no.
func looped(name string, in []operand, rounds int64, outs []string, ns ...*onnxpb.NodeProto) *variant {
	in = append(in, whole("n", rounds).sized(), truths("yes", 1).sized().held(), truths("no", 0).sized().held(), whole("one", 1).sized(), whole("limit", 3).sized())
	used := func(o operand) bool {
		return slices.ContainsFunc(ns, func(n *onnxpb.NodeProto) bool { return slices.Contains(n.Input, o.name) || captured(n)[o.name] })
	}
	v := &variant{name: name, opset: 17, nodes: ns, outs: outs}
	for i, n := range ns {
		n.Name = proto.String(fmt.Sprint("n", i))
	}
	for _, o := range in {
		if used(o) {
			v.in = append(v.in, o)
		}
	}
	return v
}

// TestSweepLoops: loops of a known number of rounds, read round by round, and sequences
// of tensors, which are lists while reading.
func TestSweepLoops(t *testing.T) {
	t.Parallel()
	iter, on := scalarInfo("i", graph.Int64), scalarInfo("go", graph.Bool)
	carried := []*onnxpb.ValueInfoProto{iter, on, float32Info("v", 2, 3)}
	pass := node("Identity", []string{"go"}, []string{"on"})
	x := feed("x", 2, 3)
	float := node("Cast", []string{"i"}, []string{"f"}, intAttribute("to", int64(onnxpb.TensorProto_FLOAT)))
	scaled := bodyGraph(carried, []string{"on", "w", "f", "w2"}, pass, float,
		node("Mul", []string{"v", "x"}, []string{"w1"}), node("Add", []string{"w1", "f"}, []string{"w"}), node("Neg", []string{"w"}, []string{"w2"}))
	loop := func(cond string, outs []string, body *onnxpb.AttributeProto) *onnxpb.NodeProto {
		return node("Loop", []string{"n", cond, "x"}, outs, body)
	}
	three := []string{"z", "s", "u"}
	// The round is compared with limit, so that the loop ends in the middle.
	until := bodyGraph(carried, []string{"on", "w"}, node("Add", []string{"i", "one"}, []string{"next"}),
		node("Less", []string{"next", "limit"}, []string{"on"}), node("Mul", []string{"v", "x"}, []string{"w"}))
	unknown := bodyGraph(carried, []string{"on", "w"}, node("ReduceSum", []string{"v"}, []string{"all"}, intAttribute("keepdims", 0)),
		node("Cast", []string{"all"}, []string{"on"}, intAttribute("to", int64(onnxpb.TensorProto_BOOL))), node("Neg", []string{"v"}, []string{"w"}))
	inner := node("Loop", []string{"n", "go", "v"}, []string{"w"}, bodyGraph([]*onnxpb.ValueInfoProto{scalarInfo("j", graph.Int64), scalarInfo("go2", graph.Bool), float32Info("v2", 2, 3)},
		[]string{"on2", "w2"}, node("Identity", []string{"go2"}, []string{"on2"}), node("Add", []string{"v2", "x"}, []string{"w2"})))
	vs := []*variant{
		looped("three rounds, with lists", []operand{x}, 3, three, loop("yes", three, scaled)),
		looped("one round", []operand{x}, 1, three, loop("", three, scaled)),
		looped("no round", []operand{x}, 0, z, node("Loop", []string{"n", "yes", "x"}, []string{"c", "s", "u"}, scaled), node("Neg", []string{"c"}, z)),
		looped("fewer than none", []operand{x}, -2, z, node("Loop", []string{"n", "yes", "x"}, []string{"c", "s", "u"}, scaled), node("Neg", []string{"c"}, z)),
		looped("a condition that is false", []operand{x}, 5, z, node("Loop", []string{"n", "no", "x"}, []string{"c", "s", "u"}, scaled), node("Neg", []string{"c"}, z)),
		looped("rounds end by their condition", []operand{x}, 9, z, loop("yes", z, until)),
		looped("no number of rounds", []operand{x}, 9, z, node("Loop", []string{"", "yes", "x"}, z, until)),
		looped("a loop in a loop", []operand{x}, 2, z, loop("yes", z, bodyGraph(carried, []string{"on", "w"}, pass, inner))),
		looped("lists of no rounds", []operand{x}, 0, []string{"s"}, loop("yes", three, scaled)).
			fails("a loop without iterations has an output of unknown size"),
		looped("an end that is computed", []operand{x}, 4, z, loop("yes", z, unknown)).declare("z", graph.Float32, 2, 3).
			keeps("the loop condition is not constant after iteration 1"),
	}
	scan := func(name string, in []operand, carries int, as ...*onnxpb.AttributeProto) {
		row := []*onnxpb.ValueInfoProto{float32Info("c", 3), float32Info("r", 3), float32Info("q", 3)}
		body := bodyGraph(row, []string{"d", "e", "h"}, node("Add", []string{"c", "r"}, []string{"s"}), node("Mul", []string{"s", "q"}, []string{"d"}),
			node("Neg", []string{"d"}, []string{"e"}), node("Relu", []string{"s"}, []string{"h"}))
		as = append(as, body, intAttribute("num_scan_inputs", 2))
		v := &variant{name: "Scan " + name, opset: 17, in: in, outs: []string{"z", "s1", "s2"},
			nodes: []*onnxpb.NodeProto{node("Scan", []string{in[0].name, in[1].name, in[2].name}, []string{"z", "s1", "s2"}, as...)}}
		vs = append(vs, v)
	}
	ints := func(name string, xs ...int64) *onnxpb.AttributeProto { return intsAttribute(name, xs...) }
	scan("rows", []operand{feed("c0", 3), feed("a", 4, 3), feed("bb", 4, 3)}, 1)
	scan("columns, backwards", []operand{feed("c0", 3), feed("a", 3, 4), feed("bb", 4, 3)}, 1, ints("scan_input_axes", 1, 0),
		ints("scan_input_directions", 1, 0), ints("scan_output_axes", 1, -1), ints("scan_output_directions", 0, 1))
	scan("one row", []operand{feed("c0", 3), feed("a", 1, 3), feed("bb", 1, 3)}, 1)
	sequences := func(name string, in []operand, outs []string, ns ...*onnxpb.NodeProto) *variant {
		v := looped("sequence: "+name, in, 3, outs, ns...)
		vs = append(vs, v)
		return v
	}
	at := func(name string, k int64) operand { return whole(name, k).sized() }
	y := feed("y2", 1, 3)
	build := node("SequenceConstruct", []string{"x", "y2", "x"}, []string{"q"})
	sequences("joined", list(x, y), z, build, node("ConcatFromSequence", []string{"q"}, z, intAttribute("axis", 0)))
	sequences("stacked", list(x), z, node("SequenceConstruct", []string{"x", "x"}, []string{"q"}), node("ConcatFromSequence", []string{"q"}, z, intAttribute("axis", -1), intAttribute("new_axis", 1)))
	sequences("at", list(x, y, at("k", -2)), z, build, node("SequenceAt", []string{"q", "k"}, []string{"p"}), node("Neg", []string{"p"}, z))
	sequences("inserted, erased, counted", list(x, y, at("k", 1), at("m", -1)), []string{"z", "len"}, node("SequenceEmpty", nil, []string{"q0"}),
		node("SequenceInsert", []string{"q0", "x"}, []string{"q1"}), node("SequenceInsert", []string{"q1", "y2"}, []string{"q2"}),
		node("SequenceInsert", []string{"q2", "x", "k"}, []string{"q3"}), node("SequenceErase", []string{"q3", "m"}, []string{"q4"}), node("SequenceErase", []string{"q3"}, []string{"q5"}),
		node("SequenceInsert", []string{"q5", "y2", "m"}, []string{"q6"}),
		node("ConcatFromSequence", []string{"q6"}, z, intAttribute("axis", 0)), node("SequenceLength", []string{"q4"}, []string{"len"}))
	sequences("split", list(feed("x", 5, 3), whole("k", 2, 3)), z, node("SplitToSequence", []string{"x", "k"}, []string{"q"}),
		node("SequenceAt", []string{"q", "one"}, []string{"p"}), node("Neg", []string{"p"}, z))
	sequences("split in equal parts", list(feed("x", 2, 5), at("k", 2)), z, node("SplitToSequence", []string{"x", "k"}, []string{"q"}, intAttribute("axis", 1)),
		node("SequenceInsert", []string{"q", "x"}, []string{"q2"}), node("ConcatFromSequence", []string{"q2"}, z, intAttribute("axis", 1)))
	sequences("split in ones", list(feed("x", 3, 2)), z, node("SplitToSequence", []string{"x"}, []string{"q"}, intAttribute("keepdims", 0)),
		node("SequenceAt", []string{"q", "one"}, []string{"p"}), node("Neg", []string{"p"}, z))
	sequences("in a loop", list(x), z, node("SequenceEmpty", nil, []string{"q"}),
		node("Loop", []string{"n", "yes", "q"}, []string{"all"}, func() *onnxpb.AttributeProto {
			q := &onnxpb.ValueInfoProto{Name: proto.String("q0"), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{
				SequenceType: &onnxpb.TypeProto_Sequence{ElemType: float32Info("", 2, 3).Type}}}}
			return bodyGraph([]*onnxpb.ValueInfoProto{iter, on, q}, []string{"on", "q1"}, pass, float, node("Add", []string{"x", "f"}, []string{"w"}), node("SequenceInsert", []string{"q0", "w"}, []string{"q1"}))
		}()), node("ConcatFromSequence", []string{"all"}, z, intAttribute("axis", 0)))
	sequences("an operator that takes none", list(x, y), z, build, node("Neg", []string{"q"}, z)).fails("its input 0 is a sequence of tensors").alone("INVALID_GRAPH")
	sequences("as an output", list(x, y), []string{"q"}, build).fails("it is a sequence of tensors")
	sequences("behind the end", list(x, y, at("k", 3)), z, build, node("SequenceAt", []string{"q", "k"}, z)).fails("position 3 of 3")
	sequences("of two types", list(x, feed("y2", 2).as(graph.Int64)), z, build, node("SequenceAt", []string{"q", "one"}, z)).fails("have different element types")
	sweep(t, vs)
}

// TestEndlessLoop: a loop without an end is kept, and costs no more than its bound.
func TestEndlessLoop(t *testing.T) {
	body := func(inner ...*onnxpb.NodeProto) *onnxpb.AttributeProto {
		return bodyGraph([]*onnxpb.ValueInfoProto{scalarInfo("i", graph.Int64), scalarInfo("go", graph.Bool), float32Info("v", 2, 3)}, []string{"go", "w"}, inner...)
	}
	m := small()
	m.Graph.Initializer = []*onnxpb.TensorProto{{Name: proto.String("yes"), DataType: proto.Int32(int32(elemBool)), RawData: []byte{1}}}
	m.Graph.Node = []*onnxpb.NodeProto{node("Loop", []string{"", "yes", "x"}, z, body(node("Trilu", []string{"v"}, []string{"t"}), node("Neg", []string{"t"}, []string{"w"})))}
	_, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil || len(r.Opaque) != 1 || !strings.Contains(fmt.Sprint(r.Opaque, r.Missing), "more than 256 iterations") || len(r.Missing) != 1 {
		t.Errorf("%v: %+v", err, r)
	}
	deep := node("Neg", []string{"v"}, []string{"w"})
	for range 8 {
		deep = node("Loop", []string{"n", "yes", "x"}, []string{"w"}, body(deep))
	}
	deep.Output = z
	m.Graph.Node = []*onnxpb.NodeProto{deep}
	m.Graph.Initializer = append(m.Graph.Initializer, intsWeight("n", nil, 200))
	if _, _, err := Read(put(t, marshal(t, m)), ReadOptions{}); err == nil || !strings.Contains(err.Error(), "more than 1048576 nodes") {
		t.Errorf("loops in loops: %v", err)
	}
}
