package plan

import (
	"context"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
)

// A walk begins at data parallelism, and what it finds is not behind it in simulation, however few
// moves it makes.
func TestWalkFromData(t *testing.T) {
	c, err := machine.Find("p3-16xlarge:1", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var step [2]machine.Time
	for i, name := range []string{"data", "soap"} {
		p, err := Find(context.Background(), name, &Job{Strategies: strategies, Training: towers(t, 2, 2), Cluster: c, Devices: 4, Steps: 4000, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if step[i], err = p.Makespan(context.Background()); err != nil {
			t.Fatal(err)
		}
		if p.Planner != name {
			t.Errorf("a plan of %s says that it is of %s", name, p.Planner)
		}
	}
	if step[1] > step[0] {
		t.Errorf("soap %v, data parallelism %v", step[1], step[0])
	}
}
