package plan

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// autoPlanner takes the best plan of what all other planners find, and of layouts along
// the axes of all meshes together: that whose simulated step is shortest.
var autoPlanner = &Planner{
	Name:  "auto",
	About: "the best of all planners and of all layouts along the axes of several meshes",
}

func init() { autoPlanner.Find = auto } // here, because it lists the planners

func auto(ctx context.Context, j *Job) (*Plan, error) {
	price := (*Plan).Makespan
	if j.Serial {
		price = func(p *Plan, _ context.Context) (machine.Time, error) { return p.Time(), nil }
	}
	return j.bestOf(ctx, slices.DeleteFunc(Planners(), func(p *Planner) bool {
		return p == autoPlanner || slices.Contains(j.Without, p.Name)
	}), price)
}

// bestOf is the best of planners' plans and of all layouts on each mesh, by a price.
func (j *Job) bestOf(ctx context.Context, planners []*Planner, price func(*Plan, context.Context) (machine.Time, error)) (*Plan, error) {
	var best *Plan
	var first error
	least := machine.Time(0)
	consider := func(p *Plan, err error) error {
		var time machine.Time
		if err == nil {
			p, err = j.fit(p)
		}
		if err == nil {
			time, err = price(p, ctx)
		}
		switch {
		case ctx.Err() != nil && best == nil:
			return ctx.Err()
		case err != nil: // one failing is no reason for others to fail
			if !IsNone(err) && !errors.Is(err, ErrLarge) {
				j.Progress("left out: " + err.Error())
			}
			first = closer(first, err)
		case best == nil || time < least:
			best, least = p, time
		}
		return nil
	}
	for _, other := range planners {
		j.Progress(other.Name)
		p, err := other.Find(ctx, j)
		if err = consider(p, err); err != nil {
			return nil, err
		}
	}
	j.Progress("all layouts")
	all, err := j.together(ctx)
	if err = consider(nil, cmp.Or(err, ErrMeans)); err != nil {
		return nil, err
	}
	for _, s := range all {
		p, err := s.space.realize(s.layouts)
		if err = consider(p, err); err != nil {
			return nil, err
		}
	}
	if best == nil {
		return nil, first
	}
	return best, nil
}
