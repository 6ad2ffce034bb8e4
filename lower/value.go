package lower

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Elements is the number of elements.
func (v *Value) Elements() int { return graph.NumElements(v.Sizes) }

// Dense reports whether the elements lie one after the other, row-major.
func (v *Value) Dense() bool {
	n := 1
	for i := len(v.Sizes) - 1; i >= 0; i-- {
		if v.Sizes[i] != 1 && v.Strides[i] != n {
			return false
		}
		n *= v.Sizes[i]
	}
	return true
}

// View is the value with other sizes, strides and first element.
func (v *Value) View(off int, sizes, strides []int) Value {
	w := *v
	w.Offset, w.Sizes, w.Strides = v.Offset+off, slices.Clone(sizes), slices.Clone(strides)
	return w
}

// Whole reports whether a value is dense and all of its buffer.
func (p *Plan) Whole(id ValueID) bool {
	v := &p.Values[id]
	return v.Offset == 0 && v.Elements()*v.DType.Bytes() == p.Buffers[v.Buffer].Bytes && v.Dense()
}

// Spread is how a value of some sizes lies under a tensor of the same sizes,
// row by row, as operand of a step: its mode, and for a row or column operand
// the row length n it asks for, and for a row operand the number of rows after
// which it repeats. ok is false if no mode fits.
func (v *Value) Spread() (mode Mode, n, mod int, ok bool) {
	if v.Elements() == 1 {
		return Scalar, 0, 0, true
	}
	// Axes of size 1 play no part. The others must be: broadcast ones, dense
	// ones, broadcast ones.
	first, last, dense := -1, -1, 1
	for i := len(v.Sizes) - 1; i >= 0; i-- {
		if v.Sizes[i] == 1 || v.Strides[i] == 0 {
			continue
		}
		if last < 0 {
			last = i
		} else if slices.ContainsFunc(v.Sizes[i+1:first], func(n int) bool { return n != 1 }) {
			return 0, 0, 0, false
		}
		if v.Strides[i] != dense {
			return 0, 0, 0, false
		}
		dense *= v.Sizes[i]
		first = i
	}
	if first < 0 {
		return Scalar, 0, 0, true
	}
	before, after := graph.NumElements(v.Sizes[:first]), graph.NumElements(v.Sizes[last+1:])
	switch {
	case before == 1 && after == 1:
		return Full, 0, 0, true
	case after == 1:
		return Col, dense, 0, true
	}
	return Row, after, dense, true
}

// Rows are the rows of a value of which each is dense and begins as far behind the one
// before, further than that one is long: their length and their distance, in elements. ok is
// false if it is not so.
func (v *Value) Rows() (n, apart int, ok bool) {
	k, n := len(v.Sizes), 1
	for k > 0 && (v.Sizes[k-1] == 1 || v.Strides[k-1] == n) {
		k--
		n *= v.Sizes[k]
	}
	apart, ok = v.joined(0, k)
	return n, apart, ok && n > 1 && apart > n
}

// Packable reports whether the last two axes are matrices that can be read along
// their memory.
func (v *Value) Packable() bool {
	r := len(v.Sizes)
	return v.Strides[r-2] == 1 || v.Strides[r-1] == 1 || v.Sizes[r-2] == 1 || v.Sizes[r-1] == 1
}
