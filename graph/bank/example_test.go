package bank_test

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/op"
)

func Example() {
	g, err := graph.ParseText("", `
x : float32[4, 8]
a = relu(x)
b = relu(a)
c = tanh(b)
return c
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	count := func(*graph.Op, graph.Attrs, []graph.TensorType, []graph.TensorType) int64 { return 1 }
	net, place, err := bank.From(g, count)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := g.Find("a")
	b, _ := g.Find("b")
	before := net.Hash()
	mark := net.Mark()
	if err := net.Replace([]bank.Tensor{place(b.Out(0))}, []bank.Tensor{place(a.Out(0))}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(net.Cost(), net.Hash() == before)
	net.Undo(mark)
	fmt.Println(net.Cost(), net.Hash() == before)
	n, err := net.Apply(op.Relu, nil, graph.Float32, place(a.Out(0)))
	fmt.Println(net.Out(n, 0) == place(b.Out(0)), err)
	// Output:
	// 2 false
	// 3 true
	// true <nil>
}
