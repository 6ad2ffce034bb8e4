package analytic_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
)

func v100(t testing.TB) *analytic.Backend {
	t.Helper()
	m, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	b, err := analytic.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func f32(sizes ...int) graph.TensorType { return graph.TensorType{Sizes: sizes} }

func TestMeasure(t *testing.T) {
	b := v100(t)
	ctx := context.Background()
	a := cost.Application{Op: op.MatMul, In: []graph.TensorType{f32(512, 512), f32(512, 512)}, Out: []graph.TensorType{f32(512, 512)}}
	one, none := a, a
	one.In, none.Op = a.In[:1], nil
	s, err := b.Measure(ctx, a, backends.MeasureOptions{})
	want, _, _ := b.Machine().Cost(a)
	if err != nil || s != (cost.Sample{Seconds: want, Source: cost.Modelled}) || s.Check() != nil {
		t.Errorf("got %v, %v, want %v", s, err, want)
	}
	var un *backends.Unsupported
	if _, err := b.Measure(ctx, one, backends.MeasureOptions{}); !errors.As(err, &un) {
		t.Errorf("one input: %v", err)
	}
	if _, err := b.Measure(ctx, none, backends.MeasureOptions{}); !errors.As(err, &un) {
		t.Errorf("no operator: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Measure(done, a, backends.MeasureOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestEveryOperator: on each machine there is, every operator costs something.
func TestEveryOperator(t *testing.T) {
	all, err := cost.Machines()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			b, err := analytic.New(m)
			if err != nil {
				t.Fatal(err)
			}
			backendtest.RunCosts(t, b, cost.Modelled)
		})
	}
}

func TestRunsNothing(t *testing.T) {
	b := v100(t)
	g, err := graph.ParseText("g", "x : float32[2]\ny = relu(x)\nreturn y")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Compile(context.Background(), &model.Model{Graph: g}, backends.CompileOptions{}); !errors.Is(err, backends.ErrNoRun) {
		t.Errorf("compile: %v", err)
	}
	if err := b.Supports(g, 1); err == nil {
		t.Error("an input is supported")
	}
	if err := b.Supports(g, 2); err != nil {
		t.Error(err)
	}
	if i := b.Info(); i.Name != "analytic" || i.Device != "v100" {
		t.Errorf("info %v", i)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestNewErrors(t *testing.T) {
	for _, m := range []*cost.Machine{nil, {Name: "x"}} {
		if _, err := analytic.New(m); err == nil {
			t.Errorf("machine %+v accepted", m)
		}
	}
}

func Example() {
	m, err := cost.FindMachine("v100")
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := analytic.New(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []graph.TensorType{f32(1, 64, 56, 56)}
	s, err := b.Measure(context.Background(), cost.Application{Op: op.Relu, In: x, Out: x}, backends.MeasureOptions{})
	fmt.Println(s, err)
	// Output: 5.969 µs (modelled) <nil>
}
