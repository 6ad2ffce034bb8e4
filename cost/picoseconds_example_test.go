package cost_test

import (
	"fmt"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

func ExamplePicoseconds() {
	m, err := cost.FindMachine("zen5")
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []graph.TensorType{{DType: graph.Float32, Sizes: []int{64, 64}}}
	alone, view, err := cost.Picoseconds{Model: m}.Alone(op.Relu, nil, x, x)
	fmt.Println(alone > 0, view <= alone, err)
	// Output: true true <nil>
}
