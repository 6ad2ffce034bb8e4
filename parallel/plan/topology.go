package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/egraph/extract"
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

// stopped is the plan found so far where err is that the context has ended.
func (p *Plan) stopped(ctx context.Context, err error) (*Plan, error) {
	if ctx.Err() == nil {
		return p, err
	}
	q := *p
	q.Passes = append([]Pass{}, p.Passes...)
	if n := len(q.Passes); n > 0 {
		q.Passes[n-1].Stop = extract.StopCancelled
	}
	if p.Pipeline != nil {
		stages := *p.Pipeline
		stages.Stop = extract.StopCancelled
		q.Pipeline = &stages
	}
	return &q, nil
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

// moved is the plan of one axis on the cluster of links on which it sends: devices are the same.
// What it computes does not depend on links. Of how far it is from the best nothing is known
// there.
func (p *Plan) moved(to *wired, sent []sends) (*Plan, error) {
	q := &Plan{Planner: p.Planner, Training: p.Training, Mesh: to.mesh, Laying: p.Laying, Passes: append([]Pass{}, p.Passes...)}
	before, err := p.Mesh.sends(sent)
	if err != nil {
		return nil, err
	}
	last := &q.Passes[len(q.Passes)-1]
	last.Cost, last.Bound, last.Stop = last.Cost-before+to.sends, 0, extract.StopDone
	return q.With(p.Saving)
}
