package onnx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// branches is an If on c with two branches, whose outputs have the names given.
func branches(out []string, then, other *onnxpb.GraphProto) *onnxpb.NodeProto {
	return node("If", []string{"c"}, out, graphAttribute("then_branch", then), graphAttribute("else_branch", other))
}

// giving is a branch with these outputs.
func giving(outs []string, ns ...*onnxpb.NodeProto) *onnxpb.GraphProto {
	g := &onnxpb.GraphProto{Name: proto.String("branch"), Node: ns}
	for _, o := range outs {
		g.Output = append(g.Output, float32Info(o, 2, 3))
	}
	return g
}

func truthWeight(name string, on int32) *onnxpb.TensorProto {
	w := tensorProto(name, graph.TensorType{DType: graph.Bool})
	w.Int32Data = []int32{on}
	return w
}

func wired(op string, in ...string) *onnxpb.NodeProto {
	n := node(op, in[:len(in)-1], in[len(in)-1:])
	n.Name = proto.String("makes " + in[len(in)-1])
	return n
}

// TestInlined: the branch that is taken stands in place of its If, and runs as before.
func TestInlined(t *testing.T) {
	t.Parallel()
	neg := giving([]string{"t"}, wired("Neg", "x", "t"))
	var jobs []ort.Job // in pairs
	var names []string
	for _, c := range []struct {
		name, want string
		change     func(g *onnxpb.GraphProto)
		noRun      bool // ONNX Runtime does not load the file
	}{
		{name: "one node, which makes an output of the graph", want: "Exp y -> a; Add x a -> z", change: func(g *onnxpb.GraphProto) {
			g.Node = []*onnxpb.NodeProto{wired("Exp", "y", "a"), branches([]string{"z"}, giving([]string{"t"}, wired("Add", "x", "a", "t")), neg)}
		}},
		{name: "a branch of one copy", want: "Exp y -> z", change: func(g *onnxpb.GraphProto) {
			g.Node = []*onnxpb.NodeProto{wired("Exp", "y", "a"), branches([]string{"z"}, giving([]string{"t"}, wired("Identity", "a", "t")), neg)}
		}},
		{name: "a name that both branches define", want: "Exp x -> p_1; Add p_1 y -> z", change: func(g *onnxpb.GraphProto) {
			g.Node = []*onnxpb.NodeProto{branches([]string{"z"}, giving([]string{"t"}, wired("Exp", "x", "p"), wired("Add", "p", "y", "t")),
				giving([]string{"u"}, wired("Neg", "x", "p"), wired("Mul", "p", "y", "u")))}
		}},
		{name: "weights in the branch", want: "Mul x w_1 -> s; Add s v -> z", change: func(g *onnxpb.GraphProto) {
			b := giving([]string{"t"}, wired("Mul", "x", "w", "s"), wired("Add", "s", "v", "t"))
			b.Initializer = []*onnxpb.TensorProto{floatsWeight("w", []int{3}, 1, 2, 3), floatsWeight("v", []int{1}, 7)}
			other := giving([]string{"u"}, wired("Mul", "x", "w", "u"))
			other.Initializer = []*onnxpb.TensorProto{floatsWeight("w", []int{1}, 5)}
			g.Node = []*onnxpb.NodeProto{branches([]string{"z"}, b, other)}
		}},
		{name: "numbers in a node of the branch", want: "Constant  -> k; MatMul x k -> m; MatMul m l -> z", change: func(g *onnxpb.GraphProto) {
			large := make([]float32, 6000)
			for i := range large {
				large[i] = float32(i%13) - 6
			}
			k := node("Constant", nil, []string{"k"}, &onnxpb.AttributeProto{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: floatsWeight("", []int{3, 2000}, large...)})
			g.Initializer = append(g.Initializer, floatsWeight("l", []int{2000, 3}, large...))
			g.Node = []*onnxpb.NodeProto{branches([]string{"z"}, giving([]string{"t"}, k, wired("MatMul", "x", "k", "m"), wired("MatMul", "m", "l", "t")), neg)}
		}},
		{name: "an If within a branch", want: "Exp x -> p_1; Add p_1 y -> z", change: func(g *onnxpb.GraphProto) {
			in := branches([]string{"t"}, giving([]string{"u"}, wired("Add", "p", "y", "u")), giving([]string{"v"}, wired("Mul", "p", "y", "v")))
			g.Node = []*onnxpb.NodeProto{branches([]string{"z"}, giving([]string{"t"}, wired("Exp", "x", "p"), in),
				giving([]string{"r"}, wired("Neg", "x", "p"), wired("Abs", "p", "r")))}
		}},
		{name: "a loop that reads what the branch defines", want: "Exp x -> p_1; Loop n  x -> z", change: func(g *onnxpb.GraphProto) {
			body := &onnxpb.GraphProto{Name: proto.String("body"), Input: []*onnxpb.ValueInfoProto{
				valueInfo("i", graph.TensorType{DType: graph.Int64}), valueInfo("go", graph.TensorType{DType: graph.Bool}), float32Info("q", 2, 3)},
				Node:   []*onnxpb.NodeProto{wired("Add", "q", "p", "r"), wired("Identity", "go", "on")},
				Output: []*onnxpb.ValueInfoProto{valueInfo("on", graph.TensorType{DType: graph.Bool}), float32Info("r", 2, 3)}}
			loop := node("Loop", []string{"n", "", "x"}, []string{"t"}, graphAttribute("body", body))
			g.Initializer = append(g.Initializer, intsWeight("n", nil, 3))
			g.Node = []*onnxpb.NodeProto{branches([]string{"z"}, giving([]string{"t"}, wired("Exp", "x", "p"), loop), giving([]string{"u"}, wired("Neg", "x", "p"), wired("Abs", "p", "u")))}
		}},
		{name: "a loop that defines the name of an output", want: "Exp x -> t_1; Loop n  x -> s; Identity t_1 -> z", noRun: true, change: func(g *onnxpb.GraphProto) {
			body := &onnxpb.GraphProto{Name: proto.String("body"), Input: []*onnxpb.ValueInfoProto{
				valueInfo("i", graph.TensorType{DType: graph.Int64}), valueInfo("go", graph.TensorType{DType: graph.Bool}), float32Info("q", 2, 3)},
				Node:   []*onnxpb.NodeProto{wired("Neg", "q", "z"), wired("Add", "z", "t", "r"), wired("Identity", "go", "on")},
				Output: []*onnxpb.ValueInfoProto{valueInfo("on", graph.TensorType{DType: graph.Bool}), float32Info("r", 2, 3)}}
			loop := node("Loop", []string{"n", "", "x"}, []string{"s"}, graphAttribute("body", body))
			g.Initializer = append(g.Initializer, intsWeight("n", nil, 2))
			g.Node = []*onnxpb.NodeProto{branches([]string{"z", "s"}, giving([]string{"t", "s"}, wired("Exp", "x", "t"), loop), giving([]string{"t", "t"}, wired("Neg", "x", "t")))}
			g.Output = append(g.Output, float32Info("s", 2, 3))
		}},
		{name: "an output twice, a weight and a value from outside", want: "Exp y -> z4; Neg z4 -> z; Identity z -> z2; Identity w -> z3", noRun: true, change: func(g *onnxpb.GraphProto) {
			outs := []string{"z", "z2", "z3", "z4"}
			b := giving([]string{"q", "q", "w", "a"}, wired("Neg", "a", "q"))
			b.Initializer = []*onnxpb.TensorProto{floatsWeight("w", []int{2, 3}, 1, 2, 3, 4, 5, 6)}
			g.Node = []*onnxpb.NodeProto{wired("Exp", "y", "a"), branches(outs, b, giving([]string{"a", "a", "a", "a"}))}
			for _, o := range outs[1:] {
				g.Output = append(g.Output, float32Info(o, 2, 3))
			}
		}},
		{name: "a node that is not understood", want: "Sub x y -> s; Trilu s -> u; Relu u -> z", change: func(g *onnxpb.GraphProto) {
			b := giving([]string{"t"}, wired("Sub", "x", "y", "s"), of("com.microsoft", wired("Trilu", "s", "u")), wired("Relu", "u", "t"))
			b.ValueInfo = []*onnxpb.ValueInfoProto{float32Info("u", 2, 3)}
			g.Node = []*onnxpb.NodeProto{branches([]string{"z"}, b, neg)}
		}},
		{name: "a condition on a rank", want: "Add x y -> z", change: func(g *onnxpb.GraphProto) {
			g.Initializer = []*onnxpb.TensorProto{intsWeight("two", nil, 2)}
			g.Node = []*onnxpb.NodeProto{wired("Shape", "x", "sh"), wired("Size", "sh", "r"), wired("Equal", "r", "two", "c"), branches([]string{"z"}, giving([]string{"t"}, wired("Add", "x", "y", "t")), neg)}
		}},
	} {
		m := small()
		m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("com.microsoft"), Version: proto.Int64(1)})
		m.Graph.Initializer = []*onnxpb.TensorProto{truthWeight("c", 1)}
		c.change(m.Graph)
		path := put(t, marshal(t, m))
		to := filepath.Join(t.TempDir(), "to.onnx")
		for _, clean := range []bool{false, true} {
			got, back, changes := rewrittenSame(t, path, to, ReadOptions{}, RewriteOptions{Clean: clean})
			switch {
			case !clean && !proto.Equal(got, m):
				t.Errorf("%s: without Clean it is %s", c.name, nodesText(got))
			case clean && nodesText(got) != c.want:
				t.Errorf("%s: %s, want %s; %+v", c.name, nodesText(got), c.want, changes)
			case clean && !back.Cleanable():
				t.Errorf("%s: it is not said that there is something to clean", c.name)
			}
			nodes := map[string]bool{}
			for _, n := range got.GetGraph().GetNode() {
				if clean && nodes[n.GetName()] {
					t.Errorf("%s: two nodes %s", c.name, n.GetName())
				}
				nodes[n.GetName()] = true
			}
		}
		if c.noRun {
			continue
		}
		var in []ort.Tensor
		for _, o := range list(feed("x", 2, 3), feed("y", 2, 3)) {
			in = append(in, ort.Tensor{Name: o.name, DType: "float32", Sizes: o.k.sizes, Data: o.k.encode()})
		}
		jobs = append(jobs, ort.Job{Model: path, Inputs: in}, ort.Job{Model: to, Inputs: in})
		names = append(names, c.name)
	}
	res, err := ort.ForTest(t).RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range names {
		a, b := res[2*n], res[2*n+1]
		if a.Err != nil || b.Err != nil || len(b.Outputs) != 1 {
			t.Errorf("%s: the file: %v; what we write: %v", name, a.Err, b.Err)
			continue
		}
		want, err := constantOf(a.Outputs[0])
		if err != nil {
			t.Fatal(err)
		}
		k, err := constantOf(b.Outputs[0])
		if err == nil {
			err = same(k, want)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// form is a graph without names: those of weights within a branch are not kept.
func form(g *graph.Graph) (s string) {
	for id := range g.Nodes() {
		s += fmt.Sprintln(id, g.Operands(id), g.Type(id.Out(0)))
		if op := g.Op(id); op != nil && op.Name != graph.OpaqueName {
			s += op.Name + op.FormatAttrs(g.Attrs(id))
		}
	}
	return s + fmt.Sprint(g.Outputs())
}

// rewrittenSame writes a file with the graph that it is read as, and reads it again.
func rewrittenSame(t *testing.T, path, to string, read ReadOptions, opt RewriteOptions) (*onnxpb.ModelProto, *Source, *Changes) {
	t.Helper()
	m, rep, err := Read(path, read)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := Rewrite(to, rep.Source, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	back, err := rep.Source.ReadResult(to)
	if err != nil {
		t.Fatal(err)
	}
	if form(back.Graph) != form(m.Graph) {
		t.Errorf("read again it is\n%s\nwant\n%s", back.Graph, m.Graph)
	}
	raw, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	p := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(raw, p); err != nil {
		t.Fatal(err)
	}
	return p, rep.Source, changes
}

// TestInlinedOpen: a condition that depends on sizes which stay open is not constant.
func TestInlinedOpen(t *testing.T) {
	t.Parallel()
	shape := []*onnxpb.NodeProto{wired("Shape", "x", "sh"), wired("Gather", "sh", "zero", "n"), wired("Equal", "n", "two", "c")}
	for _, c := range []struct {
		name         string
		nodes        []*onnxpb.NodeProto
		in           int // which input leaves a size open
		sr           bool
		open, closed bool // is it inlined where sizes stay open, and where they do not
	}{
		{name: "a constant", in: 0, open: true, closed: true},
		{name: "a size that is open", nodes: shape, in: 0, closed: true},
		{name: "a size that is not", nodes: shape, in: 1, open: true, closed: true},
		{name: "a size behind a node", nodes: append([]*onnxpb.NodeProto{wired("Exp", "x", "e"), wired("Shape", "e", "sh")}, shape[1:]...), in: 0, closed: true},
		{name: "an input that is given", nodes: []*onnxpb.NodeProto{wired("Equal", "sr", "two", "c")}, sr: true, open: true, closed: true},
	} {
		m := small()
		g := m.Graph
		g.Initializer = []*onnxpb.TensorProto{truthWeight("c", 1)}
		if c.nodes != nil {
			g.Initializer = []*onnxpb.TensorProto{intsWeight("zero", nil, 0), intsWeight("two", nil, 2)}
		}
		read := ReadOptions{Shapes: map[string][]int{g.Input[c.in].GetName(): {2, 3}}}
		if c.sr {
			g.Input = append(g.Input, valueInfo("sr", graph.TensorType{DType: graph.Int64}))
			two := newConstant(graph.Int64)
			two.ints[0] = 2
			read.Constants = map[string]*model.Weight{"sr": two.weight()}
		}
		g.Input[c.in].Type.GetTensorType().Shape.Dim[0] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "n"}}
		g.Node = append(c.nodes, branches([]string{"z"}, giving([]string{"t"}, wired("Add", "x", "y", "t")), giving([]string{"u"}, wired("Mul", "x", "y", "u"))))
		path := put(t, marshal(t, m))
		for _, fix := range []bool{false, true} {
			got, src, _ := rewrittenSame(t, path, filepath.Join(t.TempDir(), "to.onnx"), read, RewriteOptions{Clean: true, Fix: fix})
			want := c.open
			if fix {
				want = c.closed
			}
			n := got.GetGraph().GetNode()
			if is := n[len(n)-1].GetOpType() == "Add"; is != want || src.Cleanable() != c.open {
				t.Errorf("%s, sizes fixed: %v: %s; cleanable: %v", c.name, fix, nodesText(got), src.Cleanable())
			}
		}
	}
}
