package bounds

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Network is a graph whose tensors have ranges.
type Network[T comparable] interface {
	// Application is the operator that computes t, with its attributes and operands, and
	// which of its results t is; op is nil for a leaf.
	Application(t T) (op *graph.Op, attrs graph.Attrs, operands []T, out int)
	// Shape and DType are the axes of t and the type of its elements. Sizes that are no
	// numbers are at least 1.
	Shape(t T) graph.Shape
	DType(t T) graph.DType
	// Leaf is the interval of the numbers of an input or a weight.
	Leaf(t T) graph.Interval
}

// MaxDepth is the number of operators below the argument of a partial function that are
// looked at: what is deeper may be any real number.
const MaxDepth = 16

// Status says whether the elements of a tensor have values.
type Status uint8

const (
	// Real: every element has a value for all finite inputs.
	Real Status = iota
	// Outermost: an element may be the value of a partial function at a real number where it
	// has none, with which nothing is computed: the element changes with whatever value the
	// function is given there.
	Outermost
	// Within: an element may be computed with such a value, as the product of a reciprocal,
	// or with an operand that has none.
	Within
)

// Of is the status of t, where real reports whether that of an operand is Real.
func Of[T comparable](n Network[T], t T, real func(T) bool) Status {
	op, _, operands, _ := n.Application(t)
	if op == nil || !n.DType(t).IsFloat() || op.Name == graph.OpaqueName {
		return Real
	}
	q := query[T]{n, map[place[T]]graph.Interval{}}
	of := func(operand func(T) graph.Interval) Status {
		a := at(n, t)
		a.operand = func(i int) graph.Interval { return operand(operands[i]) }
		a.real = func(i int) bool { return real(operands[i]) }
		return a.status()
	}
	// Most operators have values whatever their operands are.
	if of(func(x T) graph.Interval { return graph.IntervalOf(n.DType(x)) }) == Real {
		return Real
	}
	return of(func(x T) graph.Interval { return q.interval(x, MaxDepth) })
}

// query computes the intervals for one partial function.
type query[T comparable] struct {
	n     Network[T]
	known map[place[T]]graph.Interval
}

type place[T comparable] struct {
	t     T
	depth int
}

func (q *query[T]) interval(t T, depth int) graph.Interval {
	op, _, operands, _ := q.n.Application(t)
	switch {
	case op == nil:
		return q.n.Leaf(t)
	case op.Name == graph.OpaqueName || depth == 0:
		return graph.IntervalOf(q.n.DType(t))
	}
	k := place[T]{t, depth}
	r, ok := q.known[k]
	if !ok {
		a := at(q.n, t)
		a.operand = func(i int) graph.Interval { return q.interval(operands[i], depth-1) }
		r, _ = a.interval()
		q.known[k] = r
	}
	return r
}

func at[T comparable](n Network[T], t T) *application {
	op, attrs, operands, out := n.Application(t)
	a := &application{op: op, attrs: attrs, out: out, rank: len(n.Shape(t)), to: n.DType(t)}
	for _, x := range operands {
		a.in = append(a.in, n.Shape(x))
		a.first = append(a.first, slices.Index(operands, x))
	}
	return a
}

// Holds reports whether a type holds all numbers of an interval.
func Holds(t graph.DType, i graph.Interval) bool {
	r := graph.IntervalOf(t)
	if t.Bytes() == 8 { // the largest one is rounded up
		return r.Lo < i.Lo && i.Hi < r.Hi
	}
	return r.Lo <= i.Lo && i.Hi <= r.Hi
}

// IntervalOf is an interval of the elements of a result of an operator on operands in these
// intervals, and whether the type holds all numbers that the operator is about; if it does
// not, the result is any number that the type holds.
func IntervalOf(op *graph.Op, attrs graph.Attrs, in []graph.Shape, operands []graph.Interval, out int, to graph.TensorType) (i graph.Interval, holds bool) {
	a := &application{op: op, attrs: attrs, in: in, out: out, rank: len(to.Sizes), to: to.DType}
	for i := range in {
		a.first = append(a.first, i)
	}
	a.operand = func(i int) graph.Interval { return operands[i] }
	return a.interval()
}

// interval is an interval of the elements, and whether the type holds all numbers that the
// operator is about.
func (a *application) interval() (i graph.Interval, holds bool) {
	i = a.compute()
	if !a.to.IsInt() {
		return i, true
	}
	i.Lo, i.Hi = math.Ceil(i.Lo), math.Floor(i.Hi)
	if !Holds(a.to, i) {
		return graph.IntervalOf(a.to), false
	}
	return i, true
}
