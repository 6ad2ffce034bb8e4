package parallel

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Laid is a graph that somebody has laid out, with the layouts of its tensors, as far as
// they are to be believed: that the axes in front of each tensor are the mesh axes that
// are told, that copies are copies, and that members are made and ended as what they are told
// to be, is checked; whether what is computed of parts is parts or sums is not. Nothing
// shows what it computes: the result cannot be laid out along more axes, and has no equation.
//
// degrees are the sizes of the mesh axes; layouts are by node and output, see
// [Laying.Layout], origins by node.
func Laid(g *graph.Graph, degrees []int, layouts [][]Layout, origins []Origin) (*Laying, error) {
	l := &Laying{g: g, degrees: slices.Clone(degrees), layouts: layouts, mesh: make([][][]int, g.Len()+1), origins: origins}
	if len(layouts) != g.Len()+1 || len(origins) != g.Len()+1 {
		return nil, fmt.Errorf("layouts of %d nodes and origins of %d, the graph has %d", len(layouts)-1, len(origins)-1, g.Len())
	}
	for id := range g.Nodes() {
		if err := l.believe(id); err != nil {
			return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
		if err := l.told(id); err != nil {
			return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
	}
	return l, nil
}

// believe checks the mesh axes of a node's results.
func (l *Laying) believe(id graph.NodeID) error {
	g := l.g
	if len(l.layouts[id]) != g.NumOut(id) {
		return fmt.Errorf("layouts of %d results, it has %d", len(l.layouts[id]), g.NumOut(id))
	}
	for k, lies := range l.layouts[id] {
		sizes := g.Sizes(id.Out(k))
		if len(lies) > len(sizes) {
			return fmt.Errorf("%d mesh axes of a tensor of %d axes", len(lies), len(sizes))
		}
		var axes []int
		for i, s := range lies {
			switch {
			case s.Axis < 0 || s.Axis >= len(l.degrees):
				return fmt.Errorf("mesh axis %d: there are %d", s.Axis, len(l.degrees))
			case slices.Contains(axes, s.Axis):
				return fmt.Errorf("it has mesh axis %d twice", s.Axis)
			case sizes[i] != l.degrees[s.Axis]:
				return fmt.Errorf("mesh axis %d has %d members, axis %d of the tensor %d", s.Axis, l.degrees[s.Axis], i, sizes[i])
			case s.Role.Kind == Shard && (s.Role.Axis < 0 || s.Role.Axis >= len(sizes)-len(lies)):
				return fmt.Errorf("shards along axis %d of members with %d", s.Role.Axis, len(sizes)-len(lies))
			}
			axes = append(axes, s.Axis)
		}
		l.mesh[id] = append(l.mesh[id], axes)
	}
	return l.carries(id)
}

// carries checks that a node has the mesh axes of its operands, but for the one that a
// layout operator makes or ends.
func (l *Laying) carries(id graph.NodeID) error {
	g, op := l.g, l.g.Op(id)
	if op == nil {
		if _, _, opaque := g.Opaque(id); !opaque && len(l.Mesh(id.Out(0))) > 0 {
			return fmt.Errorf("it is an input, on the mesh")
		}
		return nil
	}
	one, _, over := op.Member(g.Attrs(id))
	front := len(over) // the axes that it is lifted over
	if one == nil {
		one = op
	}
	in := g.Operands(id)
	switch {
	case len(in) == 0:
		if front != len(l.Mesh(id.Out(0))) {
			return fmt.Errorf("it makes %d mesh axes, %d are told", front, len(l.Mesh(id.Out(0))))
		}
		return nil
	case one.Layout == graph.LayoutNone, one.Layout == graph.LayoutKeeps:
		has := l.Mesh(in[0])
		for _, t := range in {
			if !slices.Equal(l.Mesh(t), has) {
				return fmt.Errorf("operands are on mesh axes %v and %v", has, l.Mesh(t))
			}
		}
		for k := range g.NumOut(id) {
			if !slices.Equal(l.Mesh(id.Out(k)), has) {
				return fmt.Errorf("operands are on mesh axes %v, the result on %v", has, l.Mesh(id.Out(k)))
			}
		}
		if one.Layout == graph.LayoutKeeps {
			front++ // the axis that it keeps
		}
		if (op != one || one.Layout == graph.LayoutKeeps) && front != len(has) || op == one && one.Layout == graph.LayoutNone && !op.Batched && !op.Pointwise && len(has) > 0 {
			return fmt.Errorf("it is applied to members of %d mesh axes, operands have %d", front, len(has))
		}
		return nil
	}
	more, less := l.Mesh(id.Out(0)), l.Mesh(in[0])
	if one.Layout == graph.LayoutEnds {
		more, less = less, more
	}
	if len(more) != len(less)+1 || len(more) <= front || !slices.Equal(slices.Delete(slices.Clone(more), front, front+1), less) {
		return fmt.Errorf("%s between mesh axes %v and %v", one.Name, l.Mesh(in[0]), l.Mesh(id.Out(0)))
	}
	return nil
}
