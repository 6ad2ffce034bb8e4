package plan

import (
	"context"
	"errors"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// realize lays the training step out as was chosen, one axis after another. What is left
// to each pass is in which order axes change what lies between operators; where a pass
// cannot do as was chosen, or does better without, it is free. So the plan's price is its
// own, and mostly that of the choice.
func (s *space) realize(l *layouts) (*Plan, error) {
	return s.realizeOn(parallel.NewLaying(s.g, s.job.Strategies), l)
}

// realizeOn lays out what a laying begins with, the graph of the space. That a search has been
// ended is no reason to lose what it has found.
func (s *space) realizeOn(begun *parallel.Laying, l *layouts) (*Plan, error) {
	p := &Plan{Training: s.job.Training, Mesh: s.mesh, Laying: begun}
	ctx := context.WithoutCancel(s.ctx)
	for axis, degree := range s.mesh.Degrees {
		if err := p.follow(ctx, s, l, axis, degree); err != nil {
			return nil, err
		}
	}
	n := len(p.Passes) - 1
	if l.bound > 0 && n >= 0 {
		p.Passes[n].Bound, p.Passes[n].Stop = min(l.bound, p.Passes[n].Cost), l.stop
	}
	return p, nil
}

func (p *Plan) follow(ctx context.Context, s *space, l *layouts, axis, degree int) error {
	a, err := newPass(ctx, &prices{p.Mesh, p.Laying}, All, p.Training.Next, degree, division{})
	if err != nil {
		return err
	}
	all := a.of
	a.of = map[graph.NodeID][]*parallel.Strategy{}
	for id, sts := range all {
		o := p.Laying.Origin(id)
		if o.Converts || axis > 0 && p.Laying.Graph().Op(id).Layout != graph.LayoutNone {
			a.of[id] = sts
			continue
		}
		for _, st := range sts {
			if slices.ContainsFunc(l.ways[o.Tensor.Node], func(w *way) bool { return a.is(id, st, w) }) {
				a.of[id] = append(a.of[id], st)
			}
		}
		if len(a.of[id]) == 0 {
			a.of[id] = sts
		}
	}
	at := map[int]parallel.Role{}
	for id, in := range s.weights {
		at[in] = roleOf(l.resident[id][axis])
	}
	c, err := a.solve(at, s.job.Steps)
	if errors.Is(err, ErrMeans) {
		a.of = all
		c, err = a.best(s.job.Steps)
	}
	if err != nil {
		return err
	}
	return p.lay(a, c)
}

// is reports whether a strategy is what a way says of the axis of the pass.
func (a *pass) is(id graph.NodeID, st *parallel.Strategy, w *way) bool {
	for i, t := range a.g.Operands(id) {
		if c, ok := code(a.own(t, st.In[i])); !ok || c != w.in[i][a.axis] {
			return false
		}
	}
	for k, r := range st.Out {
		if c, ok := code(a.own(id.Out(k), r)); !ok || c != w.out[k][a.axis] {
			return false
		}
	}
	return true
}
