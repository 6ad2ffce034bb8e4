package onnx

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// nodeFile is a model file of nodes like "Relu a -> b", with the inputs, outputs and weights named.
func nodeFile(t *testing.T, opset int64, in, out string, sizes []int, weights map[string][]float32, nodes ...string) *onnxpb.ModelProto {
	t.Helper()
	g := &onnxpb.GraphProto{Name: proto.String("g")}
	typ := graph.TensorType{DType: graph.Float32, Sizes: sizes}
	for _, v := range strings.Fields(in) {
		g.Input = append(g.Input, valueInfo(v, typ))
	}
	for _, v := range strings.Fields(out) {
		g.Output = append(g.Output, &onnxpb.ValueInfoProto{Name: proto.String(v), Type: valueInfo(v, typ).Type})
	}
	for _, v := range slices.Sorted(maps.Keys(weights)) {
		xs := weights[v]
		w := tensorProto(v, graph.TensorType{DType: graph.Float32, Sizes: []int{len(xs)}})
		w.FloatData = xs
		g.Initializer = append(g.Initializer, w)
	}
	for _, text := range nodes {
		left, right, _ := strings.Cut(text, " -> ")
		words := strings.Fields(left)
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String(words[0]), Input: words[1:], Output: strings.Fields(right), Name: proto.String("node of " + right)})
	}
	return &onnxpb.ModelProto{IrVersion: proto.Int64(8), ProducerName: proto.String("somebody"), ModelVersion: proto.Int64(7), Graph: g,
		OpsetImport:   []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(opset)}},
		MetadataProps: []*onnxpb.StringStringEntryProto{entry("names", "cat dog")}}
}

// rewritten reads a file, makes another graph of its graph, and is the result with what was
// done, which reads as that graph.
func rewritten(t *testing.T, p *onnxpb.ModelProto, change func(*model.Model) *graph.Graph, opt RewriteOptions) (*onnxpb.ModelProto, *Changes) {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.onnx"), filepath.Join(dir, "to.onnx")
	raw, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(from, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	m, rep, err := Read(from, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.WithGraph(change(m))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Rewrite(to, rep.Source, r, opt)
	if err != nil {
		t.Fatal(err)
	}
	back, err := rep.Source.ReadResult(to)
	if err != nil {
		t.Fatal(err)
	}
	want, err := once(r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := once(back); err != nil || got.Graph.Hash() != want.Graph.Hash() {
		t.Errorf("read again it is\n%s\nwant\n%s", back.Graph, want.Graph)
	}
	raw, err = os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	out := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(raw, out); err != nil {
		t.Fatal(err)
	}
	return out, c
}

func nodesText(p *onnxpb.ModelProto) string {
	var lines []string
	for _, n := range p.GetGraph().GetNode() {
		lines = append(lines, n.GetOpType()+" "+strings.Join(n.GetInput(), " ")+" -> "+strings.Join(n.GetOutput(), " "))
	}
	return strings.Join(lines, "; ")
}

// parsed is a change to a graph that is written down.
func parsed(t *testing.T, text string) func(*model.Model) *graph.Graph {
	return func(*model.Model) *graph.Graph {
		g, err := graph.ParseText("result", text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

func TestRewrite(t *testing.T) {
	six := []int{2, 3}
	for _, c := range []struct {
		name        string
		in, out     string
		nodes       []string
		result      string
		want        string
		keep, name2 int
	}{
		{"a part in the middle", "x", "y", []string{"Neg x -> a", "Neg a -> b", "Exp b -> y"},
			"x : float32[2, 3]\ny = exp(x)\nreturn y", "Exp x -> y", 0, 1},
		{"an operator for two", "x", "y z", []string{"Exp x -> a", "Abs a -> y", "Neg x -> z"},
			"x : float32[2, 3]\ny = exp(x)\nz = neg(x)\nreturn y, z", "Exp x -> y; Neg x -> z", 1, 1},
		{"an output that is an input", "x", "y", []string{"Neg x -> a", "Neg a -> y"},
			"x : float32[2, 3]\nreturn x", "Identity x -> y", 0, 0},
		{"one tensor under two names", "x", "y z", []string{"Abs x -> a", "Exp a -> y", "Abs x -> b", "Sqrt b -> z"},
			"x : float32[2, 3]\na = abs(x)\ny = exp(a)\nz = sqrt(a)\nreturn y, z", "Abs x -> a; Exp a -> y; Sqrt a -> z", 2, 1},
		{"another operator", "x w", "y", []string{"Exp x -> a", "Sub a w -> b", "Abs b -> y"},
			"x : float32[2, 3]\nw : float32[2, 3]\na = exp(x)\nb = ewadd(a, w)\ny = abs(b)\nreturn y", "Exp x -> a; Add a w -> b; Abs b -> y", 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := nodeFile(t, 17, c.in, c.out, six, nil, c.nodes...)
			out, changes := rewritten(t, p, parsed(t, c.result), RewriteOptions{})
			if got := nodesText(out); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if changes.Kept != c.keep || changes.Renamed != c.name2 {
				t.Errorf("kept %d, renamed %d: want %d, %d", changes.Kept, changes.Renamed, c.keep, c.name2)
			}
			out.Graph.Node, p.Graph.Node = nil, nil
			if !proto.Equal(out, p) {
				t.Errorf("beside the nodes there is\n%v\nwant\n%v", out, p)
			}
		})
	}
}

// A kept node may need the shape of what is computed from its own result now.
func TestRewriteCycle(t *testing.T) {
	p := nodeFile(t, 17, "x v", "y", []int{2, 3}, nil, "Transpose x -> u", "Exp u -> a", "Shape a -> s", "Reshape v s -> b", "Add a b -> c", "Transpose c -> y")
	out, _ := rewritten(t, p, parsed(t, "x : float32[2, 3]\nv : float32[2, 3]\nb = reshape[shape=[3, 2]](v)\nt = transpose[perm=(1, 0)](x)\nd = ewmul(b, t)\nc = ewadd(d, b)\ny = transpose[perm=(1, 0)](c)\nreturn y"), RewriteOptions{})
	if len(out.GetGraph().GetInitializer()) != 1 || out.GetGraph().GetInitializer()[0].GetName() != "s" || strings.Contains(nodesText(out), "Shape") {
		t.Errorf("%s; %v", nodesText(out), out.GetGraph().GetInitializer())
	}
}

// Nodes that compute nothing go if that is asked for, alone or together with what is computed twice; of
// a file that has none nothing goes.
func TestRewriteClean(t *testing.T) {
	for _, c := range []struct {
		nodes      []string
		want, same string // with another graph that computes the same, and with the same one
	}{
		{[]string{"Identity x -> a", "Exp a -> b", "Identity b -> y", "Neg x -> z"}, "Exp x -> y", "Exp x -> y"},
		{[]string{"Identity x -> y"}, "Identity x -> y", "Identity x -> y"},
		{[]string{"Exp x -> a", "Exp x -> b", "Add a b -> y"}, "Exp x -> a; Add a a -> y", "Exp x -> a; Exp x -> b; Add a b -> y"},
		{[]string{"Identity x -> a", "Exp x -> b", "Mul b a -> y"}, "Exp x -> b; Mul b x -> y", "Exp x -> b; Mul b x -> y"},
		{[]string{"Abs x -> a", "Identity a -> b", "Exp b -> c", "Add c b -> y"}, "Abs x -> a; Exp a -> c; Add c a -> y", "Abs x -> a; Exp a -> c; Add c a -> y"},
		{[]string{"Neg x -> a", "Sqrt a -> y"}, "Neg x -> a; Sqrt a -> y", "Neg x -> a; Sqrt a -> y"},
	} {
		for _, another := range []bool{true, false} {
			p := nodeFile(t, 17, "x", "y", []int{2, 3}, nil, c.nodes...)
			want := c.same
			if another {
				want = c.want
			}
			out, changes := rewritten(t, p, func(m *model.Model) *graph.Graph {
				if !another {
					return m.Graph
				}
				g, err := graph.ParseText("result", m.Graph.String())
				if err != nil {
					t.Fatal(err)
				}
				return g
			}, RewriteOptions{Clean: true})
			if got := nodesText(out); got != want || changes.Dropped != len(c.nodes)-len(out.GetGraph().GetNode()) {
				t.Errorf("%v: got %s, want %s; %d dropped", c.nodes, got, want, changes.Dropped)
			}
			if plain, _ := rewritten(t, p, func(m *model.Model) *graph.Graph { return m.Graph }, RewriteOptions{}); !proto.Equal(plain, p) {
				t.Errorf("%v: without Clean it is %s", c.nodes, nodesText(plain))
			}
		}
	}
}

// A dropped Identity of a value that is computed anew stands for this value, not this value
// for the Identity.
func TestRewriteCleanIdentity(t *testing.T) {
	p := nodeFile(t, 17, "x", "y", []int{2, 3}, nil, "Exp x -> a", "Sub a x -> b", "Identity b -> c", "Abs c -> d", "Mul c d -> y")
	out, _ := rewritten(t, p, parsed(t, "x : float32[2, 3]\na = exp(x)\nb = ewadd(a, x)\nd = abs(b)\ny = ewmul(b, d)\nreturn y"), RewriteOptions{Clean: true})
	if got, want := nodesText(out), "Exp x -> a; Add a x -> b; Abs b -> d; Mul b d -> y"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A node of an older operator set has the form of that set, or there is an error.
func TestRewriteOlder(t *testing.T) {
	p := nodeFile(t, 11, "x", "y", []int{2, 1, 3}, nil, "Exp x -> a", "Abs a -> y")
	out, _ := rewritten(t, p, parsed(t, "x : float32[2, 1, 3]\na = exp(x)\nb = reducesum[axes=(1), keep=1](a)\ny = abs(b)\nreturn y"), RewriteOptions{})
	n := out.GetGraph().GetNode()[1]
	if nodesText(out) != "Exp x -> a; ReduceSum a -> "+n.GetOutput()[0]+"; Abs "+n.GetOutput()[0]+" -> y" || len(n.GetAttribute()) != 2 {
		t.Errorf("%s: %v", nodesText(out), n)
	}
}

// What the file's operator set does not have is written in smaller operators, or in the form
// that the set has, and is read as what it was.
func TestRewriteSpelled(t *testing.T) {
	six := "x : float32[2, 3]\n"
	for _, c := range []struct {
		opset        int64
		result, want string
	}{
		{11, six + "y = gelu(x)", "Div Erf Add Mul Mul"},
		{20, six + "y = gelu(x)", "Gelu"},
		{13, six + "y = hardswish(x)", "HardSigmoid Mul"},
		{14, six + "y = hardswish(x)", "HardSwish"},
		{11, six + "a = reducemax[axes=(0), keep=0](x)\nb = reducesum[axes=(0), keep=0](x)\ny = layernorm[axis=1, eps=1e-05](x, a, b)", "ReduceMax ReduceSum ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Add"},
		{11, six + "a = resize[sizes=(4, 6), mode=nearest_floor_asymmetric](x)\ny = slice[axis=0, lo=0, hi=2](a)\nz = slice[axis=1, lo=0, hi=3](y)", "Resize Slice Slice"},
		{9, six + "y = softmax[axis=1](x)", "Softmax"},
		{9, six + "y = clip[lo=-1.0, hi=1.0](x)", "Clip"},
		{9, six + "a = pad[before=(1, 0), after=(0, 1), value=2.0](x)\ny = slice[axis=0, lo=0, hi=2](a)\ny2 = slice[axis=1, lo=0, hi=3](y)", "Pad Slice Slice"},
	} {
		last := c.result[strings.LastIndexByte(c.result, '\n')+1:]
		out, _ := rewritten(t, nodeFile(t, c.opset, "x", "y", []int{2, 3}, nil, "Neg x -> a", "Neg a -> y"), parsed(t, c.result+"\nreturn "+last[:strings.Index(last, " ")]), RewriteOptions{})
		var ops []string
		for _, n := range out.GetGraph().GetNode() {
			ops = append(ops, n.GetOpType())
		}
		if got := strings.Join(ops, " "); got != c.want {
			t.Errorf("operator set %d, %s: got %s, want %s", c.opset, c.result, got, c.want)
		}
	}
}

// A constant that is repeated is repeated by the operators that read it, for each of them, and
// by none of its own.
func TestRewriteRepeated(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{"c = broadcast[shape=[2, 3]](w)\na = exp(x)\nb = ewmul(a, c)\nd = ewadd(b, c)\ny = ewsub(c, d)", "Exp Mul Add Sub"},
		{"c = broadcast[shape=[2, 3]](w)\na = exp(x)\ny = ewmul(c, a)", "Exp Mul"},
		{"a = reducesum[axes=(0), keep=1](x)\nb = broadcast[shape=[2, 3]](a)\nc = broadcast[shape=[2, 3]](w)\nd = ewmul(b, c)\ny = ewadd(d, x)", "ReduceSum Expand Mul Add"},
	} {
		p := nodeFile(t, 13, "x", "y", []int{2, 3}, map[string][]float32{"w": {2}}, "Mul x w -> b", "Abs b -> y")
		out, _ := rewritten(t, p, func(m *model.Model) *graph.Graph {
			g, err := graph.ParseText("result", "x : float32[2, 3]\nw : weight float32[1]\n"+c.result+"\nreturn y")
			if err != nil {
				t.Fatal(err)
			}
			return g
		}, RewriteOptions{})
		var ops []string
		for _, n := range out.GetGraph().GetNode() {
			ops = append(ops, n.GetOpType())
		}
		if got := strings.Join(ops, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.result, got, c.want)
		}
	}
}

// A softmax over another axis than the last has no form before operator set 13.
func TestRewriteRefused(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from.onnx")
	raw, _ := proto.Marshal(nodeFile(t, 11, "x", "y", []int{2, 1, 3}, nil, "Exp x -> a", "Abs a -> y"))
	if err := os.WriteFile(from, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	m, rep, err := Read(from, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.WithGraph(parsed(t, "x : float32[2, 1, 3]\ny = softmax[axis=0](x)\nreturn y")(m))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Rewrite(filepath.Join(dir, "to.onnx"), rep.Source, r, RewriteOptions{}); err == nil || !strings.Contains(err.Error(), "before operator set 13") {
		t.Errorf("softmax over axis 0 in operator set 11: %v", err)
	}
}

// What graphs within nodes read from outside gets the name that it has in the result.
func TestRewriteCaptured(t *testing.T) {
	p := nodeFile(t, 17, "x c", "y", []int{2}, nil, "Exp x -> a", "Neg a -> b", "Neg b -> d")
	branch := func(op string) *onnxpb.GraphProto {
		return &onnxpb.GraphProto{Name: proto.String(op), Output: []*onnxpb.ValueInfoProto{valueInfo(op+"_out", graph.TensorType{DType: graph.Float32, Sizes: []int{2}})},
			Node: []*onnxpb.NodeProto{{OpType: proto.String("RandomNormalLike"), Input: []string{"d"}, Output: []string{op + "_out"}}}}
	}
	g := p.GetGraph()
	g.Input[1] = valueInfo("c", graph.TensorType{DType: graph.Bool})
	g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("If"), Input: []string{"c"}, Output: []string{"y"}, Attribute: []*onnxpb.AttributeProto{
		{Name: proto.String("then_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: branch("t")},
		{Name: proto.String("else_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: branch("e")}}})
	out, _ := rewritten(t, p, func(m *model.Model) *graph.Graph {
		var b graph.Builder
		to := map[graph.Tensor]graph.Tensor{}
		for id := range m.Graph.Nodes() {
			if op := m.Graph.Op(id); op != nil && op.Name == "neg" {
				to[id.Out(0)] = to[m.Graph.Operands(id)[0]] // both go
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
			to[id.Out(0)] = n.Out(0)
		}
		r, err := b.Finish(to[m.Graph.Outputs()[0]])
		if err != nil {
			t.Fatal(err)
		}
		return r
	}, RewriteOptions{})
	n := out.GetGraph().GetNode()
	if len(n) != 2 || n[0].GetOutput()[0] != "a" || !captured(n[1])["a"] || captured(n[1])["d"] {
		t.Errorf("%v", n)
	}
}
