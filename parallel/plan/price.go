package plan

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// prices are the times of what is in a graph that is laid out.
type prices struct {
	mesh *Mesh
	lay  *parallel.Laying
}

// memberBytes are those of a member of a tensor, on the axes that it is laid out along,
// and of a part of it where r says so.
func (p *prices) memberBytes(t graph.Tensor, r parallel.Role, degree int) int64 {
	g := p.lay.Graph()
	n := g.Type(t).Bytes()
	for _, axis := range p.lay.Mesh(t) {
		n /= int64(p.lay.Degrees()[axis])
	}
	if r.Kind == parallel.Shard {
		n /= int64(degree)
	}
	return n
}

// op is the time of an operator on its members by a strategy along one more axis; nil:
// on the members that there are.
func (p *prices) op(id graph.NodeID, st *parallel.Strategy, degree int) (machine.Time, error) {
	g := p.lay.Graph()
	o, attrs := g.Op(id), g.Attrs(id)
	if st != nil {
		attrs = st.Attrs
	}
	if layout(g, id) != graph.LayoutNone {
		return p.sends(id, st, degree)
	}
	if one, own, _ := o.Member(attrs); one != nil {
		o, attrs = one, own
	}
	ap := cost.Application{Op: o, Attrs: attrs}
	var shapes []graph.Shape
	for i, t := range g.Operands(id) {
		x := graph.TensorType{DType: g.DType(t), Sizes: slices.Clone(g.Sizes(t))}
		if st != nil && st.In[i].Kind == parallel.Shard {
			x.Sizes[st.In[i].Axis] /= degree
		}
		x.Sizes = x.Sizes[len(p.lay.Mesh(t)):]
		ap.In = append(ap.In, x)
		shapes = append(shapes, graph.Sizes(x.Sizes...))
	}
	var f graph.Unifier
	out, err := o.InferShapes(&f, attrs, shapes)
	if err != nil {
		return 0, fmt.Errorf("node %s: a member: %w", g.Name(id), err)
	}
	for k, s := range out {
		sizes, ok := s.Concrete()
		if !ok {
			return 0, fmt.Errorf("node %s: a member of shape %s", g.Name(id), s)
		}
		ap.Out = append(ap.Out, graph.TensorType{DType: g.DType(id.Out(k)), Sizes: sizes})
	}
	s, _, err := p.mesh.Cluster.Device.Cost(ap)
	if err != nil {
		return 0, fmt.Errorf("node %s: %w", g.Name(id), err)
	}
	return machine.FromSeconds(s)
}

// member is a node's operator as it is applied to a member.
func member(g *graph.Graph, id graph.NodeID) *graph.Op {
	o := g.Op(id)
	if o == nil {
		return nil
	}
	if one, _, _ := o.Member(g.Attrs(id)); one != nil {
		return one
	}
	return o
}

// layout is what a node does with the mesh.
func layout(g *graph.Graph, id graph.NodeID) graph.Layout {
	if o := member(g, id); o != nil {
		return o.Layout
	}
	return graph.LayoutNone
}

// sends is the time of a layout operator: that of the collective which it is together
// with the one whose result it reads.
func (p *prices) sends(id graph.NodeID, st *parallel.Strategy, degree int) (machine.Time, error) {
	g := p.lay.Graph()
	t := g.Operands(id)[0]
	if layout(g, id) != graph.LayoutMakes {
		return 0, nil // priced where members are made again
	}
	if layout(g, t.Node) != graph.LayoutEnds {
		return 0, nil
	}
	kind := collectiveOf(member(g, t.Node), member(g, id))
	if kind == parallel.None {
		return 0, nil
	}
	// The axis that ends is the one that the operand has and the result has not.
	axis := -1
	was, is := p.lay.Mesh(g.Operands(t.Node)[0]), p.lay.Mesh(t)
	for i, a := range was {
		if i >= len(is) || is[i] != a {
			axis = a
			break
		}
	}
	if axis < 0 {
		return 0, fmt.Errorf("node %s ends no axis", g.Name(t.Node))
	}
	bytes := p.memberBytes(g.Operands(t.Node)[0], parallel.Role{}, 1)
	if st != nil && st.In[0].Kind == parallel.Shard {
		bytes /= int64(degree)
	}
	return p.mesh.Time(kind, axis, bytes)
}

// collectiveOf is what two layout operators are, one behind the other.
func collectiveOf(end, begin *graph.Op) parallel.Kind {
	switch {
	case end == op.Reduce && begin == op.Replicate:
		return parallel.AllReduce
	case end == op.Reduce:
		return parallel.ReduceScatter
	case end == op.Combine && begin == op.Replicate:
		return parallel.AllGather
	case end == op.Combine:
		return parallel.AllToAll
	}
	return parallel.None
}

// convert is the time to make members in one role of those in another, along the axis
// that is laid out.
func (p *prices) convert(t graph.Tensor, from, to parallel.Role, axis, degree int) (machine.Time, error) {
	bytes := p.memberBytes(t, from, degree)
	kind := parallel.None
	switch {
	case from.Kind == parallel.Sum && to.Kind == parallel.Copy:
		kind = parallel.AllReduce
	case from.Kind == parallel.Sum && to.Kind == parallel.Shard:
		kind = parallel.ReduceScatter
	case from.Kind == parallel.Shard && to.Kind == parallel.Shard:
		kind = parallel.AllToAll
	case from.Kind == parallel.Shard: // to copies, or to the first of them
		kind = parallel.AllGather
	}
	if kind == parallel.None {
		return 0, nil
	}
	return p.mesh.Time(kind, axis, bytes)
}
