package graph_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// loop is a graph with an input, a weight and an opaque node.
func loop(t testing.TB, payload any, flag bool) *graph.Graph {
	t.Helper()
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2, 3)
	add := b.AddInput
	if flag {
		add = b.AddWeight
	}
	w, _ := add("w", graph.Float32, 2, 3)
	n, _ := b.Opaque("n", "Loop", payload, []graph.Tensor{x}, []graph.TensorType{
		{DType: graph.Float32, Sizes: []int{2, 3}}, {DType: graph.Int64}})
	y, _ := b.Apply("y", op.EWAdd, nil, n.Out(0), w)
	g, err := b.Finish(y.Out(0), n.Out(1))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOpaque(t *testing.T) {
	g := loop(t, "body", true)
	id, _ := g.Find("n")
	kind, payload, ok := g.Opaque(id)
	if kind != "Loop" || payload != "body" || !ok {
		t.Errorf("got %q, %v, %v", kind, payload, ok)
	}
	if _, _, ok := g.Opaque(1); ok {
		t.Error("an input is opaque")
	}
	if got := g.Type(id.Out(1)); got.String() != "int64[]" {
		t.Errorf("type of output 1: %s", got)
	}
	if w, _ := g.Find("w"); !g.IsWeight(w) || g.IsWeight(1) {
		t.Error("w is the weight")
	}
	const text = `x : float32[2, 3]
w : weight float32[2, 3]
n = opaque[kind="Loop", out=(float32[2, 3], int64[])](x)
y = ewadd(n.0, w)
return y, n.1
`
	if got := g.String(); got != text {
		t.Errorf("got %s", got)
	}
	if _, err := graph.ParseText("f", text); err == nil || err.Error() != "f:3:5: node n is opaque: what it computes is not in the text" {
		t.Errorf("got %v", err)
	}
	if dot := g.DOT(); !strings.Contains(dot, "shape=octagon, label=\"n\\nLoop\"") || !strings.Contains(dot, "style=dashed, label=\"w") {
		t.Errorf("got %s", dot)
	}
}

// Payload, kind and being a weight tell graphs apart.
func TestOpaqueHash(t *testing.T) {
	g := loop(t, "body", true)
	same := loop(t, "body", true)
	if !g.Equal(same) || g.Hash() != same.Hash() {
		t.Error("equal graphs differ")
	}
	for name, h := range map[string]*graph.Graph{"payload": loop(t, "other", true), "weight": loop(t, "body", false)} {
		if g.Equal(h) || g.Hash() == h.Hash() {
			t.Errorf("%s does not matter", name)
		}
	}
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32)
	if _, err := b.Opaque("n", "K", 1.5, []graph.Tensor{x}, []graph.TensorType{{}}); err == nil || err.Error() !=
		"node n: opaque K: payload of type float64: want a string, bytes, or a method Hash() []byte or String() string" {
		t.Errorf("got %v", err)
	}
}

// Dead operators go, an opaque node that is used stays as it is.
func TestOpaqueWithoutDead(t *testing.T) {
	var b graph.Builder
	x, _ := b.AddWeight("x", graph.Float16, 4)
	_, _ = b.Apply("dead", op.Relu, nil, x)
	n, _ := b.Opaque("n", "K", []byte{1}, []graph.Tensor{x}, []graph.TensorType{{DType: graph.Bool, Sizes: []int{4}}})
	g, err := b.Finish(n.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	h := g.WithoutDead()
	id, _ := h.Find("n")
	if kind, _, ok := h.Opaque(id); !ok || kind != "K" || h.Len() != 2 || !h.IsWeight(1) || h.DType(id.Out(0)) != graph.Bool {
		t.Errorf("got %s", h)
	}
	if w := g.WorkOf(n); w.BytesRead != 8 || w.BytesWrite != 4 || w.FLOPs != 0 {
		t.Errorf("work %+v", w)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		x    float64
		text string
	}{{0, "0.0"}, {1, "1.0"}, {-2.5, "-2.5"}, {1e-5, "1e-05"}, {1e300, "1e+300"}, {0.1, "0.1"},
		{math.Inf(1), "inf"}, {math.Inf(-1), "-inf"}, {math.NaN(), "nan"}, {math.Copysign(0, -1), "-0.0"}} {
		v := graph.NumberValue(c.x)
		if v.String() != c.text || v != graph.NumberValue(c.x) {
			t.Errorf("%v is written %s, want %s", c.x, v, c.text)
		}
		if x, ok := v.Number(); !ok || math.Float64bits(x) != math.Float64bits(c.x) && !math.IsNaN(c.x) {
			t.Errorf("%s reads back as %v", v, x)
		}
		if n := graph.NumberPrefix(c.text + ", x"); n != len(c.text) {
			t.Errorf("%s: prefix of %d bytes", c.text, n)
		}
	}
	for _, s := range []string{"", "x", "1.", ".5", "1e", "1e999", "--1", "infinite"} {
		if _, err := graph.ParseNumber(s); err == nil {
			t.Errorf("%q is read as a number", s)
		}
	}
}

func ExampleBuilder_Opaque() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 1, 8)
	n, _ := b.Opaque("rnn", "LSTM", "its attributes", []graph.Tensor{x}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{1, 4}}})
	g, _ := b.Finish(n.Out(0))
	fmt.Print(g)
	// Output:
	// x : float32[1, 8]
	// rnn = opaque[kind="LSTM", out=(float32[1, 4])](x)
	// return rnn
}

func ExampleBuilder_AddWeight() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 1, 8)
	w, _ := b.AddWeight("w", graph.Float32, 8, 4)
	y, _ := b.Apply("y", op.MatMul, nil, x, w)
	g, _ := b.Finish(y.Out(0))
	for _, id := range g.Inputs() {
		fmt.Println(g.Name(id), g.Type(id.Out(0)), g.IsWeight(id))
	}
	// Output:
	// x float32[1, 8] false
	// w float32[8, 4] true
}

func ExampleNumberValue() {
	v := graph.NumberValue(1e-5)
	x, ok := v.Number()
	fmt.Println(v, x, ok, graph.NumberValue(6))
	// Output: 1e-05 1e-05 true 6.0
}

func ExampleParseFunc() {
	text := graph.FuncText("clip", graph.NumberValue(0), graph.NumberValue(6))
	fmt.Println(text)
	fmt.Println(graph.ParseFunc(text))
	// Output:
	// clip(0.0, 6.0)
	// clip [0 6] <nil>
}
