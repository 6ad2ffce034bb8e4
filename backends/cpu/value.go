package cpu

import "github.com/taso-go/taso/lower"

// value is a tensor of the plan with its memory.
type value struct {
	*lower.Value
	buf *buffer
	off int // of the first element, in bytes
}

// ptr is the address of the first element, once memory is planned; nil of no
// value.
func (v *value) ptr() ptr {
	if v == nil {
		return nil
	}
	return bytesPtr(v.buf.base, v.off)
}

// width is the bytes of an element.
func (v *value) width() int { return v.DType.Bytes() }

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
