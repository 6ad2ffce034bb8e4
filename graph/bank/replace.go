package bank

import (
	"fmt"
	"slices"
)

// SetOutputs says which tensors the graph computes. It cannot be undone: there
// must be no mark.
func (b *Bank) SetOutputs(ts ...Tensor) {
	for _, t := range ts {
		b.hold(b.tensors[t].node)
	}
	for _, t := range b.outputs {
		b.release(b.tensors[t].node)
	}
	b.outputs = append([]Tensor{}, ts...)
	b.close()
	b.linear.known = 0
}

// Replace makes new stand for old wherever old is used, at once for all pairs:
// what used old uses new then, and what nothing uses any more is dead. Nodes that
// become equal become one. Types have to agree. A replacement by something that is
// computed from an old tensor would close a cycle: the error says so, and nothing
// is changed.
func (b *Bank) Replace(old, new []Tensor) error {
	if len(old) != len(new) {
		return fmt.Errorf("replace: %d tensors by %d", len(old), len(new))
	}
	for i := range old {
		if b.tensors[old[i]].typ != b.tensors[new[i]].typ {
			return fmt.Errorf("replace: a tensor %s is not one %s", b.Type(old[i]), b.Type(new[i]))
		}
	}
	if slices.Equal(old, new) {
		return nil
	}
	if b.reaches(new, old) {
		return ErrCycle
	}
	b.linear.replaced(b, old, new)
	for i := range old {
		b.hold(b.tensors[new[i]].node)
	}
	for i := range old {
		b.move(old[i], new[i])
	}
	for i := range old {
		b.release(b.tensors[new[i]].node)
	}
	b.close()
	return nil
}

// close makes one node of those that have become equal.
func (b *Bank) close() {
	for len(b.work) > 0 || len(b.back) > 0 {
		if k := len(b.back) - 1; k >= 0 {
			n := b.back[k]
			b.back = b.back[:k]
			if b.nodes[n].flags&live != 0 {
				b.list(n)
			}
			continue
		}
		p := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		if b.nodes[p.old].flags&live == 0 {
			continue
		}
		if b.nodes[p.new].flags&live == 0 || !b.sameOperands(p.new, b.Operands(p.old)) { // changed since
			b.list(p.old)
			continue
		}
		b.hold(p.new)
		for k := range b.nodes[p.old].nout {
			b.move(b.nodes[p.old].outs+Tensor(k), b.nodes[p.new].outs+Tensor(k))
		}
		b.release(p.new)
		if b.Merged != nil {
			b.Merged(p.old, p.new)
		}
	}
}

// move repoints all uses of a tensor.
func (b *Bank) move(old, new Tensor) {
	if old == new {
		return
	}
	to := b.tensors[new].node
	b.inherit(b.tensors[old].node, to)
	for i, t := range b.outputs {
		if t == old {
			b.note(change{kind: wasOutput, at: uint32(i), a: uint32(old)})
			b.outputs[i] = new
			b.hold(to)
			b.release(b.tensors[old].node)
		}
	}
	moved := b.moved[:0]
	for s := b.tensors[old].uses; s != none; s = b.slots[s].next {
		moved = append(moved, s)
	}
	for _, s := range moved {
		u := b.slots[s].owner
		b.unlist(u)
		b.unlink(s)
		b.note(change{kind: wasOperand, at: uint32(s), a: uint32(old)})
		b.args[s] = new
		b.link(s)
	}
	for _, s := range moved {
		u := b.slots[s].owner
		b.raise(u, b.nodes[to].rank)
		b.settleFixed(u)
		b.list(u)
	}
	b.moved = moved
}

// unlist takes a node out of the table.
func (b *Bank) unlist(n Node) {
	if b.nodes[n].flags&listed != 0 {
		b.note(change{kind: wasListed, at: uint32(n)})
		b.leave(n)
	}
}

// list enters a node whose operands have changed, or finds what it is equal to.
func (b *Bank) list(u Node) {
	if b.nodes[u].flags&listed != 0 {
		return
	}
	key := b.keyOf(u)
	v := b.find(u, key)
	switch {
	case v == 0:
	case b.nodes[v].flags&live == 0: // dead ones make room
		b.unlist(v)
	case v < u:
		b.work = append(b.work, pair{u, v})
		return
	default:
		b.unlist(v)
		b.work = append(b.work, pair{v, u})
	}
	b.enter(u, key)
	b.note(change{kind: wasUnlisted, at: uint32(u)})
}

// hold counts a use of a node; the first one makes it live.
func (b *Bank) hold(n Node) {
	x := &b.nodes[n]
	x.refs++
	b.note(change{kind: wasHeld, at: uint32(n)})
	if x.refs > 1 {
		return
	}
	x.flags |= live
	if x.flags&listed == 0 {
		b.back = append(b.back, n)
	}
	first, end := int32(x.first), int32(x.first)+int32(x.arity)
	f, rank := fixed, x.rank
	for s := first; s < end; s++ {
		b.link(s)
		o := &b.nodes[b.tensors[b.args[s]].node]
		f, rank = f&o.flags, max(rank, o.rank)
	}
	// While it was dead nobody told it of changes.
	if b.Op(n) != nil && !b.isOpaque(n) {
		b.setFixed(n, f)
	}
	if rank > x.rank {
		b.note(change{kind: wasRanked, at: uint32(n), a: x.rank})
		x.rank = rank
	}
	if x.flags&fixed == 0 {
		b.total += x.cost
	}
}

// setFixed says whether all operands of a node are fixed, and with them the node, if
// it is not too much work.
func (b *Bank) setFixed(n Node, f flags) (changed bool) {
	x := &b.nodes[n]
	if f &= fixed; x.flags&heavy != 0 {
		f = 0
	}
	if f == x.flags&fixed {
		return false
	}
	b.note(change{kind: wasFixed, at: uint32(n), a: uint32(x.flags & fixed)})
	x.flags ^= fixed
	return true
}

// release takes a use of a node away; without any it is dead.
func (b *Bank) release(n Node) {
	x := &b.nodes[n]
	x.refs--
	b.note(change{kind: wasReleased, at: uint32(n)})
	if x.refs > 0 {
		return
	}
	x.flags &^= live
	if x.flags&fixed == 0 {
		b.total -= x.cost
	}
	for s := int32(x.first); s < int32(x.first)+int32(x.arity); s++ {
		b.unlink(s)
	}
}

// link puts an operand of a live node in front of the uses of its tensor.
func (b *Bank) link(s int32) {
	x := &b.slots[s]
	t := &b.tensors[b.args[s]]
	b.note(change{kind: wasUnlinked, at: uint32(s), a: uint32(x.prev), b: uint32(x.next)})
	x.prev, x.next = none, t.uses
	if t.uses != none {
		b.slots[t.uses].prev = s
	}
	t.uses = s
	b.hold(t.node)
}

// unlink takes an operand out of the uses of its tensor. Its own links stay, so
// that it can be put back where it was (Knuth, Dancing Links, 2000).
func (b *Bank) unlink(s int32) {
	t := &b.tensors[b.args[s]]
	b.note(change{kind: wasLinked, at: uint32(s)})
	b.out(s)
	b.release(t.node)
}

func (b *Bank) out(s int32) {
	x := &b.slots[s]
	if x.prev == none {
		b.tensors[b.args[s]].uses = x.next
	} else {
		b.slots[x.prev].next = x.next
	}
	if x.next != none {
		b.slots[x.next].prev = x.prev
	}
}

// settleFixed finds out again whether a live node depends on weights only, and
// if that changes asks its users.
func (b *Bank) settleFixed(n Node) {
	x := &b.nodes[n]
	f := fixed
	for i := range int(x.arity) {
		f &= b.nodes[b.tensors[b.Operand(n, i)].node].flags
	}
	if b.isOpaque(n) || !b.setFixed(n, f) {
		return
	}
	if x.flags&fixed != 0 {
		b.total -= x.cost
	} else {
		b.total += x.cost
	}
	for k := range x.nout {
		for s := b.tensors[x.outs+Tensor(k)].uses; s != none; s = b.slots[s].next {
			b.settleFixed(b.slots[s].owner)
		}
	}
}

func (b *Bank) isOpaque(n Node) bool {
	_, ok := b.opaque[n]
	return ok
}

// raise sees to it that no rank is below that of an operand.
func (b *Bank) raise(n Node, rank uint32) {
	x := &b.nodes[n]
	if x.rank >= rank {
		return
	}
	b.note(change{kind: wasRanked, at: uint32(n), a: x.rank})
	x.rank = rank
	for k := range x.nout {
		for s := b.tensors[x.outs+Tensor(k)].uses; s != none; s = b.slots[s].next {
			b.raise(b.slots[s].owner, rank)
		}
	}
}

// inherit gives a node without a name that of the one it replaces.
func (b *Bank) inherit(from, to Node) {
	name, ok := b.origin[from]
	if _, has := b.origin[to]; !ok || has || b.Op(from) == nil {
		return
	}
	b.note(change{kind: wasNamed, at: uint32(to), a: uint32(from)})
	b.origin[to] = name
}
