package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// space is all layouts of a training step along the axes of a mesh together: of each
// operator its ways, and what brings tensors from place to place.
type space struct {
	*mover
	ctx     context.Context
	job     *Job
	g       *graph.Graph
	needed  []bool
	all     []graph.NodeID
	ways    [][]*way             // by node; of nodes of one content one list
	made    []bool               // by node: made of weights that stay, by an operator without ways
	weights map[graph.NodeID]int // inputs that outputs take the place of: which input
	becomes map[graph.Tensor][]int
	known   map[string][]*way               // by content, of all graphs that are looked at on this mesh
	follows map[graph.NodeID][]graph.Tensor // by weight: what takes its place
}

// way is a strategy of an operator along each axis, each of what it is on the members of
// those before.
type way struct {
	in, out []place
	cost    machine.Time
}

// newSpace finds the ways. Along each axis what an operator does on members of earlier axes
// is what has strategies.
func newSpace(ctx context.Context, j *Job, m *Mesh) (*space, error) {
	if len(m.Degrees) > maxAxes {
		return nil, fmt.Errorf("a mesh of %d axes: layouts are chosen together along %d at most", len(m.Degrees), maxAxes)
	}
	s := &space{mover: newMover(m), ctx: ctx, known: map[string][]*way{}}
	return s.of(j)
}

// of is the space of another job on the mesh; what is known of operators and of what is sent
// is shared.
func (s *space) of(j *Job) (*space, error) {
	g := j.Training.Graph
	s = &space{mover: s.mover, ctx: s.ctx, job: j, g: g, needed: reached(g, g.Outputs()), ways: make([][]*way, g.Len()+1),
		weights: map[graph.NodeID]int{}, becomes: map[graph.Tensor][]int{}, follows: map[graph.NodeID][]graph.Tensor{}, known: s.known}
	inputs := g.Inputs()
	for i, t := range g.Outputs() {
		s.becomes[t] = append(s.becomes[t], i)
		if in, ok := j.Training.Next[i]; ok {
			s.weights[inputs[in]] = in
			s.follows[inputs[in]] = append(s.follows[inputs[in]], t)
		}
	}
	stay := settled(g, j.Training.Next, func(graph.Tensor) bool { return false })
	s.made = make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		s.all = append(s.all, id)
		if g.Op(id) == nil || !s.needed[id] {
			continue
		}
		key := content(g, id)
		ws, ok := s.known[key]
		if !ok {
			var err error
			if ws, err = s.find(id); err != nil {
				return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
			}
			if len(ws) == 0 && !stay[id] {
				return nil, fmt.Errorf("node %s: operator %s has no strategy along %v, not even copies of no more than %d elements: %w", g.Name(id), g.Op(id).Name, s.mesh.Degrees, graph.MaxElements, ErrMeans)
			}
			s.known[key] = ws
		}
		s.ways[id] = ws
		s.made[id] = len(ws) == 0
	}
	return s, nil
}

// own is the space for another goroutine: with what it will find of prices for itself.
func (s *space) own() *space {
	out := *s
	out.mover = newMover(s.mesh)
	return &out
}

// given reports whether a node's result lies on the devices before the step: it is an input
// or, like a weight that stays, made once.
func (s *space) given(id graph.NodeID) bool { return s.g.Op(id) == nil || s.made[id] }

// stays reports whether it does so and no output takes its place.
func (s *space) stays(id graph.NodeID) bool {
	_, weight := s.weights[id]
	return s.made[id] || !weight && s.g.IsWeight(id)
}

// content is an operator with its attributes and the types of its operands.
func content(g *graph.Graph, id graph.NodeID) string {
	key := g.Op(id).Name + g.Op(id).FormatAttrs(g.Attrs(id))
	for _, t := range g.Operands(id) {
		key += fmt.Sprint(" ", g.DType(t), g.Sizes(t))
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
	var rec func(axis int, attrs graph.Attrs, sizes [][]int, in, results []place) error
	rec = func(axis int, attrs graph.Attrs, sizes [][]int, in, results []place) error {
		if axis == len(s.mesh.Degrees) {
			if s.larges(id, in, results) {
				return nil
			}
			time, err := s.compute(id, attrs, sizes)
			out = append(out, &way{in, results, time})
			return err
		}
		d := s.mesh.Degrees[axis]
		all, err := s.job.Strategies.Of(s.ctx, g.Op(id), attrs, sizes, d)
		if err != nil {
			return err
		}
	strategies:
		for _, st := range all {
			in, results, own := slices.Clone(in), slices.Clone(results), slices.Clone(sizes)
			for i, r := range st.In {
				c, ok := code(r)
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
				c, ok := code(r)
				if !ok || c == sums && !g.DType(id.Out(k)).IsFloat() {
					continue strategies
				}
				results[k][axis] = c
			}
			if err := rec(axis+1, st.Attrs, own, in, results); err != nil {
				return err
			}
		}
		return nil
	}
	err = rec(0, g.Attrs(id), sizes, make([]place, len(operands)), make([]place, g.NumOut(id)))
	return out, err
}

// compute is the time of an operator on members of these sizes.
func (s *space) compute(id graph.NodeID, attrs graph.Attrs, sizes [][]int) (machine.Time, error) {
	o := s.g.Op(id)
	ap := cost.Application{Op: o, Attrs: attrs}
	var shapes []graph.Shape
	for i, t := range s.g.Operands(id) {
		ap.In = append(ap.In, graph.TensorType{DType: s.g.DType(t), Sizes: sizes[i]})
		shapes = append(shapes, graph.Sizes(sizes[i]...))
	}
	var f graph.Unifier
	out, err := o.InferShapes(&f, attrs, shapes)
	if err != nil {
		return 0, fmt.Errorf("a member: %w", err)
	}
	for k, x := range out {
		own, ok := x.Concrete()
		if !ok {
			return 0, fmt.Errorf("a member of shape %s", x)
		}
		ap.Out = append(ap.Out, graph.TensorType{DType: s.g.DType(id.Out(k)), Sizes: own})
	}
	sec, _, err := s.mesh.Cluster.Device.Cost(ap)
	if err != nil {
		return 0, err
	}
	return machine.FromSeconds(sec)
}

// lies lists the places in which an input may lie: copies and shards along each axis.
func (s *space) lies(t graph.Tensor) []place {
	typ := s.g.Type(t)
	out := []place{{}}
	for k := range s.mesh.Degrees {
		for _, p := range slices.Clone(out) {
			for c := range typ.Sizes {
				q := p
				q[k] = shards + int32(c)
				if s.fits(typ, q) {
					out = append(out, q)
				}
			}
		}
	}
	return out
}

// final is the input in whose place an output is wanted, if there is one.
func (s *space) final(output int) (graph.NodeID, bool) {
	in, ok := s.job.Training.Next[output]
	if !ok {
		return 0, false
	}
	return s.g.Inputs()[in], true
}
