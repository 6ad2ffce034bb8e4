package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// lowerConvTranspose: the transpose of a convolution is one over the image
// spread with zeros, with the kernel turned around. Where the stride is the
// kernel nothing overlaps, and it is a product and a reshuffle.
func lowerConvTranspose(c *call) {
	x, w, bias := c.image()
	if x.rank() < 3 || x.rank() > 5 || w.rank() != x.rank() {
		must.Do(unsupported("inputs %s and %s are not supported", x, w))
	}
	groups := c.int("group", 1)
	if ch := numberOf(x.size(1)); groups < 1 || groups > int64(ch) || ch%int(groups) != 0 || w.sizes()[0] != ch {
		must.Failf("%d groups of %s and %s", groups, x, w)
	}
	win := c.window(x.rank()-2, w.sizes()[2:])
	extra := c.transposedPads(x.dims()[2:], win)
	if !w.fixed() || x.rank() == 5 {
		c.set(c.im.addBias(c.im.turnedBack(x, w, win, int(groups), extra), bias))
		return
	}
	if x.rank() > 3 {
		c.set(c.im.addBias(c.im.deconvolve(x, w, win, int(groups), extra), bias))
		return
	}
	flat := []int{w.sizes()[0], w.sizes()[1], 1, w.sizes()[2]}
	x = c.im.flatten(x)
	w = c.im.derive(w, "flat", flat, func(k *constant) *constant {
		f := *k
		f.sizes = flat
		return &f
	})
	y := c.im.deconvolve(x, w, win.flat(), int(groups), []int{0, extra[0]})
	c.set(c.im.addBias(c.im.unflatten(y), bias))
}

// transposedPads finds the pads that give the sizes that are asked for, and what is
// added to the end.
func (c *call) transposedPads(image []graph.Dim, win *window) (extra []int) {
	n := len(image)
	extra = c.ints("output_padding")
	if extra == nil {
		extra = make([]int, n)
	}
	shape := c.ints("output_shape")
	if len(extra) != n || shape != nil && len(shape) != n {
		must.Failf("output_padding %v, output_shape %v for %d axes", extra, shape, n)
	}
	if shape == nil && win.same == "" {
		return extra
	}
	for i := range n {
		total := win.extent(i) + extra[i] - win.stride[i] // less than one window more for each cell
		if shape != nil {
			total += numberOf(image[i])*win.stride[i] - shape[i]
		}
		if total >= 0 {
			win.halve(i, total)
			if odd := total%2 == 1; odd && shape != nil && c.im.opset < 11 {
				must.Do(unsupported("odd padding of axis %d: before operator set 11 the definition and its implementations differ; convert the model to 11 or later", i))
			} else if odd && shape != nil && win.same != graph.SameUpper {
				win.before[i], win.after[i] = total-total/2, total/2
			}
		} else {
			win.before[i], win.after[i] = 0, total // added, as output_padding
		}
	}
	return extra
}

// turnedWindow is the window of the convolution that a transposed one is, turned around,
// and the image that it slides over: spread with zeros, and cut where pads are negative.
func (im *importer) turnedWindow(x *value, win *window, extra []int) (*value, *window) {
	if !all(win.stride, 1) {
		x = im.interleave(x, win.stride)
	}
	n := len(win.kernel)
	cw := &window{kernel: slices.Clone(win.kernel), stride: ones(n), dilation: win.dilation, before: make([]int, n), after: make([]int, n)}
	for i := range n {
		lo := win.extent(i) - 1 - win.before[i]
		hi := win.extent(i) - 1 - win.after[i] + extra[i] - (win.stride[i] - 1)
		dim := func(n int) graph.Dim { return graph.Int(int64(n)) }
		size := x.size(2 + i)
		if !im.open.require(size.Add(dim(min(lo, 0)+min(hi, 0))), dim(1)) || !im.open.require(size.Add(dim(lo+hi)), dim(win.extent(i))) {
			must.Failf("its pads leave nothing")
		}
		x = im.sliceTo(x, 2+i, dim(max(-lo, 0)), size.Sub(dim(max(-hi, 0))))
		cw.before[i], cw.after[i] = max(lo, 0), max(hi, 0)
	}
	return x, cw
}

func (im *importer) deconvolve(x, w *value, win *window, groups int, extra []int) *value {
	kh, kw := w.sizes()[2], w.sizes()[3]
	per := w.sizes()[1] // output channels of a group
	turn := func(flip bool) *value {
		return im.derive(w, "transposed", turnedSizes(w.sizes(), groups, flip), func(c *constant) *constant { return turned(c, groups, flip) })
	}
	if slices.Equal(win.stride, win.kernel) && zeros(win.before) && zeros(win.after) && zeros(extra) && all(win.dilation, 1) {
		y := im.apply("conv2d", attrs{"pad": graph.NameValue(graph.Valid), "groups": graph.IntValue(groups)}, x, turn(false))
		n, h, v, o := x.size(0), x.size(2), x.size(3), graph.Int(int64(per*groups))
		high, wide := graph.Int(int64(kh)), graph.Int(int64(kw))
		return im.reshuffle(y, []graph.Dim{n, o, high, wide, h, v}, []int{0, 1, 4, 2, 5, 3}, []graph.Dim{n, o, h.Mul(high), v.Mul(wide)})
	}
	k := turn(true)
	x, cw := im.turnedWindow(x, win, extra)
	x = cw.padOutside(im, x)
	return im.apply("conv2d", attrs{"pad": cw.padAttr(), "groups": graph.IntValue(groups), "dilation": cw.dilationAttr(im)}, x, k)
}

// turnedBack is the same over any number of axes, with a kernel that is turned around when
// it is computed.
func (im *importer) turnedBack(x, w *value, win *window, groups int, extra []int) *value {
	cells := w.sizes()[2:]
	n, ch, per := len(cells), w.sizes()[0]/groups, w.sizes()[1]
	k := im.reshape(w, append([]int{groups, ch, per}, cells...)...)
	k = im.transpose(k, append([]int{0, 2, 1}, upTo(3, 3+n)...)...)
	k = im.reshape(k, append([]int{groups * per, ch}, cells...)...)
	k = im.apply("reverse", attrs{"axes": graph.TupleValue(upTo(2, 2+n)...)}, k)
	x, cw := im.turnedWindow(x, win, extra)
	return im.convolve(x, k, cw, int64(groups))
}

// turned makes the kernel of a convolution from that of its transpose,
// [groups*c, o, kh, kw]. With flip it is [groups*o, c, kh, kw] turned around in
// both axes; without, the cells become channels: [groups*o*kh*kw, c, 1, 1].
func turned(k *constant, groups int, flip bool) *constant {
	ch, o, kh, kw := k.sizes[0]/groups, k.sizes[1], k.sizes[2], k.sizes[3]
	out := newConstant(k.dtype, turnedSizes(k.sizes, groups, flip)...)
	graph.Each(k.sizes, func(flat int, idx []int) {
		g, c := idx[0]/ch, idx[0]%ch
		q := g*o + idx[1]
		at := ((q*kh+idx[2])*kw+idx[3])*ch + c
		if flip {
			at = ((q*ch+c)*kh+kh-1-idx[2])*kw + kw - 1 - idx[3]
		}
		out.floats[at] = k.floats[flat]
	})
	return out
}

// unturned undoes turned without flip, for o output channels of a group and kernels of
// kh by kw.
func unturned(k *constant, groups, o, kh, kw int) *constant {
	ch := k.sizes[1]
	out := newConstant(k.dtype, groups*ch, o, kh, kw)
	graph.Each(out.sizes, func(flat int, idx []int) {
		g, c := idx[0]/ch, idx[0]%ch
		out.floats[flat] = k.floats[(((g*o+idx[1])*kh+idx[2])*kw+idx[3])*ch+c]
	})
	return out
}

func turnedSizes(sizes []int, groups int, flip bool) []int {
	ch, o, kh, kw := sizes[0]/groups, sizes[1], sizes[2], sizes[3]
	if flip {
		return []int{groups * o, ch, kh, kw}
	}
	return []int{groups * o * kh * kw, ch, 1, 1}
}
