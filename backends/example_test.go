package backends_test

import (
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

func ExampleTensor_Check() {
	x := backends.Float32s([]float32{1, 2, 3}, 3)
	fmt.Println(x.Check(graph.TensorType{Sizes: []int{3}}))
	fmt.Println(x.Check(graph.TensorType{Sizes: []int{1, 3}}))
	x.Sizes = []int{4}
	fmt.Println(x.Check(x.Type()))
	fmt.Println(backends.Int64s([]int64{7}).Check(x.Type()))
	// Output:
	// <nil>
	// it is float32[3], want float32[1, 3]
	// float32[4] holds 4 elements, not 3
	// it is int64[], want float32[4]
}

func ExampleRandom() {
	t := graph.TensorType{Sizes: []int{2, 2}}
	x, err := backends.Random(1, t)
	y, _ := backends.Random(1, t)
	fmt.Println(len(x.F32), x.F32[3] == y.F32[3], err)
	z, _ := backends.Random(1, graph.TensorType{DType: graph.Bool, Sizes: []int{2}})
	_, err = backends.Zeros(graph.TensorType{DType: 99, Sizes: []int{2}})
	fmt.Println(z.I64, err)
	// Output:
	// 4 true <nil>
	// [0 0] tensor dtype(99)[2]: elements of type dtype(99) cannot be handed over
}

func ExampleCheckInputs() {
	g, err := graph.ParseText("g", `
x : float32[2]
w : weight float32[2]
y = ewadd(x, w)
return y`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(backends.CheckInputs(g, nil))
	fmt.Println(backends.CheckInputs(g, []backends.Tensor{backends.Float32s([]float32{1}, 1)}))
	fmt.Println(backends.CheckInputs(g, []backends.Tensor{backends.Float32s([]float32{1, 2}, 2)}))
	// Output:
	// 0 inputs, want 1
	// input x: it is float32[1], want float32[2]
	// <nil>
}

func ExampleDefaultWeights() {
	m := func(sizes ...int) graph.TensorType { return graph.TensorType{Sizes: sizes} }
	fmt.Println(backends.DefaultWeights(op.Conv2D, []graph.TensorType{m(1, 3, 8, 8), m(4, 3, 3, 3)}))
	fmt.Println(backends.DefaultWeights(op.MatMul, []graph.TensorType{m(2, 3, 3), m(2, 3, 3)}))
	// Output:
	// [false true]
	// [false false]
}

func ExampleInfo_String() {
	fmt.Println(backends.Info{Name: "cpu", Device: "Abacus 7", Version: "1-plain", Threads: 2, Libraries: []string{"beads 3.1"}})
	// Output: cpu 1-plain on Abacus 7, 2 threads, beads 3.1
}

func ExampleUnsupported_Error() {
	fmt.Println((&backends.Unsupported{Backend: "cpu", Node: "n1", Op: "NonMaxSuppression", Why: "its meaning is not known"}).Error())
	fmt.Println((&backends.Unsupported{Backend: "cpu", Op: "cast", Why: "from bool"}).Error())
	// Output:
	// backend cpu cannot run node n1 (NonMaxSuppression): its meaning is not known
	// backend cpu cannot run cast: from bool
}

func ExampleFromBytes() {
	x := backends.Int64s([]int64{1, -2}, 2)
	y, err := backends.FromBytes(x.Type(), x.Bytes())
	fmt.Println(y.I64, y.Type(), err)
	_, err = backends.FromBytes(x.Type(), x.Bytes()[1:])
	fmt.Println(err)
	// Output:
	// [1 -2] int64[2] <nil>
	// tensor int64[2]: 15 bytes, want 16
}
