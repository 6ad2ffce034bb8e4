package parallelize

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/memo"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

var ctx = context.Background()

func network(t testing.TB, name string, batch int) *graph.Graph {
	t.Helper()
	n, err := models.BuildNetwork(name, models.Options{Batch: batch, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return n.Model.Graph
}

// cluster is a node of eight devices.
func cluster(t testing.TB) *machine.Cluster {
	t.Helper()
	c, err := machine.Find("dgx-a100", machine.Options{Nodes: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// strategies are those of all tests: what they find does not depend on what was asked before.
var strategies = parallel.NewStrategies()

var plans memo.Memo[string, *Result]

// made is a plan of a model on devices of a node. Tests share it and must not change it.
func made(t testing.TB, name string, batch int, planner string, devices int) *Result {
	t.Helper()
	r, err := plans.Get(ctx, fmt.Sprint(name, batch, planner, devices), func() (*Result, error) {
		return Make(ctx, Options{Name: name, Batch: batch, Graph: network(t, name, batch), Machine: "dgx-a100:1", Cluster: cluster(t), Planner: planner, Steps: 1 << 16,
			Devices: devices, Recipe: &plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01}, strategies: strategies})
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A plan is written, read and accepted.
func TestFile(t *testing.T) {
	r := made(t, "mlp-tiny", 16, "auto", 2)
	var b bytes.Buffer
	if err := r.File.Write(&b); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", b.Len())
	f, err := plan.ReadFile(&b, "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Check(ctx, f, "plan.json", cluster(t), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v %+v", got.Checked, got.Report)
}

// The certificate of a plan whose network was rewritten is accepted: it is about the network
// that came.
func TestRewritten(t *testing.T) {
	c, err := machine.Find("summit", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.ParseText("products", "x : float32[2047, 2048]\ny : float32[2048, 2047]\nz : float32[2047, 2048]\np = matmul(x, y)\nq = matmul(p, z)\nreturn q")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Make(ctx, Options{Name: "products", Graph: g, Machine: "summit", Cluster: c, Planner: "unity", Devices: 4})
	if err != nil {
		t.Fatal(err)
	}
	if r.File.Rewritten == "" {
		t.Error("it was not rewritten")
	}
	if _, err := Check(ctx, r.File, "plan", c, g, false); err != nil {
		t.Error(err)
	}
}
