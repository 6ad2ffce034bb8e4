package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Operators that slide a window over the axes behind the first two. Ours slide
// over two axes: one axis is made two with a reshape, three are done in steps.

// window is the geometry of a node, by spatial axis.
type window struct {
	kernel, stride, dilation []int
	before, after            []int  // pads
	same                     string // same_upper or same_lower: pads are not used
	valid                    bool   // no pads, and none were written
	ceil                     bool   // the output size is rounded up
}

// window reads the attributes that windows over n axes share; kernel is that of the weight
// of a convolution, or nil.
func (c *call) window(n int, kernel []int) *window {
	if n < 1 {
		must.Failf("no axes to slide over")
	}
	list := func(name string, missing, least int) []int {
		xs := c.ints(name)
		if xs == nil {
			xs = slices.Repeat([]int{missing}, n)
		}
		for _, x := range xs {
			if x < least || x > graph.MaxSize {
				must.Failf("%s %v", name, xs)
			}
		}
		if len(xs) != n {
			must.Failf("%s %v for %d axes", name, xs, n)
		}
		return xs
	}
	w := &window{stride: list("strides", 1, 1), dilation: list("dilations", 1, 1), kernel: kernel,
		before: make([]int, n), after: make([]int, n)}
	if c.has("kernel_shape") {
		w.kernel = list("kernel_shape", 0, 1)
		if kernel != nil && !slices.Equal(w.kernel, kernel) {
			must.Failf("kernel_shape %v of a kernel with %v", w.kernel, kernel)
		}
	}
	if w.kernel == nil {
		must.Failf("no kernel_shape")
	}
	w.ceil = c.flag("ceil_mode")
	pads := c.ints("pads")
	switch auto := c.text("auto_pad", "NOTSET"); auto {
	case "VALID":
		w.valid = true
	case "SAME_UPPER":
		w.same = graph.SameUpper
	case "SAME_LOWER":
		w.same = graph.SameLower
	case "NOTSET", "":
		if pads == nil {
			w.valid = true
			break
		}
		if len(pads) != 2*n {
			must.Failf("%d pads for %d axes, want two per axis", len(pads), n)
		}
		for _, p := range pads {
			if p < 0 || p > graph.MaxSize {
				must.Failf("pads %v", pads)
			}
		}
		copy(w.before, pads[:n])
		copy(w.after, pads[n:])
		// Most tools write zeros where they mean none; ours says so if it
		// means zeros.
		w.valid = zeros(pads) && !(c.im.own && c.has("auto_pad"))
	default:
		must.Do(unsupported("auto_pad is %q", clip(auto)))
	}
	return w
}

// extent is the kernel's size along an axis with its gaps.
func (w *window) extent(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// halve sets the pads of an axis that are so many together, the larger half at the
// end unless padding is same_lower.
func (w *window) halve(i, total int) {
	w.before[i], w.after[i] = total/2, total-total/2
	if w.same == graph.SameLower {
		w.before[i], w.after[i] = w.after[i], w.before[i]
	}
}

// explicit turns SAME padding into numbers for an image, and adds to the end
// what ceil_mode needs so that rounding down gives the same size. It returns
// what was added.
func (w *window) explicit(image []int) (added []int) {
	added = make([]int, len(image))
	for i, n := range image {
		k, s := w.extent(i), w.stride[i]
		if w.same != "" {
			w.halve(i, max(((n+s-1)/s-1)*s+k-n, 0))
			continue
		}
		room := n + w.before[i] + w.after[i] - k
		if room < 0 && !(w.ceil && room > -s) { // a window that is rounded up to may reach beyond the end
			must.Failf("a window of %d does not fit into %d with pads %d and %d", k, n, w.before[i], w.after[i])
		}
		if w.ceil && room%s != 0 {
			out := (room+s-1)/s + 1
			if (out-1)*s >= n+w.before[i] { // it would begin outside
				out--
			}
			added[i] = max(0, (out-1)*s+k-(n+w.before[i]+w.after[i]))
		}
	}
	w.same = ""
	return added
}

// rounded is what rounding up adds to the end of an image, which is nothing where the result
// is rounded down.
func (w *window) rounded(x *value) (added []int) {
	if image, ok := fixed(x.dims()[2:]); ok {
		return w.explicit(image)
	}
	return w.roundedOpen(x)
}

// roundedOpen is rounded at all sizes of an image. A window is the last that is rounded up to if it
// begins on the image or its border before it, and reaches at most s-1 cells beyond the border after
// it, s being the stride. So there are as many windows where rounding down if the border after the
// image has s-1 cells more, or reaches as far as a window that begins on the last cell. Windows that
// fit see nothing of what is added.
func (w *window) roundedOpen(x *value) (added []int) {
	added = make([]int, len(w.kernel))
	for i, n := range x.dims()[2:] {
		k, s := w.extent(i), w.stride[i]
		room := n.Add(graph.Int(int64(w.before[i] + w.after[i] - k)))
		if _, whole := room.Quo(graph.Int(int64(s))); whole || !w.ceil || w.same != "" {
			continue
		}
		if w.before[i] >= k || w.after[i] >= k {
			must.Do(unsupported("%s has dynamic sizes, ceil_mode is set, and padding is not smaller than the kernel", x))
		}
		added[i] = min(s-1, k-1-w.after[i])
	}
	return added
}

// windowsOpen are the numbers of windows over an image of dynamic sizes.
func (im *importer) windowsOpen(x *value, w *window) []graph.Dim {
	out, added := make([]graph.Dim, len(w.kernel)), w.roundedOpen(x)
	for i, n := range x.dims()[2:] {
		extent := graph.Int(int64(w.extent(i)))
		if n = n.Add(graph.Int(int64(w.before[i] + w.after[i] + added[i]))); w.same != "" {
			n, extent = x.size(2+i), graph.Int(1) // as many as strides
		}
		s := int64(w.stride[i])
		out[i] = im.open.Simplify(graph.WindowOut(n, extent, graph.TupleValue(s, s), graph.NameValue(graph.Valid), 0))
		if !im.open.require(out[i], graph.Int(1)) {
			must.Failf("a window of %s does not fit into %s", extent, n)
		}
	}
	return out
}

// windows are the numbers of windows over an image to whose end cells are added.
func (w *window) windows(image, added []int) []int {
	out := make([]int, len(image))
	for i, n := range image {
		out[i] = (n+w.before[i]+w.after[i]+added[i]-w.extent(i))/w.stride[i] + 1
	}
	return out
}

// reaxed is a window over other axes: f says what becomes of a list of numbers, given
// the number that does nothing.
func (w *window) reaxed(f func(xs []int, nothing int) []int) *window {
	v := *w
	v.kernel, v.stride, v.dilation = f(w.kernel, 1), f(w.stride, 1), f(w.dilation, 1)
	v.before, v.after = f(w.before, 0), f(w.after, 0)
	return &v
}

// flat is a window over one axis as one over two.
func (w *window) flat() *window {
	return w.reaxed(func(xs []int, nothing int) []int { return []int{nothing, xs[0]} })
}

// over is a window over the axes i to j-1 of those that it slides over.
func (w *window) over(i, j int) *window {
	return w.reaxed(func(xs []int, _ int) []int { return slices.Clone(xs[i:j]) })
}

// flatten puts an axis of size 1 before the last one, unflatten takes it away.
func (im *importer) flatten(v *value) *value {
	return im.reshapeTo(v, slices.Insert(slices.Clone(v.dims()), 2, graph.Int(1)))
}

func (im *importer) unflatten(v *value) *value {
	return im.reshapeTo(v, slices.Delete(slices.Clone(v.dims()), 2, 3))
}

func (w *window) strideAttr() graph.Value { return graph.TupleValue(w.stride...) }

// dilationAttr is the dilation of a window over two axes: 1 where there is no second cell,
// but in a file of our own as it says.
func (w *window) dilationAttr(im *importer) graph.Value {
	d := slices.Clone(w.dilation)
	for i, k := range w.kernel {
		if k == 1 && !im.own {
			d[i] = 1
		}
	}
	return graph.TupleValue(d...)
}

// padAttr is the padding of a window over two axes.
func (w *window) padAttr() graph.Value {
	switch {
	case w.same != "":
		return graph.NameValue(w.same)
	case w.valid:
		return graph.NameValue(graph.Valid)
	}
	return graph.TupleValue(w.before[0], w.before[1], w.after[0], w.after[1])
}

// padImage pads the axes of an image by what a window says, which has no pads then.
func (w *window) padImage(im *importer, x *value, fill float64) *value {
	lead := make([]int, x.rank()-len(w.kernel))
	x = im.pad(x, slices.Concat(lead, w.before), slices.Concat(lead, w.after), fill)
	w.before, w.after = make([]int, len(w.kernel)), make([]int, len(w.kernel))
	return x
}

// padOutside pads with an operator of its own where the padding is not smaller than
// the kernel, which our windows do not allow.
func (w *window) padOutside(im *importer, x *value) *value {
	large := false
	for i := range w.kernel {
		large = large || w.before[i] >= w.extent(i) || w.after[i] >= w.extent(i)
	}
	if !large {
		return x
	}
	w.valid = true
	return w.padImage(im, x, 0)
}
