package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// leastSteps is how many steps a region has, if there are so many.
const leastSteps = 1 << 16

// along lays the plan's graph out along one more axis by the cheapest choice of the looks.
func (p *Plan) along(ctx context.Context, looks []look, degree int, steps int64, how division) error {
	s, err := along(ctx, &prices{p.Mesh, p.Laying}, p.Training.Next, degree)
	if err != nil {
		return err
	}
	var best *layouts
	var by Means
	var without error
	for _, l := range looks {
		c, err := s.by(l, p.Source(), steps, how)
		switch {
		case errors.Is(err, ErrMeans):
			without = err // of all the last one counts
		case err != nil:
			return err
		case best == nil || c.cost < best.cost:
			best, by = c, l.means
		}
	}
	if best == nil {
		return without
	}
	return p.lay(s, best, by)
}

// by is the choice of a look.
func (s *space) by(l look, of *Training, steps int64, how division) (*layouts, error) {
	q := question{means: []Means{l.means}, solved: how.solved, tries: triesGathered}
	switch l.means {
	case Sparse, SparseFSDP:
		q.parts = of.sparse()
	case Tensor:
		q.parts = of.matrices()
	}
	switch l.means {
	case Data, FSDP, Sparse, SparseFSDP:
		if s.degrees[0] > 1 && how.only == nil && !s.samples(&q) {
			return nil, fmt.Errorf("%s: %d devices divide the samples of no input: %w", l.means, s.degrees[0], ErrMeans)
		}
	}
	lies := func(graph.Tensor) place { return place{} }
	if how.of != nil && !l.copies {
		flow := s.flow([maxAxes]bool{true})
		lies = func(t graph.Tensor) place { return flow.between(s, t) }
	}
	q.tiles = s.divide(how, lies)
	q.steps = max(steps/int64(max(1, len(q.tiles.list))), min(steps, leastSteps))
	return s.choose(q)
}

// samples reports whether an input that is no weight is dealt out, as it is read.
func (s *space) samples(q *question) bool {
	for id := range s.g.Nodes() {
		if s.ways[id] == nil {
			continue
		}
		for _, t := range s.g.Operands(id) {
			if s.given(t) && !s.stays(t) && s.inputs(q, t)[0][0] >= shards {
				return true
			}
		}
	}
	return false
}

// lay lays the plan's graph out along the axis of a space as was chosen.
func (p *Plan) lay(s *space, l *layouts, by Means) error {
	before := p.ends
	err := p.Laying.Along(s.ctx, s.degrees[0], parallel.Choice{
		Of: func(id graph.NodeID) (out []*parallel.Strategy) {
			for _, w := range l.ways[id] {
				out = append(out, w.by)
			}
			return out
		},
		Resident: func(t graph.Tensor) (parallel.Role, bool) {
			at, ok := l.lies[t]
			return s.on(t, roleOf(at[0])), ok
		},
		Final: func(t graph.Tensor) (parallel.Role, bool) {
			if !s.given(t) && l.ways[t.Node] == nil { // of a region that is not laid out
				return parallel.Role{}, false
			}
			for _, i := range s.becomes[t] {
				if in, ok := s.final(i); ok {
					return s.on(t, roleOf(l.resident[in][0])), true
				}
			}
			return parallel.Role{}, false
		},
	})
	if err != nil {
		return fmt.Errorf("%s along an axis of %d: %w", by, s.degrees[0], err)
	}
	return p.passed(Pass{Means: by, Degree: s.degrees[0], Bound: l.bound + before, Stop: l.stop})
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

// on continues a plan on another mesh. The axes that are laid out already are the same on both.
func (p *Plan) on(mesh *Mesh) *Plan {
	return &Plan{Training: p.Training, Mesh: mesh, Laying: p.Laying.Clone(), Passes: slices.Clone(p.Passes)}
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
