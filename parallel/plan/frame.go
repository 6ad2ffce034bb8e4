package plan

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// frame is where in a graph that is laid out along some axes the layout along the next one begins and
// ends: at what was made of inputs along earlier axes, or of weights that stay where no law says how to
// spread it, and before what is put together for outputs.
type frame struct {
	lay     *parallel.Laying
	g       *graph.Graph
	from    map[graph.Tensor]int   // tensors that are inputs, or members made of one: which
	becomes map[graph.Tensor][]int // tensors that become outputs: which
	skip    map[graph.NodeID]bool  // what makes members of inputs and outputs of members
	needed  []bool                 // nodes on which an output depends
	between map[graph.Tensor]bool  // within a collective along an earlier axis: converted before or behind it
}

// newFrame finds them; made reports of what is made of weights that stay whether no law says how to spread it.
func newFrame(p *prices, next map[int]int, made func(graph.NodeID) (bool, error)) (*frame, error) {
	g := p.lay.Graph()
	f := &frame{lay: p.lay, g: g, from: map[graph.Tensor]int{}, becomes: map[graph.Tensor][]int{}, skip: map[graph.NodeID]bool{},
		needed: reached(g, g.Outputs()), between: map[graph.Tensor]bool{}}
	for i, id := range g.Inputs() {
		f.from[id.Out(0)] = i
	}
	stay := settled(g, next, func(t graph.Tensor) bool { return len(p.lay.Mesh(t)) > 0 })
	for id := range g.Nodes() {
		if g.Op(id) != nil && stay[id] {
			ok, err := made(id)
			if err != nil {
				return nil, err
			}
			if ok {
				for k := range g.NumOut(id) {
					f.from[id.Out(k)] = f.from[g.Operands(id)[0]]
				}
				f.skip[id] = true
			}
			continue
		}
		if layout(g, id) != graph.LayoutMakes {
			continue
		}
		if i, ok := f.from[g.Operands(id)[0]]; ok {
			if g.IsWeight(g.Inputs()[i]) && p.mesh.Axes[ended(p.lay, id)].Time {
				continue // it lies whole, and is needed by each micro-batch: once gathered it serves all
			}
			f.from[id.Out(0)] = i
			f.skip[id] = true
		}
	}
	for i, t := range g.Outputs() {
		for range p.lay.Degrees() {
			if layout(g, t.Node) != graph.LayoutEnds {
				break
			}
			f.skip[t.Node] = true
			t = g.Operands(t.Node)[0]
		}
		f.becomes[t] = append(f.becomes[t], i)
	}
	for id := range g.Nodes() {
		if layout(g, id) == graph.LayoutMakes {
			t := g.Operands(id)[0]
			f.between[t] = layout(g, t.Node) == graph.LayoutEnds
		}
	}
	return f, nil
}

// planned reports whether a node is laid out along the axis.
func (f *frame) planned(id graph.NodeID) bool {
	return f.g.Op(id) != nil && !f.skip[id] && f.needed[id]
}

// given reports whether a tensor is there before the step: it is an input, or members of one, or, like a weight
// that stays, made once.
func (f *frame) given(t graph.Tensor) bool {
	_, ok := f.from[t]
	return ok
}

// source is the input from which a given tensor is made.
func (f *frame) source(t graph.Tensor) graph.NodeID { return f.g.Inputs()[f.from[t]] }

// own is a role of a tensor as that of one without mesh axes, on is the role of a tensor.
func (f *frame) own(t graph.Tensor, r parallel.Role) parallel.Role {
	if r.Kind == parallel.Shard {
		r.Axis -= len(f.lay.Mesh(t))
	}
	return r
}

func (f *frame) on(t graph.Tensor, r parallel.Role) parallel.Role {
	if r.Kind == parallel.Shard {
		r.Axis += len(f.lay.Mesh(t))
	}
	return r
}
