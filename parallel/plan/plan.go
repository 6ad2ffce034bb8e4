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
	// Means are those of the axes of the mesh, in order; of one, of all axes; none: All.
	// Axes in time have their own, [Micro], whatever is said.
	Means []Means
	// Strategies are shared by plans that are made one after the other; nil: new ones.
	Strategies *parallel.Strategies
	// Steps bounds the work of one choice ([extract.Options]); 0: 2^22.
	Steps int64

	// Clusters is into how many parts, at most, the model is divided that are laid out one by
	// one ([Training.Clusters]): between them tensors lie as samples that are dealt out, or as
	// copies, whatever is cheaper in all, and of parts that are alike, such as the layers of
	// a network, one is solved. 0: one choice for all of the graph.
	Clusters int

	division division // by which it is divided already
}

// Plan is a layout with what shows that it computes the same.
type Plan struct {
	// Planner is the name of the one that found it.
	Planner  string
	Training *Training
	Mesh     *Mesh
	// Rewritten is what laws have made of the training graph, with the same inputs and outputs,
	// and what is laid out; nil: the training graph is.
	Rewritten *graph.Graph
	// Laying has the graph as it is laid out, and its certificate. Origins are nodes of
	// [Plan.Source].
	Laying *parallel.Laying
	// Passes say what was chosen along each axis.
	Passes []Pass
	// Pipeline says what is a stage of which devices; nil: all devices work on everything.
	Pipeline *Pipeline

	// Saving is what is done to hold less at once; nil: nothing.
	Saving *Saving

	extra    machine.Time // of the saving
	makespan machine.Time // 0: not known yet
	memory   int64        // what a device may hold; 0: what it has
	fitted   int64        // a device of so many bytes is known to hold it; 0: nothing is known
	ends     machine.Time // of the cost: what it takes to make copies of outputs
}

// Source is what is laid out: the training step, or what laws have made of it.
func (p *Plan) Source() *Training {
	if p.Rewritten == nil {
		return p.Training
	}
	return p.Training.as(p.Rewritten)
}

// Pass is the choice along one axis.
type Pass struct {
	Means  Means        `json:"means"`
	Degree int          `json:"degree"`
	Cost   machine.Time `json:"cost_ps"`  // of the operators and what they send, one after the other
	Bound  machine.Time `json:"bound_ps"` // no choice along this axis costs less, given those before and the residents
	Stop   extract.Stop `json:"stop"`
}

// Time is that of a step if nothing overlaps: the modelled times of all operators and
// collectives of a device, added up. Of a pipeline it is the makespan of its stages.
func (p *Plan) Time() machine.Time {
	if p.Pipeline != nil {
		return p.Pipeline.Makespan
	}
	if n := len(p.Passes); n > 0 {
		return p.Passes[n-1].Cost + p.extra
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
	if opt.Clusters > 0 && opt.division.of == nil {
		of, err := t.Clusters(opt.Clusters)
		if err != nil {
			return nil, err
		}
		opt.division = division{of: of, solved: &solutions{}}
	}
	p := &Plan{Training: t, Mesh: mesh, Laying: parallel.NewLaying(t.Graph, s)}
	for axis, degree := range mesh.Degrees {
		means := All
		switch n := len(opt.Means); {
		case mesh.Axes[axis].Time:
			means = Micro
		case n > 0:
			means = opt.Means[min(axis, n-1)]
		}
		if err := p.along(ctx, means.looks(opt.division.of != nil), degree, opt.Steps, opt.division); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Makespan is the modelled time of a step with collectives beside computing
// ([Plan.Simulate]), or of a pipeline by its schedule.
func (p *Plan) Makespan(ctx context.Context) (machine.Time, error) {
	if p.Pipeline != nil {
		return p.Time(), nil
	}
	if p.makespan == 0 {
		s, err := p.Simulate(ctx, SimulateOptions{first: true, makespan: true})
		if err != nil {
			return 0, err
		}
		p.makespan = s.Makespan
	}
	return p.makespan, nil
}

// look is one way to look for a choice along an axis.
type look struct {
	means Means
	// copies: tensors between clusters are copies, else they lie as samples that are dealt out
	// make them.
	copies bool
}

// String is the means, and how tensors between clusters lie where that is not what the
// means do.
func (l look) String() string {
	if l.means == All && l.copies {
		return "all, copies between"
	}
	return string(l.means)
}

// looks are those of means. With all means the best is taken of what is found within each:
// choices are not always optimal.
func (m Means) looks(divided bool) (out []look) {
	if m != All {
		return []look{{m, m == Megatron || m == Tensor}}
	}
	for _, m := range AllMeans() {
		out = append(out, look{m, m == Megatron})
	}
	if divided {
		out = append(out, look{All, true})
	}
	return out
}

// along lays the plan's graph out along one more axis by the cheapest choice of the looks.
func (p *Plan) along(ctx context.Context, looks []look, degree int, steps int64, how division) error {
	var best *choice
	var of *pass
	var without error
	for _, l := range looks {
		how.copies = l.copies
		switch {
		case l.means.sparse():
			how.parts = p.Source().sparse()
		case l.means == Tensor:
			how.parts = p.Source().matrices()
		}
		a, err := newPass(ctx, &prices{p.Mesh, p.Laying}, l.means, p.Training.Next, degree, how)
		if err != nil {
			return err
		}
		c, err := a.best(steps)
		switch {
		case errors.Is(err, ErrMeans):
			without = err // of all the last one counts
		case err != nil:
			return err
		case best == nil || c.cost < best.cost:
			best, of = c, a
		}
	}
	if best == nil {
		return without
	}
	return p.lay(of, best)
}

// lay lays the plan's graph out along the axis of a pass as was chosen.
func (p *Plan) lay(of *pass, c *choice) error {
	err := p.Laying.Along(of.ctx, of.degree, parallel.Choice{
		Of: func(id graph.NodeID) []*parallel.Strategy { return c.strategies[id] },
		Resident: func(t graph.Tensor) (parallel.Role, bool) {
			r, ok := c.resident[t]
			return r, ok
		},
		Final: of.final,
	})
	if err != nil {
		return fmt.Errorf("%s along an axis of %d: %w", of.means, of.degree, err)
	}
	return p.passed(Pass{Means: of.means, Degree: of.degree, Bound: c.bound + p.ends, Stop: c.stop})
}

// passed notes a choice along one more axis, with what the graph that is laid out costs now.
func (p *Plan) passed(by Pass) error {
	var err error
	if by.Cost, p.ends, err = (&prices{p.Mesh, p.Laying}).sum(p.Training.Next); err != nil {
		return err
	}
	by.Bound = min(by.Bound, by.Cost)
	p.Passes = append(p.Passes, by)
	return nil
}

// best chooses how weights lie, and then the rest: a weight lies as it is used where it
// costs nothing how it lies.
func (a *pass) best(steps int64) (*choice, error) {
	if at, ok := a.settle(); ok {
		return a.solve(at, steps)
	}
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
			at[in] = a.own(t, r)
		} else if _, ok := at[in]; !ok {
			at[in] = a.own(t, a.residents(t)[0])
		}
	}
	return a.solve(at, steps)
}

// settle says how weights lie if each may in one way only.
func (a *pass) settle() (map[int]parallel.Role, bool) {
	at := map[int]parallel.Role{}
	for t := range a.tensors() {
		if in, ok := a.weight(t); ok {
			lies := a.residents(t)
			if r := a.own(t, lies[0]); len(lies) > 1 || at[in] != r && at[in] != (parallel.Role{}) {
				return nil, false
			}
			at[in] = a.own(t, lies[0])
		}
	}
	return at, true
}

// final is the role in which a tensor is wanted that becomes an output, if that takes the
// place of an input.
func (a *pass) final(t graph.Tensor) (parallel.Role, bool) {
	i, ok := a.becomes[t]
	if _, given := a.from[t]; !ok || !given && a.of[t.Node] == nil { // or of a region that is not laid out
		return parallel.Role{}, false
	}
	in, ok := a.next[i]
	if !ok {
		return parallel.Role{}, false
	}
	r, ok := a.at[in]
	return a.on(t, r), ok
}
