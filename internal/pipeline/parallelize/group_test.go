package parallelize

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/plan"
)

// A plan of a step with statistics of groups of samples is one of that step only: not of the one with
// statistics of all samples, or of other groups.
func TestGroup(t *testing.T) {
	g, err := graph.ParseText("normalized", `
x : float32[8, 4, 2, 2]
scale : weight float32[4]
bias : weight float32[4]
mean : weight float32[4]
variance : weight float32[4]
n = batchnorm[eps=1e-05](x, scale, bias, mean, variance)
y = relu(n)
return y`)
	if err != nil {
		t.Fatal(err)
	}
	for _, planner := range []string{"data", "auto"} {
		r, err := Make(ctx, Options{strategies: strategies, Name: "normalized", Graph: g, Machine: "dgx-a100:1", Cluster: cluster(t), Planner: planner, Devices: 2, Steps: 1 << 12,
			Recipe: &plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01, Group: 2}})
		if err != nil {
			t.Fatal(err)
		}
		told(t, r.File, cluster(t), g, []lie{
			{"statistics of all samples", func(f *plan.File) { f.Training.Group = 0 }, "not the training step"},
			{"statistics of other groups", func(f *plan.File) { f.Training.Group = 4 }, "not the training step"},
			{"groups that do not divide samples", func(f *plan.File) { f.Training.Group = 3 }, ""},
			{"no training", func(f *plan.File) { f.Training = nil }, "not the training step"},
		})
	}
}
