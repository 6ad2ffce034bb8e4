package cost_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/lower"
)

// small is relu(x·(w·w)) twice: w·w is computed once.
func small(t testing.TB) *graph.Graph {
	t.Helper()
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 4, 4)
	w, _ := b.AddWeight("w", graph.Float32, 4, 4)
	ww, _ := b.Apply("ww", op.MatMul, nil, w, w)
	y, _ := b.Apply("y", op.MatMul, nil, x, ww.Out(0))
	r, _ := b.Apply("r", op.Relu, nil, y.Out(0))
	s, _ := b.Apply("s", op.Relu, nil, r.Out(0))
	g, err := b.Finish(s.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func lowered(t testing.TB, g *graph.Graph) *lower.Plan {
	t.Helper()
	p, err := lower.Graph(g, lower.CPU(), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// alone gives each node a kernel of its own.
func alone(t testing.TB, g *graph.Graph) *lower.Plan {
	t.Helper()
	p, err := lower.Graph(g, lower.CPU(), lower.Options{NoFuse: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGraphCost(t *testing.T) {
	g, m := small(t), machine(t, "laptop")
	b, err := cost.GraphCost(lowered(t, g), m)
	if err != nil {
		t.Fatal(err)
	}
	var total, once cost.Seconds
	var names []string
	for _, n := range b.Nodes {
		names = append(names, n.Name)
		if n.Once {
			once += n.Seconds
		} else {
			total += n.Seconds
		}
	}
	if got := fmt.Sprint(names); got != "[ww y]" {
		t.Errorf("nodes %s", got)
	}
	if b.Total != total || b.Once != once || once == 0 || b.By[cost.Modelled] != total || b.Source() != cost.Modelled || b.Opaque != 0 {
		t.Errorf("%+v, want total %v, once %v", b, total, once)
	}
	if n := b.Nodes[1]; n.Class != cost.MatMul || n.Kernel() != "matmul+relu+relu" {
		t.Errorf("class %s, kernel %s", n.Class, n.Kernel())
	}
}

func TestTableModel(t *testing.T) {
	g := small(t)
	var tab cost.Table
	_, err := cost.GraphCost(lowered(t, g), tab.Model(here))
	var missing *cost.MissingError
	if !errors.As(err, &missing) || missing.Key.Op != "matmul" {
		t.Fatalf("an empty table: %v", err)
	}
	for _, name := range []string{`"ww"`, `"y"`} {
		if !strings.Contains(err.Error(), "node "+name) {
			t.Errorf("%v: does not name %s", err, name)
		}
	}
	product := keyOf(applied(t, "matmul", nil, f32(4, 4), f32(4, 4)))
	if _, err := tab.Put(cost.Entry{Key: product, Sample: measured(3, 0)}); err != nil {
		t.Fatal(err)
	}
	both := cost.WithFallback(tab.Model(here), machine(t, "laptop"))
	b, err := cost.GraphCost(lowered(t, g), both)
	if err != nil {
		t.Fatal(err)
	}
	// A group of which a part is missing is modelled as a whole.
	if b.Once != 3 || b.By[cost.Measured] != 0 || !(b.By[cost.Modelled] > 0 && b.By[cost.Modelled] < 1) || b.Source() != cost.Modelled {
		t.Errorf("by source %v", b)
	}
	if b, err = cost.GraphCost(alone(t, g), both); err != nil || b.By[cost.Measured] != 3 || !(b.By[cost.Modelled] > 0) {
		t.Errorf("each by itself: %v, %v", b, err)
	}
	elsewhere := here
	elsewhere.Math = "tf32"
	if _, _, err := tab.Model(elsewhere).Cost(cost.Application{Op: op.Relu, In: []graph.TensorType{f32(4, 4)}, Out: []graph.TensorType{f32(4, 4)}}); !errors.As(err, &missing) {
		t.Errorf("another setting: %v", err)
	}
}

// TestOpaque: an opaque node is priced by its traffic and counted, and what
// depends on it is computed in each run.
func TestOpaque(t *testing.T) {
	var b graph.Builder
	w, _ := b.AddWeight("w", graph.Float32, 4, 4)
	o, _ := b.Opaque("o", "NonMaxSuppression", nil, []graph.Tensor{w}, []graph.TensorType{f32(4, 4)})
	r, _ := b.Apply("r", op.Relu, nil, o.Out(0))
	g, err := b.Finish(r.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	c, err := cost.GraphCost(lowered(t, g), machine(t, "laptop"))
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Nodes[0]; c.Opaque != 1 || c.Once != 0 || n.Op != "NonMaxSuppression" || n.Class != cost.Opaque || !(n.Seconds > 0) {
		t.Errorf("%+v", c)
	}
	var missing *cost.MissingError
	if _, err := cost.GraphCost(lowered(t, g), new(cost.Table).Model(here)); !errors.As(err, &missing) || missing.Key.Op != "opaque" {
		t.Errorf("an empty table: %v", err)
	}
}

// badModel has no sensible times.
type badModel struct{ s cost.Seconds }

func (m badModel) Fused(cost.Fused, graph.TensorType) (cost.Seconds, cost.Source, error) {
	return 0, cost.Modelled, nil
}

func (m badModel) Cost(cost.Application) (cost.Seconds, cost.Source, error) {
	return m.s, cost.Modelled, nil
}

func TestCostsAreAboveZero(t *testing.T) {
	if _, err := cost.GraphCost(lowered(t, small(t)), badModel{0}); err == nil || !strings.Contains(err.Error(), "not a time above zero") {
		t.Errorf("a model that prices at zero: %v", err)
	}
	if _, err := cost.GraphCost(lowered(t, small(t)), badModel{-1}); err == nil {
		t.Error("a model that prices below zero is accepted")
	}
}

func TestManyMissing(t *testing.T) {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 4)
	for range 25 {
		id, _ := b.Apply("", op.Relu, nil, x)
		x = id.Out(0)
	}
	g, err := b.Finish(x)
	if err != nil {
		t.Fatal(err)
	}
	_, err = cost.GraphCost(alone(t, g), new(cost.Table).Model(here))
	if n := strings.Count(fmt.Sprint(err), "\n"); n != 10 || !strings.Contains(err.Error(), "15 more") {
		t.Errorf("%d lines: %v", n+1, err)
	}
}

func ExampleGraphCost() {
	g, err := graph.ParseText("mlp", `
x : float32[64, 1024]
w : float32[1024, 1024]
y = matmul(x, w)
z = relu(y)
return z
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := cost.FindMachine("v100")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := lower.Graph(g, lower.CPU(), lower.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := cost.GraphCost(p, m)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range b.Nodes {
		fmt.Println(n.Name, n.Kernel(), n.Seconds, n.Source)
	}
	fmt.Println("total", b.Total)
	// Output:
	// y matmul+relu 23.94 µs modelled
	// total 23.94 µs
}
