package model_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
	"pgregory.net/rapid"
)

// linear is relu(x * w) with x fed and w a weight.
func linear(t testing.TB, names ...string) (g *graph.Graph, x, w graph.NodeID) {
	t.Helper()
	if names == nil {
		names = []string{"x", "w"}
	}
	var b graph.Builder
	a, _ := b.AddInput(names[0], graph.Float32, 2, 3)
	c, _ := b.AddWeight(names[1], graph.Float32, 3, 4)
	y, _ := b.Apply("y", op.MatMul, nil, a, c)
	g, err := b.Finish(y.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	return g, a.Node, c.Node
}

func TestValidate(t *testing.T) {
	g, x, w := linear(t)
	good := model.Random(1, []int{3, 4}, 1)
	for _, c := range []struct {
		m    *model.Model
		want string // "" for none
	}{
		{&model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: good}}, ""},
		{&model.Model{Name: "m"}, "model m: no graph"},
		{&model.Model{Name: "m", Graph: g}, "model m: weight w: it has no numbers"},
		{&model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: nil}}, "model m: weight w: it has no numbers"},
		{&model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: {Sizes: []int{3, 4}}}},
			"model m: weight w: there is nothing to load it from"},
		{&model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: model.Random(1, []int{4, 3}, 1)}},
			"model m: weight w: its numbers are float32[4, 3], the input is float32[3, 4]"},
		{&model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: model.FromInt64([]int{3, 4}, nil)}},
			"model m: weight w: its numbers are int64[3, 4], the input is float32[3, 4]"},
		{&model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: good, x: good, 99: good}},
			"model m: node x has numbers, but is no weight\nmodel m: 1 weights of nodes that the graph does not have"},
	} {
		got := ""
		if err := c.m.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	g, x, w := linear(t)
	m := &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{w: model.Random(1, []int{3, 4}, 1)}}
	if m.Params() != 12 || m.WeightBytes() != 48 || m.FLOPs() != 48 {
		t.Errorf("%d parameters, %d bytes, %d FLOPs", m.Params(), m.WeightBytes(), m.FLOPs())
	}
	if in := m.Inputs(); len(in) != 1 || in[0] != x {
		t.Errorf("inputs %v, want [%d]", in, x)
	}
	huge := &model.Weight{Sizes: []int{math.MaxInt32, math.MaxInt32, 4}}
	m.Weights[x], m.Weights[w] = huge, huge
	if m.Params() != math.MaxInt64 {
		t.Errorf("%d parameters", m.Params())
	}
}

func TestWithGraph(t *testing.T) {
	g, _, w := linear(t)
	m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{w: model.Random(1, []int{3, 4}, 1)}}

	// Another order of inputs, and the weight twice.
	var b graph.Builder
	c, _ := b.AddWeight("w", graph.Float32, 3, 4)
	x, _ := b.AddInput("x", graph.Float32, 2, 3)
	y, _ := b.Apply("y", op.MatMul, nil, x, c)
	z, _ := b.Apply("z", op.EWAdd, nil, y.Out(0), y.Out(0))
	h, err := b.Finish(z.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	n, err := m.WithGraph(h)
	if err != nil {
		t.Fatal(err)
	}
	if n.Name != "m" || n.Graph != h || len(n.Weights) != 1 || n.Weights[c.Node] != m.Weights[w] || m.Graph != g {
		t.Errorf("got %+v", n)
	}
	other, _, _ := linear(t, "x", "v")
	if _, err := m.WithGraph(other); err == nil || !strings.Contains(err.Error(), "weight v: it has no numbers") {
		t.Errorf("got %v", err)
	}
}

func TestWeightErrors(t *testing.T) {
	for _, c := range []struct {
		w    *model.Weight
		want string
	}{
		{&model.Weight{Sizes: []int{2}}, "load weight: there is nothing to load it from"},
		{model.FromFloat32([]int{2, 2}, []float32{1}), "load weight: sizes [2 2] hold 4 elements, not 1"},
		{model.FromBytes(graph.Float32, []int{2}, []byte{1, 2, 3}), "load weight: float32[2] has 8 bytes, not 3"},
		{model.FromInt64([]int{1}, []int64{7}), "load weight: it is int64, not float32"},
	} {
		if _, err := c.w.Float32s(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := model.Random(1, nil, 1).Int64s(); err == nil || err.Error() != "load weight: it is float32, not int64" {
		t.Errorf("got %v", err)
	}
	if _, err := model.FromInt64([]int{2}, []int64{7}).Int64s(); err == nil {
		t.Error("a wrong number of elements is loaded")
	}
}

// What goes in comes out, bit for bit.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(rapid.Int64(), 1, 20).Draw(t, "ints")
		got, err := model.FromInt64([]int{len(ints)}, ints).Int64s()
		if err != nil {
			t.Fatal(err)
		}
		floats := make([]float32, len(ints))
		for i := range ints {
			if got[i] != ints[i] {
				t.Fatalf("element %d: %d, want %d", i, got[i], ints[i])
			}
			floats[i] = math.Float32frombits(uint32(ints[i]))
		}
		back, err := model.FromFloat32([]int{len(ints)}, floats).Float32s()
		if err != nil {
			t.Fatal(err)
		}
		for i := range back {
			if math.Float32bits(back[i]) != math.Float32bits(floats[i]) {
				t.Fatalf("element %d: %g, want %g", i, back[i], floats[i])
			}
		}
	})
}

// TestRandom: in range, spread as uniform numbers are, and the same bits
// forever: the two numbers were computed once and must not change.
func TestRandom(t *testing.T) {
	xs, err := model.Random(7, []int{100, 100}, 2).Float32s()
	if err != nil {
		t.Fatal(err)
	}
	var sum, sq float64
	for _, x := range xs {
		if x < -2 || x > 2 {
			t.Fatalf("%g is not in -2 to 2", x)
		}
		sum += float64(x)
		sq += float64(x) * float64(x)
	}
	// Four standard deviations of the mean and of the mean square.
	if n := float64(len(xs)); math.Abs(sum/n) > 4*math.Sqrt(4./3/n) || math.Abs(sq/n-4./3) > 4*math.Sqrt((16./5-16./9)/n) {
		t.Errorf("mean %g, mean square %g, want 0 and 4/3", sum/n, sq/n)
	}
	if xs[0] != want0 || xs[9999] != want9999 {
		t.Errorf("elements 0 and 9999 are %v and %v, want %v and %v", xs[0], xs[9999], want0, want9999)
	}
	again, _ := model.Random(7, []int{100, 100}, 2).Read()
	other, _ := model.Random(8, []int{100, 100}, 2).Read()
	raw, _ := model.FromFloat32([]int{100, 100}, xs).Read()
	if !bytes.Equal(raw, again) || bytes.Equal(raw, other) {
		t.Error("the seed does not decide")
	}
	same, _ := model.Uniform(1, []int{3}, 0.5, 0.5).Float32s()
	if len(same) != 3 || same[0] != 0.5 || same[2] != 0.5 {
		t.Errorf("got %v", same)
	}
	if model.Seed(1, "ab") == model.Seed(1, "ba") || model.Seed(1, "ab") == model.Seed(2, "ab") {
		t.Error("seeds of parts are equal")
	}
}

const (
	want0    float32 = 0.88603276
	want9999 float32 = -0.15599121
)

func TestScales(t *testing.T) {
	if model.He(6) != 1 || model.Lecun(3) != 1 || math.IsInf(model.He(0), 0) {
		t.Errorf("He(6) = %g, Lecun(3) = %g", model.He(6), model.Lecun(3))
	}
}

// Numbers are little-endian.
func TestLayout(t *testing.T) {
	raw, err := model.FromFloat32([]int{2}, []float32{1, -2}).Read()
	if err != nil || binary.LittleEndian.Uint32(raw) != math.Float32bits(1) || raw[7] != 0xc0 {
		t.Errorf("got %v, %v", raw, err)
	}
}

func BenchmarkRandom(b *testing.B) {
	w := model.Random(1, []int{1 << 20}, 1)
	b.SetBytes(w.Bytes())
	for i := 0; i < b.N; i++ {
		if _, err := w.Read(); err != nil {
			b.Fatal(err)
		}
	}
}

// What is drawn is finite if the bounds are, which the weight says.
func TestFinite(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   bool
	}{{-1, 1, true}, {0, math.MaxFloat32, true}, {0, math.Inf(1), false}, {math.Inf(-1), 0, false}, {math.NaN(), 1, false}, {0, math.MaxFloat64, false}} {
		w := model.Uniform(3, []int{1000}, c.lo, c.hi)
		if w.Finite != c.want {
			t.Errorf("%g to %g: finite is %v", c.lo, c.hi, w.Finite)
		}
		xs, err := w.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range xs {
			if d := x - x; w.Finite && d != 0 {
				t.Fatalf("%g to %g: %g", c.lo, c.hi, x)
			}
		}
	}
}
