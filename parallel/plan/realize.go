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
		if err := p.passed(Pass{Means: All, Degree: degree, Stop: extract.StopDone}); err != nil {
			return nil, err
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
		typ := s.g.Type(t)
		var from []place
		for _, w := range l.ways[t.Node] {
			from = append(from, w.out[t.Out])
		}
		if _, ok := s.weights[t.Node]; ok {
			from = append(from, l.resident[t.Node])
			out.lies[t] = from[0]
		} else if s.given(t.Node) {
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

// nearest is the place of which members are converted: of those that share a role with where they are
// wanted along the first axes one that a laying prefers along the next one.
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

// following reads the strategies along one more axis off a choice along all.
type following struct {
	*frame
	ctx     context.Context
	p       *Plan
	prices  *prices
	space   *space
	layouts *layouts
	*journeys
	axis    int
	degree  int
	of      map[graph.NodeID][]*parallel.Strategy
	held    map[graph.Tensor][]int32        // the roles along the axis in which there is a tensor before it is converted
	begins  map[graph.Tensor][]graph.NodeID // by tensor that an earlier axis ended: what makes members of it again
}

// follow lays the plan's graph out along one more axis.
func (p *Plan) follow(ctx context.Context, s *space, l *layouts, to *journeys, degree int) error {
	x := &following{ctx: ctx, p: p, prices: &prices{p.Mesh, p.Laying}, space: s, layouts: l, journeys: to, axis: len(p.Laying.Degrees()), degree: degree,
		of: map[graph.NodeID][]*parallel.Strategy{}, held: map[graph.Tensor][]int32{}, begins: map[graph.Tensor][]graph.NodeID{}}
	var err error
	if x.frame, err = newFrame(ctx, x.prices, p.Training.Next, degree); err != nil {
		return err
	}
	for id := range x.g.Nodes() {
		if t := x.g.Operands(id); x.planned(id) && layout(x.g, id) == graph.LayoutMakes && x.between[t[0]] {
			x.begins[t[0]] = append(x.begins[t[0]], id)
		}
	}
	resident := map[graph.Tensor]parallel.Role{}
	for id := range x.g.Nodes() {
		for k := range x.g.NumOut(id) {
			t := id.Out(k)
			if at, ok := x.lies[x.origin(t)]; ok && x.needed[id] && x.isMember(t) {
				x.hold(t, at[x.axis])
				resident[t] = x.on(t, roleOf(at[x.axis]))
			}
		}
		if x.needed[id] && x.g.Op(id) != nil && (!x.skip[id] || len(x.begins[id.Out(0)]) > 0) {
			if err := x.node(id); err != nil {
				return fmt.Errorf("node %s: %w", x.g.Name(id), err)
			}
		}
	}
	return p.Laying.Along(ctx, degree, parallel.Choice{
		Of: func(id graph.NodeID) []*parallel.Strategy { return x.of[id] },
		Resident: func(t graph.Tensor) (parallel.Role, bool) {
			r, ok := resident[t]
			return r, ok
		},
		Final: func(t graph.Tensor) (parallel.Role, bool) {
			i, ok := x.becomes[t]
			if !ok {
				return parallel.Role{}, false
			}
			in, ok := s.final(i)
			return x.on(t, roleOf(l.resident[in][x.axis])), ok
		},
	})
}

// origin is the tensor of the sequential graph of which one is members.
func (x *following) origin(t graph.Tensor) graph.Tensor {
	o := x.lay.Origin(t.Node)
	if !o.Converts {
		o.Tensor.Out = t.Out
	}
	return o.Tensor
}

// isMember reports whether a tensor is how an input lies along all earlier axes.
func (x *following) isMember(t graph.Tensor) bool {
	_, given := x.from[t]
	return given && len(x.lay.Mesh(t)) == x.axis
}

func (x *following) hold(t graph.Tensor, c int32) {
	if !slices.Contains(x.held[t], c) {
		x.held[t] = append(x.held[t], c)
	}
}

// node finds the strategies of a node.
func (x *following) node(id graph.NodeID) error {
	all, err := x.lay.Strategies(x.ctx, id, x.degree)
	if err != nil {
		return err
	}
	o := x.lay.Origin(id)
	switch {
	case !o.Converts:
		err = x.operator(id, o.Tensor.Node, all)
	case layout(x.g, id) == graph.LayoutMakes:
		err = x.converts(id, x.behind(id), all)
	default:
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
		if x.skip[id] { // an output, too
			x.of[id] = append(x.of[id], nil)
		}
		err = x.converts(id, roles, all)
	}
	return err
}

// operator takes the strategies of the ways of a node.
func (x *following) operator(id, origin graph.NodeID, all []*parallel.Strategy) error {
	var ways []*way
	for _, w := range x.layouts.ways[origin] {
		if !x.sofar(id, w) {
			continue
		}
		if slices.ContainsFunc(ways, func(v *way) bool { return x.same(id, v, w) }) {
			continue
		}
		ways = append(ways, w)
		var best *parallel.Strategy
		least := never
		for _, st := range all {
			if !x.is(id, st, w) {
				continue
			}
			time, err := x.prices.op(id, st, x.degree)
			if err != nil {
				return err
			}
			if time < least {
				best, least = st, time
			}
		}
		if best == nil {
			return fmt.Errorf("operator %s has no strategy along an axis of %d by which it makes %s of %s", x.g.Op(id).Name, x.degree, x.texts(w.out), x.texts(w.in))
		}
		x.of[id] = append(x.of[id], best)
		for k := range best.Out {
			x.hold(id.Out(k), w.out[k][x.axis])
		}
	}
	if len(ways) == 0 {
		return fmt.Errorf("operator %s is computed in no way that was chosen", x.g.Op(id).Name)
	}
	return nil
}

func (x *following) texts(list []place) (out []string) {
	for _, p := range list {
		out = append(out, roleOf(p[x.axis]).String())
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

// same reports whether two ways are one along the axis.
func (x *following) same(id graph.NodeID, v, w *way) bool {
	for i := range v.in {
		if v.in[i][x.axis] != w.in[i][x.axis] {
			return false
		}
	}
	for k := range v.out {
		if v.out[k][x.axis] != w.out[k][x.axis] {
			return false
		}
	}
	return true
}

// is reports whether a strategy is what a way says of the axis.
func (x *following) is(id graph.NodeID, st *parallel.Strategy, w *way) bool {
	for i, t := range x.g.Operands(id) {
		if c, ok := code(x.own(t, st.In[i])); !ok || c != w.in[i][x.axis] {
			return false
		}
	}
	for k, r := range st.Out {
		if c, ok := code(x.own(id.Out(k), r)); !ok || c != w.out[k][x.axis] {
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
	for _, s := range x.steps[x.origin(id.Out(0))] {
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

// converts takes the strategies of a layout operator that leave roles as they are.
func (x *following) converts(id graph.NodeID, roles []int32, all []*parallel.Strategy) error {
	for _, c := range roles {
		w := &way{in: make([]place, 1), out: make([]place, 1)}
		w.in[0][x.axis], w.out[0][x.axis] = c, c
		i := slices.IndexFunc(all, func(st *parallel.Strategy) bool { return x.is(id, st, w) })
		if i < 0 {
			return fmt.Errorf("operator %s has no strategy along an axis of %d on members that are %s", x.g.Op(id).Name, x.degree, roleOf(c))
		}
		x.of[id] = append(x.of[id], all[i])
		x.hold(id.Out(0), c)
	}
	return nil
}
