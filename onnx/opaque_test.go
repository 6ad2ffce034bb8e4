package onnx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// graphAttribute is an attribute that is a graph.
func graphAttribute(name string, g *onnxpb.GraphProto) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: g}
}

// branch is a graph without inputs that computes t from values around it.
func branch(ns ...*onnxpb.NodeProto) *onnxpb.GraphProto {
	return &onnxpb.GraphProto{Name: proto.String("branch"), Node: ns, Output: []*onnxpb.ValueInfoProto{float32Info("t", 2, 3)}}
}

// of puts a node into a domain.
func of(domain string, n *onnxpb.NodeProto) *onnxpb.NodeProto {
	n.Domain = proto.String(domain)
	return n
}

// TestOpaqueVerbatim: models with nodes that are kept come back as they were,
// with all that these nodes need: the numbers, graphs and functions within them,
// values around them, other operator sets. ONNX Runtime computes the same from
// what we write.
func TestOpaqueVerbatim(t *testing.T) {
	t.Parallel()
	const ms = "com.microsoft"
	large := make([]float32, 6000)
	for i := range large {
		large[i] = float32(i%13) - 6
	}
	var jobs []ort.Job // in pairs
	var names []string
	for _, c := range []struct {
		name   string
		change func(m *onnxpb.ModelProto)
		kept   string // the opaque nodes
	}{
		{"another operator set", func(m *onnxpb.ModelProto) {
			m.Graph.Node = []*onnxpb.NodeProto{node("Sub", []string{"x", "y"}, []string{"s"}), of(ms, node("Trilu", []string{"s"}, []string{"t"})), node("Relu", []string{"t"}, []string{"z"})}
			m.Graph.ValueInfo = []*onnxpb.ValueInfoProto{float32Info("t", 2, 3)}
		}, "[{n_Trilu t com.microsoft.Trilu this operator is not supported"},
		{"branches that read values around them", func(m *onnxpb.ModelProto) {
			m.Graph.Node = []*onnxpb.NodeProto{node("Mul", []string{"x", "y"}, []string{"p"}),
				node("If", []string{"c"}, []string{"z"}, graphAttribute("then_branch", branch(node("Add", []string{"p", "x"}, []string{"t"}))),
					graphAttribute("else_branch", branch(of(ms, node("Trilu", []string{"y"}, []string{"t"})))))}
		}, "[{n_If z If its condition is not constant, and its else_branch contains com.microsoft.Trilu: this operator is not supported}]"},
		{"branches that agree on a type which the file does not declare", func(m *onnxpb.ModelProto) {
			m.Graph.Node = []*onnxpb.NodeProto{
				node("If", []string{"c"}, []string{"q"}, graphAttribute("then_branch", branch(node("Add", []string{"y", "x"}, []string{"t"}))),
					graphAttribute("else_branch", branch(of(ms, node("Trilu", []string{"y"}, []string{"t"}))))),
				node("Relu", []string{"q"}, []string{"z"})}
		}, "[{n_If q If its condition is not constant, and its else_branch contains com.microsoft.Trilu: this operator is not supported}]"},
		{"branches that call functions", func(m *onnxpb.ModelProto) {
			m.Functions = []*onnxpb.FunctionProto{callers("A", "B", "Relu"), callers("B", "Relu"), callers("unused", "Relu")}
			m.Graph.Node = []*onnxpb.NodeProto{
				node("If", []string{"c"}, []string{"z"}, graphAttribute("then_branch", branch(of("f", node("A", []string{"x"}, []string{"t"})))),
					graphAttribute("else_branch", branch(of(ms, node("Trilu", []string{"y"}, []string{"t"})))))}
		}, "[{n_If z If its condition is not constant, and its else_branch contains com.microsoft.Trilu: this operator is not supported}]"},
		{"a function around a node of another operator set", func(m *onnxpb.ModelProto) {
			f := callers("A", "Relu", "Relu")
			f.Node[1] = of(ms, node("Trilu", []string{"va"}, []string{"vb"}))
			f.OpsetImport = append(f.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(ms), Version: proto.Int64(1)})
			f.ValueInfo = []*onnxpb.ValueInfoProto{float32Info("vb", 2, 3)}
			calling("A", f)(m)
			m.Graph.Input = m.Graph.Input[:1]
		}, "[{n_Trilu z com.microsoft.Trilu this operator is not supported"},
		{"numbers within a branch, and a name that is taken", func(m *onnxpb.ModelProto) {
			g := branch(node("MatMul", []string{"y", "w"}, []string{"t"}))
			w := floatsWeight("w", []int{3, 2000}, large...)
			g.Initializer = []*onnxpb.TensorProto{w}
			g.Output[0] = float32Info("t", 2, 2000)
			other := branch(node("Concat", []string{"q", "q", "q", "q"}, []string{"t"}, intAttribute("axis", 1)))
			other.Node[0].Output[0] = "u"
			other.Node = []*onnxpb.NodeProto{node("Expand", []string{"x0", "sh"}, []string{"q"}), other.Node[0], of(ms, node("Trilu", []string{"u"}, []string{"t"}))}
			other.Initializer = []*onnxpb.TensorProto{intsWeight("sh", []int{2}, 2, 500)}
			other.Output[0] = float32Info("t", 2, 2000)
			m.Graph.Node = []*onnxpb.NodeProto{node("Slice", []string{"x", "lo", "hi", "ax"}, []string{"x0"}),
				node("If", []string{"c"}, []string{"z"}, graphAttribute("then_branch", g), graphAttribute("else_branch", other))}
			m.Graph.Initializer = []*onnxpb.TensorProto{intsWeight("lo", []int{1}, 0), intsWeight("hi", []int{1}, 1), intsWeight("ax", []int{1}, 1)}
			m.Graph.Output[0] = float32Info("z", 2, 2000)
		}, "[{n_If z If its condition is not constant, and its else_branch contains com.microsoft.Trilu: this operator is not supported}]"},
		{"a loop", func(m *onnxpb.ModelProto) {
			body := &onnxpb.GraphProto{Name: proto.String("body"), Input: []*onnxpb.ValueInfoProto{
				valueInfo("i", graph.TensorType{DType: graph.Int64}), valueInfo("go", graph.TensorType{DType: graph.Bool}), float32Info("v", 2, 3)},
				Node:   []*onnxpb.NodeProto{node("Add", []string{"v", "y"}, []string{"w"}), node("Identity", []string{"go"}, []string{"on"})},
				Output: []*onnxpb.ValueInfoProto{valueInfo("on", graph.TensorType{DType: graph.Bool}), float32Info("w", 2, 3)}}
			m.Graph.Initializer = []*onnxpb.TensorProto{intsWeight("n", nil, 3)}
			m.Graph.Node = []*onnxpb.NodeProto{node("Loop", []string{"n", "c", "x"}, []string{"z"}, graphAttribute("body", body))}
		}, "[{n_Loop z Loop its condition is not constant}]"},
		{"an input that is left out, and outputs", func(m *onnxpb.ModelProto) {
			m.Graph.Node = []*onnxpb.NodeProto{node("Unique", []string{"x"}, []string{"z", "at"}), node("Clip", []string{"z", "", "hi"}, []string{"q"})}
			m.Graph.Initializer = []*onnxpb.TensorProto{floatsWeight("hi", nil, 1)}
			m.Graph.ValueInfo = []*onnxpb.ValueInfoProto{float32Info("z", 6)}
			m.Graph.Output = []*onnxpb.ValueInfoProto{float32Info("q", 6), valueInfo("at", graph.TensorType{DType: graph.Int64, Sizes: []int{6}})}
		}, "[{n_Unique z Unique this operator is not supported}]"},
	} {
		m := small()
		m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("f"), Version: proto.Int64(1)},
			&onnxpb.OperatorSetIdProto{Domain: proto.String(ms), Version: proto.Int64(1)})
		c.change(m)
		if strings.Contains(c.kept, "If") || strings.Contains(c.kept, "Loop") {
			m.Graph.Input = append(m.Graph.Input, valueInfo("c", graph.TensorType{DType: graph.Bool}))
		}
		path := put(t, marshal(t, m))
		got, r, err := Read(path, ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if kept := fmt.Sprint(r.Opaque); !strings.HasPrefix(kept, c.kept) {
			t.Errorf("%s: opaque: %s, want %s", c.name, kept, c.kept)
		}
		for _, o := range r.Opaque {
			if _, ok := got.Graph.Find(o.Output); !ok {
				t.Errorf("%s: the graph has no node %q", c.name, o.Output)
			}
		}
		for _, external := range []bool{false, true} {
			out := filepath.Join(t.TempDir(), "out.onnx")
			if err := Write(out, got, WriteOptions{External: external}); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			back, _, err := Read(out, ReadOptions{})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			sameGraph(t, back.Graph, got.Graph)
			for _, cond := range []byte{0, 1} {
				in := []ort.Tensor{{Name: "c", DType: "bool", Data: []byte{cond}}}
				for _, o := range list(feed("x", 2, 3), feed("y", 2, 3)) {
					in = append(in, ort.Tensor{Name: o.name, DType: "float32", Sizes: o.k.sizes, Data: o.k.encode()})
				}
				jobs = append(jobs, ort.Job{Model: path, Inputs: in}, ort.Job{Model: out, Inputs: in})
				names = append(names, c.name)
			}
		}
	}
	res, err := ort.ForTest(t).RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range names {
		a, b := res[2*n], res[2*n+1]
		if a.Err != nil || b.Err != nil {
			t.Errorf("%s: the file: %v; what we write: %v", name, a.Err, b.Err)
			continue
		}
		for i, o := range a.Outputs {
			p := b.Outputs[i]
			want, err := constantOf(o)
			if err != nil {
				t.Fatal(err)
			}
			k, err := constantOf(p)
			if err == nil {
				err = same(k, want)
			}
			if err != nil || o.Name != p.Name {
				t.Errorf("%s: output %s, %s: %v", name, o.Name, p.Name, err)
			}
		}
	}
}

// TestBranchesDisagree: an If whose branches are kept, differ in what they give, and whose
// outputs the file declares no types for, is not read. The error says how to choose a branch.
func TestBranchesDisagree(t *testing.T) {
	t.Parallel()
	m := small()
	m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("com.microsoft"), Version: proto.Int64(1)})
	m.Graph.Input = append(m.Graph.Input, valueInfo("sr", graph.TensorType{DType: graph.Int64}))
	m.Graph.Initializer = []*onnxpb.TensorProto{intsWeight("rate", nil, 16000)}
	other := branch(of("com.microsoft", node("Trilu", []string{"y"}, []string{"t"})))
	m.Graph.Node = []*onnxpb.NodeProto{node("Equal", []string{"sr", "rate"}, []string{"c"}),
		node("If", []string{"c"}, []string{"q"}, graphAttribute("then_branch", branch(node("Concat", []string{"y", "x"}, []string{"t"}, intAttribute("axis", 0)))),
			graphAttribute("else_branch", other)),
		node("Relu", []string{"q"}, []string{"z"})}
	m.Graph.Output = []*onnxpb.ValueInfoProto{{Name: proto.String("z")}}
	path := put(t, marshal(t, m))
	_, _, err := Read(path, ReadOptions{})
	const want = `node "n_If" (If): its condition is not constant, and its else_branch contains com.microsoft.Trilu: this operator is not supported, and the type of its output "q" is not known: the file does not say it; if its condition is always the same, give what it depends on: --constant sr=VALUE`
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	for rate, first := range map[int64]int{16000: 4, 8000: 2} {
		k := newConstant(graph.Int64)
		k.ints[0] = rate
		got, _, err := Read(path, ReadOptions{Constants: map[string]*model.Weight{"sr": k.weight()}})
		if err != nil {
			t.Errorf("sr=%d: %v", rate, err)
		} else if sizes := got.Graph.Sizes(got.Graph.Outputs()[0]); sizes[0] != first {
			t.Errorf("sr=%d: %v", rate, sizes)
		}
	}
}

// Outputs at the end that nobody reads are written, of which nothing but the name is
// known: the operator may have to have them.
func TestOpaqueUnread(t *testing.T) {
	m := small()
	m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("f"), Version: proto.Int64(1)})
	three := node("Three", []string{"x"}, []string{"z", "", "y", ""})
	three.Domain = proto.String("f")
	m.Graph.Input = m.Graph.Input[:1]
	m.Graph.Node = []*onnxpb.NodeProto{three}
	m.Graph.Output = []*onnxpb.ValueInfoProto{float32Info("z", 2, 3)}
	got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.onnx")
	if err := Write(out, got, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	back := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(raw, back); err != nil {
		t.Fatal(err)
	}
	if outs := back.Graph.Node[0].Output; !slices.Equal(outs, []string{"z", "", "y"}) {
		t.Errorf("outputs %q", outs)
	}
	again, _, err := Read(out, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, again.Graph, got.Graph)
}

// An LSTM with quantized weights is kept, and its results have the types that ONNX Runtime
// publishes, whatever the file says.
func TestQuantizedLSTM(t *testing.T) {
	p := nodeFile(t, 12, "x", "y", []int{5, 3, 4}, map[string][]float32{"s": {1}, "r": {1}}, "DynamicQuantizeLSTM x W R    s z r z -> h", "Relu h -> y")
	n := p.Graph.Node[0]
	n.Domain, n.Input = proto.String(contributed), []string{"x", "W", "R", "", "", "", "", "", "s", "z", "r", "z"}
	n.Attribute = append(n.Attribute, textAttribute("direction", "bidirectional"), intAttribute("hidden_size", 2))
	p.OpsetImport = append(p.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(contributed), Version: proto.Int64(1)})
	for name, sizes := range map[string][]int{"W": {2, 4, 8}, "R": {2, 2, 8}, "z": {2}} {
		w := tensorProto(name, graph.TensorType{DType: graph.Int8, Sizes: sizes})
		w.RawData = make([]byte, graph.NumElements(sizes))
		p.Graph.Initializer = append(p.Graph.Initializer, w)
	}
	path := filepath.Join(t.TempDir(), "m.onnx")
	writeProto(t, path, p)
	m, _, err := Read(path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Graph.Sizes(m.Graph.Outputs()[0]); !slices.Equal(got, []int{5, 2, 3, 2}) {
		t.Errorf("the result is %v", got)
	}
}
