package onnx

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// floatsWeight is an initializer of float32 numbers; no sizes are a scalar.
func floatsWeight(name string, sizes []int, xs ...float32) *onnxpb.TensorProto {
	w := tensorProto(name, graph.TensorType{Sizes: sizes})
	w.FloatData = xs
	return w
}

// program is a model of x float32[2, 4] from lines such as "y = Mul(x, half)";
// numbers are written as operands. The last line is the output. A reduction is
// over the last axis.
func program(lines ...string) *onnxpb.ModelProto {
	m := small()
	g := m.Graph
	g.Input, g.Node = []*onnxpb.ValueInfoProto{float32Info("x", 2, 4)}, nil
	g.Initializer = []*onnxpb.TensorProto{
		floatsWeight("scale", []int{4}, 1, 2, 3, 4), floatsWeight("bias", []int{4}, 4, 3, 2, 1), floatsWeight("row", []int{1}, 2),
	}
	for i, line := range lines {
		out, rest, _ := strings.Cut(line, " = ")
		op, args, _ := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
		n := node(op, nil, []string{out})
		n.Name = proto.String(out)
		for j, a := range strings.Split(args, ", ") {
			var v float32
			if _, err := fmt.Sscan(a, &v); err == nil {
				a = fmt.Sprintf("c%d_%d", i, j)
				g.Initializer = append(g.Initializer, floatsWeight(a, nil, v))
			}
			n.Input = append(n.Input, a)
		}
		if strings.HasPrefix(op, "Reduce") {
			n.Attribute = append(n.Attribute, intsAttribute("axes", -1))
		}
		if op == "HardSigmoid" {
			n.Attribute = append(n.Attribute, floatAttribute("alpha", 1.0/6))
		}
		g.Node = append(g.Node, n)
		g.Output[0] = float32Info(out, 2, 4)
	}
	return m
}

// TestSpelled: decomposed forms are found, near misses are not, and in either case
// the numbers are those of the operators as they stand.
func TestSpelled(t *testing.T) {
	norm := func(more ...string) []string {
		return append([]string{"m = ReduceMean(x)", "d = Sub(x, m)", "q = Pow(d, 2)", "v = ReduceMean(q)", "e = Add(v, 1e-5)", "r = Sqrt(e)"}, more...)
	}
	for _, c := range []struct {
		lines []string
		want  string // fused, "" for none
	}{
		{[]string{"a = Div(x, 1.4142135)", "b = Erf(a)", "c = Add(b, 1)", "d = Mul(x, c)", "y = Mul(d, 0.5)"}, "gelu(x)"},
		{[]string{"a = Mul(x, 0.70710677)", "b = Erf(a)", "c = Add(1, b)", "d = Mul(0.5, x)", "y = Mul(d, c)"}, "gelu(x)"},
		{[]string{"a = Div(x, 1.4142135)", "b = Erf(a)", "c = Add(b, 1)", "d = Mul(c, 0.5)", "y = Mul(x, d)"}, "gelu(x)"},
		{[]string{"a = Div(x, 1.5)", "b = Erf(a)", "c = Add(b, 1)", "d = Mul(x, c)", "y = Mul(d, 0.5)"}, ""},
		{[]string{"a = Div(x, 1.4142135)", "b = Erf(a)", "c = Add(b, 2)", "d = Mul(x, c)", "y = Mul(d, 0.5)"}, ""},
		{[]string{"a = Div(x, 1.4142135)", "b = Erf(a)", "c = Add(b, 1)", "n = Neg(x)", "d = Mul(n, c)", "y = Mul(d, 0.5)"}, ""},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0, 6)", "c = Mul(x, b)", "y = Div(c, 6)"}, "hardswish(x)"},
		{[]string{"a = Add(3, x)", "b = Clip(a, 0, 6)", "c = Div(b, 6)", "y = Mul(c, x)"}, "hardswish(x)"},
		{[]string{"a = HardSigmoid(x)", "y = Mul(x, a)"}, "hardswish(x)"},
		{[]string{"a = Add(3, x)", "b = Clip(a, 0, 6)", "c = Mul(b, 0.16666667)", "y = Mul(c, x)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0)", "c = Clip(b, -3.4028235e38, 6)", "d = Mul(x, c)", "y = Div(d, 6)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Relu(a)", "c = Clip(b, -3.4028235e38, 6)", "d = Mul(x, c)", "y = Div(d, 6)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Relu(a)", "c = Min(b, 6)", "d = Mul(x, c)", "y = Mul(d, 0.16666667)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Max(a, 0)", "c = Min(b, 6)", "d = Mul(x, c)", "y = Div(d, 6)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0, 6)", "y = Div(b, 6)"}, "hardsigmoid[alpha=0.16666667, beta=0.5](x)"},
		{[]string{"a = Add(x, 3)", "b = Max(a, 0)", "c = Min(6, b)", "y = Mul(c, 0.16666667)"}, "hardsigmoid[alpha=0.16666667, beta=0.5](x)"},
		{[]string{"a = Add(x, 3)", "b = Max(a, 0)", "c = Min(b, 6)", "d = Div(c, 6)", "y = Mul(x, d)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Max(a, 0.5)", "c = Min(b, 6)", "d = Mul(x, c)", "y = Div(d, 6)"}, ""},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0)", "c = Clip(b, -3.4028235e38, 7)", "d = Mul(x, c)", "y = Div(d, 6)"}, ""},
		{[]string{"a = Add(x, 2)", "b = Clip(a, 0, 6)", "y = Div(b, 6)"}, ""},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0, 5)", "c = Mul(x, b)", "y = Div(c, 6)"}, ""},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0, 6)", "c = Mul(x, b)", "y = Div(c, 5)"}, ""},
		{norm("n = Div(d, r)", "p = Mul(n, scale)", "y = Add(p, bias)"), "layernorm[axis=1, eps=1e-05](x, scale, bias)"},
		{norm("i = Reciprocal(r)", "n = Mul(d, i)", "p = Mul(scale, n)", "y = Add(bias, p)"), "layernorm[axis=1, eps=1e-05](x, scale, bias)"},
		// Numbers have to be those of the definition, rounded to float32.
		{[]string{"a = Div(x, 1.414213)", "b = Erf(a)", "c = Add(b, 1)", "d = Mul(x, c)", "y = Mul(d, 0.5)"}, ""},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0, 6)", "c = Mul(x, b)", "y = Mul(c, 0.16666667)"}, "hardswish(x)"},
		{[]string{"a = Add(x, 3)", "b = Clip(a, 0, 6)", "c = Mul(x, b)", "y = Mul(c, 0.1666668)"}, ""},
		{norm("n = Div(d, r)", "p = Mul(n, 2)", "y = Add(p, 3)"), ""},
		{norm("n = Div(x, r)", "p = Mul(n, scale)", "y = Add(p, bias)"), ""},
		{norm("n = Div(d, r)", "p = Mul(n, row)", "y = Add(p, bias)"), ""},
		{norm("n = Div(d, e)", "p = Mul(n, scale)", "y = Add(p, bias)"), ""},
		{norm("k = Mul(d, x)", "w = ReduceMean(k)", "f = Add(w, 9)", "s = Sqrt(f)", "n = Div(d, s)", "p = Mul(n, scale)", "y = Add(p, bias)"), ""},
	} {
		path := put(t, marshal(t, program(c.lines...)))
		got, r, err := Read(path, ReadOptions{})
		if err != nil {
			t.Errorf("%v: %v", c.lines, err)
			continue
		}
		if text := got.Graph.String(); c.want != "" && (!strings.Contains(text, "y = "+c.want) || len(r.Fused) != 1) || c.want == "" && len(r.Fused) != 0 {
			t.Errorf("%v: fused %v, want %q\n%s", c.lines, r.Fused, c.want, text)
		}
		plain, r, err := Read(path, ReadOptions{KeepDecomposed: true})
		if err != nil || len(r.Fused) != 0 {
			t.Fatalf("%v: %v, fused %v", c.lines, err, r.Fused)
		}
		x := newConstant(graph.Float32, 2, 4)
		for i := range x.floats {
			x.floats[i] = math.Sin(float64(3*i)) * 4
		}
		in := map[string]*constant{"x": x}
		a, err1 := evaluate(got, in)
		b, err2 := evaluate(plain, in)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if err := agree(a[0], &constant{dtype: graph.Float32, sizes: b[0].Sizes, floats: b[0].Data}); err != nil {
			t.Errorf("%v: %v", c.lines, err)
		}
	}
}

// TestInline: functions of the model and branches that are known to be taken
// are read in place, with attributes bound, names kept apart and values from
// outside found.
func TestInline(t *testing.T) {
	m := small()
	ref := &onnxpb.AttributeProto{Name: proto.String("value_float"), Type: onnxpb.AttributeProto_FLOAT.Enum(), RefAttrName: proto.String("by")}
	m.Functions = []*onnxpb.FunctionProto{{
		Domain: proto.String("f"), Name: proto.String("Scaled"), Input: []string{"a", "unused"}, Output: []string{"z"}, Attribute: []string{"by"},
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(13)}},
		Node:        []*onnxpb.NodeProto{node("Constant", nil, []string{"y"}, ref), node("Mul", []string{"a", "y"}, []string{"z"})},
	}}
	call := func(in, out string, by float64) *onnxpb.NodeProto {
		n := node("Scaled", []string{in}, []string{out}, floatAttribute("by", by))
		n.Domain = proto.String("f")
		return n
	}
	branch := func(name, op string) *onnxpb.AttributeProto {
		return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: &onnxpb.GraphProto{
			Output: []*onnxpb.ValueInfoProto{{Name: proto.String("t")}},
			Node:   []*onnxpb.NodeProto{node(op, []string{"s"}, []string{"t"})},
		}}
	}
	m.Graph.Node = []*onnxpb.NodeProto{
		call("x", "s", 2), call("s", "q", 3),
		node("Shape", []string{"x"}, []string{"n"}), node("ReduceProd", []string{"n"}, []string{"p"}), node("Cast", []string{"p"}, []string{"b"}, intAttribute("to", 9)),
		node("If", []string{"b"}, []string{"w"}, branch("then_branch", "Relu"), branch("else_branch", "Neg")),
		node("Add", []string{"q", "w"}, []string{"z"}),
	}
	got, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Opaque) != 0 || r.Folded != 5 {
		t.Errorf("opaque %v, %d folded", r.Opaque, r.Folded)
	}
	x := newConstant(graph.Float32, 2, 3)
	for i := range x.floats {
		x.floats[i] = float64(i) - 2
	}
	out, err := evaluate(got, map[string]*constant{"x": x, "y": x})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out[0].Data {
		if want := 6*x.floats[i] + math.Max(0, 2*x.floats[i]); v != want {
			t.Errorf("element %d is %g, want %g\n%s", i, v, want, got.Graph)
		}
	}
	// A branch that is not known is kept, with what it reads from outside.
	m.Graph.Input = append(m.Graph.Input, &onnxpb.ValueInfoProto{Name: proto.String("c"), Type: valueInfo("c", graph.TensorType{DType: graph.Bool}).Type})
	m.Graph.Node[5].Input[0] = "c"
	m.Graph.Node[5].Attribute[1] = branch("else_branch", "Unheard")
	m.Graph.ValueInfo = []*onnxpb.ValueInfoProto{float32Info("w", 2, 3)}
	got, r, err = Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Opaque) != 1 || r.Opaque[0].Op != "If" || !strings.Contains(got.Graph.String(), `kind="onnx.If"`) {
		t.Errorf("opaque %v\n%s", r.Opaque, got.Graph)
	}
	_, back := reread(t, got, WriteOptions{})
	sameGraph(t, back.Graph, got.Graph)
}
