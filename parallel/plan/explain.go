package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Explanation says why an operator is computed as it is: what each other way would cost, all
// else as it is. Times are modelled, of a step in which one thing is done after the other.
type Explanation struct {
	Node string `json:"node"`
	Op   string `json:"op"`
	// Ways are those in which the operator may be computed, the cheapest first.
	Ways []Way `json:"ways"`
}

// Way is a strategy of an operator along all mesh axes.
type Way struct {
	// In and Out are how operands and results lie, along each axis.
	In  []string `json:"in"`
	Out []string `json:"out"`
	// Compute is the time of the operator on members, More what a step takes more with this way
	// than with the one that the plan has, what is sent for operands and results with it.
	Compute machine.Time `json:"compute_ps"`
	More    machine.Time `json:"more_ps"`
	// Chosen: it is the plan's.
	Chosen bool `json:"chosen"`
}

// Second is the cheapest way beside the plan's, nil if there is none.
func (e *Explanation) Second() *Way {
	for i := range e.Ways {
		if !e.Ways[i].Chosen {
			return &e.Ways[i]
		}
	}
	return nil
}

// Explain explains the operators of the sequential graph, or of what it was rewritten to, with these
// names; none: all. An
// operator that the plan computes in several ways is explained by the first of them. Plans
// with stages or micro-batches are not explained: an error.
func (p *Plan) Explain(ctx context.Context, names ...string) ([]*Explanation, error) {
	if p.Pipeline != nil || slices.ContainsFunc(p.Mesh.Axes, func(a Axis) bool { return a.Time }) {
		return nil, errors.New("explain the plan: it has stages or micro-batches")
	}
	j, err := (&Job{Training: p.Source(), Cluster: p.Mesh.Cluster, Devices: p.Mesh.Devices()}).fill()
	if err != nil {
		return nil, err
	}
	s, err := newSpace(ctx, j, p.Mesh)
	if err != nil {
		return nil, fmt.Errorf("explain the plan: %w", err)
	}
	l, err := p.layouts(s)
	if err != nil {
		return nil, fmt.Errorf("explain the plan: %w", err)
	}
	y := s.tally(l)
	var ids []graph.NodeID
	for _, name := range names {
		id, ok := s.g.Find(name)
		if !ok || s.ways[id] == nil {
			return nil, fmt.Errorf("explain the plan: the sequential graph has no operator %s on which an output depends", name)
		}
		ids = append(ids, id)
	}
	if len(names) == 0 {
		for id := range s.g.Nodes() {
			if s.ways[id] != nil {
				ids = append(ids, id)
			}
		}
	}
	var out []*Explanation
	for _, id := range ids {
		out = append(out, y.explain(id))
	}
	return out, s.err
}

// explain tries each way of a node.
func (y *tally) explain(id graph.NodeID) *Explanation {
	e := &Explanation{Node: y.g.Name(id), Op: y.g.Op(id).Name}
	was, cost := y.way[id], y.cost
	axes := len(y.mesh.Degrees)
	for _, w := range y.ways[id] {
		y.use(id, w)
		if y.cost >= never { // nothing brings an operand there
			continue
		}
		x := Way{Compute: w.cost, More: y.cost - cost, Chosen: w == was}
		for _, p := range w.in {
			x.In = append(x.In, p.text(axes))
		}
		for _, p := range w.out {
			x.Out = append(x.Out, p.text(axes))
		}
		e.Ways = append(e.Ways, x)
	}
	y.use(id, was)
	slices.SortStableFunc(e.Ways, func(a, b Way) int {
		switch {
		case a.More != b.More:
			return int(min(1, max(-1, a.More-b.More)))
		case a.Chosen:
			return -1
		case b.Chosen:
			return 1
		}
		return 0
	})
	return e
}

// layouts are those that the plan has, as a choice in a space.
func (p *Plan) layouts(s *space) (*layouts, error) {
	l := &layouts{ways: make([][]*way, len(s.ways)), resident: map[graph.NodeID]place{}}
	g := p.Laying.Graph()
	for id := range g.Nodes() {
		o := p.Laying.Origin(id)
		of := o.Tensor.Node
		if o.Converts || g.Op(id) == nil || s.ways[of] == nil || len(l.ways[of]) > 0 {
			continue
		}
		var in, out []place
		for _, t := range g.Operands(id) {
			in = append(in, p.place(t))
		}
		for k := range g.NumOut(id) {
			out = append(out, p.place(id.Out(k)))
		}
		for _, w := range s.ways[of] {
			if slices.Equal(w.in, in) && slices.Equal(w.out, out) {
				l.ways[of] = append(l.ways[of], w)
				break
			}
		}
		if len(l.ways[of]) == 0 {
			return nil, fmt.Errorf("node %s: from %v to %v is none of its strategies", g.Name(id), in, out)
		}
	}
	for id := range s.g.Nodes() {
		if s.ways[id] != nil && len(l.ways[id]) == 0 {
			return nil, fmt.Errorf("no node of the plan computes %s", s.g.Name(id))
		}
	}
	for id, at := range p.residents() {
		if _, ok := s.weights[id]; ok {
			l.resident[id] = at
		}
	}
	return l, nil
}

// place is how a tensor of the plan's graph lies; what is not on an axis is as copies.
func (p *Plan) place(t graph.Tensor) (at place) {
	for _, s := range p.Laying.Layout(t) {
		r := s.Role
		if r.Kind == parallel.First {
			r = parallel.Role{Kind: parallel.Sum}
		}
		if c, ok := code(r); ok {
			at[s.Axis] = c
		}
	}
	return at
}

// residents are how inputs lie on the devices before a step, by node of the sequential graph:
// as the members that are made of them and of nothing else.
func (p *Plan) residents() map[graph.NodeID]place {
	out, made := map[graph.NodeID]place{}, map[graph.Tensor]bool{}
	g := p.Laying.Graph()
	for id := range g.Nodes() {
		t := id.Out(0)
		switch {
		case g.Op(id) == nil:
			made[t] = true
		case layout(g, id) == graph.LayoutMakes && made[g.Operands(id)[0]]:
			made[t] = true
			out[p.Laying.Origin(id).Tensor.Node] = p.place(t)
		}
	}
	return out
}
