package plan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
	"github.com/taso-go/taso/verify/check"
)

// A training step by data parallelism on the four devices of a mesh, and what the checker
// says of it.
func ExampleMake() {
	g, err := graph.ParseText("layer", `
x : float32[64, 128]
w : weight float32[128, 32]
y = matmul(x, w)
return y`)
	if err != nil {
		log.Fatal(err)
	}
	step, err := plan.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	c, err := machine.Find("summit", machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	mesh, err := plan.NewMesh(c, 4)
	if err != nil {
		log.Fatal(err)
	}
	p, err := plan.Make(context.Background(), step, mesh, plan.Options{Planners: []plan.Planner{plan.Data}})
	if err != nil {
		log.Fatal(err)
	}
	l := p.Laying
	_, err = check.Rule(l.Equation(), l.Proof(), check.Laws(l.Laws()))
	fmt.Println(p.Passes[0].Stop, err)
	// Output: optimal <nil>
}
