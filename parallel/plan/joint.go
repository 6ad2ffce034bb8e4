package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// layouts is a choice in a space: ways of each operator, and how what is given lies.
type layouts struct {
	ways     [][]*way               // by node; mostly one
	lies     map[graph.Tensor]place // of what is given and read
	resident map[graph.NodeID]place // of weights, by the input
	cost     machine.Time
	bound    machine.Time // no choice costs less, given residents
	stop     extract.Stop
}

// question asks for the cheapest layouts.
type question struct {
	means    []Means                // by axis; of one, of all axes
	parts    map[int]bool           // inputs that lie in parts, whatever others do
	resident map[graph.NodeID]place // of weights; nil: any, at no cost
	steps    int64                  // [extract.Options]
	tiles    *tiles                 // the regions by which it is chosen; nil: all at once
	solved   *solutions             // of problems, by what is in them; nil: none is looked up
	known    map[string]answer      // of regions, by their keys, for questions that differ in nothing else; nil: of this one
	kept     bool                   // where residents are any, what takes their place costs nothing wherever it is
	tries    tries
}

// tries are which residents are looked at where they are any.
type tries int

const (
	// triesMany are those that are best where what takes their place costs nothing wherever it is, and where it
	// is to be gathered, each as they are and settled ([tally.settle]).
	triesMany tries = iota
	// triesSettled are the first ones of those, settled.
	triesSettled
	// triesGathered are those that are best where what takes their place is to be gathered.
	triesGathered
)

// answer is what was chosen in a region.
type answer struct {
	ways        [][]*way // by its nodes
	lies        []*place // of what it reads and makes
	cost, bound machine.Time
	stop        extract.Stop
}

// joint is the problem of a question in a region: a class is a tensor in a place.
type joint struct {
	*space
	*question
	tile    *tile
	problem extract.Problem
	wanted  map[spot]extract.ClassID // to be had
	origin  map[spot]extract.ClassID // as an operator made it, or an input lies: conversions begin there
	places  map[graph.Tensor][]place // wanted ones, in order
	made    []what                   // by node of the problem
}

// spot is a tensor in a place.
type spot struct {
	t graph.Tensor
	p place
}

// what a node of the problem stands for.
type what struct {
	node graph.NodeID // 0: no operator
	way  *way
	lies bool // what is given lies at a spot
	spot spot
}

// choose answers a question. Residents that it does not say are looked for ([tries]), and the rest is then
// chosen once more.
func (s *space) choose(q question) (best *layouts, err error) {
	if q.resident == nil {
		q.resident = s.only(&q)
	}
	if q.resident != nil {
		return s.solve(q)
	}
	var bound machine.Time
	for _, kept := range []bool{true, false} {
		if kept && q.tries == triesGathered || !kept && q.tries == triesSettled {
			continue
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
		if q.tries != triesGathered {
			tried = s.tried(&q, free)
		}
		for i, at := range tried {
			q.resident = at
			out, err := s.solve(q)
			if (i > 0 || q.tries == triesSettled) && errors.Is(err, ErrMeans) {
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
		q.tries, q.resident = triesMany, nil
		return s.choose(q)
	}
	if q.tries == triesGathered {
		return best, nil
	}
	best.bound = min(bound, best.cost)
	if best.bound == best.cost {
		best.stop = extract.StopOptimal
	} else if best.stop == extract.StopOptimal {
		best.stop = extract.StopDone
	}
	return best, nil
}

// solve chooses in each region.
func (s *space) solve(q question) (*layouts, error) {
	out := &layouts{ways: make([][]*way, len(s.ways)), lies: map[graph.Tensor]place{}, resident: map[graph.NodeID]place{}, stop: extract.StopOptimal}
	if q.known == nil {
		q.known = map[string]answer{}
	}
	if q.tiles == nil {
		q.tiles = s.divide(division{}, nil)
	}
	for _, r := range q.tiles.list {
		key := s.key(r, &q)
		a, ok := q.known[key]
		if !ok {
			var err error
			if a, err = s.region(r, &q); err != nil {
				return nil, err
			}
			q.known[key] = a
		}
		for i, id := range r.nodes {
			out.ways[id] = a.ways[i]
		}
		for i, t := range slices.Concat(r.read, r.made) {
			if p := a.lies[i]; p != nil {
				if _, ok := out.lies[t]; !ok || *p == (place{}) { // of regions that differ copies serve all
					out.lies[t] = *p
				}
			}
		}
		out.cost += a.cost
		out.bound += a.bound
		if a.stop != extract.StopOptimal {
			out.stop = a.stop
		}
	}
	s.reside(&q, out)
	return out, s.err
}

// region chooses in a region.
func (s *space) region(r *tile, q *question) (answer, error) {
	j := &joint{space: s, question: q, tile: r, wanted: map[spot]extract.ClassID{}, origin: map[spot]extract.ClassID{}, places: map[graph.Tensor][]place{}}
	j.problem.Nodes, j.made = s.nodes[:0], s.whats[:0]
	defer func() { s.nodes, s.whats = j.problem.Nodes, j.made }()
	j.write()
	if s.err != nil {
		return answer{}, s.err
	}
	if len(j.problem.Roots) == 0 {
		return j.read(&extract.Result{Stop: extract.StopOptimal}), nil
	}
	res, err := solved(s.ctx, q.solved, &j.problem, q.steps)
	on := fmt.Sprintf("on a mesh of %v", s.mesh.Degrees)
	if len(s.degrees) == 1 {
		on = fmt.Sprintf("along an axis of %d", s.degrees[0])
	}
	if errors.Is(err, extract.ErrNoChoice) {
		return answer{}, fmt.Errorf("%v %s: %w", q.on(0), on, ErrMeans)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%v %s: %w", q.on(0), on, err)
	}
	return j.read(res), nil
}

// write makes the problem.
func (j *joint) write() {
	for _, id := range j.tile.nodes {
		for _, w := range j.ways[id] {
			j.operator(id, w)
		}
	}
	for _, t := range j.tile.made {
		for _, output := range j.becomes[t] {
			j.root(output, t)
		}
		if p, ok := j.tiles.border[t]; ok {
			j.problem.Roots = append(j.problem.Roots, j.want(t, p))
		}
	}
	for _, t := range j.tile.read {
		if p, ok := j.tiles.border[t]; ok && len(j.places[t]) > 0 {
			j.add(extract.Node{Class: j.begin(t, p)}, what{})
		}
		j.conversions(t)
	}
	for _, t := range j.tile.made {
		j.conversions(t)
	}
}

// read is what was chosen.
func (j *joint) read(res *extract.Result) answer {
	out := answer{make([][]*way, len(j.tile.nodes)), make([]*place, len(j.tile.read)+len(j.tile.made)), machine.Time(res.Cost), machine.Time(res.Bound), res.Stop}
	node, tensor := map[graph.NodeID]int{}, map[graph.Tensor]int{}
	for i, id := range j.tile.nodes {
		node[id] = i
	}
	for i, t := range slices.Concat(j.tile.read, j.tile.made) {
		tensor[t] = i
	}
	for _, n := range res.Choice {
		if n == extract.NoNode {
			continue
		}
		switch m := j.made[n]; {
		case m.way != nil:
			i := node[m.node]
			out.ways[i] = append(out.ways[i], m.way)
		case m.lies:
			if i := tensor[m.spot.t]; out.lies[i] == nil || m.spot.p == (place{}) {
				out.lies[i] = &m.spot.p
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

// want is the class of a tensor at a place, made and listed where it is new.
func (j *joint) want(t graph.Tensor, p place) extract.ClassID {
	c, ok := j.wanted[spot{t, p}]
	if !ok {
		c = j.problem.AddClass()
		j.wanted[spot{t, p}] = c
		j.places[t] = append(j.places[t], p)
	}
	return c
}

// begin is the class of a tensor at a place where it is not made of another one.
func (j *joint) begin(t graph.Tensor, p place) extract.ClassID {
	c, ok := j.origin[spot{t, p}]
	if !ok {
		c = j.problem.AddClass()
		j.origin[spot{t, p}] = c
		j.add(extract.Node{Class: j.want(t, p), Children: []extract.ClassID{c}}, what{})
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

// root asks for an output: where the input lies whose place it takes, or as an operator makes it.
func (j *joint) root(output int, t graph.Tensor) {
	_, next := j.final(output)
	if in, ok := j.final(output); ok {
		if at, ok := j.resident[in]; ok {
			j.problem.Roots = append(j.problem.Roots, j.want(t, at))
			return
		}
	}
	if j.given(t) {
		return // an input as it is
	}
	done := j.problem.AddClass()
	j.problem.Roots = append(j.problem.Roots, done)
	for _, p := range slices.Clone(j.places[t]) {
		if _, ok := j.origin[spot{t, p}]; !ok || p.blocks() {
			continue
		}
		cost := j.ends(j.sort(t), p)
		if next && j.kept {
			cost = 0
		}
		if cost < never {
			j.add(extract.Node{Class: done, Children: []extract.ClassID{j.begin(t, p)}, Cost: int64(cost)}, what{})
		}
	}
}

// conversions adds what is given as it lies, and the ways to bring a tensor from where it
// began to where it is wanted.
func (j *joint) conversions(t graph.Tensor) {
	if len(j.places[t]) == 0 || j.between[t] {
		return
	}
	kind := j.sort(t)
	if j.given(t) {
		for _, p := range j.inputs(j.question, t) {
			if !j.large(kind, p) {
				j.add(extract.Node{Class: j.begin(t, p)}, what{lies: true, spot: spot{t, p}})
			}
		}
	}
	of := j.weight(t) || len(j.becomes[t]) > 0
	for _, from := range j.places[t] {
		begin, ok := j.origin[spot{t, from}]
		if !ok {
			continue
		}
		for _, to := range j.places[t] {
			if from == to || !j.allowed(t, from, to, of) || j.large(kind, to) {
				continue
			}
			if cost := j.price(kind, from, to); cost < never {
				j.add(extract.Node{Class: j.wanted[spot{t, to}], Children: []extract.ClassID{begin}, Cost: int64(cost)}, what{})
			}
		}
	}
}

// allowed reports whether means allow to bring a tensor from place to place.
func (j *joint) allowed(t graph.Tensor, from, to place, of bool) bool {
	if j.time() && from == j.plain() && j.fresh[t.Node] {
		return false // one micro-batch would wait for all
	}
	for k := range j.degrees {
		if from[k] != to[k] && !j.on(k).converts(roleOf(from[k]), roleOf(to[k]), of) {
			return false
		}
	}
	return true
}
