package cpu

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// value is a tensor: sizes and strides, in elements, over a buffer.
type value struct {
	buf     *buffer
	off     int // of the first element
	sizes   []int
	strides []int
	dtype   graph.DType
	// node computes the value: time spent on making it dense is the node's.
	node graph.NodeID
	// copied is the dense copy of a view, once there is one.
	copied *value
}

func (v *value) elements() int { return graph.NumElements(v.sizes) }

// ptr is the address of the first element, once memory is planned.
func (v *value) ptr() ptr { return at(v.buf.base, v.off*v.width()/4) }

// width is the bytes of an element.
func (v *value) width() int { return v.dtype.Bytes() }

// dense reports whether the elements lie one after the other, row-major.
func (v *value) dense() bool {
	n := 1
	for i := len(v.sizes) - 1; i >= 0; i-- {
		if v.sizes[i] != 1 && v.strides[i] != n {
			return false
		}
		n *= v.sizes[i]
	}
	return true
}

// whole reports whether the value is dense and all of its buffer.
func (v *value) whole() bool {
	return v.off == 0 && v.elements()*v.width() == v.buf.bytes && v.dense()
}

// view is the value with other sizes, strides and first element.
func (v *value) view(off int, sizes, strides []int) *value {
	return &value{buf: v.buf, off: v.off + off, sizes: slices.Clone(sizes), strides: slices.Clone(strides), dtype: v.dtype, node: v.node}
}

// reshaped is a dense value with other sizes.
func (v *value) reshaped(sizes []int) *value { return v.view(0, sizes, graph.Strides(sizes)) }

// spread is how a value of some sizes lies under a tensor of the same sizes,
// row by row, as operand of a chain: its mode, and for a row or column operand
// the row length n it asks for, and for a row operand the number of rows after
// which it repeats. ok is false if no mode fits.
func (v *value) spread() (mode int32, n, rowMod int, ok bool) {
	if v.elements() == 1 {
		return modeScalar, 0, 0, true
	}
	// Axes of size 1 play no part. The others must be: broadcast ones, dense
	// ones, broadcast ones.
	first, last, dense := -1, -1, 1
	for i := len(v.sizes) - 1; i >= 0; i-- {
		if v.sizes[i] == 1 || v.strides[i] == 0 {
			continue
		}
		if last < 0 {
			last = i
		} else if slices.ContainsFunc(axesBetween(v.sizes, i, first), func(int) bool { return true }) {
			return 0, 0, 0, false
		}
		if v.strides[i] != dense {
			return 0, 0, 0, false
		}
		dense *= v.sizes[i]
		first = i
	}
	if first < 0 {
		return modeScalar, 0, 0, true
	}
	before, after := graph.NumElements(v.sizes[:first]), graph.NumElements(v.sizes[last+1:])
	switch {
	case before == 1 && after == 1:
		return modeFull, 0, 0, true
	case after == 1:
		return modeCol, dense, 0, true
	}
	return modeRow, after, dense, true
}

// axesBetween lists the axes strictly between i and j that are not of size 1.
func axesBetween(sizes []int, i, j int) []int {
	var out []int
	for k := i + 1; k < j; k++ {
		if sizes[k] != 1 {
			out = append(out, k)
		}
	}
	return out
}

// merged drops axes of size 1 and joins neighbours that are one axis on both
// sides of a copy.
func merged(axes []axis) []axis {
	var out []axis
	for _, a := range axes {
		if a.n == 1 {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].from == a.n*a.from && out[k].to == a.n*a.to {
			out[k] = axis{out[k].n * a.n, a.from, a.to}
			continue
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		out = append(out, axis{1, 1, 1})
	}
	return out
}
