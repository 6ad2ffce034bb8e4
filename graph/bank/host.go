package bank

import "github.com/taso-go/taso/graph"

// Node is the application that t is an output of, for matching of laws: op is nil
// for an input, an opaque node, and where elements are not real numbers
// ([graph.DType.IsReal]), an operand may be infinite, or an operand or a result has no
// elements, of which laws say nothing. The caller must not write to what it gets.
func (b *Bank) Node(t Tensor) (op *graph.Op, attrs graph.Attrs, fn string, args []Tensor, out int) {
	x := &b.tensors[t]
	n := &b.nodes[x.node]
	s := &b.syms[n.sym]
	if !b.spoken(t) {
		return nil, nil, "", nil, 0
	}
	return s.op, s.attrs, "", b.Operands(x.node), int(x.out)
}

// spoken reports whether laws speak of the application that t is an output of.
func (b *Bank) spoken(t Tensor) bool {
	x := &b.tensors[t]
	op := b.syms[b.nodes[x.node].sym].op
	return op != nil && op.Name != graph.OpaqueName && b.nodes[x.node].flags&silent == 0 && b.types[x.typ].DType.IsReal()
}

// Defined says that all tensors of a network are defined: they have sizes.
func (b *Bank) Defined(Tensor) bool { return true }

// Free is a bank in which laws find no node that is to stay whole ([Weights]).
type Free struct{ *Bank }

// Node is that of the bank, but nil for what is to stay whole.
func (b Free) Node(t Tensor) (op *graph.Op, attrs graph.Attrs, fn string, args []Tensor, out int) {
	if b.nodes[b.tensors[t].node].flags&whole != 0 {
		return nil, nil, "", nil, 0
	}
	return b.Bank.Node(t)
}
