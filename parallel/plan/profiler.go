package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taso-go/taso/internal/memo"
)

// profiler says what clusters take by layouts that planners of pipelines look at. These are made in the
// training step without what repeats, and each once, whoever asks: a layout of samples on all devices
// is one of data, of a pipeline, and of alpa.
type profiler struct {
	j      *Job
	of     []int // cluster by node
	n      int
	small  *condensed // in which layouts are made
	solved *solutions
	timed  memo.Memo[int, outcome]     // by micro-batches: the condensed step laid out along their axis
	known  memo.Memo[string, profiled] // by layout
}

// profiled is what each cluster takes, or why there is no such layout.
type profiled struct {
	clusters []part
	err      error
}

// arrangement is a layout of all stages at once: each is on as many devices as axes
// count, and a layout is looked for along each.
type arrangement struct {
	micro, stages int
	degrees       []int
	looks         []look
}

// plain is the arrangement without axes of one device.
func (a arrangement) plain() arrangement {
	out := arrangement{micro: a.micro, stages: a.stages}
	for k, d := range a.degrees {
		if d > 1 {
			out.degrees, out.looks = append(out.degrees, d), append(out.looks, a.looks[k])
		}
	}
	return out
}

// key is all of a plain arrangement, of its first axes.
func (a arrangement) key(axes int) string {
	var b strings.Builder
	fmt.Fprint(&b, a.micro, a.stages, a.degrees)
	for _, l := range a.looks[:axes] {
		fmt.Fprintf(&b, " %s %t", l.means, l.copies)
	}
	return b.String()
}

// begun are layouts along the first axes of arrangements that have others.
type begun = memo.Memo[string, outcome]

// profile is what each cluster takes. If first is not nil, what is laid out along first axes is kept there.
func (x *profiler) profile(ctx context.Context, a arrangement, first *begun) ([]part, error) {
	a = a.plain()
	p, err := x.known.Get(ctx, a.key(len(a.looks)), func() (p profiled, err error) {
		p.clusters, p.err = x.make(ctx, a, first)
		if p.err != nil && !errors.Is(p.err, ErrMeans) {
			return p, p.err
		}
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	return p.clusters, p.err
}

func (x *profiler) make(ctx context.Context, a arrangement, first *begun) ([]part, error) {
	p, err := x.inTime(ctx, a.micro)
	if err != nil {
		return nil, err
	}
	if n := len(a.degrees) - 1; n > 0 && first != nil {
		o, err := first.Get(ctx, a.key(n), func() (o outcome, err error) {
			o.plan, o.err = x.lay(ctx, p, a, division{of: x.small.of, solved: x.solved}, 0, n)
			return o, ctx.Err()
		})
		if err == nil {
			err = o.err
		}
		if err == nil {
			p, err = x.lay(ctx, o.plan, a, division{of: x.small.of, solved: x.solved}, n, n+1)
		}
		if err != nil {
			return nil, err
		}
	} else if p, err = x.lay(ctx, p, a, division{of: x.small.of, solved: x.solved}, 0, n+1); err != nil {
		return nil, err
	}
	return x.small.profile(p)
}

// inTime is the condensed step laid out along the axis of micro-batches. It is not to be changed.
func (x *profiler) inTime(ctx context.Context, micro int) (*Plan, error) {
	o, err := x.timed.Get(ctx, micro, func() (o outcome, err error) {
		o.plan, o.err = x.j.inTime(ctx, x.small.Training, micro, division{of: x.small.of, solved: x.solved})
		return o, ctx.Err()
	})
	if err == nil {
		err = o.err
	}
	return o.plan, err
}

// lay goes on from a plan along some of the axes of an arrangement.
func (x *profiler) lay(ctx context.Context, begun *Plan, a arrangement, how division, from, to int) (*Plan, error) {
	devices := 1 // of a stage: submeshes of some sizes leave devices of a node over
	for _, d := range a.degrees {
		devices *= d
	}
	// All stages send at once.
	mesh, err := NewMeshOf(x.j.Cluster, equal(a.stages, devices), axesOf(a.micro, 0, a.degrees)...)
	if err != nil {
		return nil, err
	}
	p := begun.on(mesh)
	for k := from; k < to; k++ {
		if err := p.along(ctx, a.looks[k:k+1], a.degrees[k], min(x.j.Steps, intraSteps), how); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// inTime lays a training step out along the axis of micro-batches.
func (j *Job) inTime(ctx context.Context, t *Training, micro int, how division) (*Plan, error) {
	mesh, err := NewMeshOf(j.Cluster, nil, axesOf(micro, 0, nil)...)
	if err != nil {
		return nil, err
	}
	return Make(ctx, t, mesh, Options{Strategies: j.Strategies, Steps: min(j.Steps, intraSteps), division: how})
}
