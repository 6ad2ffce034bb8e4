package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Where the largest element under a window stands, and elements put back there.

// maximaAt are the places in a tensor where maxima under windows stand, the first ones
// where there are several. With columns the last axis but one counts before the last.
func (c *call) maximaAt(x *value, win *window, columns bool) *value {
	im, image := c.im, x.sizes()[2:]
	if x.dtype != graph.Float32 {
		must.Do(unsupported("the output Indices is supported for float32 only, not %s", x.dtype))
	}
	out := win.windows(image, win.explicit(image))
	kernel, cells, all := graph.NumElements(win.kernel), graph.NumElements(image), graph.NumElements(out)
	if graph.Product(append(slices.Clone(out), win.kernel...)...) > maxConstant || cells >= 1<<24 {
		must.Do(unsupported("the output Indices is not supported for %v windows of size %v: too many", out, win.kernel))
	}
	// Behind the cells of an image is one that is less than all of them.
	cell, early, number := newConstant(graph.Int64, all, kernel), newConstant(graph.Float32, all, kernel), newConstant(graph.Float32, all, kernel)
	st, turned := graph.Strides(image), graph.Strides(image)
	if n := len(image); columns && n > 1 {
		// A plane at a time: rows count first.
		turned[n-1], turned[n-2] = image[n-2], 1
	}
	graph.Each(out, func(o int, at []int) {
		graph.Each(win.kernel, func(k int, of []int) {
			flat := o*kernel + k
			cell.ints[flat] = int64(cells)
			place := make([]int, len(image))
			for i := range place {
				if place[i] = at[i]*win.stride[i] - win.before[i] + of[i]*win.dilation[i]; place[i] < 0 || place[i] >= image[i] {
					return
				}
			}
			cell.ints[flat] = int64(dot(place, st))
			early.floats[flat] = float64(cells - dot(place, st))
			number.floats[flat] = float64(dot(place, turned))
		})
	})
	rows := x.sizes()[0] * x.sizes()[1]
	flat := im.pad(im.reshape(x, rows, cells), []int{0, 0}, []int{0, 1}, lowest)
	under := im.apply("gather", attrs{"axis": graph.IntValue(1)}, flat, valueOf(cell))
	first := im.do("ewmul", im.largest(under, 2), im.broadcastTo(valueOf(early), under.dims()))
	best := im.reduce("reducemax", first, []int{2}, true)
	var at *value
	if columns {
		one := im.do("ewequal", im.broadcastTo(best, first.dims()), first)
		at = im.reduce("reducesum", im.do("ewmul", one, im.broadcastTo(valueOf(number), under.dims())), []int{2}, false)
	} else {
		best = im.reshape(best, rows, all)
		at = im.do("ewsub", im.scalar(best, float64(cells)), best)
	}
	begin := newConstant(graph.Int64, rows, 1)
	for i := range rows {
		begin.ints[i] = int64(i) * int64(cells)
	}
	y := im.do("ewadd", im.cast(at, graph.Int64), im.broadcast(valueOf(begin), rows, all))
	return im.reshape(y, append(slices.Clone(x.sizes()[:2]), out...)...)
}

// lowerMaxUnpool: zeros but for elements at places that are numbered in the tensor of which
// they are maxima; that may be part of a larger one.
func lowerMaxUnpool(c *call) {
	in, im := c.need(2, 3), c.im
	x, at := in[0], in[1]
	c.arithmetic("ewadd", x)
	if x.rank() < 3 || !slices.Equal(x.dims(), at.dims()) || !at.dtype.IsInt() {
		must.Failf("%s at %s", x, at)
	}
	win := c.window(x.rank()-2, nil)
	sizes := slices.Clone(x.sizes())
	for i, n := range x.sizes()[2:] {
		if win.stride[i] < win.kernel[i] {
			must.Do(unsupported("overlapping windows are not supported: two elements may come from one position"))
		}
		if sizes[2+i] = (n-1)*win.stride[i] - win.before[i] - win.after[i] + win.kernel[i]; sizes[2+i] < 1 {
			must.Failf("a size of %d", sizes[2+i])
		}
	}
	total := graph.Product(sizes...)
	if total > graph.MaxSize {
		must.Do(unsupported("a result of %d elements is too large", total))
	}
	y := im.apply("scatteradd", attrs{"axis": graph.IntValue(0), "n": graph.IntValue(total)}, im.reshape(x, x.elements()), im.reshape(im.cast(at, graph.Int64), x.elements()))
	y = im.reshape(y, sizes...)
	if to := c.knownInts(2, "output shape"); to != nil {
		after := make([]int, len(sizes))
		if len(to) != len(sizes) {
			must.Failf("an output shape %v for %d axes", to, len(sizes))
		}
		for i, n := range to {
			if after[i] = n - sizes[i]; after[i] < 0 || n > graph.MaxSize {
				must.Failf("an output shape %v for %v", to, sizes)
			}
		}
		y = im.pad(y, make([]int, len(sizes)), after, 0)
	}
	c.set(y)
}
