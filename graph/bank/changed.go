package bank

// Changed calls f with every node that changed since a mark and is there now: that
// is new, came to life or died, uses other tensors, is used by others (moved is
// false then, if nothing else is said of it), or does or does not depend on weights
// only any more. A node may come several times.
func (b *Bank) Changed(m Mark, f func(n Node, moved bool)) {
	for _, c := range b.log[m.log:] {
		switch c.kind {
		case wasOperand:
			f(b.slots[c.at].owner, true)
		case wasNew:
			f(Node(c.at), true)
		case wasHeld, wasReleased, wasFixed:
			f(Node(c.at), false)
		}
	}
}

// App tells applications apart by operator, attributes and types of operands: those
// for which it is the same cost the same. It is 0 for inputs and opaque nodes.
func (b *Bank) App(n Node) uint32 { return b.nodes[n].app }

// New reports whether a node was added since a mark.
func (b *Bank) New(n Node, m Mark) bool {
	return b.nodes[n].arity > 0 && int(b.nodes[n].first) >= m.slots
}
