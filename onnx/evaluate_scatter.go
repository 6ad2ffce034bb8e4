package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Elements of constants read from, and written to, places that are themselves constants.

func init() {
	for op, f := range map[string]evaluator{
		"GatherElements": evalGatherElements, "GatherND": evalGatherND,
		"ScatterElements": evalScatterElements, "Scatter": evalScatterElements, "ScatterND": evalScatterND,
		"Compress": evalCompress, "ReverseSequence": evalReverseSequence,
	} {
		evaluators[op] = f
	}
}

// places are the positions that a constant holds on an axis of n elements; they may count
// from the end.
func (k *constant) positions(n int) []int {
	if !k.dtype.IsInt() {
		must.Failf("indices of type %s", k.dtype)
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
		must.Failf("indices of type %s", k.dtype)
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

func evalGatherElements(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
	x, k := in[0], in[1]
	out := newConstant(x.dtype, k.sizes...)
	for i, p := range elementPlaces(x.sizes, k, c.axisAttr(0, x.rank())) {
		out.put(i, x, p)
	}
	return []*constant{out}
}

func evalGatherND(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
	x, k := in[0], in[1]
	at, slice := slicePlaces(x.sizes, k, int(min(max(c.int("batch_dims", 0), -1), 1000)))
	sizes := slices.Concat(k.sizes[:k.rank()-1], slice)
	notFolded(graph.Product(sizes...) > maxConstant)
	out, n := newConstant(x.dtype, sizes...), graph.NumElements(slice)
	for i, p := range at {
		for j := range n {
			out.put(i*n+j, x, p+j)
		}
	}
	return []*constant{out}
}

// copied is a constant that may be written to.
func (k *constant) copied() *constant {
	return &constant{dtype: k.dtype, sizes: k.sizes, ints: slices.Clone(k.ints), floats: slices.Clone(k.floats)}
}

// combine puts element j of another constant to element i, combined with what is there.
func (k *constant) combine(how string, i int, from *constant, j int) {
	if how == "none" {
		k.put(i, from, j)
		return
	}
	f, ok := scattered[how]
	if !ok {
		must.Failf("reduction is %q", clip(how))
	}
	if k.dtype.IsFloat() {
		k.floats[i] = model.Round(k.dtype, f.floats(k.floats[i], from.floats[j]))
	} else {
		k.ints[i] = model.Wrap(k.dtype, f.ints(k.ints[i], from.ints[j]))
	}
}

// scattered are the ways in which scattered elements are combined with those that were there.
var scattered = map[string]combination{
	"add": {ints: func(a, b int64) int64 { return a + b }, floats: func(a, b float64) float64 { return a + b }},
	"mul": {ints: func(a, b int64) int64 { return a * b }, floats: func(a, b float64) float64 { return a * b }},
	"max": {ints: func(a, b int64) int64 { return max(a, b) }, floats: math.Max},
	"min": {ints: func(a, b int64) int64 { return min(a, b) }, floats: math.Min},
}

func evalScatterElements(c *call, in []*constant) []*constant {
	notFolded(len(in) != 3 || slices.Contains(in, nil))
	x, k, from := in[0], in[1], in[2]
	if !slices.Equal(k.sizes, from.sizes) || from.dtype != x.dtype {
		must.Failf("%s%v for indices of sizes %v", from.dtype, from.sizes, k.sizes)
	}
	out, how := x.copied(), c.text("reduction", "none")
	for i, p := range elementPlaces(x.sizes, k, c.axisAttr(0, x.rank())) {
		out.combine(how, p, from, i)
	}
	return []*constant{out}
}

func evalScatterND(c *call, in []*constant) []*constant {
	notFolded(len(in) != 3 || slices.Contains(in, nil))
	x, k, from := in[0], in[1], in[2]
	at, slice := slicePlaces(x.sizes, k, 0)
	if !slices.Equal(from.sizes, slices.Concat(k.sizes[:k.rank()-1], slice)) || from.dtype != x.dtype {
		must.Failf("%s%v for indices of sizes %v", from.dtype, from.sizes, k.sizes)
	}
	out, how, n := x.copied(), c.text("reduction", "none"), graph.NumElements(slice)
	for i, p := range at {
		for j := range n {
			out.combine(how, p+j, from, i*n+j)
		}
	}
	return []*constant{out}
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

// evalCompress keeps what a list of truth values says, along an axis or of all elements.
func evalCompress(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
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

// evalReverseSequence turns the first elements of each sequence around.
func evalReverseSequence(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
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
