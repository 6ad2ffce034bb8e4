package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// layouts is a choice in a space: ways of each operator, and where weights lie.
type layouts struct {
	ways     [][]*way               // by node; mostly one
	resident map[graph.NodeID]place // of weights
	cost     machine.Time
	bound    machine.Time // no choice costs less, given residents
	stop     extract.Stop
}

// question asks for the cheapest layouts.
type question struct {
	means    []Means                      // by axis; of one, of all axes
	resident map[graph.NodeID]place       // of weights; nil: any, at no cost
	only     func(id graph.NodeID) []*way // the ways that are looked at; nil: all
	steps    int64                        // [extract.Options]
	limit    int                          // of nodes of the problem; 0: none
	tiles    *tiles                       // the regions by which it is chosen; nil: all at once
	within   *tile                        // the region; nil: all
	known    map[string]answer            // of regions, by their keys, for questions that differ in nothing else; nil: of this one
	kept     bool                         // where residents are any, what takes their place costs nothing wherever it is
	quick    bool                         // choose looks at the residents of one such choice only
}

// joint is the problem of a question: a class is a tensor in a place.
type joint struct {
	*space
	question
	problem extract.Problem
	wanted  map[spot]extract.ClassID // to be had
	origin  map[spot]extract.ClassID // as an operator made it, or an input lies
	places  map[graph.Tensor][]place // wanted ones, in order
	begun   map[graph.Tensor][]place
	made    []what // by node of the problem
}

// spot is a tensor in a place.
type spot struct {
	t graph.Tensor
	p place
}

// what a node of the problem stands for.
type what struct {
	node graph.NodeID // 0: nothing that is chosen
	way  *way         // nil: an input that lies at a place
	at   place
}

func (q *question) on(axis int) Means { return q.means[min(axis, len(q.means)-1)] }

// choose answers a question. Residents that it does not say are those that are best, given
// the ways that are best without regard to what a weight was before: once if it is gathered
// where it is made, and once if not. The rest is then chosen once more.
func (s *space) choose(q question) (best *layouts, err error) {
	if q.resident != nil {
		return s.solve(q)
	}
	var bound machine.Time
	for _, kept := range []bool{true, false} {
		if q.quick && !kept {
			break
		}
		q.resident, q.kept = nil, kept
		free, err := s.solve(q)
		if err != nil {
			return nil, err
		}
		if kept {
			bound = free.bound
		}
		tried := []map[graph.NodeID]place{free.resident}
		if y := s.tally(free); y != nil {
			y.settle(q.resides(s))
			if !maps.Equal(y.resident, free.resident) {
				tried = append(tried, y.resident)
			}
			if q.quick {
				slices.Reverse(tried)
				tried = tried[:1]
			}
		}
		for i, at := range tried {
			q.resident = at
			out, err := s.solve(q)
			if (i > 0 || q.quick) && errors.Is(err, ErrMeans) {
				continue // such a place is not to be reached by these means
			}
			if err != nil {
				return nil, err
			}
			if best == nil || out.cost < best.cost {
				best = out
			}
		}
	}
	if best == nil {
		q.quick, q.resident = false, nil
		return s.choose(q)
	}
	best.bound = min(bound, best.cost)
	if best.bound == best.cost {
		best.stop = extract.StopOptimal
	} else if best.stop == extract.StopOptimal {
		best.stop = extract.StopDone
	}
	return best, nil
}

func (s *space) solve(q question) (*layouts, error) {
	if q.tiles != nil && q.within == nil {
		return s.tile(q)
	}
	j := &joint{space: s, question: q, wanted: map[spot]extract.ClassID{}, origin: map[spot]extract.ClassID{},
		places: map[graph.Tensor][]place{}, begun: map[graph.Tensor][]place{}}
	j.problem.Nodes, j.made = s.nodes[:0], s.whats[:0]
	defer func() { s.nodes, s.whats = j.problem.Nodes, j.made }()
	nodes, read := s.all, []graph.Tensor(nil)
	if q.within != nil {
		nodes, read = q.within.nodes, q.within.read
	}
	for _, id := range nodes {
		ws := s.ways[id]
		if q.only != nil && ws != nil {
			ws = q.only(id)
		}
		for _, w := range ws {
			j.operator(id, w)
		}
	}
	for _, id := range nodes {
		for k := range s.g.NumOut(id) {
			j.roots(id.Out(k))
		}
	}
	for _, t := range read {
		j.begin(t, q.tiles.border[t])
		j.add(extract.Node{Class: j.origin[spot{t, q.tiles.border[t]}]}, what{})
		j.conversions(t)
	}
	for _, id := range nodes {
		for k := range s.g.NumOut(id) {
			j.conversions(id.Out(k))
			if q.limit > 0 && len(j.problem.Nodes) > q.limit {
				return nil, ErrLarge
			}
		}
	}
	if len(j.problem.Roots) == 0 {
		return j.read(&extract.Result{}), s.err
	}
	if s.err != nil {
		return nil, s.err
	}
	res, err := extract.Solve(s.ctx, &j.problem, extract.Options{Steps: q.steps})
	if errors.Is(err, extract.ErrNoChoice) {
		return nil, fmt.Errorf("%v on a mesh of %v: %w", q.means, s.mesh.Degrees, ErrMeans)
	}
	if err != nil {
		return nil, fmt.Errorf("on a mesh of %v: %w", s.mesh.Degrees, err)
	}
	return j.read(res), nil
}

// read is what was chosen.
func (j *joint) read(res *extract.Result) *layouts {
	out := &layouts{ways: make([][]*way, len(j.ways)), resident: map[graph.NodeID]place{},
		cost: machine.Time(res.Cost), bound: machine.Time(res.Bound), stop: res.Stop}
	for id := range j.weights {
		if j.within != nil && !j.within.has[id] {
			continue
		}
		out.resident[id] = place{}
		if at, ok := j.resident[id]; ok {
			out.resident[id] = at
		}
	}
	seen := map[graph.NodeID]bool{}
	for _, n := range res.Choice {
		if n == extract.NoNode {
			continue
		}
		switch m := j.made[n]; {
		case m.node == 0:
		case m.way != nil:
			out.ways[m.node] = append(out.ways[m.node], m.way)
		case j.resident == nil:
			if _, ok := out.resident[m.node]; ok && (!seen[m.node] || m.at == place{}) {
				out.resident[m.node], seen[m.node] = m.at, true
			}
		}
	}
	return out
}

func (j *joint) add(n extract.Node, m what) {
	n.Kind = extract.Live
	j.problem.AddNode(n)
	j.made = append(j.made, m)
}

func (j *joint) want(t graph.Tensor, p place) extract.ClassID {
	return j.class(j.wanted, j.places, t, p)
}

func (j *joint) begin(t graph.Tensor, p place) extract.ClassID {
	return j.class(j.origin, j.begun, t, p)
}

// class is that of a tensor at a place, made and listed where it is new.
func (j *joint) class(of map[spot]extract.ClassID, list map[graph.Tensor][]place, t graph.Tensor, p place) extract.ClassID {
	c, ok := of[spot{t, p}]
	if !ok {
		c = j.problem.AddClass()
		of[spot{t, p}] = c
		list[t] = append(list[t], p)
	}
	return c
}

// operator adds a way of a node.
func (j *joint) operator(id graph.NodeID, w *way) {
	var in []extract.ClassID
	for i, t := range j.g.Operands(id) {
		in = append(in, j.want(t, w.in[i]))
	}
	n := extract.Node{Children: in, Cost: int64(w.cost)}
	if len(w.out) == 1 {
		n.Class = j.begin(id.Out(0), w.out[0])
		j.add(n, what{node: id, way: w})
		return
	}
	n.Class = j.problem.AddClass()
	j.add(n, what{node: id, way: w})
	for k, p := range w.out {
		j.add(extract.Node{Class: j.begin(id.Out(k), p), Children: []extract.ClassID{n.Class}}, what{})
	}
}

// roots asks for what a tensor becomes, and for what other regions read.
func (j *joint) roots(t graph.Tensor) {
	for _, output := range j.becomes[t] {
		j.root(output, t)
	}
	if j.within != nil {
		if p, ok := j.tiles.border[t]; ok {
			j.problem.Roots = append(j.problem.Roots, j.want(t, p))
		}
	}
}

// root asks for an output: where the input lies whose place it takes, or as an operator makes it.
func (j *joint) root(output int, t graph.Tensor) {
	if in, ok := j.final(output); ok {
		if at, ok := j.resident[in]; ok {
			j.problem.Roots = append(j.problem.Roots, j.want(t, at))
			return
		}
	}
	if j.given(t.Node) {
		return // an input as it is
	}
	done := j.problem.AddClass()
	j.problem.Roots = append(j.problem.Roots, done)
	_, next := j.final(output)
	for _, p := range j.begun[t] {
		cost := j.ends(j.g.Type(t), p)
		if next && j.kept {
			cost = 0
		}
		if cost >= never || p.blocks() {
			continue
		}
		j.add(extract.Node{Class: done, Children: []extract.ClassID{j.begin(t, p)}, Cost: int64(cost)}, what{})
	}
}

// conversions adds inputs as they lie, and the ways to bring a tensor from where it
// began to where it is wanted.
func (j *joint) conversions(t graph.Tensor) {
	wanted := j.places[t]
	if len(wanted) == 0 {
		return
	}
	_, weight := j.weights[t.Node]
	if j.given(t.Node) && (j.within == nil || !j.within.reads[t]) {
		for _, p := range j.inputs(t.Node) {
			j.add(extract.Node{Class: j.begin(t, p)}, what{node: t.Node, at: p})
		}
	}
	typ := j.g.Type(t)
	for _, from := range j.begun[t] {
		for _, to := range wanted {
			if !j.allowed(from, to, weight || len(j.becomes[t]) > 0) {
				continue
			}
			if cost := j.price(typ, from, to); cost < never {
				j.add(extract.Node{Class: j.wanted[spot{t, to}], Children: []extract.ClassID{j.origin[spot{t, from}]}, Cost: int64(cost)}, what{})
			}
		}
	}
}

// allowed reports whether means allow to bring a tensor from place to place.
func (j *joint) allowed(from, to place, of bool) bool {
	for k := range j.mesh.Degrees {
		if from[k] != to[k] && !j.on(k).converts(roleOf(from[k]), roleOf(to[k]), of) {
			return false
		}
	}
	return true
}

// inputs are the places in which an input may lie.
func (j *joint) inputs(id graph.NodeID) []place {
	if at, ok := j.resident[id]; ok {
		return []place{at}
	}
	return j.question.resides(j.space)(id)
}

// resides lists the places in which the means let an input lie.
func (q *question) resides(s *space) func(id graph.NodeID) []place {
	return func(id graph.NodeID) []place { return q.lie(s, id) }
}

func (q *question) lie(s *space, id graph.NodeID) []place {
	_, weight := s.weights[id]
	all := s.lies(id.Out(0))
	for k := range s.mesh.Degrees {
		m := q.on(k)
		may := func(p place) bool {
			r := roleOf(p[k])
			switch {
			case weight:
				return m.resident(r)
			case s.stays(id):
				return m.stays(r)
			}
			return m.fresh(r, 0)
		}
		if !slices.ContainsFunc(all, may) { // nothing fits as it is wanted
			may = func(p place) bool { return p[k] == copies }
		}
		all = slices.DeleteFunc(all, func(p place) bool { return !may(p) })
	}
	return all
}
