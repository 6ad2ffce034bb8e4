package op

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/taso-go/taso/graph"
)

// Where an element of a reshaped tensor comes from, for sizes that are not
// numbers. An index along an axis of size a*b is written in digits, one along a
// and one along b: as in a number, the digits are multiplied with strides and
// added, but since sizes are unknown the digits and what they make are kept as
// unknowns of two kinds,
//
//	digit [n, stride s] (f)    floor(f/s) mod n
//	join [n1, n2, ...] (d1, d2, ...)   the index with these digits
//
// with facts that compare digits of different axes: the lowest digit is f mod n, the
// highest one floor(f/s) where f is an index, and whole multiples of n and s come out.
//
// and what is written in digits and read again is put together here. An index is
// in digits of an axis only if their sizes multiply to the size of that axis: an
// index that is smaller, as in the first part of a concatenation, is one digit
// along the axis, whatever digits it is made of.

// digit is one digit of f, an index along an axis of size total.
type digit struct {
	f            graph.Index
	total        graph.Dim
	size, stride graph.Dim
}

// dimsOf remembers the sizes that names of unknowns hold.
var dimsOf sync.Map // string to []graph.Dim

func unknown(kind string, ds ...graph.Dim) string {
	name := kind + " " + graph.ShapeOf(ds...).Key()
	dimsOf.Store(name, ds)
	return name
}

// digitsOf are the digits of an index along an axis of a size; none if that
// is 1.
func digitsOf(s *graph.Space, e graph.Index, size graph.Dim) []digit {
	if size == graph.Int(1) {
		return nil
	}
	if v, ok := e.IsSym(); ok {
		if name, args, ok := s.App(v); ok {
			if ds, ok := dimsOf.Load(name); ok {
				ds := ds.([]graph.Dim)
				switch digits := strings.HasPrefix(name, "digit "); {
				case digits && ds[0] == size:
					return []digit{{args[0], ds[2], ds[0], ds[1]}}
				case !digits && productOf(ds) == size:
					var out []digit
					for i, a := range args {
						out = append(out, digitsOf(s, a, ds[i])...)
					}
					return out
				}
			}
		}
	}
	return []digit{{e, size, size, graph.Int(1)}}
}

func productOf(ds []graph.Dim) graph.Dim {
	n := graph.Int(1)
	for _, d := range ds {
		n = n.Mul(d)
	}
	return n
}

// index is the digit as an expression.
func (d digit) index(s *graph.Space) graph.Index {
	if d.size == d.total && d.stride == graph.Int(1) {
		return d.f
	}
	return s.Func(unknown("digit", d.size, d.stride, d.total), d.known, d.f)
}

// known is what is known of the digit of args[0]: it is a digit; the lowest one is the
// remainder, and the highest one the quotient, whatever the number of digits.
func (d digit) known(s *graph.Space, self graph.Index, args []graph.Index) []graph.Fact {
	f := args[0]
	out := []graph.Fact{{Any: []graph.Guard{graph.GuardLe(graph.IndexInt(0), self)}},
		{Any: []graph.Guard{graph.GuardLt(self, s.Size(d.size))}}}
	if d.stride == graph.Int(1) {
		_, rest := wholes(s, f, d.size)
		if low := s.Func("mod "+graph.ShapeOf(d.size).Key(), nil, rest); !low.Equal(self) {
			out = append(out, graph.Fact{Any: []graph.Guard{graph.GuardEq(self, low)}})
		}
	}
	if d.size.Mul(d.stride) == d.total {
		is := []graph.Guard{{E: f}, graph.GuardLt(f, s.Size(d.total))}
		whole, rest := wholes(s, f, d.stride)
		high := whole.Add(s.Func("div "+graph.ShapeOf(d.stride).Key(), nil, rest))
		out = append(out, graph.Fact{If: is, Any: []graph.Guard{graph.GuardEq(self, high)}})
	}
	return out
}

// wholes takes whole multiples of n out of f: it is n*whole + rest.
func wholes(s *graph.Space, f graph.Index, n graph.Dim) (whole, rest graph.Index) {
	rest = f
	for i := range f.Len() {
		v, k := f.Term(i)
		if m, ok := s.Multiple(v, n); ok {
			whole = whole.AddScaled(s.Size(m), k)
			rest = rest.AddScaled(v.Index(), -k)
		}
	}
	return whole, rest
}

// within is a function of indices that is at least 0 and below n.
func within(s *graph.Space, name string, n graph.Dim, args ...graph.Index) graph.Index {
	return s.Func(name, func(s *graph.Space, self graph.Index, _ []graph.Index) []graph.Fact {
		return []graph.Fact{{Any: []graph.Guard{graph.GuardLe(graph.IndexInt(0), self)}},
			{Any: []graph.Guard{graph.GuardLt(self, s.Size(n))}}}
	}, args...)
}

// joined is the index with the given digits, the most significant first.
func joined(s *graph.Space, ds []digit, n graph.Dim) graph.Index {
	switch len(ds) {
	case 0:
		return graph.IndexInt(0)
	case 1:
		return ds[0].index(s)
	}
	args, sizes := make([]graph.Index, len(ds)), make([]graph.Dim, len(ds))
	for i, d := range ds {
		args[i], sizes[i] = d.index(s), d.size
	}
	return within(s, unknown("join", sizes...), n, args...)
}

// merged puts neighbouring digits of one index together.
func merged(ds []digit) []digit {
	var out []digit
	for _, d := range ds {
		if n := len(out); n > 0 {
			if l := out[n-1]; l.f.Equal(d.f) && l.total == d.total && l.stride == d.size.Mul(d.stride) {
				out[n-1] = digit{d.f, d.total, l.size.Mul(d.size), d.stride}
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

// quotient is a/b if b is a product that divides every term of a.
func quotient(a, b graph.Dim) (graph.Dim, bool) {
	if a == b {
		return graph.Int(1), true
	}
	ts, c := a.Terms()
	bs, k := b.Terms()
	var by graph.Term
	switch {
	case len(bs) == 0:
		by = graph.Term{Coef: k}
	case len(bs) == 1 && k == 0:
		by = bs[0]
	default:
		return a, false
	}
	if by.Coef == 0 {
		return a, false
	}
	if c != 0 {
		ts = append(ts, graph.Term{Coef: c})
	}
	out := graph.Int(0)
	for _, t := range ts {
		if t.Coef%by.Coef != 0 {
			return a, false
		}
		left := append([]graph.Atom{}, t.Atoms...)
		for _, x := range by.Atoms {
			at := slices.IndexFunc(left, func(y graph.Atom) bool { return atomDim(x) == atomDim(y) })
			if at < 0 {
				return a, false
			}
			left = append(left[:at], left[at+1:]...)
		}
		m := graph.Int(t.Coef / by.Coef)
		for _, x := range left {
			m = m.Mul(atomDim(x))
		}
		out = out.Add(m)
	}
	return out, true
}

func atomDim(a graph.Atom) graph.Dim {
	switch a.Kind {
	case graph.AtomVar:
		return graph.Var(a.Name)
	case graph.AtomAxisRun:
		return graph.AxisRunLen(a.Name)
	}
	return graph.Func(a.Name, a.Args...)
}

// assign gives the digits to axes, from the last one on; false if an axis would
// have to end inside a digit whose size is no product.
func assign(s *graph.Space, x graph.Shape, ds []digit) ([]graph.Index, bool) {
	out := make([]graph.Index, len(x))
	for i := len(x) - 1; i >= 0; i-- {
		n := x[i].Dim
		var own []digit
		for n != graph.Int(1) {
			if len(ds) == 0 {
				return nil, false
			}
			d := ds[len(ds)-1]
			if rest, ok := quotient(n, d.size); ok {
				own, ds, n = append([]digit{d}, own...), ds[:len(ds)-1], rest
				continue
			}
			rest, ok := quotient(d.size, n)
			if !ok {
				return nil, false
			}
			low := digit{d.f, d.total, n, d.stride}
			ds[len(ds)-1] = digit{d.f, d.total, rest, d.stride.Mul(n)}
			own, n = append([]digit{low}, own...), graph.Int(1)
		}
		out[i] = joined(s, merged(own), x[i].Dim)
	}
	return out, len(ds) == 0
}

// unravel is the index in shape x of the element that is at index at of shape
// y. Where sizes are numbers it is worked out by division.
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
	var ds []digit
	for i, e := range at {
		ds = append(ds, digitsOf(s, e, y[i].Dim)...)
	}
	if found, ok := assign(s, x, merged(ds)); ok {
		copy(rest, found)
		return from
	}
	// Some place that depends on the shapes and the index alone.
	for i := range rest {
		rest[i] = within(s, fmt.Sprintf("axis %d of %s in %s", i, y.Key(), x.Key()), x[i].Dim, at...)
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
