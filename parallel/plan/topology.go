package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/parallel/machine"
)

// topologyPlanner chooses links and layout in turns (Wang et al., TopoOpt, NSDI 2023): the
// best layout for the links that there are, the best links for that layout, and so on until a
// step takes no less time. Where a layout is found at least cost along one axis the paper
// walks at random, and the paper gives interfaces to collectives in proportion to their
// bytes, where here strides are tried.
var topologyPlanner = &Planner{
	Name:  "topology",
	About: "network topology and sharding in turns, on clusters with configurable links (TopoOpt)",
	Find:  topology,
}

// errLinks is wrapped by the error where there are no links to choose.
var errLinks = errors.New("links between nodes cannot be set")

func topology(ctx context.Context, j *Job) (*Plan, error) {
	if j.Cluster.Degree() == 0 {
		return nil, fmt.Errorf("%w: those of %s are as they are", errLinks, j.Cluster.Name)
	}
	best, least, err := j.alongOne(ctx)
	if err != nil {
		return nil, err
	}
	search := &wiring{job: j, left: 8 * j.Steps}
	for ctx.Err() == nil {
		j.Progress("links")
		moved, time, err := search.better(ctx, best, least)
		if err != nil {
			return best.stopped(ctx, err)
		}
		if time >= least {
			break
		}
		best, least = moved, time
		j.Progress("layout")
		k := *j
		k.Cluster = moved.Mesh.Cluster
		again, time, err := k.alongOne(ctx)
		if err != nil && !IsNone(err) {
			return best.stopped(ctx, err)
		}
		if err == nil && time < least {
			best, least = again, time
		}
	}
	return best.stopped(ctx, nil)
}

// parts is into how many clusters a model is divided whose layout is looked for more than once.
const parts = 16

// alongOne is the plan whose step is shortest of those by each of the means along one axis of
// all devices, cluster by cluster.
func (j *Job) alongOne(ctx context.Context) (best *Plan, least machine.Time, err error) {
	mesh, err := NewMesh(j.Cluster, j.Devices)
	if err != nil {
		return nil, 0, err
	}
	var none error
	for _, m := range AllMeans() {
		p, err := Make(ctx, j.Training, mesh, Options{Means: []Means{m}, Strategies: j.Strategies, Steps: j.Steps, Clusters: parts})
		if err == nil {
			p, err = j.fit(p)
		}
		var time machine.Time
		if err == nil {
			time, err = p.Makespan(ctx)
		}
		switch {
		case IsNone(err):
			none = err
		case err != nil:
			if best != nil && ctx.Err() != nil {
				return best, least, nil
			}
			return nil, 0, err
		case best == nil || time < least:
			best, least = p, time
		}
	}
	if best == nil {
		return nil, 0, none
	}
	return best, least, nil
}
