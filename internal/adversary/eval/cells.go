package eval

import (
	"errors"
	"slices"

	"github.com/taso-go/taso/law"
)

// Field is arithmetic on numbers of one kind; some numbers are bad, see IsBad.
type Field[V any] interface{ field[V] }

// Modular is arithmetic modulo the prime 2^61 - 1. It has no order: the larger of two
// numbers is bad.
func Modular() Field[uint64] { return modular{} }

// Rational is exact arithmetic with the true order; what does not fit into 63 bits is
// bad.
func Rational() Field[frac] { return rational{} }

// Cells evaluates single cells of the outputs of a law at a point, for whoever says
// in another way what they are. It is not safe for concurrent use.
type Cells[V any] struct {
	m     *machine[V]
	sides [2][]*node
	given map[string]*node
}

// errNoPoint says that a law says nothing at a point.
var errNoPoint = errors.New("the law has no instance there")

// NewCells gives the tensors and function variables of a law values, which depend on
// the seed alone. The error says that a given shape or a condition does not hold, or
// why a side is not defined.
func NewCells[V any](f Field[V], l *law.Law, p *Point, seed uint64) (*Cells[V], error) {
	b := newBuild(l, p)
	if ok, err := b.instance(); err != nil || !ok {
		return nil, errors.Join(errNoPoint, err)
	}
	c := &Cells[V]{given: map[string]*node{}}
	for i, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		var err error
		if c.sides[i], err = b.side(ts); err != nil {
			return nil, err
		}
	}
	for name, shape := range b.given {
		b.next++
		c.given[name] = &node{id: b.next, tensor: name, shape: shape}
	}
	c.m = &machine[V]{f: f, seed: seed, whole: New(l).gathers, work: 1_000_000, memo: make([]table[V], b.next+1)}
	return c, nil
}

// Shape is that of an output of the left side, 0, or the right one, 1.
func (c *Cells[V]) Shape(side, out int) []int64 { return slices.Clone(c.sides[side][out].shape) }

// At is a cell of an output. The error says that it depends on too many others, or on
// what has no meaning here.
func (c *Cells[V]) At(side, out int, idx []int64) (V, error) {
	v := c.m.at(c.sides[side][out], idx)
	return v, c.m.err
}

// Given is a cell of a given tensor; false if there is none.
func (c *Cells[V]) Given(name string, idx []int64) (v V, ok bool) {
	n := c.given[name]
	if n == nil || len(idx) != len(n.shape) {
		return v, false
	}
	for i, x := range idx {
		if x < 0 || x >= n.shape[i] {
			return v, false
		}
	}
	return c.m.at(n, idx), true
}

// Variable is the function variable of a name, which is 0 at 0 if it keeps zero.
func (c *Cells[V]) Variable(name string, keeps bool, x V) V {
	return c.m.f.Table(mixText(c.m.seed, "f:"+name), keeps, x)
}

// Ordered reports that a law is about maxima and the like: its cells are rationals.
func (j *Judge) Ordered() bool { return j.ordered }
