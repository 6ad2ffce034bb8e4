package bank

import (
	"github.com/taso-go/taso/graph"
)

// Node is an operator application or an input of a Bank; 0 is none. It is the
// identity of an application: two nodes never apply one operator to the same
// tensors.
type Node uint32

// Tensor is one output of a node; 0 is none.
type Tensor uint32

// none ends a list of uses.
const none = int32(-1)

// tensor is what a Bank holds of a Tensor.
type tensor struct {
	node Node
	out  uint32
	typ  typeID
	uses int32 // the first operand of a live node that is this tensor
	// unreal: an element may have no value, or be infinite, for some finite inputs.
	unreal bool
}

// node is what a Bank holds of a Node.
type node struct {
	sym   symID
	first uint32 // operands: args[first : first+arity]
	outs  Tensor // outputs: outs, outs+1, ...
	arity uint16
	nout  uint16
	refs  uint32 // uses by live nodes, and by the outputs of the graph
	rank  uint32 // not below that of an operand, see settle
	app   uint32 // see App
	cost  int64  // while it runs
	next  Node   // in the table, of those with the same key
	key   uint64
	flags flags
}

type flags uint8

const (
	live   flags = 1 << iota // an output of the graph depends on it
	fixed                    // it depends on weights only, or on nothing, and is computed ahead
	listed                   // it is in the table
	heavy                    // it is too much work to be computed ahead
	silent                   // laws do not speak of it: an operand may be infinite, or no number, or it or a result has no elements
	whole                    // part of what is to stay whole: no move changes it
)

// slot is the place of one operand. Those of live nodes are in the list of uses of
// the tensor that is there.
type slot struct {
	owner      Node
	prev, next int32
}

// Bank is a graph of operators that can be rewritten in place: see the package
// comment. It is not safe for concurrent use.
type Bank struct {
	*Table
	nodes   []node
	slots   []slot
	args    []Tensor // by slot
	tensors []tensor

	inputs  []Node
	outputs []Tensor
	total   int64           // cost of what is live
	origin  map[Node]string // names, where there are some
	opaque  map[Node]opaque
	came    map[Tensor]Tensor // by the number that stands for it, see constants; not written to after From
	price   Price

	table map[uint64]Node // by key
	log   []change
	marks int
	work  []pair  // merges to be done
	back  []Node  // nodes that live again and are not in the table
	moved []int32 // slots, in move

	linear  linear
	weights *Weights // what is known of them; nil: what has a value is not asked

	// Merged, if not nil, is told when Replace makes one node of two that have
	// become equal: the first one is dead then.
	Merged func(old, new Node)
}

// opaque is what is needed to write a node back whose meaning is not known.
type opaque struct {
	kind    string
	payload any
}

// pair says that the first node is to be replaced by the second one.
type pair struct{ old, new Node }

// Price is the cost of an operator application, in a unit of the caller's
// choice. It is asked once for equal operators, attributes and types. Inputs and
// what depends on weights only cost nothing: it is computed before a run.
type Price func(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) int64

// New is an empty bank; price may be nil.
func New(price Price) *Bank {
	b := &Bank{Table: newTable(), nodes: make([]node, 1), tensors: make([]tensor, 1),
		origin: map[Node]string{}, opaque: map[Node]opaque{}, table: map[uint64]Node{}, price: price}
	b.tensors[0].uses = none
	return b
}

// Vary lets sizes have variables; s is nil if all are fixed. It is called before anything is added.
func (b *Bank) Vary(s *graph.Sizing) { b.sizing = s }

// Len is the number of nodes that were ever added, dead ones included.
func (b *Bank) Len() int { return len(b.nodes) - 1 }

// Live reports whether an output of the graph depends on a node.
func (b *Bank) Live(n Node) bool { return b.nodes[n].flags&live != 0 }

// Has reports whether there is a tensor of that number that something live computes.
func (b *Bank) Has(t Tensor) bool {
	return t != 0 && int(t) < len(b.tensors) && b.Live(b.tensors[t].node)
}

// Fixed reports whether a node depends on weights only, or on nothing, and is not too
// much work to be computed ahead ([graph.Heavy]), nor is anything that it depends on:
// what it computes is the same in every run and costs nothing then.
func (b *Bank) Fixed(n Node) bool { return b.nodes[n].flags&fixed != 0 }

// Op is the operator that a node applies, nil for an input.
func (b *Bank) Op(n Node) *graph.Op { return b.syms[b.nodes[n].sym].op }

// Attrs are the attribute values of a node's operator, at the sample sizes. The caller must
// not write to them.
func (b *Bank) Attrs(n Node) graph.Attrs { return b.syms[b.nodes[n].sym].at }

// OpenAttrs are the attribute values of a node's operator, with variables of dynamic sizes. The
// caller must not write to them.
func (b *Bank) OpenAttrs(n Node) graph.Attrs { return b.syms[b.nodes[n].sym].attrs }

// Sizing is the dynamic sizes of the network, nil if all sizes are fixed.
func (b *Bank) Sizing() *graph.Sizing { return b.sizing }

// Arity is the number of a node's operands.
func (b *Bank) Arity(n Node) int { return int(b.nodes[n].arity) }

// Operand is operand i of a node.
func (b *Bank) Operand(n Node, i int) Tensor { return b.args[int(b.nodes[n].first)+i] }

// Operands are all operands of a node. The caller must not write to them; they
// are as they are until the next Replace or Undo.
func (b *Bank) Operands(n Node) []Tensor {
	x := &b.nodes[n]
	end := x.first + uint32(x.arity)
	return b.args[x.first:end:end]
}

// NumOut is the number of a node's outputs.
func (b *Bank) NumOut(n Node) int { return int(b.nodes[n].nout) }

// Out is output i of a node.
func (b *Bank) Out(n Node, i int) Tensor { return b.nodes[n].outs + Tensor(i) }

// NodeOf is the node that computes a tensor, and which of its outputs it is.
func (b *Bank) NodeOf(t Tensor) (Node, int) { return b.tensors[t].node, int(b.tensors[t].out) }

// Shape is the shape of a tensor, with variables of dynamic sizes; the caller must not write to it.
func (b *Bank) Shape(t Tensor) graph.Shape { return b.types[b.tensors[t].typ].shape }

// Type is the element type of a tensor, and its sizes at the sample sizes.
func (b *Bank) Type(t Tensor) graph.TensorType { return b.types[b.tensors[t].typ].TensorType }

// Inputs are the inputs, weights included, in the order in which they were added.
func (b *Bank) Inputs() []Node { return b.inputs }

// Outputs are the outputs of the graph; the caller must not write to them.
func (b *Bank) Outputs() []Tensor { return b.outputs }

// Name is the name under which a node came, or the name of the node that it
// replaced; "" if there is none.
func (b *Bank) Name(n Node) string { return b.origin[n] }

// Cost is the sum of the prices of all live nodes that are not fixed.
func (b *Bank) Cost() int64 { return b.total }

// Users calls f with each live node that has t as an operand, once for each
// place, until f returns false.
func (b *Bank) Users(t Tensor, f func(n Node, operand int) bool) {
	for s := b.tensors[t].uses; s != none; s = b.slots[s].next {
		u := b.slots[s].owner
		if !f(u, int(s)-int(b.nodes[u].first)) {
			return
		}
	}
}

// UseCount is the number of operands and outputs of the graph that are t.
func (b *Bank) UseCount(t Tensor) int {
	n := 0
	for s := b.tensors[t].uses; s != none; s = b.slots[s].next {
		n++
	}
	for _, o := range b.outputs {
		if o == t {
			n++
		}
	}
	return n
}

// Nodes calls f with every live node that applies an operator, in the order of
// their numbers, until f returns false.
func (b *Bank) Nodes(f func(Node) bool) {
	for n := 1; n < len(b.nodes); n++ {
		if b.Live(Node(n)) && b.Op(Node(n)) != nil && !f(Node(n)) {
			return
		}
	}
}
