package plan

import (
	"cmp"
	"context"
	"errors"

	workers "github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// price is by what plans are compared: the simulated step, or the sum of times.
func (j *Job) price() func(*Plan, context.Context) (machine.Time, error) {
	if j.Serial {
		return func(p *Plan, _ context.Context) (machine.Time, error) { return p.Time(), nil }
	}
	return (*Plan).Makespan
}

// asked is the order in which n planners are asked. Those that take least time are in front; with
// several workers each second one comes from the end, so that not all wait for the longest.
func asked(n, workers int) (order []int) {
	for i := range n {
		switch {
		case workers == 1:
			order = append(order, i)
		case i%2 == 0:
			order = append(order, i/2)
		default:
			order = append(order, n-1-i/2)
		}
	}
	return order
}

// bestOf is the best of planners' plans and of all layouts on each mesh, by a price; of equal ones that
// of the planner which comes first. When ctx ends nobody else is asked: it is the best so far then.
func (j *Job) bestOf(ctx context.Context, planners []*Planner, price func(*Plan, context.Context) (machine.Time, error)) (*Plan, error) {
	var best *Plan
	var first error
	least := machine.Time(0)
	judging := context.WithoutCancel(ctx) // what is found is worth its price
	judge := func(p *Plan, err error) (outcome, machine.Time) {
		var time machine.Time
		if err == nil {
			p, err = j.fit(p)
		}
		if err == nil {
			time, err = price(p, judging)
		}
		if err != nil && !IsNone(err) && !errors.Is(err, ErrLarge) && ctx.Err() == nil {
			j.Progress("left out: " + err.Error())
		}
		return outcome{p, err}, time
	}
	consider := func(x outcome, time machine.Time) {
		switch {
		case x.err != nil: // one failing is no reason for others to fail
			first = closer(first, x.err)
		case x.plan != nil && (best == nil || time < least):
			best, least = x.plan, time
		}
	}
	found, times := make([]outcome, len(planners)), make([]machine.Time, len(planners))
	order := asked(len(planners), workers.Workers(j.Workers, len(planners)))
	_ = workers.Each(ctx, 0, len(planners), func(_, k int) error { // if it ends early there is what was found
		i := order[k]
		j.Progress(planners[i].Name)
		found[i], times[i] = judge(planners[i].Find(ctx, j))
		return nil
	})
	for i := range found {
		if j.Found != nil && (found[i].plan != nil || found[i].err != nil) {
			j.Found(planners[i].Name, found[i].plan, found[i].err)
		}
		consider(found[i], times[i])
	}
	if ctx.Err() == nil {
		j.Progress("all layouts")
		all, err := j.together(ctx)
		if len(all) == 0 {
			consider(judge(nil, cmp.Or(err, ErrMeans)))
		}
		for _, s := range all {
			if ctx.Err() != nil {
				break
			}
			if best != nil && s.computing() >= least {
				continue // computing alone takes as long
			}
			consider(judge(s.plan()))
		}
	}
	switch {
	case best == nil:
		return nil, cmp.Or(ctx.Err(), first)
	case ctx.Err() != nil:
		return best.stopped(ctx, nil)
	}
	return best, nil
}
