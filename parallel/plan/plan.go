package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Options say how a plan is looked for.
type Options struct {
	// Planners are those of the axes of the mesh, in order; of one, of all axes.
	Planners []Planner
	// Strategies are shared by plans that are made one after the other; nil: new ones.
	Strategies *parallel.Strategies
	// Steps bounds the work of one choice ([extract.Options]); 0: 2^22.
	Steps int64
}

// Plan is a layout with what shows that it computes the same.
type Plan struct {
	Training *Training
	Mesh     *Mesh
	// Laying has the graph as it is laid out, and its certificate.
	Laying *parallel.Laying
	// Passes say what was chosen along each axis.
	Passes []Pass
}

// Pass is the choice along one axis.
type Pass struct {
	Planner Planner      `json:"planner"`
	Degree  int          `json:"degree"`
	Cost    machine.Time `json:"cost_ps"`  // of the operators and what they send, one after the other
	Bound   machine.Time `json:"bound_ps"` // no choice along this axis costs less, given those before and the residents
	Stop    extract.Stop `json:"stop"`
}

// Time is that of a step if nothing overlaps: the modelled times of all operators and
// collectives of a device, added up.
func (p *Plan) Time() machine.Time {
	if n := len(p.Passes); n > 0 {
		return p.Passes[n-1].Cost
	}
	return 0
}

// Make plans a training step on a mesh.
func Make(ctx context.Context, t *Training, mesh *Mesh, opt Options) (*Plan, error) {
	s := opt.Strategies
	if s == nil {
		s = parallel.NewStrategies()
	}
	if opt.Steps == 0 {
		opt.Steps = 1 << 22
	}
	p := &Plan{Training: t, Mesh: mesh, Laying: parallel.NewLaying(t.Graph, s)}
	for axis, degree := range mesh.Degrees {
		planner := Auto
		if n := len(opt.Planners); n > 0 {
			planner = opt.Planners[min(axis, n-1)]
		}
		if err := p.along(ctx, planner, degree, opt.Steps); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// along lays the plan's graph out along one more axis. Auto takes the best of what all
// planners find.
func (p *Plan) along(ctx context.Context, planner Planner, degree int, steps int64) error {
	look := []Planner{planner}
	if planner == Auto {
		look = Planners()
	}
	var best *choice
	var of *pass
	var means error
	for _, pl := range look {
		a, err := newPass(ctx, &prices{p.Mesh, p.Laying}, pl, p.Training.Next, degree)
		if err != nil {
			return err
		}
		c, err := a.best(steps)
		switch {
		case errors.Is(err, ErrMeans):
			means = err // of Auto the last one counts, which is its own
		case err != nil:
			return err
		case best == nil || c.cost < best.cost:
			best, of = c, a
		}
	}
	if best == nil {
		return means
	}
	err := p.Laying.Along(ctx, degree, parallel.Choice{
		Of: func(id graph.NodeID) []*parallel.Strategy { return best.strategies[id] },
		Resident: func(t graph.Tensor) (parallel.Role, bool) {
			r, ok := best.resident[t]
			return r, ok
		},
		Final: of.final,
	})
	if err != nil {
		return fmt.Errorf("planner %s: %w", planner, err)
	}
	p.Passes = append(p.Passes, Pass{of.planner, degree, best.cost, best.bound, best.stop})
	return nil
}

// best chooses how weights lie, and then the rest: a weight lies as it is used where it
// costs nothing how it lies.
func (a *pass) best(steps int64) (*choice, error) {
	free, err := a.solve(nil, steps)
	if err != nil {
		return nil, err
	}
	at := map[int]parallel.Role{}
	for t := range a.tensors() {
		in, ok := a.weight(t)
		if !ok {
			continue
		}
		if r, ok := free.resident[t]; ok {
			at[in] = r
		} else if _, ok := at[in]; !ok {
			at[in] = a.residents(t)[0]
		}
	}
	return a.solve(at, steps)
}

// final is the role in which a tensor is wanted that becomes an output, if that takes the
// place of an input.
func (a *pass) final(t graph.Tensor) (parallel.Role, bool) {
	i, ok := a.becomes[t]
	if !ok {
		return parallel.Role{}, false
	}
	in, ok := a.next[i]
	if !ok {
		return parallel.Role{}, false
	}
	r, ok := a.at[in]
	return r, ok
}
