package grad

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Back writes derivatives into the graph that c builds: given those of a number by the
// tensors of, in d, those by the tensors by, of the same sizes. A tensor that the number
// does not depend on has zeros. Through the nodes of fixed nothing is taken back, as if
// they were constants; it may be nil. The error names the node through which there is no
// way back.
func Back(c *graph.Calc, of, d, by []graph.Tensor, fixed map[graph.NodeID]bool) ([]graph.Tensor, error) {
	g := c.Graph()
	found := map[graph.Tensor]graph.Tensor{}
	add := func(t, d graph.Tensor) error {
		return c.Do(func() { found[t] = c.Total(found[t], d) })
	}
	last := graph.NodeID(0)
	for i, t := range of {
		last = max(last, t.Node)
		if d[i] == (graph.Tensor{}) {
			continue
		}
		if err := add(t, d[i]); err != nil {
			return nil, fmt.Errorf("derivative by %s: %w", g.Name(t.Node), err)
		}
	}
	leads := reach(g, last, by, fixed)
	for id := last; id > 0; id-- {
		op := g.Op(id)
		if op == nil || !leads[id] {
			continue
		}
		b := &graph.Backward{Calc: c, Attrs: g.Attrs(id), In: g.Operands(id)}
		some := false
		for i := range g.NumOut(id) {
			b.Out = append(b.Out, id.Out(i))
			b.D = append(b.D, found[id.Out(i)])
			some = some || found[id.Out(i)] != graph.Tensor{}
		}
		wanted := false
		for _, t := range b.In {
			b.Want = append(b.Want, leads[t.Node] && g.DType(t).IsFloat())
			wanted = wanted || b.Want[len(b.Want)-1]
		}
		if !some || !wanted {
			continue
		}
		if g.TouchesEmpty(id) {
			return nil, fmt.Errorf("node %s: an operand or a result has no elements; a derivative is made of tensors with elements only", g.Name(id))
		}
		if kind, _, opaque := g.Opaque(id); opaque {
			return nil, fmt.Errorf("node %s: operator %s is not modelled and has no derivative", g.Name(id), kind)
		}
		in, err := op.Backward(b)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
		for i, t := range b.In {
			if !b.Want[i] || in[i] == (graph.Tensor{}) {
				continue
			}
			if err := add(t, in[i]); err != nil {
				return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
			}
		}
	}
	out := make([]graph.Tensor, len(by))
	for i, t := range by {
		if out[i] = found[t]; out[i] == (graph.Tensor{}) {
			if err := c.Do(func() { out[i] = c.Alike(t, 0) }); err != nil {
				return nil, fmt.Errorf("derivative by %s: %w", g.Name(t.Node), err)
			}
		}
	}
	return out, nil
}

// reach marks the nodes up to last that depend on one of the tensors.
func reach(g *graph.Graph, last graph.NodeID, by []graph.Tensor, fixed map[graph.NodeID]bool) []bool {
	leads := make([]bool, g.Len()+1)
	for _, t := range by {
		leads[t.Node] = true
	}
	for id := graph.NodeID(1); id <= last; id++ {
		for _, t := range g.Operands(id) {
			leads[id] = leads[id] || leads[t.Node]
		}
		leads[id] = leads[id] && !fixed[id]
	}
	return leads
}

// Pullback is the graph g with an input for the derivative by each of its outputs that
// is of a floating-point type, named d_ and the output's node, in the order of the
// outputs, behind the inputs of g. Its outputs are those of g and then the derivatives
// by the inputs by.
func Pullback(g *graph.Graph, by []graph.NodeID) (*graph.Graph, error) {
	var b graph.Builder
	c, at, err := copied(&b, g, nil)
	if err != nil {
		return nil, fmt.Errorf("pullback: %w", err)
	}
	var of, ds, to []graph.Tensor
	var outputs []graph.Tensor
	for _, t := range g.Outputs() {
		y := at(t)
		outputs = append(outputs, y)
		if !g.DType(t).IsFloat() {
			continue
		}
		d, err := b.AddInput(fresh(b.Graph(), "d_"+g.Name(t.Node)), g.DType(t), g.Sizes(t)...)
		if err != nil {
			return nil, fmt.Errorf("pullback: %w", err)
		}
		of, ds = append(of, y), append(ds, d)
	}
	for _, id := range by {
		if id == 0 || int(id) > g.Len() || g.Op(id) != nil || !g.DType(id.Out(0)).IsFloat() {
			return nil, fmt.Errorf("pullback: node %d is no input of a floating-point type", id)
		}
		to = append(to, at(id.Out(0)))
	}
	found, err := Back(c, of, ds, to, nil)
	if err != nil {
		return nil, fmt.Errorf("pullback: %w", err)
	}
	h, err := b.Finish(append(outputs, found...)...)
	if err != nil {
		return nil, fmt.Errorf("pullback: %w", err)
	}
	return h.WithoutDead(), nil
}
