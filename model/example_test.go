package model_test

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
)

func Example() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 1, 2)
	w, _ := b.AddWeight("w", graph.Float32, 2, 3)
	y, _ := b.Apply("y", op.MatMul, nil, x, w)
	g, err := b.Finish(y.Out(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &model.Model{Name: "linear", Graph: g, Weights: map[graph.NodeID]*model.Weight{
		w.Node: model.FromFloat32([]int{2, 3}, []float32{1, 2, 3, 4, 5, 6}),
	}}
	fmt.Println(m.Validate(), m.Params(), m.FLOPs(), len(m.Inputs()))
	numbers, err := m.Weights[w.Node].Float32s()
	fmt.Println(numbers, err)
	// Output:
	// <nil> 6 12 1
	// [1 2 3 4 5 6] <nil>
}

func ExampleModel_WithGraph() {
	g, err := graph.ParseText("", "x : float32[2]\ny = relu(x)\nreturn y")
	if err != nil {
		fmt.Println(err)
		return
	}
	h, _ := graph.ParseText("", "x : float32[2]\ny = relu(x)\nz = relu(y)\nreturn z")
	m := &model.Model{Name: "relu", Graph: g}
	n, err := m.WithGraph(h) // the same weights, by name
	fmt.Println(n.Name, n.Graph.Len(), err)
	// Output: relu 3 <nil>
}

func ExampleRandom() {
	w := model.Random(42, []int{64, 3, 7, 7}, model.He(3*7*7))
	fmt.Println(w.Elements(), w.Bytes()) // nothing is drawn yet
	a, _ := w.Float32s()
	b, _ := w.Float32s()
	fmt.Println(a[100] == b[100])
	// Output:
	// 9408 37632
	// true
}

func ExampleUniform() {
	w := model.Uniform(1, []int{3}, 0.5, 0.5)
	x, _ := w.Float32s()
	fmt.Println(x)
	// Output: [0.5 0.5 0.5]
}

func ExampleFromInt64() {
	x, err := model.FromInt64([]int{2}, []int64{7, -7}).Int64s()
	fmt.Println(x, err)
	// Output: [7 -7] <nil>
}

func ExampleFromBytes() {
	x, err := model.FromBytes(graph.Float32, []int{1}, []byte{0, 0, 0x80, 0x3f}).Float32s()
	fmt.Println(x, err)
	// Output: [1] <nil>
}

func ExampleSeed() {
	fmt.Println(model.Seed(1, "conv1.w") == model.Seed(1, "conv2.w"))
	// Output: false
}
