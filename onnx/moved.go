package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Where operators that only move elements put them. They compute nothing: what they do to
// the numbers of the elements says what a gather does to the elements.

// mover is an operator that only moves elements to places which constants say. in holds a
// constant for each input; of the data inputs these are the numbers of the elements, from 1
// on, and 0 stands for zero.
type mover func(c *call, in []*constant) *constant

func movedElements(c *call, in []*constant) *constant {
	allOf(in, 2)
	x, k := in[0], in[1]
	out := newConstant(x.dtype, k.sizes...)
	for i, p := range elementPlaces(x.sizes, k, c.axisAttr(0, x.rank())) {
		out.put(i, x, p)
	}
	return out
}

func movedSlices(c *call, in []*constant) *constant {
	allOf(in, 2)
	x, k := in[0], in[1]
	at, slice := slicePlaces(x.sizes, k, int(min(max(c.int("batch_dims", 0), -1), 1000)))
	sizes := slices.Concat(k.sizes[:k.rank()-1], slice)
	most(sizes)
	out, n := newConstant(x.dtype, sizes...), graph.NumElements(slice)
	for i, p := range at {
		for j := range n {
			out.put(i*n+j, x, p+j)
		}
	}
	return out
}

func scatteredElements(c *call, in []*constant) *constant {
	allOf(in, 3)
	x, k, from := in[0], in[1], in[2]
	if !slices.Equal(k.sizes, from.sizes) || from.dtype != x.dtype {
		must.Failf("%s%v for indices of sizes %v", from.dtype, from.sizes, k.sizes)
	}
	out := x.copied()
	for i, p := range elementPlaces(x.sizes, k, c.axisAttr(0, x.rank())) {
		out.put(p, from, i)
	}
	return out
}

func scatteredSlices(c *call, in []*constant) *constant {
	allOf(in, 3)
	x, k, from := in[0], in[1], in[2]
	at, slice := slicePlaces(x.sizes, k, 0)
	if !slices.Equal(from.sizes, slices.Concat(k.sizes[:k.rank()-1], slice)) || from.dtype != x.dtype {
		must.Failf("%s%v for indices of sizes %v", from.dtype, from.sizes, k.sizes)
	}
	out, n := x.copied(), graph.NumElements(slice)
	for i, p := range at {
		for j := range n {
			out.put(p+j, from, i*n+j)
		}
	}
	return out
}

// compressed keeps what a list of truth values says, along an axis or of all elements.
func compressed(c *call, in []*constant) *constant {
	allOf(in, 2)
	x, a := c.alongAxis(in[0])
	var keep []int
	for i, yes := range in[1].ints {
		if yes != 0 {
			keep = append(keep, position(int64(i), x.sizes[a]))
		}
	}
	sizes, st := slices.Clone(x.sizes), graph.Strides(x.sizes)
	sizes[a] = len(keep)
	return x.pick(sizes, func(idx []int) int { return dot(idx, st) + (keep[idx[a]]-idx[a])*st[a] })
}

// turnedSequences turns the first elements of each sequence around.
func turnedSequences(c *call, in []*constant) *constant {
	allOf(in, 2)
	x, long := in[0], in[1]
	time, batch := c.int("time_axis", 0), c.int("batch_axis", 1)
	if time+batch != 1 || time*batch != 0 || x.rank() < 2 || long.rank() != 1 || long.len() != x.sizes[batch] || !long.dtype.IsInt() {
		must.Failf("time axis %d, batch axis %d and %d lengths for sizes %v", time, batch, long.len(), x.sizes)
	}
	for _, n := range long.ints {
		if n < 0 || n > int64(x.sizes[time]) {
			must.Failf("a sequence of %d elements, of %d", n, x.sizes[time])
		}
	}
	st := graph.Strides(x.sizes)
	return x.pick(x.sizes, func(idx []int) int {
		p, t := dot(idx, st), idx[time]
		if n := int(long.ints[idx[batch]]); t < n {
			p += (n - 1 - 2*t) * st[time]
		}
		return p
	})
}

// oneHot: a new axis, on which the position that an index says has one value and all
// others another. Before operator set 11 positions did not count from the end.
func oneHot(c *call, in []*constant) *constant {
	allOf(in, 3)
	k, off := in[0], in[2]
	if in[1].len() != 1 || off.len() != 2 || off.rank() != 1 {
		must.Failf("a depth of sizes %v and values of sizes %v", in[1].sizes, off.sizes)
	}
	depth := in[1].number(0)
	if !(depth >= 1) || depth != math.Trunc(depth) {
		must.Failf("depth %g is not supported", depth)
	}
	if depth > maxConstant {
		must.Do(unsupported("depth %g is not supported", depth))
	}
	n := int(depth)
	a := c.axisAttr(-1, k.rank()+1)
	sizes, st := slices.Insert(slices.Clone(k.sizes), a, n), graph.Strides(k.sizes)
	return off.pick(sizes, func(idx []int) int {
		p := math.Trunc(k.number(dot(idx[:a], st) + dot(idx[a+1:], st[a:])))
		if p < 0 && c.im.opset >= 11 {
			p += depth
		}
		return int(truth(p == float64(idx[a])))
	})
}

// triangle: elements above or below a diagonal become zero.
func triangle(c *call, in []*constant) *constant {
	allOf(in[:1], 1)
	x, upper := in[0], c.int("upper", 1) != 0
	if x.rank() < 2 {
		must.Failf("sizes %v are no matrices", x.sizes)
	}
	k := int64(0)
	if by := c.knownInts(1, "diagonal"); by != nil {
		if len(by) != 1 {
			must.Failf("%d diagonals", len(by))
		}
		k = diagonal(int64(by[0]))
	}
	out := newConstant(x.dtype, x.sizes...)
	graph.Each(x.sizes, func(flat int, idx []int) {
		d := int64(idx[len(idx)-1]-idx[len(idx)-2]) - k
		if d == 0 || upper == (d > 0) {
			out.put(flat, x, flat)
		}
	})
	return out
}

// allOf requires n constants.
func allOf(in []*constant, n int) {
	if len(in) != n || slices.Contains(in, nil) {
		must.Failf("%d inputs, want %d", len(in), n)
	}
}

// most refuses results that are too large for constants.
func most(sizes []int) {
	if graph.Product(sizes...) > maxConstant {
		must.Do(unsupported("its result has more than %d elements", maxConstant))
	}
}

// put copies element j of another constant of the type to element i.
func (k *constant) put(i int, from *constant, j int) {
	if k.dtype.IsFloat() {
		k.floats[i] = from.floats[j]
	} else {
		k.ints[i] = from.ints[j]
	}
}

// pick makes a constant whose element at an index is element from(index) of k.
func (k *constant) pick(sizes []int, from func(idx []int) int) *constant {
	most(sizes)
	out := newConstant(k.dtype, sizes...)
	graph.Each(sizes, func(flat int, idx []int) { out.put(flat, k, from(idx)) })
	return out
}

// dot is the place of an index, given what a step along each axis adds.
func dot(idx, strides []int) int {
	p := 0
	for i, x := range idx {
		p += x * strides[i]
	}
	return p
}

// copied is a constant that may be written to.
func (k *constant) copied() *constant {
	return &constant{dtype: k.dtype, sizes: k.sizes, ints: slices.Clone(k.ints), floats: slices.Clone(k.floats)}
}

// alongAxis is a constant and the axis along which an operator works on it: flat, without
// the attribute.
func (c *call) alongAxis(k *constant) (x constant, axis int) {
	x = *k
	if c.has("axis") {
		return x, c.axisAttr(0, x.rank())
	}
	x.sizes = []int{x.len()}
	return x, 0
}

// places are the positions that a constant holds on an axis of n elements; they may count
// from the end.
func (k *constant) positions(n int) []int {
	if !k.dtype.IsInt() {
		must.Failf("indices must be integers, not %s", k.dtype)
	}
	out := make([]int, len(k.ints))
	for i, p := range k.ints {
		out[i] = position(p, n)
	}
	return out
}

// position is a position on an axis of n elements.
func position(p int64, n int) int {
	if p < -int64(n) || p >= int64(n) {
		must.Failf("index %d of an axis of size %d", p, n)
	}
	if p < 0 {
		p += int64(n)
	}
	return int(p)
}

// elementPlaces are the places in a tensor of the given sizes that a GatherElements or
// ScatterElements means: an index differs along one axis.
func elementPlaces(sizes []int, k *constant, axis int) []int {
	if len(sizes) != k.rank() {
		must.Failf("indices of %d axes for a tensor with %d", k.rank(), len(sizes))
	}
	for i, n := range k.sizes {
		if i != axis && n > sizes[i] {
			must.Failf("indices of sizes %v for sizes %v", k.sizes, sizes)
		}
	}
	at, st := k.positions(sizes[axis]), graph.Strides(sizes)
	graph.Each(k.sizes, func(flat int, idx []int) { at[flat] = dot(idx, st) + (at[flat]-idx[axis])*st[axis] })
	return at
}

// slicePlaces are the places where the slices begin that the rows of an index mean, behind
// axes that a batch has in common, and the sizes of a slice.
func slicePlaces(sizes []int, k *constant, batch int) (at, slice []int) {
	if k.rank() <= batch || len(sizes) < batch || batch < 0 || !slices.Equal(sizes[:batch], k.sizes[:batch]) {
		must.Failf("indices of sizes %v for sizes %v and %d batch axes", k.sizes, sizes, batch)
	}
	if !k.dtype.IsInt() {
		must.Failf("indices must be integers, not %s", k.dtype)
	}
	n := k.sizes[k.rank()-1]
	if n+batch > len(sizes) {
		must.Failf("indices of %d axes for sizes %v", n, sizes)
	}
	st := graph.Strides(sizes)
	graph.Each(k.sizes[:k.rank()-1], func(flat int, idx []int) {
		p := dot(idx[:batch], st)
		for i := range n {
			p += position(k.ints[flat*n+i], sizes[batch+i]) * st[batch+i]
		}
		at = append(at, p)
	})
	return at, sizes[batch+n:]
}
