package graph

// Arranged is the graph with what its outputs depend on, and all its inputs that
// are no weights, in this order: these inputs, the weights by their first use, the
// operators. Nodes are named anew: name is called with each, in that order, and
// must not return a name twice; "" is replaced as in [Builder.Apply]. from tells
// for each node of the result which node of g it is.
func (g *Graph) Arranged(name func(NodeID) string) (h *Graph, from []NodeID, err error) {
	live := g.live()
	var order []NodeID
	for _, id := range g.inputs {
		if !g.weight[id] {
			order = append(order, id)
		}
	}
	placed := make([]bool, len(g.op))
	place := func(ts []Tensor) {
		for _, t := range ts {
			if g.weight[t.Node] && !placed[t.Node] {
				placed[t.Node] = true
				order = append(order, t.Node)
			}
		}
	}
	var operators []NodeID
	for id := range g.Nodes() {
		if live[id] && g.op[id] != nil {
			place(g.Operands(id))
			operators = append(operators, id)
		}
	}
	place(g.outputs)

	var b Builder
	b.init()
	to := make([]NodeID, len(g.op))
	from = []NodeID{0}
	for _, id := range append(order, operators...) {
		n := name(id)
		if err := b.claim(n); err != nil {
			return nil, nil, err
		}
		to[id] = b.g.copyNode(g, id, n, to)
		from = append(from, id)
	}
	h, err = b.Finish(moved(g.outputs, to)...)
	return h, from, err
}

// copyNode appends a node of another graph, whose operands are there: to says
// which nodes they are.
func (g *Graph) copyNode(of *Graph, id NodeID, name string, to []NodeID) NodeID {
	lo, hi := of.val[id], of.val[id+1]
	n := g.push(of.op[id], of.attrs[id], name, of.dtype[lo:hi], moved(of.Operands(id), to), of.sizes[lo:hi])
	g.weight[n] = of.weight[id]
	if o := of.opaque[id]; o != nil {
		g.keepOpaque(n, o)
	}
	return n
}

// moved are the same outputs of other nodes.
func moved(ts []Tensor, to []NodeID) []Tensor {
	out := make([]Tensor, len(ts))
	for i, t := range ts {
		out[i] = Tensor{to[t.Node], t.Out}
	}
	return out
}
