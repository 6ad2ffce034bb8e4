package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// space is all layouts of a graph along axes of a mesh together: along one axis of one that is laid out
// along those before, or along all axes of a mesh. It has the ways of each operator, and what brings tensors
// from place to place.
type space struct {
	*mover
	*frame
	prices  *prices
	ctx     context.Context
	job     *Job // nil: of one axis
	next    map[int]int
	all     []graph.NodeID
	ways    [][]*way                        // by node; of nodes of one content one list
	numbers []int                           // of these lists
	weights map[graph.NodeID]int            // inputs that outputs take the place of: which input
	known   map[string]*known               // by content, of all graphs that are looked at on this mesh
	follows map[graph.NodeID][]graph.Tensor // by weight: what takes its place
	fresh   []bool                          // along an axis in time: what depends on samples
}

// way is a strategy of an operator along each axis, each of what it is on the members of
// those before.
type way struct {
	in, out []place
	cost    machine.Time
	by      *parallel.Strategy // the last one; nil: the operator on tensors that an axis in time does not deal out
}

// known are the ways of operators of one content, with a number from 1 on.
type known struct {
	ways   []*way
	number int
}

// newSpace is the space of all axes of a mesh. Along each axis what an operator does on members of earlier axes
// is what has strategies.
func newSpace(ctx context.Context, j *Job, m *Mesh) (*space, error) {
	if len(m.Degrees) > maxAxes {
		return nil, fmt.Errorf("a mesh of %d axes: layouts are chosen together along %d at most", len(m.Degrees), maxAxes)
	}
	s := &space{mover: newMover(m, 0, m.Degrees), ctx: ctx, known: map[string]*known{}}
	return s.of(j)
}

// of is the space of another job on the mesh; what is known of operators and of what is sent
// is shared.
func (s *space) of(j *Job) (*space, error) {
	s = &space{mover: s.mover, prices: &prices{s.mesh, parallel.NewLaying(j.Training.Graph, j.Strategies)}, ctx: s.ctx, job: j, next: j.Training.Next, known: s.known}
	return s, s.fill()
}

// along is the space of the next axis of a laying.
func along(ctx context.Context, p *prices, next map[int]int, degree int) (*space, error) {
	s := &space{mover: newMover(p.mesh, len(p.lay.Degrees()), []int{degree}), prices: p, ctx: ctx, next: next, known: map[string]*known{}}
	return s, s.fill()
}

// fill finds the ways.
func (s *space) fill() error {
	g := s.prices.lay.Graph()
	s.frame = &frame{lay: s.prices.lay, g: g}
	s.ways, s.numbers = make([][]*way, g.Len()+1), make([]int, g.Len()+1)
	var err error
	s.frame, err = newFrame(s.prices, s.next, func(id graph.NodeID) (bool, error) {
		k, err := s.waysOf(id)
		return err == nil && len(k.ways) == 0, err
	})
	if err != nil {
		return err
	}
	for id := range g.Nodes() {
		s.all = append(s.all, id)
		if !s.planned(id) {
			continue
		}
		k, err := s.waysOf(id)
		if err != nil {
			return err
		}
		if len(k.ways) == 0 {
			return fmt.Errorf("node %s: operator %s has no strategy along %v, not even copies of no more than %d elements: %w", g.Name(id), g.Op(id).Name, s.degrees, graph.MaxElements, ErrMeans)
		}
		s.ways[id], s.numbers[id] = k.ways, k.number
	}
	s.weights, s.follows = map[graph.NodeID]int{}, map[graph.NodeID][]graph.Tensor{}
	inputs := g.Inputs()
	for i, t := range g.Outputs() {
		if in, ok := s.next[i]; ok {
			s.weights[inputs[in]] = in
			s.follows[inputs[in]] = append(s.follows[inputs[in]], t)
		}
	}
	if s.time() {
		return s.deal()
	}
	return nil
}

// waysOf is what is known of the ways of a node.
func (s *space) waysOf(id graph.NodeID) (*known, error) {
	key := s.content(id)
	k, ok := s.known[key]
	if !ok {
		ws, err := s.find(id)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", s.g.Name(id), err)
		}
		k = &known{ws, len(s.known) + 1}
		s.known[key] = k
	}
	return k, nil
}

// deal finds what depends on samples that an axis in time deals out: there must be some.
func (s *space) deal() error {
	s.fresh = make([]bool, s.g.Len()+1)
	any := false
	for id := range s.g.Nodes() {
		if t := id.Out(0); s.g.Op(id) == nil && !s.stays(t) && s.fits(s.sort(t), place{shards}) {
			s.fresh[id], any = true, true
		}
		for _, x := range s.g.Operands(id) {
			s.fresh[id] = s.fresh[id] || s.fresh[x.Node]
		}
	}
	if !any {
		return fmt.Errorf("%d micro-batches divide the samples of no input: %w", s.degrees[0], ErrMeans)
	}
	return nil
}

// clone is the space for another goroutine: with what it will find of prices for itself.
func (s *space) clone() *space {
	out := *s
	out.mover = newMover(s.mesh, s.first, s.degrees)
	return &out
}

// weight reports whether a tensor is how a weight lies that is trained, or its state.
func (s *space) weight(t graph.Tensor) bool {
	if !s.given(t) {
		return false
	}
	_, ok := s.weights[s.source(t)]
	return ok
}

// stays reports whether a tensor is how a weight lies, or what is made of weights that stay.
func (s *space) stays(t graph.Tensor) bool {
	return s.weight(t) || s.given(t) && s.g.IsWeight(s.source(t))
}

// sort is the sort of a tensor.
func (s *space) sort(t graph.Tensor) sort {
	typ, mesh := s.g.Type(t), s.lay.Mesh(t)
	if len(mesh) == 0 {
		return sort{typ, 1, 1, s.g.Op(t.Node) == nil}
	}
	members := graph.NumElements(typ.Sizes[:len(mesh)])
	typ.Sizes = typ.Sizes[len(mesh):]
	return sort{typ, members, int(s.prices.turns(t)), s.g.Op(t.Node) == nil}
}

// content is all on which the ways of a node depend.
func (s *space) content(id graph.NodeID) string {
	key := s.g.Op(id).Name + s.g.Op(id).FormatAttrs(s.g.Attrs(id))
	for _, t := range s.g.Operands(id) {
		key += fmt.Sprint(" ", s.g.DType(t), s.g.Sizes(t))
		if mesh := s.lay.Mesh(t); len(mesh) > 0 {
			key += fmt.Sprint(" on ", mesh)
		}
	}
	if s.first > 0 && layout(s.g, id) != graph.LayoutNone { // a collective is two operators and has one price
		key += fmt.Sprint(" by ", ended(s.lay, id))
		if t := s.g.Operands(id)[0]; layout(s.g, t.Node) == graph.LayoutEnds {
			key += fmt.Sprint(" behind ", ended(s.lay, t.Node), member(s.g, t.Node).Name, s.g.Type(s.g.Operands(t.Node)[0]))
		}
	}
	return key
}

// find lists the ways of a node, copies along all axes first.
func (s *space) find(id graph.NodeID) (out []*way, err error) {
	g := s.g
	operands := g.Operands(id)
	var sizes [][]int
	for _, t := range operands {
		sizes = append(sizes, g.Sizes(t))
	}
	in, results := make([]place, len(operands)), make([]place, g.NumOut(id))
	if s.time() {
		for i := range in {
			in[i] = s.plain()
		}
		for k := range results {
			results[k] = s.plain()
		}
		time, err := s.prices.op(id, nil, 1)
		if err != nil {
			return nil, err
		}
		out = append(out, &way{slices.Clone(in), slices.Clone(results), time, nil})
	}
	var rec func(axis int, by *parallel.Strategy, attrs graph.Attrs, sizes [][]int, in, results []place) error
	rec = func(axis int, by *parallel.Strategy, attrs graph.Attrs, sizes [][]int, in, results []place) error {
		if axis == len(s.degrees) {
			if s.larges(id, in, results) {
				return nil
			}
			time, err := s.compute(id, by, attrs, sizes)
			out = append(out, &way{in, results, time, by})
			return err
		}
		d := s.degrees[axis]
		all, err := s.strategies(id, axis, attrs, sizes)
		if err != nil {
			return err
		}
	strategies:
		for _, st := range all {
			in, results, own := slices.Clone(in), slices.Clone(results), slices.Clone(sizes)
			for i, r := range st.In {
				c, ok := code(s.frame.own(operands[i], r))
				if !ok || c == sums && !g.DType(operands[i]).IsFloat() {
					continue strategies
				}
				in[i][axis] = c
				if c >= shards {
					own[i] = slices.Clone(own[i])
					own[i][r.Axis] /= d
				}
			}
			for k, r := range st.Out {
				c, ok := code(s.frame.own(id.Out(k), r))
				if !ok || c == sums && !g.DType(id.Out(k)).IsFloat() {
					continue strategies
				}
				results[k][axis] = c
			}
			if err := rec(axis+1, st, st.Attrs, own, in, results); err != nil {
				return err
			}
		}
		return nil
	}
	err = rec(0, nil, g.Attrs(id), sizes, in, results)
	return out, err
}

// strategies are those of an operator along an axis, on members along the chosen ones before.
func (s *space) strategies(id graph.NodeID, axis int, attrs graph.Attrs, sizes [][]int) ([]*parallel.Strategy, error) {
	if axis == 0 {
		return s.lay.Strategies(s.ctx, id, s.degrees[0])
	}
	return s.job.Strategies.Of(s.ctx, s.g.Op(id), attrs, sizes, s.degrees[axis])
}

// compute is the time of an operator by a way: along one axis its last strategy, along more of them on
// members of these sizes.
func (s *space) compute(id graph.NodeID, by *parallel.Strategy, attrs graph.Attrs, sizes [][]int) (machine.Time, error) {
	if len(s.degrees) == 1 {
		return s.prices.op(id, by, s.degrees[0])
	}
	ap, err := s.prices.applied(id, attrs, sizes)
	if err != nil {
		return 0, err
	}
	return s.prices.timeOf(id, ap)
}

// lies lists the places in which a tensor that is given may lie: copies and shards along each axis, and as it
// is along one in time.
func (s *space) lies(t graph.Tensor) []place {
	kind := s.sort(t)
	out := []place{{}}
	for k := range s.degrees {
		for _, p := range slices.Clone(out) {
			for c := range kind.Sizes {
				q := p
				q[k] = shards + int32(c)
				if s.fits(kind, q) {
					out = append(out, q)
				}
			}
		}
	}
	if s.time() {
		out = slices.Insert(out, 0, s.plain())
	}
	return out
}

// final is the input in whose place an output is wanted, if there is one.
func (s *space) final(output int) (graph.NodeID, bool) {
	in, ok := s.next[output]
	if !ok {
		return 0, false
	}
	return s.g.Inputs()[in], true
}

// larges reports whether one of the tensors that a node reads or makes in such places has.
func (s *space) larges(id graph.NodeID, in, out []place) bool {
	for i, t := range s.g.Operands(id) {
		if s.large(s.sort(t), in[i]) {
			return true
		}
	}
	return slices.ContainsFunc(s.results(id), func(t graph.Tensor) bool { return s.large(s.sort(t), out[t.Out]) })
}

// results are what a node makes.
func (s *space) results(id graph.NodeID) (out []graph.Tensor) {
	for k := range s.g.NumOut(id) {
		out = append(out, id.Out(k))
	}
	return out
}
