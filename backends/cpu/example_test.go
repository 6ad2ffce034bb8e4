package cpu_test

import (
	"context"
	"fmt"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
)

// dense is relu(x*w + b) with numbers for w and b.
func dense() (*model.Model, error) {
	g, err := graph.ParseText("dense", `
x : float32[1, 2]
w : weight float32[2, 3]
b : weight float32[3]
p = matmul(x, w)
bb = broadcast[shape=[1, 3]](b)
s = ewadd(p, bb)
y = relu(s)
return y`)
	if err != nil {
		return nil, err
	}
	w, _ := g.Find("w")
	b, _ := g.Find("b")
	return &model.Model{Name: "dense", Graph: g, Weights: map[graph.NodeID]*model.Weight{
		w: model.FromFloat32([]int{2, 3}, []float32{1, 2, 3, 4, 5, 6}),
		b: model.FromFloat32([]int{3}, []float32{0.5, -100, 0}),
	}}, nil
}

func ExampleNew() {
	b, err := cpu.New(cpu.Options{Kernels: "go"})
	fmt.Println(b.Info().Name, b.Info().Version, err)
	_, err = cpu.New(cpu.Options{Kernels: "abacus"})
	fmt.Println(err != nil)
	// Output:
	// cpu 5-go <nil>
	// true
}

func ExampleBackend_Compile() {
	m, err := dense()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	p, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	y, err := p.Run(ctx, []backends.Tensor{backends.Float32s([]float32{1, 10}, 1, 2)})
	fmt.Println(y[0].Sizes, y[0].F32, err)
	for _, t := range p.Profile() {
		fmt.Println(t.Name, t.Op, t.Seconds > 0, t.Into != 0)
	}
	// Output:
	// [1 3] [41.5 0 63] <nil>
	// p matmul true false
	// bb broadcast false false
	// s ewadd false true
	// y relu false true
}

func ExampleBackend_Measure() {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := graph.TensorType{DType: graph.Float32, Sizes: []int{1000}}
	s, err := b.Measure(context.Background(), cost.Application{Op: op.Tanh, In: []graph.TensorType{x}, Out: []graph.TensorType{x}},
		backends.MeasureOptions{Budget: time.Millisecond, Between: -1})
	fmt.Println(s.Source, s.Seconds > 0, s.Runs >= 5, err)
	// Output: measured true true <nil>
}

func ExampleTables() {
	names := cpu.Tables()
	fmt.Println(names[len(names)-1])
	// Output: go
}
