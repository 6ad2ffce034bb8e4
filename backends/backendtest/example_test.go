package backendtest_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph"
)

func ExampleCases() {
	b, err := cpu.New(cpu.Options{Kernels: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	cases, err := backendtest.Cases()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range cases {
		if c.Name == "graphs/matrices of one row" {
			fmt.Println(c.Ops, c.Check(context.Background(), b))
		}
	}
	// Output: [broadcast matmul slice transpose] <nil>
}

func ExampleAgree() {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.ParseText("g", "x : float32[3, 40]\ny = softmax[axis=1](x)\nreturn y")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(backendtest.Agree(context.Background(), b, g, backends.CompileOptions{NoFuse: true}))
	// Output: <nil>
}

func ExampleApplications() {
	ops := map[string]bool{}
	err := backendtest.Applications(func(g *graph.Graph, id graph.NodeID) error {
		ops[g.Op(id).Name] = true
		return nil
	})
	fmt.Println(len(ops) > 40, ops["conv2d"], err)
	// Output: true true <nil>
}
