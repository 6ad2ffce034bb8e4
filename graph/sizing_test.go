package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
)

// sizing has batch from 1 and sequence from 1 to 512, made with 2 and 3.
func sizing(tb testing.TB) *graph.Sizing {
	tb.Helper()
	s := &graph.Sizing{}
	for _, v := range []graph.SizeVar{
		{Name: "batch", Sample: 2, Range: graph.Range{Lo: 1, Hi: graph.Unbounded}},
		{Name: "sequence", Sample: 3, Range: graph.Range{Lo: 1, Hi: 512}},
	} {
		if err := s.Add(v); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// shapeOf reads a shape such as [batch*sequence, 8].
func shapeOf(tb testing.TB, text string) (s graph.Shape) {
	tb.Helper()
	for part := range strings.SplitSeq(strings.Trim(text, "[]"), ", ") {
		d := graph.Int(1)
		for f := range strings.SplitSeq(part, "*") {
			if n, err := strconv.ParseInt(f, 10, 64); err == nil {
				d = d.Scale(n)
			} else {
				d = d.Mul(graph.Var(f))
			}
		}
		s = append(s, graph.Axis(d))
	}
	return s
}

func TestSizingAdd(t *testing.T) {
	for _, c := range []struct {
		v    graph.SizeVar
		want string
	}{
		{graph.SizeVar{Name: "batch", Sample: 1, Range: graph.Range{Lo: 1, Hi: 4}}, "taken"},
		{graph.SizeVar{Name: "", Sample: 1, Range: graph.Range{Lo: 1, Hi: 4}}, "empty"},
		{graph.SizeVar{Name: "n", Sample: 1, Range: graph.Range{Lo: 0, Hi: 4}}, "range 0 to 4"},
		{graph.SizeVar{Name: "n", Sample: 1, Range: graph.Range{Lo: 3, Hi: 2}}, "range 3 to 2"},
		{graph.SizeVar{Name: "n", Sample: 9, Range: graph.Range{Lo: 1, Hi: 4}}, "n = 9, want 1 to 4"},
	} {
		if err := sizing(t).Add(c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.v, err, c.want)
		}
	}
}

// What NonNegative claims holds at all sizes in the ranges that are tried.
func TestSizingNonNegative(t *testing.T) {
	s := sizing(t)
	b, n := graph.Var("batch"), graph.Var("sequence")
	for _, c := range []struct {
		x    graph.Dim
		want bool
	}{
		{b.Sub(graph.Int(1)), true}, {b.Sub(graph.Int(2)), false},
		{graph.Int(512).Sub(n), true}, {graph.Int(511).Sub(n), false},
		{b.Mul(n).Sub(graph.Int(1)), true}, {b.Sub(n), false}, {graph.Int(1000).Sub(b), false},
		{n.Scale(2).Sub(graph.Int(2)), true}, {graph.Var("other").Sub(graph.Int(1)), true}, {graph.Int(5).Sub(graph.Var("other")), false},
	} {
		if got := s.NonNegative(c.x); got != c.want {
			t.Errorf("%s >= 0: %t, want %t", c.x, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	claimed := 0
	for range 20000 {
		x := graph.Int(int64(rng.IntN(9) - 4))
		for range rng.IntN(4) {
			term := graph.Int(int64(rng.IntN(7) - 3))
			for range rng.IntN(3) {
				term = term.Mul([]graph.Dim{b, n}[rng.IntN(2)])
			}
			x = x.Add(term)
		}
		if !s.NonNegative(x) {
			continue
		}
		claimed++
		for range 20 {
			at := &graph.Substitution{Dims: map[string]graph.Dim{"batch": graph.Int(1 + rng.Int64N(40)), "sequence": graph.Int(1 + rng.Int64N(512))}}
			if v, err := x.Eval(at); err != nil || v < 0 {
				t.Fatalf("%s = %d (%v) at %v", x, v, err, at.Dims)
			}
		}
	}
	if claimed < 1000 {
		t.Errorf("only %d claims", claimed)
	}
}

// dynamic is a graph whose sizes are variables: a linear layer of words.
func dynamic(tb testing.TB) *graph.Graph {
	tb.Helper()
	var b graph.Builder
	if err := b.Vary(sizing(tb)); err != nil {
		tb.Fatal(err)
	}
	apply := func(name, op string, attrs map[string]graph.Value, in ...graph.Tensor) graph.Tensor {
		o, ok := graph.Lookup(op)
		if !ok {
			tb.Fatal(op)
		}
		a, err := o.Attr(attrs)
		if err != nil {
			tb.Fatal(err)
		}
		id, err := b.Apply(name, o, a, in...)
		if err != nil {
			tb.Fatal(err)
		}
		return id.Out(0)
	}
	x, err := b.AddOpen("x", graph.Float32, shapeOf(tb, "[batch, sequence, 8]"))
	if err != nil {
		tb.Fatal(err)
	}
	w, err := b.AddWeight("w", graph.Float32, 8, 4)
	if err != nil {
		tb.Fatal(err)
	}
	rows := apply("rows", "reshape", map[string]graph.Value{"shape": graph.ShapeValue(shapeOf(tb, "[batch*sequence, 8]"))}, x)
	y := apply("y", "matmul", nil, rows, w)
	z := apply("z", "reshape", map[string]graph.Value{"shape": graph.ShapeValue(shapeOf(tb, "[batch, sequence, 4]"))}, y)
	g, err := b.Finish(z)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func TestDynamicGraph(t *testing.T) {
	g := dynamic(t)
	y, _ := g.Find("y")
	if got := g.Shape(y.Out(0)).String(); got != "[batch*sequence, 4]" {
		t.Errorf("shape %s", got)
	}
	if got := g.Sizes(y.Out(0)); !slices.Equal(got, []int{6, 4}) {
		t.Errorf("sizes %v", got)
	}
	h, err := g.At(map[string]int{"batch": 5, "sequence": 512})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Sizes(h.Outputs()[0]); !slices.Equal(got, []int{5, 512, 4}) {
		t.Errorf("at other sizes %v", got)
	}
	if h.Shape(h.Outputs()[0]).String() != "[batch, sequence, 4]" || h.Hash() == g.Fixed().Hash() {
		t.Error("the sizes are no variables any more")
	}
	if g.Fixed().Sizing() != nil || g.Fixed().Shape(g.Outputs()[0]).String() != "[2, 3, 4]" {
		t.Error("Fixed has variables")
	}
	for _, c := range []struct {
		sizes map[string]int
		want  string
	}{
		{map[string]int{"batch": 5}, "sequence: no number"},
		{map[string]int{"batch": 5, "sequence": 513}, "want 1 to 512"},
		{map[string]int{"batch": 0, "sequence": 5}, "want 1 to"},
	} {
		if _, err := g.At(c.sizes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.sizes, err, c.want)
		}
	}
}

// A graph and one with the sample sizes in the place of variables are different.
func TestDynamicIdentity(t *testing.T) {
	g := dynamic(t)
	if g.Equal(g.Fixed()) || g.Hash() == g.Fixed().Hash() {
		t.Error("a graph with variables is one with numbers")
	}
	copied, _, err := g.Arranged(graph.Arrangement{})
	if err != nil {
		t.Fatal(err)
	}
	if copied.Hash() != g.Hash() || !copied.Sizing().Equal(g.Sizing()) || !dynamic(t).Equal(g) {
		t.Error("a copy is another graph")
	}
}

// What holds at the sample sizes only is no graph.
func TestDynamicRefuses(t *testing.T) {
	var b graph.Builder
	if err := b.Vary(sizing(t)); err != nil {
		t.Fatal(err)
	}
	x, err := b.AddOpen("x", graph.Float32, shapeOf(t, "[batch, 4]"))
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.AddInput("y", graph.Float32, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	add, _ := graph.Lookup("ewadd")
	if _, err := b.Apply("z", add, nil, x, y); err == nil {
		t.Error("[batch, 4] and [2, 4] are added")
	}
	var c graph.Builder
	if _, err := c.AddOpen("x", graph.Float32, shapeOf(t, "[batch, 4]")); err == nil {
		t.Error("a variable that the graph does not have")
	}
}

// A graph for all batches, made with a batch of 2, and the same graph with a batch of 7.
func ExampleSizing() {
	s := &graph.Sizing{}
	if err := s.Add(graph.SizeVar{Name: "batch", Sample: 2, Range: graph.Range{Lo: 1, Hi: graph.Unbounded}}); err != nil {
		fmt.Println(err)
		return
	}
	var b graph.Builder
	_ = b.Vary(s)
	x, _ := b.AddOpen("x", graph.Float32, graph.ShapeOf(graph.Var("batch"), graph.Int(4)))
	op, _ := graph.Lookup("concat")
	id, _ := b.Apply("y", op, graph.Attrs{graph.IntValue(0)}, x, x)
	g, err := b.Finish(id.Out(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := g.At(map[string]int{"batch": 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Sizing(), g.Shape(id.Out(0)), g.Sizes(id.Out(0)), h.Sizes(id.Out(0)))
	// Output: batch = 1 or more [2*batch, 4] [4 4] [14 4]
}
