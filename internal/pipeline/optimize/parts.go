package optimize

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
)

// Weights of one model may be made of those of another, by whoever merged or split
// operators: they lie beside each other in one, or are a part of one. Both are found
// by comparing bytes, and said in the graph as concat and slice; whether that is
// right is for verify/network to check.

// mostParts is the most parts that are looked for in one weight along one axis: of zeros,
// every number could be one.
const mostParts = 4096

// array is a weight with its bytes.
type array struct {
	dtype graph.DType
	sizes []int
	raw   []byte
	at    graph.Tensor
}

func arrayOf(w *model.Weight) (array, error) {
	raw, err := w.Read()
	return array{dtype: w.DType, sizes: w.Sizes, raw: raw}, err
}

// digest tells arrays apart.
func (a *array) digest() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(a.raw[:len(a.raw):len(a.raw)], "%d %v", a.dtype, a.sizes))
}

// inner is the bytes of one place along an axis.
func (a *array) inner(axis int) int {
	n := a.dtype.Bytes()
	for _, s := range a.sizes[axis+1:] {
		n *= s
	}
	return n
}

// part is what lies from lo to hi on an axis.
func (a *array) part(axis, lo, hi int) array {
	inner := a.inner(axis)
	outer := 1
	for _, n := range a.sizes[:axis] {
		outer *= n
	}
	sizes := append([]int{}, a.sizes...)
	sizes[axis] = hi - lo
	raw := make([]byte, 0, outer*(hi-lo)*inner)
	for i := range outer {
		from := (i*a.sizes[axis] + lo) * inner
		raw = append(raw, a.raw[from:from+(hi-lo)*inner]...)
	}
	return array{dtype: a.dtype, sizes: sizes, raw: raw}
}

// like reports whether arrays differ in the size of one axis at most.
func (a *array) like(b *array, axis int) bool {
	if a.dtype != b.dtype || len(a.sizes) != len(b.sizes) {
		return false
	}
	for i := range a.sizes {
		if i != axis && a.sizes[i] != b.sizes[i] {
			return false
		}
	}
	return true
}

// madeOf is a weight as arrays of the first model: beside each other along an axis,
// or a part of one. It is not ok if it is neither.
func (u *union) madeOf(w array) (t graph.Tensor, ok bool, err error) {
	for axis := range w.sizes {
		u.parts = mostParts
		if t, ok, err = u.beside(w, axis); ok || err != nil {
			return t, ok, err
		}
	}
	for axis := range w.sizes {
		for i := range u.arrays {
			a := &u.arrays[i]
			if !w.like(a, axis) || a.sizes[axis] <= w.sizes[axis] {
				continue
			}
			inner := a.inner(axis)
			for lo := 0; lo+w.sizes[axis] <= a.sizes[axis]; lo++ {
				if !bytes.HasPrefix(w.raw, a.raw[lo*inner:(lo+1)*inner]) { // seldom
					continue
				}
				if p := a.part(axis, lo, lo+w.sizes[axis]); !bytes.Equal(p.raw, w.raw) {
					continue
				}
				t, err := u.slice(a.at, axis, lo, lo+w.sizes[axis])
				return t, err == nil, err
			}
		}
	}
	return t, false, nil
}

// slice is a part of a tensor, for one that was transposed the same part before that:
// whoever computes it again has less to do.
func (u *union) slice(t graph.Tensor, axis, lo, hi int) (graph.Tensor, error) {
	g := u.g.Graph()
	if g.Op(t.Node) == op.Transpose {
		from, attrs := g.Operands(t.Node)[0], g.Attrs(t.Node)
		x, err := u.slice(from, op.Transpose.AxisOf(attrs, g.Sizes(from), axis)[0].Axis, lo, hi)
		if err != nil {
			return x, err
		}
		id, err := u.g.Apply("", op.Transpose, attrs, x)
		return id.Out(0), err
	}
	id, err := u.g.Apply("", op.Slice, graph.Attrs{graph.IntValue(axis), graph.IntValue(lo), graph.IntValue(hi)}, t)
	return id.Out(0), err
}

// beside is a weight as arrays of the first model beside each other along an axis, each
// of which may be several along others.
func (u *union) beside(w array, axis int) (t graph.Tensor, ok bool, err error) {
	var parts []graph.Tensor
	for lo := 0; lo < w.sizes[axis]; {
		if u.parts--; u.parts < 0 {
			return t, false, nil
		}
		x, hi, err := u.strip(&w, axis, lo)
		if err != nil || hi == lo {
			return t, false, err
		}
		parts, lo = append(parts, x), hi
	}
	for _, p := range parts {
		if t.Node == 0 {
			t = p
			continue
		}
		id, err := u.g.Apply("", op.Concat, graph.Attrs{graph.IntValue(axis)}, t, p)
		if err != nil {
			return t, false, err
		}
		t = id.Out(0)
	}
	return t, len(parts) > 1, nil
}

// strip is what begins at a place along an axis, up to hi; hi is lo if nothing was found.
func (u *union) strip(w *array, axis, lo int) (t graph.Tensor, hi int, err error) {
	for i := range u.arrays {
		a := &u.arrays[i]
		hi = lo + a.size(axis)
		if !a.within(w) || hi > w.sizes[axis] || hi-lo == w.sizes[axis] || !a.begins(w, axis, lo) {
			continue
		}
		p := w.part(axis, lo, hi)
		if a.like(w, axis) {
			if bytes.Equal(p.raw, a.raw) {
				return a.at, hi, nil
			}
			continue
		}
		for other := range p.sizes {
			if other == axis || a.sizes[other] == p.sizes[other] {
				continue
			}
			if t, ok, err := u.beside(p, other); ok || err != nil {
				return t, hi, err
			}
		}
	}
	return t, lo, nil
}

// within reports whether an array is no larger than another one along any axis.
func (a *array) within(b *array) bool {
	if a.dtype != b.dtype || len(a.sizes) != len(b.sizes) {
		return false
	}
	for i := range a.sizes {
		if a.sizes[i] > b.sizes[i] {
			return false
		}
	}
	return true
}

// begins reports whether the first row of an array is what stands in another one at a
// place along an axis, and at the first along others: of most arrays it is not.
func (a *array) begins(b *array, axis, lo int) bool {
	last := len(a.sizes) - 1
	n := a.dtype.Bytes() * a.sizes[last]
	from := lo * b.inner(axis)
	return from+n <= len(b.raw) && bytes.Equal(a.raw[:n], b.raw[from:from+n])
}

func (a *array) size(axis int) int {
	if axis >= len(a.sizes) {
		return 0
	}
	return a.sizes[axis]
}
