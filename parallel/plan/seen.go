package plan

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/internal/memo"
	"github.com/taso-go/taso/parallel/machine"
)

// seen is what planners that are asked about one job share. Each of it depends on the job and on
// what it is asked for by alone, so that it is no matter who asks first, and who never does.
type seen struct {
	of        *Training
	on        *machine.Cluster
	meshes    memo.Memo[struct{}, []*Mesh]
	spaces    memo.Memo[*Mesh, *space]
	all       memo.Memo[struct{}, []*spaced]
	parts     memo.Memo[int, parted] // by the least number
	profilers memo.Memo[string, *profiler]
	found     memo.Memo[string, outcome]
}

// parted is what Training.parts says.
type parted struct {
	of  []int
	n   int
	err error
}

// outcome is what somebody finds: a plan that fits, or why there is none.
type outcome struct {
	plan *Plan
	err  error
}

// shared is what is known of the job as it is.
func (j *Job) shared() *seen {
	if j.seen == nil || j.seen.of != j.Training || j.seen.on != j.Cluster {
		j.seen = &seen{of: j.Training, on: j.Cluster}
	}
	return j.seen
}

// parts are those of the training step.
func (j *Job) parts(least int) ([]int, int, error) {
	p, err := j.shared().parts.Get(context.Background(), least, func() (p parted, _ error) {
		p.of, p.n, p.err = j.Training.parts(least)
		return p, nil
	})
	if err == nil {
		err = p.err
	}
	return p.of, p.n, err
}

// space is that of the training step on one of the job's meshes. What it finds of prices is for
// one goroutine, see [space.clone].
func (j *Job) space(ctx context.Context, m *Mesh) (*space, error) {
	return j.shared().spaces.Get(ctx, m, func() (*space, error) { return newSpace(ctx, j, m) })
}

// profiler is that of at least so many clusters.
func (j *Job) profiler(least int) (*profiler, error) {
	of, n, err := j.parts(least)
	if err != nil {
		return nil, err
	}
	return j.shared().profilers.Get(context.Background(), fmt.Sprint(n, of), func() (*profiler, error) {
		return &profiler{j: j, of: of, n: n, small: j.Training.condense(of, n), solved: &solutions{}}, nil
	})
}

// once is what is found by a name, which says all that it depends on beside the job. What ctx ends is
// for who has begun it alone.
func (j *Job) once(ctx context.Context, name string, find func() (*Plan, error)) (*Plan, error) {
	found, err := j.shared().found.Get(ctx, name, func() (o outcome, err error) {
		if o.plan, o.err = find(); o.err == nil { // what is found of it is found before others have it
			o.plan, o.err = j.fit(o.plan)
		}
		if o.err == nil {
			_, o.err = o.plan.Makespan(context.WithoutCancel(ctx))
		}
		return o, ctx.Err()
	})
	if found.plan == nil && found.err == nil {
		return nil, err
	}
	return found.plan, found.err
}
