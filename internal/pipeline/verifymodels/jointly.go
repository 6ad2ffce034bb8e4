package verifymodels

import (
	"context"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// partner is the node that only together with a node of two operands says something: both have
// the same two operands and one reader, the same one, as in x < y or x = y. Casts may be between.
func partner(g *graph.Graph, node graph.NodeID) (other graph.NodeID, ok bool) {
	readers, last := map[graph.NodeID]int{}, map[graph.NodeID]graph.NodeID{}
	for id := range g.Nodes() {
		for _, t := range g.Operands(id) {
			readers[t.Node]++
			last[t.Node] = id
		}
	}
	for _, t := range g.Outputs() {
		readers[t.Node] += 2
	}
	pair := func(id graph.NodeID) bool {
		op := g.Op(id)
		return op != nil && op.Elementwise && op.In == 2
	}
	cast := func(id graph.NodeID) bool { return g.Op(id) != nil && g.Op(id).Name == "cast" }
	from, reader := node, last[node]
	for readers[from] == 1 && cast(reader) {
		from, reader = reader, last[reader]
	}
	if readers[from] != 1 || !pair(reader) {
		return 0, false
	}
	in := g.Operands(reader)
	if other = in[0].Node; other == from {
		other = in[1].Node
	}
	for readers[other] == 1 && cast(other) {
		other = g.Operands(other)[0].Node
	}
	if !pair(other) || readers[other] != 1 || !pair(node) || other == node {
		return 0, false
	}
	x, y := g.Operands(node), g.Operands(other)
	return other, x[0] == y[0] && x[1] == y[1] || x[0] == y[1] && x[1] == y[0]
}

// jointly tries whether outputs depend on what a node and its partner do together on a side of a
// point: both results are replaced by those of the same operands on another side.
func (p *prober) jointly(ctx context.Context, which int, pt *point, s where, in []interp.Tensor[float64]) (effect, error) {
	r := p.a
	if which == 1 {
		r, in = p.b, p.placed(in)
	}
	g := r.m.Graph
	other, ok := partner(g, pt.node)
	if !ok || pt.y < 0 {
		return hidden, nil
	}
	x := g.Operands(pt.node)[pt.x]
	was, _, _, err := r.mutated(ctx, []graph.NodeID{pt.node}, in, nil)
	if err != nil {
		return hidden, p.passed(ctx, err)
	}
	for _, by := range []float64{-1, 0, 1} {
		if !p.pays(1) {
			break
		}
		now, _, _, err := r.mutated(ctx, []graph.NodeID{pt.node, other}, in, func(id graph.NodeID, operands []interp.Tensor[float64], out interp.Tensor[float64]) (interp.Tensor[float64], bool) {
			at := *pt
			if at.x = slices.Index(g.Operands(id), x); at.x < 0 || len(out.Data) != len(operands[at.x].Data) {
				return out, false
			}
			at.y = 1 - at.x
			moved := slices.Clone(operands)
			moved[at.x] = interp.Tensor[float64]{Sizes: operands[at.x].Sizes, Data: slices.Clone(operands[at.x].Data)}
			for j := range moved[at.x].Data {
				if d, ok := at.apart(operands, j); ok && at.on(s, d) {
					base := operands[at.x].Data[j] - d
					moved[at.x].Data[j] = base + by*max(1, math.Abs(base))
				}
			}
			res, err := interp.Apply(interp.Float{}, g.Op(id), g.Attrs(id), moved)
			if err != nil || len(res) == 0 || len(res[0].Data) != len(out.Data) {
				return out, false
			}
			return res[0], !slices.Equal(res[0].Data, out.Data)
		})
		if err != nil {
			return hidden, p.passed(ctx, err)
		}
		if p.apartOutputs(which, was, now) {
			return visible, nil
		}
	}
	return hidden, nil
}
