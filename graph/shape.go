package graph

import (
	"fmt"
	"math"
	"strings"
)

// Item is one entry of a Shape: an axis of size Dim, or, where AxisRun is not
// empty, the axis run of that name.
type Item struct {
	Dim     Dim
	AxisRun string
}

// Shape is a tensor's shape, outermost axis first. A scalar has no items.
type Shape []Item

// Sizes is the shape with these constant sizes.
func Sizes(ns ...int) Shape {
	s := make(Shape, len(ns))
	for i, n := range ns {
		s[i] = Item{Dim: Int(int64(n))}
	}
	return s
}

// ShapeOf is the shape with these sizes.
func ShapeOf(ds ...Dim) Shape {
	s := make(Shape, len(ds))
	for i, d := range ds {
		s[i] = Item{Dim: d}
	}
	return s
}

// AxisRun is the item for an axis run.
func AxisRun(name string) Item { return Item{AxisRun: name} }

// Axis is the item for one axis of size d.
func Axis(d Dim) Item { return Item{Dim: d} }

// Rank is the number of axes; not a constant if the shape holds runs.
func (s Shape) Rank() Dim {
	n := Int(0)
	for _, it := range s {
		if it.AxisRun != "" {
			n = n.Add(AxisRunLen(it.AxisRun))
		} else {
			n = n.Add(Int(1))
		}
	}
	return n
}

// Concrete returns the sizes of a shape without variables.
func (s Shape) Concrete() ([]int, bool) {
	out := make([]int, len(s))
	for i, it := range s {
		n, ok := it.Dim.Const()
		if !ok || it.AxisRun != "" {
			return nil, false
		}
		out[i] = int(n)
	}
	return out, true
}

// HasAxisRun reports whether the shape holds an axis run.
func (s Shape) HasAxisRun() bool {
	for _, it := range s {
		if it.AxisRun != "" {
			return true
		}
	}
	return false
}

// Index finds the item that is axis number axis (counted from 0 from the
// outside), which must be a single axis and not a run.
func (s Shape) Index(axis Dim) (int, error) {
	at := Int(0)
	for i, it := range s {
		if it.AxisRun == "" {
			if at == axis {
				return i, nil
			}
			at = at.Add(Int(1))
			continue
		}
		at = at.Add(AxisRunLen(it.AxisRun))
	}
	return 0, fmt.Errorf("axis %s of shape %s: no such axis", axis, s)
}

// AxisOf is the inverse of Index: the axis number of item i.
func (s Shape) AxisOf(i int) Dim { return s[:i].Rank() }

// Equal reports whether two shapes are the same, item by item. A size that is
// too large is not the same as any.
func (s Shape) Equal(t Shape) bool {
	if len(s) != len(t) {
		return false
	}
	for i := range s {
		if s[i] != t[i] || s[i].Dim.TooLarge() {
			return false
		}
	}
	return true
}

// String is the shape in the law language's notation, such as [P.., a+b, 3].
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, it := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		if it.AxisRun != "" {
			b.WriteString(it.AxisRun)
			b.WriteString("..")
		} else {
			b.WriteString(it.Dim.String())
		}
	}
	b.WriteByte(']')
	return b.String()
}

// Subst replaces bound variables and runs.
func (s Shape) Subst(b *Substitution) Shape {
	out := make(Shape, 0, len(s))
	for _, it := range s {
		if it.AxisRun == "" {
			out = append(out, Item{Dim: it.Dim.Subst(b)})
			continue
		}
		if r, ok := b.Runs[it.AxisRun]; ok {
			out = append(out, r...)
			continue
		}
		out = append(out, it)
	}
	return out
}

// Walk calls f for every size atom of the shape; a run counts as its length.
func (s Shape) Walk(f func(Atom)) {
	for _, it := range s {
		if it.AxisRun != "" {
			f(AxisRunLen(it.AxisRun).p.terms[0].atoms[0])
			continue
		}
		it.Dim.Walk(f)
	}
}

// Clone is a copy of s.
func (s Shape) Clone() Shape { return append(Shape(nil), s...) }

// With is a copy of s in which item i has size d.
func (s Shape) With(i int, d Dim) Shape {
	t := s.Clone()
	t[i] = Item{Dim: d}
	return t
}

// NumElements is the product of constant sizes; the largest int where they are
// too large, which no memory holds.
func NumElements(sizes []int) int { return int(min(Product(sizes...), math.MaxInt)) }
