package plan

import (
	"context"
	"slices"
)

// autoPlanner takes the best plan of what all other planners find, and of layouts along
// the axes of all meshes together: that whose simulated step is shortest.
var autoPlanner = &Planner{
	Name:  "auto",
	About: "the best plan of all other planners, and of all shardings over several meshes",
}

func init() { // here, because it lists the planners
	autoPlanner.Find = auto
	padding(true, autoPlanner)
}

func auto(ctx context.Context, j *Job) (*Plan, error) {
	return j.bestOf(ctx, slices.DeleteFunc(Planners(), func(p *Planner) bool {
		return p == autoPlanner || slices.Contains(j.Without, p.Name)
	}), j.price())
}
