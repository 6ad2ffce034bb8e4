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

// memberBytes are those of a member of a tensor, on the axes that it is laid out along.
func (p *prices) memberBytes(t graph.Tensor) int64 {
	n := p.lay.Graph().Type(t).Bytes()
	for _, axis := range p.lay.Mesh(t) {
		n /= int64(p.lay.Degrees()[axis])
	}
	return n
}

// turns is how often a device computes a member of a node, once for each place in time.
func (p *prices) turns(t graph.Tensor) machine.Time {
	n := 1
	for _, axis := range p.lay.Mesh(t) {
		if p.mesh.Axes[axis].Time {
			n *= p.lay.Degrees()[axis]
		}
	}
	return machine.Time(n)
}

// op is the time of an operator on its members by a strategy along one more axis; nil:
// on the members that there are. Of members in time it is that of all of them.
func (p *prices) op(id graph.NodeID, st *parallel.Strategy, degree int) (machine.Time, error) {
	var time machine.Time
	var err error
	if layout(p.lay.Graph(), id) != graph.LayoutNone {
		time, err = p.sends(id, st, degree)
	} else {
		time, err = p.computes(id, st, degree)
		time *= p.turns(id.Out(0))
	}
	if axis := len(p.lay.Degrees()); st != nil && axis < len(p.mesh.Axes) && p.mesh.Axes[axis].Time {
		time *= machine.Time(degree)
	}
	return time, err
}

// sum is what the graph takes as it is laid out, one thing after the other: of operators, what they send, and
// copies of outputs that become no weights, which ends are. What inputs are dealt out to takes nothing, and
// what weights that stay are made to once.
func (p *prices) sum(next map[int]int) (all, ends machine.Time, err error) {
	g := p.lay.Graph()
	needed, result := reached(g, g.Outputs()), map[graph.NodeID]bool{} // of what ends members of outputs: whether that is priced
	for i, t := range g.Outputs() {
		for layout(g, t.Node) == graph.LayoutEnds {
			_, becomes := next[i]
			result[t.Node] = result[t.Node] || !becomes
			t = g.Operands(t.Node)[0]
		}
	}
	given := settled(g, next, func(t graph.Tensor) bool { return len(p.lay.Mesh(t)) > 0 })
	for id := range g.Nodes() {
		if g.Op(id) == nil || layout(g, id) == graph.LayoutMakes && given[g.Operands(id)[0].Node] {
			given[id] = true
		}
		if given[id] || !needed[id] {
			continue
		}
		time, err := p.op(id, nil, 1)
		if priced, ok := result[id]; ok && err == nil {
			if time = 0; priced {
				time, err = p.ends(id)
				ends += time
			}
		}
		if err != nil {
			return 0, 0, err
		}
		all += time
	}
	return all, ends, nil
}

// ends is the time to make copies of what a layout operator makes a tensor of.
func (p *prices) ends(id graph.NodeID) (machine.Time, error) {
	t, axis := p.lay.Graph().Operands(id)[0], ended(p.lay, id)
	if p.mesh.Axes[axis].Time {
		return p.op(id, nil, 1)
	}
	kind := collectiveOf(member(p.lay.Graph(), id), op.Replicate)
	if kind == parallel.None {
		return 0, nil
	}
	time, err := p.mesh.Time(kind, axis, p.memberBytes(t))
	return time * p.turns(id.Out(0)), err
}

// computes is the time of an operator on a member.
func (p *prices) computes(id graph.NodeID, st *parallel.Strategy, degree int) (machine.Time, error) {
	ap, err := p.application(id, st, degree)
	if err != nil {
		return 0, err
	}
	return p.timeOf(id, ap)
}

// application is an operator on a member.
func (p *prices) application(id graph.NodeID, st *parallel.Strategy, degree int) (cost.Application, error) {
	g := p.lay.Graph()
	attrs := g.Attrs(id)
	if st != nil {
		attrs = st.Attrs
	}
	var all [][]int
	for i, t := range g.Operands(id) {
		sizes := slices.Clone(g.Sizes(t))
		if st != nil && st.In[i].Kind == parallel.Shard {
			sizes[st.In[i].Axis] /= degree
		}
		all = append(all, sizes)
	}
	return p.applied(id, attrs, all)
}

// applied is an operator with other attributes, on operands of other sizes.
func (p *prices) applied(id graph.NodeID, attrs graph.Attrs, all [][]int) (cost.Application, error) {
	g := p.lay.Graph()
	o := g.Op(id)
	if one, own, _ := o.Member(attrs); one != nil {
		o, attrs = one, own
	}
	ap := cost.Application{Op: o, Attrs: attrs}
	var shapes []graph.Shape
	for i, t := range g.Operands(id) {
		x := graph.TensorType{DType: g.DType(t), Sizes: all[i][len(p.lay.Mesh(t)):]}
		ap.In = append(ap.In, x)
		shapes = append(shapes, graph.Sizes(x.Sizes...))
	}
	var f graph.Unifier
	out, err := o.InferShapes(&f, attrs, shapes)
	if err != nil {
		return ap, fmt.Errorf("node %s: a member: %w", g.Name(id), err)
	}
	for k, s := range out {
		sizes, ok := s.Concrete()
		if !ok {
			return ap, fmt.Errorf("node %s: a member of shape %s", g.Name(id), s)
		}
		ap.Out = append(ap.Out, graph.TensorType{DType: g.DType(id.Out(k)), Sizes: sizes})
	}
	return ap, nil
}

func (p *prices) timeOf(id graph.NodeID, ap cost.Application) (machine.Time, error) {
	s, _, err := p.mesh.Cluster.Device.Cost(ap)
	if err != nil {
		return 0, fmt.Errorf("node %s: %w", p.lay.Graph().Name(id), err)
	}
	return machine.FromSeconds(s)
}

// sends is the time of a layout operator: that of the collective which it is together
// with the one whose result it reads.
func (p *prices) sends(id graph.NodeID, st *parallel.Strategy, degree int) (machine.Time, error) {
	g := p.lay.Graph()
	t := g.Operands(id)[0]
	if layout(g, id) == graph.LayoutEnds && member(g, id) == op.Reduce {
		if axis := ended(p.lay, id); p.mesh.Axes[axis].Time {
			x := p.memberType(t, st, degree)
			time, err := p.mesh.accumulate(x, p.lay.Degrees()[axis])
			return time * p.turns(id.Out(0)), err
		}
	}
	if layout(g, id) != graph.LayoutMakes {
		return 0, nil // priced where members are made again
	}
	lift := member(g, id) == op.Lift
	if lift && p.mesh.Axes[ended(p.lay, id)].Time {
		return 0, nil
	}
	kind := parallel.None
	if layout(g, t.Node) == graph.LayoutEnds {
		kind = collectiveOf(member(g, t.Node), member(g, id))
	}
	switch {
	case kind != parallel.None:
	case lift:
		time, err := p.mesh.zeros(p.memberType(t, st, degree))
		return time * p.turns(t), err
	default:
		return 0, nil
	}
	axis := ended(p.lay, t.Node)
	if axis < 0 {
		return 0, fmt.Errorf("node %s ends no axis", g.Name(t.Node))
	}
	bytes := p.memberBytes(g.Operands(t.Node)[0])
	if st != nil && st.In[0].Kind == parallel.Shard {
		bytes /= int64(degree)
	}
	time, err := p.mesh.Time(kind, axis, bytes)
	return time * p.turns(t), err
}

// memberType is the type of a member of the operand of a layout operator.
func (p *prices) memberType(t graph.Tensor, st *parallel.Strategy, degree int) graph.TensorType {
	g := p.lay.Graph()
	sizes := slices.Clone(g.Sizes(t))
	if st != nil && st.In[0].Kind == parallel.Shard {
		sizes[st.In[0].Axis] /= degree
	}
	return graph.TensorType{DType: g.DType(t), Sizes: sizes[len(p.lay.Mesh(t)):]}
}

// accumulate is the time to add so many micro-batches' parts of a tensor to what those before
// have added up.
func (m *Mesh) accumulate(x graph.TensorType, n int) (machine.Time, error) {
	s, _, err := m.Cluster.Device.Cost(cost.Application{Op: op.EWAdd, In: []graph.TensorType{x, x}, Out: []graph.TensorType{x}})
	if err != nil {
		return 0, err
	}
	time, err := machine.FromSeconds(s)
	return machine.Time(n) * time, err
}

// zeros is the time to write a member that is all zeros, as all but the first one are
// where a tensor becomes a sum.
func (m *Mesh) zeros(x graph.TensorType) (machine.Time, error) {
	return machine.FromSeconds(m.Cluster.Device.Time(cost.Work{Class: cost.Constant, Write: x.Bytes()}, x.DType))
}
