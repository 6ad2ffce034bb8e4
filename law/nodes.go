package law

import (
	"encoding/binary"

	"github.com/taso-go/taso/graph"
)

// Nodes numbers terms so that equal terms have one number, and no others: equal
// operators, attribute values, arguments and outputs, or equal names. Numbers
// count from 0 in the order in which terms are first met, arguments before what
// they are arguments of. A term that is met again, by its pointer, is not looked
// into, so that time and memory are linear in the nodes of the graph that the
// terms share. The zero Nodes holds no term. Not for use by several goroutines.
type Nodes struct {
	seen   map[*Term]int       // to numbers
	number map[string]int      // of what a term is made of
	app    map[string]int      // of the same without the choice of output
	name   map[string]int      // of variables
	op     map[*graph.Op]int   // of operators
	value  map[graph.Value]int // of attribute values
	terms  []*Term             // the first of each number
	apps   []int               // of each number, that of its application
	buf    []byte
}

// Of is the number of t.
func (n *Nodes) Of(t *Term) int {
	if k, ok := n.seen[t]; ok {
		return k
	}
	if n.seen == nil {
		n.seen, n.number, n.app = map[*Term]int{}, map[string]int{}, map[string]int{}
		n.name, n.op, n.value = map[string]int{}, map[*graph.Op]int{}, map[graph.Value]int{}
	}
	t.WalkNew(func(u *Term) bool { _, ok := n.seen[u]; return ok }, func(u *Term) { n.seen[u] = n.add(u) })
	return n.seen[t]
}

// App is a number that the outputs of one application have in common, and no
// other terms.
func (n *Nodes) App(t *Term) int { return n.apps[n.Of(t)] }

// Unique is the first term met that is equal to t.
func (n *Nodes) Unique(t *Term) *Term { return n.terms[n.Of(t)] }

// All lists a term of each number. The caller must not write to it.
func (n *Nodes) All() []*Term { return n.terms }

// Kinds of what heads a node.
const (
	nodeVar = iota
	nodeFn
	nodeOp
)

// add is the number of a term whose arguments have theirs.
func (n *Nodes) add(t *Term) int {
	b := n.buf[:0]
	switch {
	case t.Var != "":
		b = binary.AppendUvarint(append(b, nodeVar), uint64(count(n.name, t.Var)))
	case t.Fn != "":
		b = binary.AppendUvarint(append(b, nodeFn), uint64(count(n.name, t.Fn)))
	default:
		b = binary.AppendUvarint(append(b, nodeOp), uint64(count(n.op, t.Op)))
		b = binary.AppendUvarint(b, uint64(len(t.Attrs)))
		for _, v := range t.Attrs {
			b = binary.AppendUvarint(b, uint64(count(n.value, v)))
		}
	}
	for _, a := range t.Args {
		b = binary.AppendUvarint(b, uint64(n.seen[a]))
	}
	app, ok := n.app[string(b)]
	if !ok {
		app = len(n.app)
		n.app[string(b)] = app
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b[:0], uint64(app)), uint64(t.Out))
	n.buf = b
	k, ok := n.number[string(b)]
	if !ok {
		k = len(n.terms)
		n.number[string(b)] = k
		n.terms, n.apps = append(n.terms, t), append(n.apps, app)
	}
	return k
}

// Equal reports whether a and b are equal terms.
func Equal(a, b *Term) bool {
	var n Nodes
	return a == b || n.Of(a) == n.Of(b)
}

// Size counts the distinct operator applications in the terms: the outputs of
// one application, and equal subterms, count once.
func Size(ts ...*Term) int {
	var n Nodes
	for _, t := range ts {
		n.Of(t)
	}
	size := len(n.app)
	for _, t := range n.terms {
		if t.IsVar() {
			size--
		}
	}
	return size
}
