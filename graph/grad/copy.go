package grad

import (
	"fmt"
	"strconv"

	"github.com/taso-go/taso/graph"
)

// replacement writes what takes the place of a node, given its operands, or returns
// false where the node is to be copied.
type replacement func(c *graph.Calc, id graph.NodeID, in []graph.Tensor) ([]graph.Tensor, bool)

// copied copies a graph into an empty builder, with nodes replaced, and returns how to
// write on, and where each tensor is.
func copied(b *graph.Builder, g *graph.Graph, by replacement) (*graph.Calc, func(graph.Tensor) graph.Tensor, error) {
	c := graph.NewCalc(b)
	moved := make([][]graph.Tensor, g.Len()+1)
	at := func(t graph.Tensor) graph.Tensor { return moved[t.Node][t.Out] }
	for id := range g.Nodes() {
		in := make([]graph.Tensor, len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			in[i] = at(t)
		}
		if by != nil {
			var ok bool
			if err := c.Do(func() { moved[id], ok = by(c, id, in) }); err != nil {
				return nil, nil, fmt.Errorf("node %s: %w", g.Name(id), err)
			}
			if ok {
				if err := named(b, moved[id][0], g.Name(id)); err != nil {
					return nil, nil, err
				}
				continue
			}
		}
		to, err := b.Copy(g, id, in)
		if err != nil {
			return nil, nil, err
		}
		for i := range g.NumOut(id) {
			moved[id] = append(moved[id], to.Out(i))
		}
	}
	return graph.NewCalc(b), at, nil
}

// named names the node of a tensor, if it has no name.
func named(b *graph.Builder, t graph.Tensor, name string) error {
	if b.Graph().Name(t.Node) != "" {
		return nil
	}
	return b.Rename(t.Node, fresh(b.Graph(), name))
}

// fresh is a name that no node has: base, base_2, base_3 and so on.
func fresh(g *graph.Graph, base string) string {
	name := base
	for k := 2; ; k++ {
		if _, taken := g.Find(name); !taken {
			return name
		}
		name = base + "_" + strconv.Itoa(k)
	}
}
