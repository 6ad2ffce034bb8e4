package parallel

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// writtenOut is the graph with what names stand for in their place ([graph.Op.Chain]), such
// as reduce and replicate in that of allreduce; the graph itself if it has none. The last
// operator of a chain has the name of the node.
func writtenOut(g *graph.Graph) (*graph.Graph, error) {
	some := false
	for id := range g.Nodes() {
		some = some || g.Op(id) != nil && g.Op(id).Chain != nil
	}
	if !some {
		return g, nil
	}
	var b graph.Builder
	to := make([]graph.NodeID, g.Len()+1)
	move := func(t graph.Tensor) graph.Tensor { return graph.Tensor{Node: to[t.Node], Out: t.Out} }
	for id := range g.Nodes() {
		var in []graph.Tensor
		for _, t := range g.Operands(id) {
			in = append(in, move(t))
		}
		var err error
		if o := g.Op(id); o == nil || o.Chain == nil {
			to[id], err = b.Copy(g, id, in)
		} else {
			to[id], err = chain(&b, g.Name(id), o, g.Attrs(id), in[0])
		}
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
	}
	var outs []graph.Tensor
	for _, t := range g.Outputs() {
		outs = append(outs, move(t))
	}
	return b.Finish(outs...)
}

// chain applies one operator behind the other.
func chain(b *graph.Builder, name string, o *graph.Op, a graph.Attrs, x graph.Tensor) (graph.NodeID, error) {
	ps, err := o.Chain(a, []graph.Shape{graph.Sizes(b.Graph().Sizes(x)...)})
	if err != nil {
		return 0, err
	}
	for i, p := range ps {
		called := ""
		if i == len(ps)-1 {
			called = name
		}
		id, err := b.Apply(called, p.Op, p.Attrs, x)
		if err != nil {
			return 0, err
		}
		x = id.Out(0)
	}
	return x.Node, nil
}
