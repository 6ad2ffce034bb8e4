package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/parallel"
)

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

// ended is the axis that a layout operator ends or makes: that which one of its operand and
// its result has, and not the other.
func ended(l *parallel.Laying, id graph.NodeID) int {
	long, short := l.Mesh(l.Graph().Operands(id)[0]), l.Mesh(id.Out(0))
	if len(long) < len(short) {
		long, short = short, long
	}
	for i, a := range long {
		if i >= len(short) || short[i] != a {
			return a
		}
	}
	return -1
}

// collectiveOf is what two layout operators are, one behind the other.
func collectiveOf(end, begin *graph.Op) parallel.Kind {
	switch {
	case end == op.Reduce && (begin == op.Replicate || begin == op.Lift):
		return parallel.AllReduce
	case end == op.Reduce:
		return parallel.ReduceScatter
	case end == op.Combine && (begin == op.Replicate || begin == op.Lift):
		return parallel.AllGather
	case end == op.Combine:
		return parallel.AllToAll
	}
	return parallel.None
}

// collects is the collective that makes members in one role of those in another.
func collects(from, to parallel.Role) parallel.Kind {
	switch {
	case from.Kind == parallel.Sum && to.Kind == parallel.Copy:
		return parallel.AllReduce
	case from.Kind == parallel.Sum && to.Kind == parallel.Shard:
		return parallel.ReduceScatter
	case from.Kind == parallel.Shard && to.Kind == parallel.Shard:
		return parallel.AllToAll
	case from.Kind == parallel.Shard: // to copies, or to the first of them
		return parallel.AllGather
	}
	return parallel.None
}

// reached are the nodes on which tensors depend.
func reached(g *graph.Graph, from []graph.Tensor) []bool {
	out := make([]bool, g.Len()+1)
	list := slices.Clone(from)
	for len(list) > 0 {
		t := list[len(list)-1]
		list = list[:len(list)-1]
		if !out[t.Node] {
			out[t.Node] = true
			list = append(list, g.Operands(t.Node)...)
		}
	}
	return out
}

// settled says by node what is made of weights that stay alone, by an operator that has no
// mesh axis: it is computed once, before the first step, and then lies like such a weight.
// next are the outputs by the inputs that they become.
func settled(g *graph.Graph, next map[int]int, meshed func(graph.Tensor) bool) []bool {
	out := make([]bool, g.Len()+1)
	trained := map[int]bool{}
	for _, in := range next {
		trained[in] = true
	}
	for i, id := range g.Inputs() {
		out[id] = g.IsWeight(id) && !trained[i]
	}
	for id := range g.Nodes() {
		ins := g.Operands(id)
		if g.Op(id) == nil || len(ins) == 0 || layout(g, id) != graph.LayoutNone || meshed(id.Out(0)) {
			continue
		}
		all := true
		for _, t := range ins {
			all = all && out[t.Node] && !meshed(t)
		}
		out[id] = all
	}
	return out
}
