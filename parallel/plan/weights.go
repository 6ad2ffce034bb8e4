package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// sparseWeights are trained weights of which a sample uses a part only: experts have
// matrices side by side, of tables rows are looked up.
func (t *Training) sparseWeights() (experts, tables map[graph.NodeID]bool) {
	g, trained, place := t.Graph, t.trained(), map[graph.NodeID]int{}
	for i, id := range g.Inputs() {
		place[id] = i
	}
	experts, tables = map[graph.NodeID]bool{}, map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		o := g.Op(id)
		if o == nil {
			continue
		}
		for k, x := range g.Operands(id) {
			i, isInput := place[x.Node]
			switch {
			case !isInput || !trained[i]:
			case o.Class == "matmul" && k == 1 && len(g.Sizes(x)) == 3:
				experts[x.Node] = true
			case o.Name == "gather" && k == 0:
				tables[x.Node] = true
			}
		}
	}
	return experts, tables
}

// sparse are the inputs that are sparse weights, or of the same sizes, such as their state:
// experts if there are any, else tables.
func (t *Training) sparse() map[int]bool {
	weights, tables := t.sparseWeights()
	if len(weights) == 0 {
		weights = tables
	}
	return t.sized(weights)
}

// matrices are the inputs that are trained weights which the model multiplies by or looks up
// in, or of the same sizes.
func (t *Training) matrices() map[int]bool {
	g, trained, place := t.Graph, t.trained(), map[graph.NodeID]int{}
	for i, id := range g.Inputs() {
		place[id] = i
	}
	weights := map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		o := g.Op(id)
		if o == nil {
			continue
		}
		for k, x := range g.Operands(id) {
			if i, ok := place[x.Node]; ok && trained[i] && (o.Class == "matmul" || o.Name == "gather" && k == 0) {
				weights[x.Node] = true
			}
		}
	}
	return t.sized(weights)
}

// sized are the inputs of sizes of some weights.
func (t *Training) sized(weights map[graph.NodeID]bool) map[int]bool {
	g, out := t.Graph, map[int]bool{}
	for i, id := range g.Inputs() {
		for w := range weights {
			out[i] = out[i] || slices.Equal(g.Sizes(w.Out(0)), g.Sizes(id.Out(0)))
		}
	}
	return out
}

// trained says which inputs the model reads that outputs take the place of.
func (t *Training) trained() map[int]bool {
	forward, inputs, out := t.Forward(), t.Graph.Inputs(), map[int]bool{}
	for _, in := range t.Next {
		out[in] = forward[inputs[in]]
	}
	return out
}
