package plan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

func ofLayer(name string) *plan.Plan {
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
	p, err := plan.Find(context.Background(), name, &plan.Job{Training: step, Cluster: c, Devices: 4})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// A step over time: what is waited for, and how much is sent.
func ExamplePlan_Simulate() {
	s, err := ofLayer("data").Simulate(context.Background(), plan.SimulateOptions{Samples: 64})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range s.Classes {
		if c.Bytes > 0 {
			fmt.Println(c.Count, c.Class, c.Bytes, "bytes")
		}
	}
	fmt.Println(s.Devices[0].Compute+s.Devices[0].Exposed+s.Devices[0].Idle == s.Makespan, s.PerSecond > 0)
	// Output:
	// 1 reduce 12 bytes
	// 1 all-reduce 98304 bytes
	// true true
}

// What lies on a device: all of the weights, or a quarter of them.
func ExamplePlan_Memory() {
	for _, name := range []string{"data", "fsdp"} {
		m, err := ofLayer(name).Memory()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, m.Weights, m.Inputs, m.Peak)
	}
	// Output:
	// data 16384 10240 59400
	// fsdp 4096 10240 40964
}
