package onnx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// A model is written, and read again.
func ExampleWrite() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2, 3)
	w, _ := b.AddWeight("w", graph.Float32, 3, 4)
	p, _ := b.Apply("p", op.MatMul, nil, x, w)
	y, _ := b.Apply("y", op.Relu, nil, p.Out(0))
	g, err := b.Finish(y.Out(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &model.Model{Name: "layer", Graph: g, Weights: map[graph.NodeID]*model.Weight{w.Node: model.Random(1, []int{3, 4}, 0.5)}}

	dir, _ := os.MkdirTemp("", "onnx")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "layer.onnx")
	if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	back, report, err := onnx.Read(path, onnx.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(back.Graph)
	fmt.Println("nodes", report.Nodes, "opset", report.Opset, "parameters", back.Params())
	// Output:
	// x : float32[2, 3]
	// w : weight float32[3, 4]
	// p = matmul(x, w)
	// y = relu(p)
	// return y
	// nodes 2 opset 17 parameters 12
}

// An error names the file, the place and the cause.
func ExampleRead() {
	_, _, err := onnx.Read("none.onnx", onnx.ReadOptions{Shapes: map[string][]int{"x": {1, 3, 224, 224}}})
	fmt.Println(err)
	// Output: none.onnx: open model: no such file or directory
}

// What has no lowering is kept as it is, as long as its output's type is known.
func ExampleOperators() {
	have := onnx.Operators()
	for _, op := range []string{"Conv", "TfIdfMaker", "Softmax"} {
		_, ok := slices.BinarySearch(have, op)
		fmt.Println(op, ok)
	}
	// Output:
	// Conv true
	// TfIdfMaker false
	// Softmax true
}
