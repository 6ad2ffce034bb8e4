package op

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// unravel is the index in shape x of the element that is at index at of shape y: the
// place of the element in row-major order, in digits of the sizes of x. For sizes that
// are not numbers see graph.Space.Quotient.
//
//	y = [a, b*c], x = [a*b, c]:  at = (i, c*j + k)  is  (b*i + j, k)
func unravel(s *graph.Space, x, y graph.Shape, at []graph.Index) []graph.Index {
	front, back := shared(x, y)
	from := make([]graph.Index, len(x))
	copy(from[:front], at[:front])
	copy(from[len(x)-back:], at[len(y)-back:])
	x, y = x[front:len(x)-back], y[front:len(y)-back]
	at, rest := at[front:front+len(y)], from[front:front+len(x)]
	nx, okx := x.Concrete()
	ny, oky := y.Concrete()
	if okx && oky && fits(nx) && fits(ny) {
		flat := graph.IndexInt(0)
		for i, k := range graph.Strides(ny) {
			flat = flat.AddScaled(at[i], int64(k))
		}
		for i, k := range graph.Strides(nx) {
			rest[i] = s.Div(flat, int64(k)).AddScaled(s.Div(flat, int64(k*nx[i])), -int64(nx[i]))
		}
		return from
	}
	// Where it counts, at is within y: digits are found from that first, and then from
	// what at is.
	var flat graph.Index
	by := map[graph.Sym]graph.Index{}
	n := graph.Int(1)
	for i := len(y) - 1; i >= 0; i-- {
		if y[i].Dim == graph.Int(1) {
			continue
		}
		v := s.Place(i, y[i].Dim)
		by[v] = at[i]
		flat = flat.Add(s.Times(v.Index(), n))
		n = n.Mul(y[i].Dim)
	}
	whole := graph.Int(1)
	low := flat // the place divided by whole
	for i := len(x) - 1; i >= 0; i-- {
		if x[i].Dim == graph.Int(1) {
			continue
		}
		whole = whole.Mul(x[i].Dim)
		high := graph.IndexInt(0)
		if whole != n {
			high = s.Quotient(flat, whole)
		}
		rest[i] = low.Sub(s.Times(high, x[i].Dim))
		low = high
	}
	s.Wanted()
	for i := range rest {
		rest[i] = s.Subst(rest[i], by)
	}
	return from
}

// fits reports whether the number of elements of a shape is an int.
func fits(sizes []int) bool {
	n := 1
	for _, k := range sizes {
		if k < 1 || n > math.MaxInt/k {
			return false
		}
		n *= k
	}
	return true
}
