package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Operators that move elements. Reshape, transpose, slice, split and broadcast
// are views; who needs dense data copies them.

func emitReshape(c *compiler, _ attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	x, err := c.dense(in[0])
	if err != nil {
		return nil, err
	}
	return []*value{c.viewed(x.reshaped(out[0].Sizes))}, nil
}

// viewed gives a view to the node that is being compiled.
func (c *compiler) viewed(v *value) *value {
	v.node = c.node
	return v
}

func emitTranspose(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	perm, err := a.ints("perm")
	if err != nil {
		return nil, err
	}
	x := in[0]
	strides := make([]int, len(perm))
	for i, p := range perm {
		if p < 0 || p >= len(x.strides) {
			return nil, fmt.Errorf("permutation %v of %d axes", perm, len(x.strides))
		}
		strides[i] = x.strides[p]
	}
	return []*value{c.viewed(x.view(0, out[0].Sizes, strides))}, nil
}

func emitSlice(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axis, err := a.int("axis")
	if err != nil {
		return nil, err
	}
	lo, err := a.int("lo")
	if err != nil {
		return nil, err
	}
	x := in[0]
	return []*value{c.viewed(x.view(lo*x.strides[axis], out[0].Sizes, x.strides))}, nil
}

func emitSplit(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axis, err := a.int("axis")
	if err != nil {
		return nil, err
	}
	x := in[0]
	lo := 0
	var vs []*value
	for _, t := range out {
		vs = append(vs, c.viewed(x.view(lo*x.strides[axis], t.Sizes, x.strides)))
		lo += t.Sizes[axis]
	}
	return vs, nil
}

func emitBroadcast(c *compiler, _ attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	// The operand's axes are aligned with the last ones of the result.
	x, to := in[0], out[0].Sizes
	strides := make([]int, len(to))
	shift := len(to) - len(x.sizes)
	for i := range x.sizes {
		if x.sizes[i] != 1 || to[shift+i] == 1 {
			strides[shift+i] = x.strides[i]
		}
	}
	return []*value{c.viewed(x.view(0, to, strides))}, nil
}

// place is a copy of a value into a part of a larger tensor.
type place struct {
	v    *value
	off  int
	axes []axis
}

// placed makes a tensor of copies of values at places, the rest being fill.
func (c *compiler) placed(t graph.TensorType, fill float64, filled bool, at [][]int, vs ...*value) (*value, error) {
	y, err := c.result(t, vs...)
	if err != nil {
		return nil, err
	}
	var ps []place
	for i, v := range vs {
		p := place{v: v}
		for k := range v.sizes {
			p.off += at[i][k] * y.strides[k]
			p.axes = append(p.axes, axis{v.sizes[k], v.strides[k], y.strides[k]})
		}
		p.axes = merged(p.axes)
		ps = append(ps, p)
	}
	kern, n, width := c.t, y.elements(), y.width()
	s := &step{run: func(ptr) error {
		if filled && y.dtype == graph.Int64 {
			whole := i64(y.ptr(), n)
			for i := range whole {
				whole[i] = int64(fill)
			}
		} else if filled {
			whole := f32(y.ptr(), n)
			for i := range whole {
				whole[i] = float32(fill)
			}
		}
		for _, p := range ps {
			kern.move(bytesPtr(y.ptr(), p.off*width), p.v.ptr(), width, p.axes)
		}
		return nil
	}}
	return y, c.add(s, y, vs...)
}

func emitConcat(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axis, err := a.int("axis")
	if err != nil {
		return nil, err
	}
	var places [][]int
	lo := 0
	for _, v := range in {
		p := make([]int, len(v.sizes))
		p[axis] = lo
		lo += v.sizes[axis]
		places = append(places, p)
	}
	y, err := c.placed(out[0], 0, false, places, in...)
	return []*value{y}, err
}

// emitEnlarge pads a kernel with zeros on all sides, its center staying.
func emitEnlarge(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	w, y := in[0].sizes, out[0].Sizes
	place := []int{0, 0, (y[2] - w[2]) / 2, (y[3] - w[3]) / 2}
	v, err := c.placed(out[0], 0, true, [][]int{place}, in[0])
	return []*value{v}, err
}

func emitPad(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	before, err := a.ints("before")
	if err != nil {
		return nil, err
	}
	fill, err := a.real("value")
	if err != nil {
		return nil, err
	}
	y, err := c.placed(out[0], fill, true, [][]int{before}, in[0])
	return []*value{y}, err
}

// emitGather picks slices along an axis by an int64 tensor; negative indices
// count from the end.
func emitGather(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axis, err := a.int("axis")
	if err != nil {
		return nil, err
	}
	in, err = c.allDense(in)
	if err != nil {
		return nil, err
	}
	x, idx := in[0], in[1]
	y, err := c.result(out[0], x, idx)
	if err != nil {
		return nil, err
	}
	outer, n := graph.NumElements(x.sizes[:axis]), x.sizes[axis]
	bytes := graph.NumElements(x.sizes[axis+1:]) * x.width()
	m := idx.elements()
	s := &step{run: func(ptr) error {
		from := bytesAt(x.ptr(), outer*n*bytes)
		to := bytesAt(y.ptr(), outer*m*bytes)
		for o := 0; o < outer; o++ {
			for j, k := range i64(idx.ptr(), m) {
				if k < 0 {
					k += int64(n)
				}
				if k < 0 || k >= int64(n) {
					return fmt.Errorf("index %d of an axis of %d", k, n)
				}
				copy(to[(o*m+j)*bytes:][:bytes], from[(o*n+int(k))*bytes:])
			}
		}
		return nil
	}}
	return []*value{y}, c.add(s, y, x, idx)
}
