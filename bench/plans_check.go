package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/parallelize"
	"github.com/taso-go/taso/parallel/plan"
)

// accepted has a plan of a table checked as the file of it would be (taso check): that its certificate
// shows that its graph computes the step that was planned, and that stages, times and memory are
// what follows from the plan. That a plan is not accepted is an error, and there is no table.
func accepted(ctx context.Context, p *plan.Plan) error {
	f, err := parallelize.Certified(ctx, p)
	if err != nil {
		return err
	}
	before, err := graph.ParseText("sequential", f.Sequential)
	if err != nil {
		return err
	}
	if !before.Equal(p.Training.First().Graph) {
		return errors.New("the plan's file is of another step")
	}
	if _, err := parallelize.Check(ctx, f, "plan", p.Mesh.Cluster, nil, false); err != nil {
		return fmt.Errorf("the plan of planner %s is not accepted: %w", p.Planner, err)
	}
	return nil
}
