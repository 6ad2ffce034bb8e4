package plan

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/parallel"
)

// Each planner's plan computes the same, and none is better than that of auto.
func TestPlanners(t *testing.T) {
	tr := training(t, perceptron)
	mesh := meshOf(t, "dgx-a100", 1)
	j := &Job{Training: tr, Cluster: mesh.Cluster, Devices: 4, Strategies: parallel.NewStrategies()}
	auto, err := Find(ctx, "auto", j)
	if err != nil {
		t.Fatal(err)
	}
	best, err := auto.Makespan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, pl := range Planners() {
		t.Run(pl.Name, func(t *testing.T) {
			p, err := Find(ctx, pl.Name, j)
			if pl.Name == "exhaustive" && errors.Is(err, ErrLarge) || pl.Name == "topology" && IsNone(err) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			verified(t, p)
			if p.Planner != pl.Name || pl.About == "" {
				t.Errorf("plan of %q, about %q", p.Planner, pl.About)
			}
			if time, err := p.Makespan(ctx); err != nil || time < best {
				t.Errorf("%v (%v), auto %v", time, err, best)
			}
		})
	}
	if _, err := Find(ctx, "none", j); err == nil {
		t.Error("there is a planner called none")
	}
	j.Devices = 1 << 20
	if _, err := Find(ctx, "data", j); err == nil {
		t.Error("a plan on more devices than there are")
	}
}
