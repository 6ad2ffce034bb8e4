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
	seen  map[*Term]int  // to numbers
	index map[string]int // from what a term, or an application of several outputs, is made of
	many  int            // applications of several outputs
	name  map[string]int // of variables and functions
	op    map[*graph.Op]int
	value map[graph.Value]int
	terms []*Term // the first of each number
	apps  []int   // of each number, that of its application
	buf   []byte
}

// Of is the number of t.
func (n *Nodes) Of(t *Term) int {
	if k, ok := n.seen[t]; ok {
		return k
	}
	if n.seen == nil {
		n.seen, n.index, n.name = map[*Term]int{}, map[string]int{}, map[string]int{}
		n.op, n.value = map[*graph.Op]int{}, map[graph.Value]int{}
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
	nodeApp // an application of several outputs
	nodeOut // one of them
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
	several := t.Op != nil && t.Op.Out > 1 || t.Out != 0
	app := len(n.terms)
	if several {
		b[0] = nodeApp
		a, ok := n.index[string(b)]
		if !ok {
			a = n.many
			n.index[string(b)] = a
			n.many++
		}
		app = -1 - a
		b = binary.AppendUvarint(binary.AppendUvarint(append(b[:0], nodeOut), uint64(a)), uint64(t.Out))
	}
	n.buf = b
	k, ok := n.index[string(b)]
	if !ok {
		k = len(n.terms)
		n.index[string(b)] = k
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
	size := n.many
	for k, t := range n.terms {
		if !t.IsVar() && n.apps[k] >= 0 {
			size++
		}
	}
	return size
}
