package plan

import (
	"context"
	"errors"
	"testing"

	"github.com/taso-go/taso/egraph/extract"
)

// Each planner's plan computes the same, and none is better than that of auto.
func TestPlanners(t *testing.T) {
	tr := training(t, perceptron)
	mesh := meshOf(t, "dgx-a100", 1)
	j := &Job{Training: tr, Cluster: mesh.Cluster, Devices: 4, Steps: 1 << 16, Strategies: strategies}
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
			p, err := auto, error(nil)
			if pl.Name != "auto" {
				p, err = Find(ctx, pl.Name, j)
			}
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

// When a search is ended its plan is the best so far, and says so.
func TestEnded(t *testing.T) {
	tr := training(t, perceptron)
	mesh := meshOf(t, "dgx-a100", 1)
	for _, c := range []struct{ planner, at string }{{"auto", "soap"}, {"auto", "all layouts"}, {"unity", "rewriting"}, {"soap", "random walk"}} {
		t.Run(c.planner+" at "+c.at, func(t *testing.T) {
			ctx, end := context.WithCancel(ctx)
			defer end()
			var after []string
			j := &Job{Strategies: strategies, Training: tr, Cluster: mesh.Cluster, Devices: 4, Progress: func(what string) {
				if ctx.Err() != nil {
					after = append(after, what)
				} else if what == c.at {
					end()
				}
			}}
			p, err := Find(ctx, c.planner, j)
			if err != nil {
				t.Fatal(err)
			}
			verified(t, p)
			stop := p.Passes[len(p.Passes)-1].Stop
			if p.Pipeline != nil {
				stop = p.Pipeline.Stop
			}
			if stop != extract.StopCancelled {
				t.Errorf("it stopped since %q", stop)
			}
			if c.planner == "auto" && len(after) > 0 && after[0] != "random walk" {
				t.Errorf("after the end: %q", after)
			}
		})
	}
	over, end := context.WithCancel(ctx)
	end()
	for _, name := range []string{"auto", "unity", "soap"} {
		if _, err := Find(over, name, &Job{Strategies: strategies, Training: tr, Cluster: mesh.Cluster, Devices: 4}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, ended before it began: %v", name, err)
		}
	}
}
