package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// realize lays the training step out as was chosen.
func (s *space) realize(l *layouts) (*Plan, error) {
	return s.realizeOn(parallel.NewLaying(s.g, s.job.Strategies), l)
}

// realizeOn lays out what a laying begins with, the graph of the space, one axis after another: operators
// by the strategies of their ways, and what converts tensors along the paths that were priced. Nothing is
// chosen any more. That a search has been ended is no reason to lose what it has found.
func (s *space) realizeOn(begun *parallel.Laying, l *layouts) (*Plan, error) {
	p := &Plan{Training: s.job.Training, Mesh: s.mesh, Laying: begun}
	ctx := context.WithoutCancel(s.ctx)
	to := s.journeys(l)
	for axis, degree := range s.mesh.Degrees {
		if err := p.follow(ctx, s, l, to, degree); err != nil {
			return nil, fmt.Errorf("lay out a choice along axis %d of %v: %w", axis, s.mesh.Degrees, err)
		}
	}
	if n := len(p.Passes) - 1; l.bound > 0 && n >= 0 {
		p.Passes[n].Bound, p.Passes[n].Stop = min(l.bound, p.Passes[n].Cost), l.stop
	}
	return p, nil
}

// journeys says where inputs lie before the step, and how each tensor is brought from there, or from where
// ways make it, to where ways read it, or a weight lies whose place it takes.
type journeys struct {
	lies  map[graph.Tensor]place
	steps map[graph.Tensor][]change
}

func (s *space) journeys(l *layouts) *journeys {
	out := &journeys{map[graph.Tensor]place{}, map[graph.Tensor][]change{}}
	wanted := map[graph.Tensor][]place{}
	want := func(t graph.Tensor, p place) {
		if !slices.Contains(wanted[t], p) {
			wanted[t] = append(wanted[t], p)
		}
	}
	for id := range s.g.Nodes() {
		for _, w := range l.ways[id] {
			for i, t := range s.g.Operands(id) {
				want(t, w.in[i])
			}
		}
	}
	for i, t := range s.g.Outputs() {
		if in, ok := s.final(i); ok {
			want(t, l.resident[in])
		}
	}
	for t, places := range wanted {
		typ := s.sort(t)
		var from []place
		for _, w := range l.ways[t.Node] {
			from = append(from, w.out[t.Out])
		}
		if _, ok := s.weights[t.Node]; ok {
			from = append(from, l.resident[t.Node])
			out.lies[t] = from[0]
		} else if s.given(t) {
			// It lies where it is wanted: if that costs nothing, in one place only.
			i := slices.IndexFunc(places, func(p place) bool {
				return !slices.ContainsFunc(places, func(q place) bool { return s.price(typ, p, q) > 0 })
			})
			if i < 0 {
				continue
			}
			from = append(from, places[i])
			out.lies[t] = from[0]
		}
		for _, to := range places {
			out.steps[t] = append(out.steps[t], s.path(typ, s.nearest(from, to), to).steps...)
		}
	}
	return out
}

// nearest is the place whose members are converted. Axis by axis it keeps the places whose role is
// the wanted one, or else the role that a laying prefers to convert.
func (s *space) nearest(from []place, to place) place {
	for k := range s.mesh.Degrees {
		rank := func(p place) int32 {
			switch c := p[k]; {
			case c == to[k]:
				return -1
			case c == sums:
				return 1 << 30
			default:
				return c
			}
		}
		least := slices.MinFunc(from, func(a, b place) int { return int(rank(a) - rank(b)) })
		var rest []place
		for _, p := range from {
			if p[k] == least[k] {
				rest = append(rest, p)
			}
		}
		from = rest
	}
	return from[0]
}

// following reads a choice along one more axis off a choice along all.
type following struct {
	*space // of the axis
	all    *space
	p      *Plan
	to     *journeys
	chosen *layouts // along all axes
	axis   int
	out    *layouts
	held   map[graph.Tensor][]int32        // the roles along the axis in which there is a tensor before it is converted
	begins map[graph.Tensor][]graph.NodeID // by tensor that an earlier axis ended: what makes members of it again
}

// follow lays the plan's graph out along one more axis.
func (p *Plan) follow(ctx context.Context, all *space, l *layouts, to *journeys, degree int) error {
	s, err := along(ctx, &prices{p.Mesh, p.Laying}, p.Training.Next, degree)
	if err != nil {
		return err
	}
	x := &following{space: s, all: all, p: p, to: to, chosen: l, axis: s.first, held: map[graph.Tensor][]int32{}, begins: map[graph.Tensor][]graph.NodeID{},
		out: &layouts{ways: make([][]*way, len(s.ways)), lies: map[graph.Tensor]place{}, resident: map[graph.NodeID]place{}, stop: extract.StopDone}}
	for id, at := range l.resident {
		x.out.resident[s.g.Inputs()[all.weights[id]]] = place{at[x.axis]}
	}
	for id := range s.g.Nodes() {
		if s.ways[id] != nil && layout(s.g, id) == graph.LayoutMakes && s.between[s.g.Operands(id)[0]] {
			t := s.g.Operands(id)[0]
			x.begins[t] = append(x.begins[t], id)
		}
	}
	for id := range s.g.Nodes() {
		for k := range s.g.NumOut(id) {
			t := id.Out(k)
			// Of what is made of an input along earlier axes the last members are how it lies.
			if at, ok := to.lies[x.origin(t)]; ok && s.needed[id] && s.given(t) && len(s.lay.Mesh(t)) == x.axis {
				x.hold(t, at[x.axis])
				x.out.lies[t] = place{at[x.axis]}
			}
		}
		if s.ways[id] != nil || len(x.begins[id.Out(0)]) > 0 {
			if err := x.node(id); err != nil {
				return fmt.Errorf("node %s: %w", s.g.Name(id), err)
			}
		}
	}
	return p.lay(s, x.out, All)
}

// origin is the tensor of the sequential graph whose members a tensor holds.
func (x *following) origin(t graph.Tensor) graph.Tensor {
	o := x.lay.Origin(t.Node)
	if !o.Converts {
		o.Tensor.Out = t.Out
	}
	return o.Tensor
}

func (x *following) hold(t graph.Tensor, c int32) {
	if !slices.Contains(x.held[t], c) {
		x.held[t] = append(x.held[t], c)
	}
}

// node finds the ways of a node.
func (x *following) node(id graph.NodeID) error {
	o := x.lay.Origin(id)
	switch {
	case !o.Converts:
		if x.all.given(o.Tensor) { // made once, though along this axis alone it could be laid out
			x.out.ways[id] = []*way{{}}
			return nil
		}
		return x.operator(id, x.chosen.ways[o.Tensor.Node])
	case layout(x.g, id) == graph.LayoutMakes:
		return x.converts(id, x.behind(id))
	}
	var roles []int32
	for _, begin := range x.begins[id.Out(0)] {
		for _, c := range x.behind(begin) {
			if !slices.Contains(roles, c) {
				roles = append(roles, c)
			}
		}
	}
	if len(roles) == 0 { // another layout operator reads it
		roles = x.held[x.g.Operands(id)[0]][:1]
	}
	if x.skip[id] { // an output, too, that is put together on one device
		x.out.ways[id] = append(x.out.ways[id], &way{})
	}
	return x.converts(id, roles)
}

// operator takes the ways of a node that are those that were chosen.
func (x *following) operator(id graph.NodeID, chosen []*way) error {
	for _, w := range chosen {
		if !x.sofar(id, w) {
			continue
		}
		var in, out []place
		for _, p := range w.in {
			in = append(in, place{p[x.axis]})
		}
		for _, p := range w.out {
			out = append(out, place{p[x.axis]})
		}
		if err := x.take(id, in, out); err != nil {
			return err
		}
	}
	if len(x.out.ways[id]) == 0 {
		return fmt.Errorf("operator %s is computed in no way that was chosen", x.g.Op(id).Name)
	}
	return nil
}

// take takes the cheapest way of a node from places to places.
func (x *following) take(id graph.NodeID, in, out []place) error {
	all, err := x.waysOf(id)
	if err != nil {
		return err
	}
	var best *way
	for _, w := range all.ways {
		if slices.Equal(w.in, in) && slices.Equal(w.out, out) && (best == nil || w.cost < best.cost) {
			best = w
		}
	}
	if best == nil {
		return fmt.Errorf("operator %s has no strategy along an axis of %d by which it makes %s of %s", x.g.Op(id).Name, x.degrees[0], texts(out), texts(in))
	}
	if !slices.Contains(x.out.ways[id], best) {
		x.out.ways[id] = append(x.out.ways[id], best)
	}
	for k, p := range out {
		x.hold(id.Out(k), p[0])
	}
	return nil
}

// texts are places along one axis for people.
func texts(list []place) (out []string) {
	for _, p := range list {
		out = append(out, p.text(1))
	}
	return out
}

// sofar reports whether a node is computed by a way along earlier axes.
func (x *following) sofar(id graph.NodeID, w *way) bool {
	for i, t := range x.g.Operands(id) {
		if at := x.p.place(t); !slices.Equal(at[:x.axis], w.in[i][:x.axis]) {
			return false
		}
	}
	for k, p := range w.out {
		if at := x.p.place(id.Out(k)); !slices.Equal(at[:x.axis], p[:x.axis]) {
			return false
		}
	}
	return true
}

// behind are the roles along the axis in which tensors are when an earlier axis makes members of them
// again: those of the paths that lead through it. Where a laying makes them of others than a path does, and
// so none leads there, it is a role that there is.
func (x *following) behind(id graph.NodeID) (out []int32) {
	axis, at := ended(x.lay, id), x.p.place(id.Out(0))
	for _, s := range x.to.steps[x.origin(id.Out(0))] {
		if s.axis == axis && slices.Equal(s.to[:x.axis], at[:x.axis]) && !slices.Contains(out, s.to[x.axis]) {
			out = append(out, s.to[x.axis])
		}
	}
	if len(out) == 0 {
		end := x.g.Operands(id)[0].Node
		out = x.held[x.g.Operands(end)[0]][:1]
	}
	return out
}

// converts takes the ways of a layout operator that leave roles as they are.
func (x *following) converts(id graph.NodeID, roles []int32) error {
	for _, c := range roles {
		if err := x.take(id, []place{{c}}, []place{{c}}); err != nil {
			return err
		}
	}
	return nil
}
