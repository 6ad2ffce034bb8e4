package grad_test

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
)

const line = `x : float32[8, 3]
w : weight float32[3, 2]
y = matmul(x, w)
return y
`

func ExamplePullback() {
	g, err := graph.ParseText("line", line)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := g.Find("w")
	h, err := grad.Pullback(g, []graph.NodeID{w})
	fmt.Print(h)
	fmt.Println(err)
	// Output:
	// x : float32[8, 3]
	// w : weight float32[3, 2]
	// y = matmul(x, w)
	// d_y : float32[8, 2]
	// t7 = transpose(x)
	// t8 = matmul(t7, d_y)
	// return y, t8
	// <nil>
}

func ExampleTrain() {
	g, err := graph.ParseText("line", line)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := grad.Train(g, grad.Options{Loss: grad.MeanSquare})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(s.Graph)
	// Output:
	// x : float32[8, 3]
	// w : weight float32[3, 2]
	// y = matmul(x, w)
	// label : float32[8, 2]
	// t5 = ewsub(y, label)
	// t6 = ewmul(t5, t5)
	// t7 = reducesum[axes=(0, 1)](t6)
	// t8 = fill[shape=[], den=16]()
	// loss = smul(t7, t8)
	// rate : float32[]
	// t11 = fill[shape=[]]()
	// t12 = smul(t11, t8)
	// t14 = reshape[shape=[1, 1]](t12)
	// t15 = broadcast[shape=[8, 2]](t14)
	// t16 = ewmul(t15, t5)
	// t17 = ewadd(t16, t16)
	// t21 = transpose(x)
	// t22 = matmul(t21, t17)
	// t23 = smul(t22, rate)
	// w_next = ewsub(w, t23)
	// return loss, w_next
}

func ExampleBack() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2)
	neg, _ := graph.Lookup("neg")
	y, _ := b.Apply("y", neg, graph.Attrs{}, x)
	d, _ := b.AddInput("d", graph.Float32, 2)
	in, err := grad.Back(graph.NewCalc(&b), []graph.Tensor{y.Out(0)}, []graph.Tensor{d}, []graph.Tensor{x}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Finish(in...)
	fmt.Print(g)
	fmt.Println(err)
	// Output:
	// x : float32[2]
	// y = neg(x)
	// d : float32[2]
	// t4 = neg(d)
	// return t4
	// <nil>
}

func ExampleTrained() {
	g, err := graph.ParseText("line", line)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range grad.Trained(g) {
		fmt.Println(g.Name(id))
	}
	// Output: w
}

func ExampleParseLoss() {
	l, err := grad.ParseLoss("meansquare")
	fmt.Println(l == grad.MeanSquare, err)
	// Output: true <nil>
}

func ExampleParseOptimizer() {
	o, err := grad.ParseOptimizer("adam")
	fmt.Println(o == grad.Adam, err)
	// Output: true <nil>
}
