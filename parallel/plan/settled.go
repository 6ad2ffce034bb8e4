package plan

import "github.com/taso-go/taso/graph"

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
