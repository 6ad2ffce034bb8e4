package graph

// Arrangement says what [Graph.Arranged] makes of a graph. The zero value keeps
// outputs, operators and names.
type Arrangement struct {
	// Outputs are other outputs; nil: those of the graph.
	Outputs []Tensor
	// Weight reports whether a weight takes the place of an operator, which must
	// have one output; nil: of none.
	Weight func(NodeID) bool
	// Name names a node anew. It is called with each node, in the order of the
	// result, and must not return a name twice; "" is replaced as in
	// [Builder.Apply]. nil: names stay.
	Name func(NodeID) string
}

// Arranged is what outputs of a graph depend on, and all inputs that are no
// weights, in this order: these inputs, the weights by their first use, the
// operators. from tells for each node of the result which node of g it is.
func (g *Graph) Arranged(a Arrangement) (h *Graph, from []NodeID, err error) {
	if a.Outputs == nil {
		a.Outputs = g.outputs
	}
	if a.Name == nil {
		a.Name = g.Name
	}
	weight := func(id NodeID) bool { return g.weight[id] || g.op[id] != nil && a.Weight != nil && a.Weight(id) }
	live := g.liveFrom(a.Outputs, weight)
	var order, operators []NodeID
	for _, id := range g.inputs {
		if !g.weight[id] {
			order = append(order, id)
		}
	}
	placed := make([]bool, len(g.op))
	place := func(ts []Tensor) {
		for _, t := range ts {
			if !placed[t.Node] && weight(t.Node) {
				placed[t.Node] = true
				order = append(order, t.Node)
			}
		}
	}
	for id := range g.Nodes() {
		if live[id] && g.op[id] != nil && !weight(id) {
			place(g.Operands(id))
			operators = append(operators, id)
		}
	}
	place(a.Outputs)

	var b Builder
	b.init()
	to := make([]NodeID, len(g.op))
	from = []NodeID{0}
	for _, id := range append(order, operators...) {
		name := a.Name(id)
		if err := b.claim(name); err != nil {
			return nil, nil, err
		}
		if g.op[id] != nil && weight(id) {
			t := id.Out(0)
			to[id] = b.g.push(nil, nil, name, []DType{g.DType(t)}, nil, [][]int{g.Sizes(t)})
			b.g.weight[to[id]] = true
		} else {
			to[id] = b.g.copyNode(g, id, name, to)
		}
		from = append(from, id)
	}
	h, err = b.Finish(moved(a.Outputs, to)...)
	return h, from, err
}

// live says which nodes some output depends on.
func (g *Graph) live() []bool { return g.liveFrom(g.outputs, func(NodeID) bool { return false }) }

// liveFrom says which nodes tensors depend on, not looking behind some nodes.
func (g *Graph) liveFrom(ts []Tensor, end func(NodeID) bool) []bool {
	live := make([]bool, len(g.op))
	for _, t := range ts {
		live[t.Node] = true
	}
	for id := NodeID(g.Len()); id > 0; id-- {
		if live[id] && !end(id) {
			for _, t := range g.Operands(id) {
				live[t.Node] = true
			}
		}
	}
	return live
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
	g.keepOpen(n, of, id)
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
