package bank

import "fmt"

// Check looks for what must never be, in time for the whole bank.
func (b *Bank) Check() error {
	refs := make([]uint32, len(b.nodes))
	for _, t := range b.outputs {
		refs[b.tensors[t].node]++
	}
	listedAt := map[Node]bool{}
	for key, n := range b.table {
		for ; n != 0; n = b.nodes[n].next {
			if b.nodes[n].key != key || b.nodes[n].flags&listed == 0 || b.keyOf(n) != key {
				return fmt.Errorf("node %d is listed under a key that is not its own", n)
			}
			if m := b.find(n, key); m != 0 {
				return fmt.Errorf("nodes %d and %d are equal", n, m)
			}
			listedAt[n] = true
		}
	}
	total := int64(0)
	for i := 1; i < len(b.nodes); i++ {
		n := Node(i)
		x := &b.nodes[n]
		if x.flags&listed != 0 && !listedAt[n] {
			return fmt.Errorf("node %d says that it is listed", n)
		}
		if x.flags&live == 0 {
			continue
		}
		if x.flags&listed == 0 {
			return fmt.Errorf("live node %d is not listed", n)
		}
		if x.flags&fixed == 0 {
			total += x.cost
		}
		f := fixed
		for k := range b.Arity(n) {
			o := b.tensors[b.Operand(n, k)].node
			refs[o]++
			f &= b.nodes[o].flags
			if b.nodes[o].rank > x.rank {
				return fmt.Errorf("node %d has a rank below that of its operand %d", n, o)
			}
			used := false
			b.Users(b.Operand(n, k), func(u Node, at int) bool {
				used = used || u == n && at == k
				return true
			})
			if !used {
				return fmt.Errorf("node %d is not among the users of its operand %d", n, k)
			}
		}
		if x.flags&heavy != 0 {
			f = 0
		}
		if b.Op(n) != nil && !b.isOpaque(n) && f != x.flags&fixed {
			return fmt.Errorf("node %d: fixed is %t", n, x.flags&fixed != 0)
		}
	}
	for i := 1; i < len(b.nodes); i++ {
		if x := &b.nodes[i]; x.refs != refs[i] || (x.refs > 0) != (x.flags&live != 0) {
			return fmt.Errorf("node %d has %d uses, counts %d", i, refs[i], x.refs)
		}
	}
	for t := 1; t < len(b.tensors); t++ {
		prev := none
		for s := b.tensors[t].uses; s != none; s = b.slots[s].next {
			if b.args[s] != Tensor(t) || b.slots[s].prev != prev || !b.Live(b.slots[s].owner) {
				return fmt.Errorf("the uses of tensor %d are broken", t)
			}
			prev = s
		}
	}
	if total != b.total {
		return fmt.Errorf("the cost is %d, the sum of prices %d", b.total, total)
	}
	return nil
}
