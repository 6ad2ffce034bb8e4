package bank

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/taso-go/taso/graph"
)

// AddInput adds an input, or a weight, of the given type. Inputs of one name and
// type are one node.
func (b *Bank) AddInput(name string, weight bool, t graph.TensorType) Node {
	n, err := b.AddOpen(name, weight, t.DType, graph.Sizes(t.Sizes...))
	if err != nil {
		panic(err) // fixed sizes have no variables
	}
	return n
}

// AddOpen is AddInput for a shape that may have variables of dynamic sizes.
func (b *Bank) AddOpen(name string, weight bool, dtype graph.DType, shape graph.Shape) (Node, error) {
	typ, err := b.typeID(dtype, shape)
	if err != nil {
		return 0, err
	}
	var f flags
	if weight {
		f = fixed
	}
	n, isNew := b.add(b.leaf(name, weight, typ), nil, []typeID{typ}, 0, f)
	if isNew {
		b.inputs = append(b.inputs, n)
		b.origin[n] = name
	}
	return n, nil
}

// Apply is the node that applies op to tensors of the bank: the one that is
// there, or a new one, which is not live before something live uses it. dtype is
// the element type of an operator without operands. The error says why the
// operands do not fit.
func (b *Bank) Apply(op *graph.Op, a graph.Attrs, dtype graph.DType, in ...Tensor) (Node, error) {
	return b.apply(b.symbol(op, a, dtype, ""), in)
}

func (b *Bank) apply(sym symID, in []Tensor) (Node, error) {
	var few [8]typeID
	types := few[:0]
	f := fixed
	for i, t := range in {
		if t == 0 || int(t) >= len(b.tensors) {
			return 0, fmt.Errorf("operator %s: operand %d: there is no tensor %d", b.syms[sym].op.Name, i, t)
		}
		types = append(types, b.tensors[t].typ)
		f &= b.nodes[b.tensors[t].node].flags
	}
	k := b.infer(sym, types, b.price)
	if k.err != nil {
		return 0, k.err
	}
	if f &= fixed; k.heavy {
		f = heavy
	}
	if b.anyEmpty(types) || b.anyEmpty(k.outs) {
		f |= silent
	}
	b.fresh()
	n, isNew := b.add(sym, in, k.outs, k.cost, f)
	if isNew {
		b.nodes[n].app = k.app
		b.value(n, k)
	}
	return n, nil
}

// anyEmpty reports whether a tensor of one of the types has no elements.
func (b *Bank) anyEmpty(types []typeID) bool {
	return slices.ContainsFunc(types, func(t typeID) bool { return b.types[t].Empty() })
}

// add finds or makes a node.
func (b *Bank) add(sym symID, in []Tensor, outs []typeID, cost int64, f flags) (n Node, isNew bool) {
	key := b.hashKey(sym, len(in), func(i int) Tensor { return in[i] })
	for n := b.table[key]; n != 0; n = b.nodes[n].next {
		if b.nodes[n].key == key && b.nodes[n].sym == sym && b.sameOperands(n, in) {
			return n, false
		}
	}
	n = Node(len(b.nodes))
	b.nodes = append(b.nodes, node{sym: sym, first: uint32(len(b.slots)), outs: Tensor(len(b.tensors)),
		arity: uint16(len(in)), nout: uint16(len(outs)), cost: cost, flags: f})
	rank := uint32(0)
	for _, t := range in {
		b.slots, b.args = append(b.slots, slot{owner: n, prev: none, next: none}), append(b.args, t)
		rank = max(rank, b.nodes[b.tensors[t].node].rank)
	}
	b.nodes[n].rank = rank
	for i, typ := range outs {
		if t := len(b.tensors); t < len(b.linear.at) {
			b.linear.at[t] = 0 // of a tensor of that number that is gone
		}
		b.tensors = append(b.tensors, tensor{node: n, out: uint32(i), typ: typ, uses: none})
	}
	b.note(change{kind: wasNew, at: uint32(n)})
	b.enter(n, key)
	return n, true
}

// hashKey is what nodes are found by. Operands of commutative operators count in
// any order.
func (b *Bank) hashKey(sym symID, arity int, operand func(int) Tensor) uint64 {
	h := uint64(sym) * 0x9E3779B97F4A7C15
	commutative := b.syms[sym].op != nil && b.syms[sym].op.Commutative
	for i := range arity {
		x := mix(uint64(operand(i)) + 0x632BE59BD9B4E019)
		if commutative {
			h += x
			continue
		}
		h = mix(bits.RotateLeft64(h, 23) ^ x)
	}
	return mix(h)
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// sameOperands reports whether a node has these operands; in the other order, where a law
// says that it is the same.
func (b *Bank) sameOperands(n Node, in []Tensor) bool {
	if len(in) != b.Arity(n) {
		return false
	}
	same := true
	for i, t := range in {
		same = same && b.Operand(n, i) == t
	}
	return same || len(in) == 2 && b.Op(n).Commutative && b.spoken(b.Out(n, 0)) && b.Operand(n, 0) == in[1] && b.Operand(n, 1) == in[0]
}

// find is the node of the table that applies what n applies, to the same tensors.
func (b *Bank) find(n Node, key uint64) Node {
	in := b.Operands(n)
	for m := b.table[key]; m != 0; m = b.nodes[m].next {
		if m != n && b.nodes[m].key == key && b.nodes[m].sym == b.nodes[n].sym && b.sameOperands(m, in) {
			return m
		}
	}
	return 0
}

func (b *Bank) keyOf(n Node) uint64 {
	return b.hashKey(b.nodes[n].sym, b.Arity(n), func(i int) Tensor { return b.Operand(n, i) })
}

// enter puts a node into the table.
func (b *Bank) enter(n Node, key uint64) {
	x := &b.nodes[n]
	x.key, x.next = key, b.table[key]
	x.flags |= listed
	b.table[key] = n
}

// leave takes a node out of the table.
func (b *Bank) leave(n Node) {
	x := &b.nodes[n]
	x.flags &^= listed
	if first := b.table[x.key]; first == n {
		if x.next == 0 {
			delete(b.table, x.key)
		} else {
			b.table[x.key] = x.next
		}
	} else {
		m := first
		for b.nodes[m].next != n {
			m = b.nodes[m].next
		}
		b.nodes[m].next = x.next
	}
	x.next = 0
}
