package parallelize

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/runpcg"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// Ran is a run of a plan on virtual devices, which send each other messages: all outputs,
// the loss, new weights and new state, modulo a prime and in float32.
type Ran struct {
	// Of is the model that was run: the plan's, or a small variant of it with the same
	// operators, laid out by the same planner on a few devices.
	Of      string `json:"of"`
	Small   bool   `json:"small"`
	Devices int    `json:"devices"`
	// Equal: modulo 2^61 - 1 the devices compute what the sequential graph does. Deviation is
	// that of float32, relative to the largest element.
	Equal     bool     `json:"equal"`
	Deviation *float64 `json:"deviation,omitempty"`
	// Why nothing was run, "" if something was.
	Why string `json:"why,omitempty"`
}

// smallFLOPs is how many operations of a training step are run where there is a small variant.
const smallFLOPs = 1 << 26

// smallDevices is on how many devices a small variant is run at most.
const smallDevices = 4

// Run runs a plan on virtual devices and compares with the sequential graph. Where that
// takes long a small variant is planned and run in its place, if small is not nil: it
// makes the variant's graph for so many devices of the cluster.
func Run(ctx context.Context, f *plan.File, c *machine.Cluster, small func(devices int) (name string, g *graph.Graph, err error)) (*Ran, error) {
	before, after, err := f.Graphs()
	if err != nil {
		return nil, err
	}
	if small == nil || before.Work().FLOPs < smallFLOPs {
		if before, after, err = f.Ends(before, after); err != nil {
			return nil, err
		}
		return run(ctx, f.Model.Name, before, after)
	}
	name, g, err := small(smallDevices)
	if err != nil {
		return nil, err
	}
	t, err := Training(g, f.Training)
	if err != nil {
		return &Ran{Of: name, Small: true, Why: err.Error()}, nil
	}
	p, err := plan.Find(ctx, f.Planner, &plan.Job{Training: t, Cluster: c, Devices: min(smallDevices, f.Machine.Devices), Steps: 1 << 16})
	if err != nil {
		if !plan.IsNone(err) {
			return nil, err
		}
		return &Ran{Of: name, Small: true, Why: err.Error()}, nil
	}
	was, is, err := p.Ends()
	if err != nil {
		return nil, err
	}
	again, err := run(ctx, name, was, is)
	if err != nil {
		return nil, err
	}
	again.Small = true
	return again, nil
}

func run(ctx context.Context, name string, before, after *graph.Graph) (*Ran, error) {
	r, err := runpcg.Do(ctx, runpcg.Options{Name: name, Graph: after, Against: before, AgainstName: "the sequential graph", Seed: 1})
	if err != nil {
		return nil, fmt.Errorf("run on virtual devices: %w", err)
	}
	out := &Ran{Of: name, Devices: r.Devices, Why: r.NotRun}
	if r.Run != nil {
		out.Equal, out.Deviation = r.Run.Equal && r.Run.EqualAgainst, r.Run.Deviation
	}
	return out, nil
}
