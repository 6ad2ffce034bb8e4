package interp_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

func ExampleApply() {
	attrs := op.PoolAvg.MustAttr(map[string]graph.Value{
		"kh": graph.IntValue(1), "kw": graph.IntValue(3), "pad": graph.NameValue(graph.SameUpper),
		"border": graph.NameValue("excluded"),
	})
	q := func(n int64) interp.Q { return interp.Q{Num: n, Den: 1} }
	x := interp.Tensor[interp.Q]{Sizes: []int{1, 1, 1, 3}, Data: []interp.Q{q(1), q(2), q(4)}}
	y, err := interp.Apply(interp.Rational{}, op.PoolAvg, attrs, []interp.Tensor[interp.Q]{x})
	fmt.Println(y[0].Data, err)
	// Output: [{3 2} {7 3} {3 1}] <nil>
}

func ExampleEvalGraph() {
	g, err := graph.ParseText("g", `
x : float32[1, 2]
w : float32[2, 2]
y = matmul(x, w)
z = relu(y)
return z`)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, g, []interp.Tensor[float64]{
		{Sizes: []int{1, 2}, Data: []float64{1, 2}},
		{Sizes: []int{2, 2}, Data: []float64{1, -1, 1, -1}},
	})
	fmt.Println(out[0].Data, err)
	// Output: [3 0] <nil>
}

func ExampleRun() {
	m, _ := op.Relu.Program(nil, [][]int{{3}}, [][]int{{3}})
	fmt.Println(interp.Run(interp.Float{}, m, [][]float64{{-1, 0, 2}}))
	// Output: [[0 0 2]]
}
