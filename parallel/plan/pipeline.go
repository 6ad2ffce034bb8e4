package plan

import (
	"context"
	"fmt"
)

// pipelinePlanner divides the model into stages on equally many devices, within which
// samples are dealt out. For each number of stages and of micro-batches the model is cut so that
// the slowest stage is as fast as can be; schedules and recomputation are judged by
// simulation.
var pipelinePlanner = &Planner{
	Name:  "pipeline",
	About: "stages on equally many devices with micro-batches (GPipe, 1F1B or interleaved); data parallelism in each stage",
	Find:  pipelined,
}

func pipelined(ctx context.Context, j *Job) (*Plan, error) {
	x, err := j.grid(j.Devices)
	if err != nil {
		return nil, err
	}
	if j.Row {
		x.after = inRow(x.after)
	}
	for stages := 1; stages <= min(j.Devices, x.hunt.n); stages++ {
		if j.Devices%stages == 0 && (j.Stages == 0 || j.Stages == stages) {
			x.shapes = append(x.shapes, shape{stages, []int{j.Devices / stages}, Data.looks(true)})
		}
	}
	if len(x.shapes) == 0 {
		return nil, fmt.Errorf("%d stages on equally many of %d devices, of a model of %d clusters: %w", j.Stages, j.Devices, x.hunt.n, ErrMeans)
	}
	x.turns = true
	return x.find(ctx)
}
