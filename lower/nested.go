package lower

import "github.com/taso-go/taso/graph"

// Concatenations of concatenations along the same axis, as those that add the result of each
// step of a recurrent layer to what is there, are one: each part is copied once.

// nested finds the concatenations that go into the only one that reads them.
func (l *lowerer) nested() {
	if l.opt.NoFuse || l.opt.KeepAll {
		return
	}
	g := l.Graph
	parts := map[graph.NodeID]int{}
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || op.Name != "concat" || l.uses[id.Out(0)] == 0 {
			continue
		}
		in := g.Operands(id)
		n := len(in)
		for _, t := range in {
			if l.uses[t] != 1 || !nests(Attrs{g.Op(t.Node), g.Attrs(t.Node)}, Attrs{op, g.Attrs(id)}) || n-1+parts[t.Node] > l.t.Parts {
				continue
			}
			l.absorbed[t.Node] = id
			n += parts[t.Node] - 1
		}
		parts[id] = n
	}
	// What goes into one that goes into another is done by the last.
	for id, into := range l.absorbed {
		for l.absorbed[into] != 0 {
			into = l.absorbed[into]
		}
		l.absorbed[id] = into
	}
}

// nests reports whether both are concatenations, along the same axis.
func nests(inner, outer Attrs) bool {
	if inner.Op == nil || outer.Op == nil || inner.Op.Name != "concat" || outer.Op.Name != "concat" {
		return false
	}
	axis, err := outer.Int("axis")
	of, errOf := inner.Int("axis")
	return err == nil && errOf == nil && axis == of
}

// Nests reports whether a concatenation, if it has but one reader, is one with that one;
// how many operands that has then is not looked at.
func (t *Target) Nests(inner, outer Attrs) bool { return t.Parts > 0 && nests(inner, outer) }

// parts adds the values that an operand is to those of its node: those of a concatenation
// that goes into the node, else its own.
func (l *lowerer) parts(in []ValueID, t graph.Tensor) []ValueID {
	if l.absorbed[t.Node] == 0 {
		return append(in, l.Of[t])
	}
	for _, part := range l.Graph.Operands(t.Node) {
		in = l.parts(in, part)
	}
	return in
}
