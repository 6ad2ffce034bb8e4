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
	p, err := plan.Make(context.Background(), step, mesh, plan.Options{Means: []plan.Means{plan.Data}})
	if err != nil {
		log.Fatal(err)
	}
	l := p.Laying
	_, err = check.Rule(l.Equation(), l.Proof(), check.Laws(l.Laws()))
	fmt.Println(p.Passes[0].Stop, err)
	// Output: optimal <nil>
}

// Megatron's layout of two layers on the devices of a node.
func ExampleFind() {
	g, err := graph.ParseText("perceptron", `
x : float32[64, 128]
v : weight float32[128, 256]
w : weight float32[256, 64]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
return y`)
	if err != nil {
		log.Fatal(err)
	}
	step, err := plan.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	c, err := machine.Find("dgx-a100", machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := plan.Find(context.Background(), "megatron", &plan.Job{Training: step, Cluster: c, Devices: 8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Planner, p.Mesh.Degrees, p.Passes[0].Means)
	// Output: megatron [8] megatron
}

// A network of eight layers as a pipeline: too large for one device, and with too few samples
// to deal out among eight.
func ExampleFind_pipeline() {
	text := "x : float32[8, 4096]\n"
	for i := range 8 {
		text += fmt.Sprintf("w%d : weight float32[4096, 4096]\n", i)
	}
	in := "x"
	for i := range 8 {
		text += fmt.Sprintf("h%d = matmul(%s, w%d)\nr%d = relu(h%d)\n", i, in, i, i, i)
		in = fmt.Sprintf("r%d", i)
	}
	g, err := graph.ParseText("tower", text+"return "+in+"\n")
	if err != nil {
		log.Fatal(err)
	}
	step, err := plan.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	c, err := machine.Find("dgx-a100:1", machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := plan.Find(context.Background(), "pipeline", &plan.Job{Training: step, Cluster: c, Devices: 8, Memory: 400 << 20})
	if err != nil {
		log.Fatal(err)
	}
	x := p.Pipeline
	fmt.Println(len(x.Stages), "stages,", p.Mesh.MicroBatches(), "micro-batches,", x.Schedule, x.Peak <= 400<<20, x.Bound <= x.Makespan)
	w, _ := step.Graph.Find("w5")
	fmt.Println("w5 is of stage", x.Of[w])
	// Output:
	// 8 stages, 1 micro-batches, 1f1b true true
	// w5 is of stage 6
}

// Layers in clusters of two.
func ExampleTraining_Clusters() {
	g, err := graph.ParseText("tower", `
x : float32[64, 32]
u : weight float32[32, 32]
v : weight float32[32, 32]
h = matmul(x, u)
r = relu(h)
y = matmul(r, v)
return y`)
	if err != nil {
		log.Fatal(err)
	}
	step, err := plan.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	of, err := step.Clusters(2)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"h", "r", "y", "loss", "u_next", "v_next"} {
		id, _ := step.Graph.Find(name)
		fmt.Print(name, " ", of[id], ", ")
	}
	fmt.Println()
	// Output: h 1, r 1, y 2, loss 2, u_next 1, v_next 2,
}

// Two stages of a pipeline on a node, of which one deals out along two axes, and eight
// micro-batches.
func ExampleNewMeshOf() {
	c, err := machine.Find("dgx-a100:1", machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := plan.NewMeshOf(c, []plan.Submesh{{First: 0, Devices: 4}, {First: 4, Devices: 2}},
		plan.Axis{Degree: 8, Time: true}, plan.Axis{Degree: 2, Stage: 1}, plan.Axis{Degree: 2, Stage: 1}, plan.Axis{Degree: 2, Stage: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Devices(), m.MicroBatches(), m.Strides(1), m.Strides(2), m.First(2))
	// Output: 6 8 [0 2 1 0] [0 0 0 1] 4
}

// Links that are set for what a plan sends.
func ExampleFind_topology() {
	g, err := graph.ParseText("layer", `
x : float32[64, 2048]
w : weight float32[2048, 2048]
y = matmul(x, w)
return y`)
	if err != nil {
		log.Fatal(err)
	}
	step, err := plan.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	c, err := machine.Find("topoopt:8", machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := plan.Find(context.Background(), "topology", &plan.Job{Training: step, Cluster: c})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(p.File().Machine.Links), "links")
	// Output: 32 links
}

// A network that laws have rewritten is the source of the layout.
func ExamplePlan_Source() {
	g, err := graph.ParseText("products", `
x : float32[2047, 2048]
y : float32[2048, 2047]
z : float32[2047, 2048]
p = matmul(x, y)
q = matmul(p, z)
return q`)
	if err != nil {
		log.Fatal(err)
	}
	c, err := machine.Find("summit", machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := plan.Find(context.Background(), "unity", &plan.Job{Training: &plan.Training{Graph: g}, Cluster: c, Devices: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Source().Graph)
	// Output:
	// x : float32[2047, 2048]
	// y : float32[2048, 2047]
	// z : float32[2047, 2048]
	// t4 = matmul(y, z)
	// q = matmul(x, t4)
	// return q
}

// Which operators' times the device's description extrapolates: sums, not products.
func ExamplePlan_Computing() {
	g, err := graph.ParseText("layer", `
x : float32[4096, 1024]
w : weight float32[1024, 512]
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
	p, err := plan.Find(context.Background(), "data", &plan.Job{Training: step, Cluster: c, Devices: 4})
	if err != nil {
		log.Fatal(err)
	}
	list, err := p.Computing()
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range list {
		if x.Class == "matmul" || x.Class == "reduce" {
			fmt.Println(x.Class, x.Count, x.Extrapolated)
		}
	}
	// Output:
	// matmul 2 false
	// reduce 1 true
}
