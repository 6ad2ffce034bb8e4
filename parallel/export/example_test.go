package export_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/jax"
	"github.com/taso-go/taso/parallel/export"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// dataParallel is a training step of a layer on two devices.
func dataParallel() *plan.Plan {
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
	p, err := plan.Find(context.Background(), "data", &plan.Job{Training: step, Cluster: c, Devices: 2})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// The program of a plan for JAX: how inputs and outputs lie, and how the loss is added up.
func ExampleWrite() {
	var b bytes.Buffer
	if err := export.Write(&b, dataParallel(), export.Options{Format: export.JAX}); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, `"spec": P(`) || strings.Contains(line, `loss, "a")`) {
			fmt.Print(strings.TrimSpace(line), "\n")
		}
	}
	// Output:
	// "x": {"type": float32, "sizes": (64, 128), "spec": P("a")},
	// "w": {"type": float32, "sizes": (128, 32), "spec": P(), "weight": True},
	// "label": {"type": float32, "sizes": (64, 32), "spec": P("a")},
	// "loss": {"spec": P()},
	// "w_next": {"spec": P(), "becomes": "w"},
	// loss_whole_a = all_reduce("send1", loss, "a")  # []
}

// A plan beside what JAX makes of it. It needs a Python with JAX (scripts/jax), so the
// example is not run.
func ExampleCompare() {
	ctx := context.Background()
	rt, err := jax.Find(ctx)
	if err != nil {
		log.Fatal(err)
	}
	c, err := export.Compare(ctx, rt, dataParallel())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(c.Text())
}
