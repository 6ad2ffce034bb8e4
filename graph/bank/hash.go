package bank

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// The hash of a graph is linear in the hashes of its tensors, so that a rewrite
// changes it by what it changes there, times a number that is known before:
//
//	hash(output k of op[attrs](x0, x1, ...)) = add(op, attrs, k) + sum of mul(op, attrs, i) * hash(xi)
//	hash(graph) = sum of weight(i) * hash(output i)
//
// over the pairs of integers modulo 2^61 - 1, where add, mul and weight are taken
// from SHA-256 of what they are the numbers of; operands of commutative operators
// have one factor. Written out, the hash is a sum over all paths from an output
// downwards, each a product of the factors on the way and the constant at its end.
// The labels of all paths tell a term, so two graphs of different terms have
// polynomials that differ, and agree in a random point with a probability of
// depth/2^61 in each half (Schwartz, 1980). The derivative of the graph's hash by
// that of a tensor is the sum over the paths to it; settle computes it for all
// tensors in one pass.

// modulus is a Mersenne prime.
const modulus = 1<<61 - 1

// element is a pair of integers modulo the prime.
type element [2]uint64

func reduce(x uint64) uint64 {
	x = x&modulus + x>>61
	if x >= modulus {
		x -= modulus
	}
	return x
}

func (x element) plus(y element) element {
	return element{reduce(x[0] + y[0]), reduce(x[1] + y[1])}
}

func (x element) minus(y element) element {
	return element{reduce(x[0] + modulus - y[0]), reduce(x[1] + modulus - y[1])}
}

func (x element) times(y element) element {
	return element{product(x[0], y[0]), product(x[1], y[1])}
}

func product(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return reduce(lo&modulus + (hi<<3 | lo>>61))
}

// Hash is a hash of what a graph computes with which operators, inputs and
// weights. It depends on content only: not on numbers of nodes, nor on the way in
// which the graph was made.
type Hash [16]byte

// String is the hash in 32 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// known is what is known of the present graph.
type knowledge uint8

const (
	knowHashes knowledge = 1 << iota // of tensors
	knowSlopes                       // derivatives by them
	knowSum                          // the hash of the graph
	knowAll    = knowHashes | knowSlopes | knowSum
)

type linearState struct {
	known knowledge
	epoch uint32 // of the last settling
	sum   element
}

// linear holds hashes of tensors and derivatives by them.
type linear struct {
	linearState
	hash  []element // by tensor
	slope []element
	at    []uint32 // by tensor: the epoch in which its hash was computed
	order []Node   // live nodes, operands first
	seen  []uint32 // by node: the epoch in which it was put into order
}

// Hash is the hash of the graph. After one Replace since the last Mark or Apply
// it is known from the tensors that were replaced.
func (b *Bank) Hash() Hash {
	if b.linear.known&knowSum == 0 {
		b.settle()
	}
	var h Hash
	binary.LittleEndian.PutUint64(h[:], b.linear.sum[0])
	binary.LittleEndian.PutUint64(h[8:], b.linear.sum[1])
	return h
}

// fresh sees to it that hashes and derivatives are those of the present graph.
func (b *Bank) fresh() {
	if b.linear.known&(knowHashes|knowSlopes) != knowHashes|knowSlopes {
		b.settle()
	}
}

// of is the hash of a tensor; those of live tensors are known.
func (l *linear) of(b *Bank, t Tensor) element {
	l.grow(len(b.tensors))
	if l.at[t] == l.epoch {
		return l.hash[t]
	}
	x := &b.tensors[t]
	n := &b.nodes[x.node]
	s := &b.syms[n.sym]
	h := s.add[x.out]
	for i := range int(n.arity) {
		h = h.plus(s.mul[i].times(l.of(b, b.args[int(n.first)+i])))
	}
	l.hash[t], l.at[t] = h, l.epoch
	return h
}

func (l *linear) grow(n int) {
	for len(l.hash) < n {
		l.hash, l.slope, l.at = append(l.hash, element{}), append(l.slope, element{}), append(l.at, 0)
	}
}

// settle computes hashes and derivatives, and, where nothing can be undone, ranks.
func (b *Bank) settle() {
	l := &b.linear
	l.grow(len(b.tensors))
	for len(l.seen) < len(b.nodes) {
		l.seen = append(l.seen, 0)
	}
	l.epoch++
	l.order = l.order[:0]
	for _, t := range b.outputs {
		b.after(b.tensors[t].node)
	}
	clear(l.slope)
	for i, n := range l.order {
		x := &b.nodes[n]
		if b.marks == 0 {
			x.rank = uint32(i) + 1
		}
		for k := range x.nout {
			l.of(b, x.outs+Tensor(k))
		}
	}
	l.sum = element{}
	for i, t := range b.outputs {
		w := element{reduce(mix(uint64(i)*2 + 1)), reduce(mix(uint64(i)*2 + 2))}
		l.sum = l.sum.plus(w.times(l.hash[t]))
		l.slope[t] = l.slope[t].plus(w)
	}
	for i := len(l.order) - 1; i >= 0; i-- {
		x := &b.nodes[l.order[i]]
		var d element
		for k := range x.nout {
			d = d.plus(l.slope[x.outs+Tensor(k)])
		}
		s := &b.syms[x.sym]
		for j := range int(x.arity) {
			t := b.args[int(x.first)+j]
			l.slope[t] = l.slope[t].plus(d.times(s.mul[j]))
		}
	}
	l.known = knowAll
}

// after puts a node and all that it needs into order.
func (b *Bank) after(n Node) {
	l := &b.linear
	if l.seen[n] == l.epoch {
		return
	}
	l.seen[n] = l.epoch
	for i := range b.Arity(n) {
		b.after(b.tensors[b.Operand(n, i)].node)
	}
	l.order = append(l.order, n)
}

// replaced is told before tensors are replaced.
func (l *linear) replaced(b *Bank, old, new []Tensor) {
	if l.known != knowAll || len(old) > 1 && b.reaches(old, old) {
		l.known = 0
		return
	}
	for i := range old {
		l.grow(len(b.tensors))
		l.sum = l.sum.plus(l.slope[old[i]].times(l.of(b, new[i]).minus(l.of(b, old[i]))))
	}
	l.known = knowSum
}

// back returns to a state that was marked.
func (l *linear) back(s linearState) {
	if s.epoch != l.epoch {
		l.known = 0
		return
	}
	l.linearState = s
}
