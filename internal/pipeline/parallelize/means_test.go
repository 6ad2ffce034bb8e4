package parallelize

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/parallel/plan"
)

// Plans within all means are accepted, also those that only planners for a kind of model use.
func TestMeans(t *testing.T) {
	tr, err := Training(network(t, "bert-large-512-tiny", 4), &plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, means := range []plan.Means{plan.Data, plan.FSDP, plan.Megatron, plan.Sparse, plan.SparseFSDP, plan.Tensor, plan.All} {
		mesh, err := plan.NewMesh(cluster(t), 2)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Make(ctx, tr, mesh, plan.Options{Means: []plan.Means{means}, Steps: 1 << 14, Strategies: strategies})
		if errors.Is(err, plan.ErrMeans) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", means, err)
		}
		f, err := Certified(ctx, p)
		if err != nil {
			t.Fatalf("%s: %v", means, err)
		}
		if _, err := Check(ctx, f, "plan.json", mesh.Cluster, nil, false); err != nil {
			t.Errorf("%s: %v", means, err)
		}
		made++
	}
	if made < 5 {
		t.Errorf("plans of %d means", made)
	}
}
