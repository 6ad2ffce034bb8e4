package bank

// What has changed is logged while there is a mark, so that a rewrite is undone
// in the time that it took.

type changeKind uint8

const (
	wasNew      changeKind = iota // node at was added
	wasListed                     // node at was in the table
	wasUnlisted                   // node at was not
	wasOperand                    // slot at held tensor a
	wasLinked                     // slot at was in the uses of its tensor
	wasUnlinked                   // slot at was not, and its links were a and b
	wasHeld                       // node at had a use less
	wasReleased                   // node at had a use more
	wasFixed                      // node at was fixed if a is not 0
	wasRanked                     // node at had rank a
	wasNamed                      // node at had no name
	wasOutput                     // output at was tensor a
)

type change struct {
	kind     changeKind
	at, a, b uint32
}

func (b *Bank) note(c change) {
	if b.marks > 0 {
		b.log = append(b.log, c)
	}
}

// Mark is a state of a Bank to which it can go back.
type Mark struct {
	log, slots, inputs int
	total              int64
	linear             linearState
}

// Mark notes the present state. Each mark ends with [Bank.Undo] or [Bank.Keep],
// the last one first.
func (b *Bank) Mark() Mark {
	b.fresh()
	b.marks++
	return Mark{len(b.log), len(b.slots), len(b.inputs), b.total, b.linear.linearState}
}

// Keep ends a mark and leaves everything as it is now.
func (b *Bank) Keep(Mark) {
	if b.marks--; b.marks == 0 {
		b.log = b.log[:0]
	}
}

// Undo ends a mark: everything is as it was then. Nodes and tensors that were
// added since are gone.
func (b *Bank) Undo(m Mark) {
	for i := len(b.log) - 1; i >= m.log; i-- {
		b.undo(b.log[i])
	}
	b.log = b.log[:m.log]
	b.slots, b.args, b.inputs = b.slots[:m.slots], b.args[:m.slots], b.inputs[:m.inputs]
	b.total = m.total
	b.linear.back(m.linear)
	b.marks--
}

func (b *Bank) undo(c change) {
	switch c.kind {
	case wasNew:
		n := Node(c.at)
		if b.nodes[n].flags&listed != 0 {
			b.leave(n)
		}
		delete(b.origin, n)
		b.tensors = b.tensors[:b.nodes[n].outs]
		b.nodes = b.nodes[:n]
	case wasListed:
		b.enter(Node(c.at), b.keyOf(Node(c.at))) // its operands are back already
	case wasUnlisted:
		b.leave(Node(c.at))
	case wasOperand:
		b.args[c.at] = Tensor(c.a)
	case wasLinked:
		x := &b.slots[c.at]
		if x.prev == none {
			b.tensors[b.args[c.at]].uses = int32(c.at)
		} else {
			b.slots[x.prev].next = int32(c.at)
		}
		if x.next != none {
			b.slots[x.next].prev = int32(c.at)
		}
	case wasUnlinked:
		b.out(int32(c.at))
		b.slots[c.at].prev, b.slots[c.at].next = int32(c.a), int32(c.b)
	case wasHeld:
		if b.nodes[c.at].refs--; b.nodes[c.at].refs == 0 {
			b.nodes[c.at].flags &^= live
		}
	case wasReleased:
		b.nodes[c.at].refs++
		b.nodes[c.at].flags |= live
	case wasFixed:
		b.nodes[c.at].flags = b.nodes[c.at].flags&^fixed | flags(c.a)
	case wasRanked:
		b.nodes[c.at].rank = c.a
	case wasNamed:
		delete(b.origin, Node(c.at))
	case wasOutput:
		b.outputs[c.at] = Tensor(c.a)
	}
}
