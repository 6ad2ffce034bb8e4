package onnx

import (
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestFoldKnown: what has no lowering is computed from initializers, and from what was
// lowered from such, and is kept where an input of the model is in it.
func TestFoldKnown(t *testing.T) {
	wide := []string{"w = Sub(scale, bias)", "f = Exp(w)", "a = Unique(f)"}
	for _, c := range []struct {
		lines []string
		nodes string // the graph's last node, or the operator that is kept
		want  func(x, scale, bias float64) float64
	}{
		{[]string{"a = Unique(scale)", "y = Add(x, a)"}, "ewadd(x, ", func(x, s, _ float64) float64 { return x + s }},
		{append(wide, "y = Add(x, a)"), "ewadd(x, ", func(x, s, b float64) float64 { return x + math.Exp(s-b) }},
		{append(wide, "c = Less(scale, bias)", "d = Where(c, a, scale)", "y = Mul(x, d)"), "ewmul(x, ", func(x, s, b float64) float64 {
			if s < b {
				return x * math.Exp(s-b)
			}
			return x * s
		}},
		{[]string{"a = Add(x, bias)", "y = Bernoulli(a)"}, "onnx.Bernoulli", nil},
	} {
		m := program(c.lines...)
		got, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if text := got.Graph.String(); (c.want == nil) != (len(r.Opaque) == 1) || !strings.Contains(text, c.nodes) {
			t.Errorf("%v: opaque %v\n%s", c.lines, r.Opaque, text)
		}
		if c.want == nil {
			continue
		}
		if got.Graph.Len() != 4 { // x, a weight, which is broadcast
			t.Errorf("%v: more than one node is left:\n%s", c.lines, got.Graph)
		}
		x := newConstant(graph.Float32, 2, 4)
		for i := range x.floats {
			x.floats[i] = float64(i) - 2.5
		}
		out, err := evaluate(got, map[string]*constant{"x": x})
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range out[0].Data {
			if want := c.want(x.floats[i], float64(i%4+1), float64(4-i%4)); math.Abs(y-want) > 1e-6 {
				t.Errorf("%v: element %d is %g, want %g", c.lines, i, y, want)
			}
		}
		// What is read of a file of ours is what was written.
		_, back := reread(t, got, WriteOptions{})
		sameGraph(t, back.Graph, got.Graph)
	}
	// What somebody asks for is bounded.
	o := &origin{call: &call{im: &importer{demanded: maxDemanded}, node: node("Unique", nil, nil), op: lookup("", "Unique")}, outs: []*value{{sized: []int{1}}}}
	if k := o.constant(o.outs[0]); k != nil {
		t.Errorf("got %v beyond the bound", k)
	}
}

// TestEvaluateMore: operators that no lowering knows, on constants, at their edges.
func TestEvaluateMore(t *testing.T) {
	type attr = *onnxpb.AttributeProto
	ints := func(sizes []int, xs ...int64) *onnxpb.TensorProto { return intsWeight("", sizes, xs...) }
	floats := func(sizes []int, xs ...float32) *onnxpb.TensorProto { return floatsWeight("", sizes, xs...) }
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		op    string
		in    []*onnxpb.TensorProto
		attrs []attr
		want  string // the first output, or part of the error
	}{
		{"CumSum", []*onnxpb.TensorProto{ints([]int{3}, 1, 2, 3), ints(nil, 0)}, []attr{intAttribute("exclusive", 1), intAttribute("reverse", 1)}, "[3] [5 3 0]"},
		{"CumSum", []*onnxpb.TensorProto{ints([]int{3}, 1, 2, 3), ints(nil, 1)}, nil, "axis 1 of a tensor with 1 axes"},
		{"ArgMax", []*onnxpb.TensorProto{ints([]int{4}, 1, 7, 7, 0)}, nil, "[1] [1]"},
		{"ArgMax", []*onnxpb.TensorProto{ints([]int{4}, 1, 7, 7, 0)}, []attr{intAttribute("select_last_index", 1), intAttribute("keepdims", 0)}, "[] [2]"},
		{"TopK", []*onnxpb.TensorProto{ints([]int{5}, 3, 9, 3, 9, 1), ints([]int{1}, 3)}, nil, "[3] [9 9 3]"},
		{"TopK", []*onnxpb.TensorProto{ints([]int{2}, 3, 9), ints([]int{1}, 3)}, nil, "k = [3] is out of range for axis 0"},
		{"TopK", []*onnxpb.TensorProto{ints([]int{2}, 3, 9), ints([]int{1}, 0)}, nil, "[0] []"},
		{"Trilu", []*onnxpb.TensorProto{floats([]int{2, 2}, inf, inf, inf, 1)}, []attr{intAttribute("upper", 0)}, "[2 2] [inf 0 inf 1]"},
		{"Trilu", []*onnxpb.TensorProto{ints([]int{2, 3}, 1, 2, 3, 4, 5, 6), ints(nil, 1)}, nil, "[2 3] [0 2 3 0 0 6]"},
		{"OneHot", []*onnxpb.TensorProto{ints([]int{3}, 0, -1, 7), ints(nil, 3), ints([]int{2}, 5, 8)}, nil, "[3 3] [8 5 5 5 5 8 5 5 5]"},
		{"OneHot", []*onnxpb.TensorProto{ints([]int{2}, 0, 1), ints(nil, 0), ints([]int{2}, 5, 8)}, nil, "depth 0 is not supported"},
		{"ScatterND", []*onnxpb.TensorProto{ints([]int{3}, 1, 2, 3), ints([]int{2, 1}, 0, -1), ints([]int{2}, 7, 8)}, nil, "[3] [7 2 8]"},
		{"ScatterND", []*onnxpb.TensorProto{ints([]int{3}, 1, 2, 3), ints([]int{2, 1}, 1, 1), ints([]int{2}, 7, 8)}, []attr{textAttribute("reduction", "add")}, "[3] [1 17 3]"},
		{"ScatterND", []*onnxpb.TensorProto{ints([]int{3}, 1, 2, 3), ints([]int{1, 1}, 3), ints([]int{1}, 7)}, nil, "index 3 of an axis of size 3"},
		{"ScatterND", []*onnxpb.TensorProto{ints([]int{3}, 1, 2, 3), ints([]int{1, 2}, 0, 0), ints([]int{1}, 7)}, nil, "indices of 2 axes for sizes [3]"},
		{"ScatterElements", []*onnxpb.TensorProto{ints([]int{2, 2}, 1, 2, 3, 4), ints([]int{1, 2}, 1, 0), ints([]int{1, 2}, 7, 8)}, nil, "[2 2] [1 8 7 4]"},
		{"ScatterElements", []*onnxpb.TensorProto{ints([]int{2}, 1, 2), ints([]int{1}, 0), ints([]int{1}, 7)}, []attr{textAttribute("reduction", "xor")}, "reduction is"},
		{"GatherElements", []*onnxpb.TensorProto{ints([]int{2, 2}, 1, 2, 3, 4), ints([]int{1, 2}, -1, 0)}, nil, "[1 2] [3 2]"},
		{"GatherND", []*onnxpb.TensorProto{ints([]int{2, 2}, 1, 2, 3, 4), ints([]int{2, 1}, 1, 0)}, []attr{intAttribute("batch_dims", 1)}, "[2] [2 3]"},
		{"GatherND", []*onnxpb.TensorProto{ints([]int{2, 2}, 1, 2, 3, 4), ints([]int{2}, 1, 0)}, nil, "[] [3]"},
		{"GatherND", []*onnxpb.TensorProto{ints([]int{2, 2}, 1, 2, 3, 4), ints([]int{2}, 1, 0)}, []attr{intAttribute("batch_dims", -3)}, "-1 batch axes"},
		{"Compress", []*onnxpb.TensorProto{ints([]int{2, 2}, 1, 2, 3, 4), tensorBools(false, true, false, true)}, nil, "[2] [2 4]"},
		{"ReverseSequence", []*onnxpb.TensorProto{ints([]int{3, 2}, 1, 2, 3, 4, 5, 6), ints([]int{2}, 3, 2)}, nil, "[3 2] [5 4 3 2 1 6]"},
		{"ReverseSequence", []*onnxpb.TensorProto{ints([]int{3, 2}, 1, 2, 3, 4, 5, 6), ints([]int{2}, 3, 4)}, nil, "a sequence of 4 elements, of 3"},
		{"ReverseSequence", []*onnxpb.TensorProto{ints([]int{3, 2}, 1, 2, 3, 4, 5, 6), ints([]int{2}, -1, 2)}, nil, "a sequence of -1 elements"},
		{"Unique", []*onnxpb.TensorProto{ints([]int{4}, 3, 1, 3, 2)}, []attr{intAttribute("sorted", 0)}, "[3] [3 1 2]"},
		{"ReduceMax", []*onnxpb.TensorProto{ints([]int{0, 2})}, []attr{intsAttribute("axes", 0)}, "[1 2] [-9223372036854775808 -9223372036854775808]"},
		{"ReduceSum", []*onnxpb.TensorProto{floats([]int{0, 2}), ints([]int{1}, 0)}, nil, "[1 2] [0 0]"},
		{"QuantizeLinear", []*onnxpb.TensorProto{floats([]int{2, 2}, 1, 1, 1, 1), floats([]int{3}, 1, 1, 1)}, nil, `scales "i1" float32[3] do not fit axis 1 of shape [2 2]`},
		{"HannWindow", []*onnxpb.TensorProto{ints(nil, 4)}, nil, "[4] [0 0.5 1 0.5]"},
		{"Clip", []*onnxpb.TensorProto{ints([]int{3}, -5, 1, 9), ints(nil, 0)}, nil, "[3] [0 1 9]"},
	} {
		k := folded(t, c.op, c.in, c.attrs, c.want)
		if k == nil {
			continue
		}
		if s := k.text(); s != c.want {
			t.Errorf("%s: got %s, want %s", c.op, s, c.want)
		}
	}
}
