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
				id, err := u.g.Apply("", op.Slice, graph.Attrs{graph.IntValue(axis), graph.IntValue(lo), graph.IntValue(lo + w.sizes[axis])}, a.at)
				return id.Out(0), err == nil, err
			}
		}
	}
	return t, false, nil
}

// beside is a weight as arrays of the first model beside each other along an axis.
func (u *union) beside(w array, axis int) (t graph.Tensor, ok bool, err error) {
	var parts []graph.Tensor
	for lo := 0; lo < w.sizes[axis]; {
		found := false
		for i := range u.arrays {
			a := &u.arrays[i]
			if hi := lo + a.size(axis); w.like(a, axis) && hi <= w.sizes[axis] && hi-lo < w.sizes[axis] {
				if inner := w.inner(axis); !bytes.HasPrefix(a.raw, w.raw[lo*inner:(lo+1)*inner]) {
					continue
				}
				if p := w.part(axis, lo, hi); bytes.Equal(p.raw, a.raw) {
					parts, lo, found = append(parts, a.at), hi, true
					break
				}
			}
		}
		if !found {
			return t, false, nil
		}
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

func (a *array) size(axis int) int {
	if axis >= len(a.sizes) {
		return 0
	}
	return a.sizes[axis]
}
