package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// windowed is the image that a pool of our operator own reads, and its windows.
func (c *call) windowed(own string) (x *value, w *window) {
	x = c.need(1, 1)[0]
	c.arithmetic(own, x)
	if x.rank() < 3 {
		must.Failf("%s: want at least 3 axes", x)
	}
	w = c.window(x.rank()-2, nil)
	if x.open != nil && w.sameApart() {
		must.Do(unsupported("auto_pad is SAME and dilations are not 1: sizes in ONNX Runtime are not those that ONNX defines"))
	}
	return x, w
}

// sameApart reports whether a window with gaps is padded for as many windows as there are strides.
func (w *window) sameApart() bool { return w.same != "" && !all(w.dilation, 1) }

func lowerMaxPool(c *call) {
	x, win := c.windowed("relu")
	if len(c.outs) < 1 || len(c.outs) > 2 {
		must.Failf("%d outputs", len(c.outs))
	}
	if c.wanted(1) {
		again := c.window(x.rank()-2, nil)
		c.outs[1] = c.maximaAt(x, again, c.flag("storage_order"))
	}
	c.outs[0] = c.im.pool(x, win, "poolmax", "")
}

func lowerAveragePool(c *call) {
	x, win := c.windowed("")
	// Without a border both ways of counting are one.
	border := "excluded"
	if c.flag("count_include_pad") || win.valid && !win.ceil && !c.has("count_include_pad") {
		border = "counted"
	}
	c.set(c.im.pool(x, win, "poolavg", border))
}

// pool slides poolmax or poolavg over one, two or three axes.
func (im *importer) pool(x *value, win *window, op, border string) *value {
	if !all(win.dilation, 1) {
		if op == "poolavg" {
			return im.averageOf(x, win, border)
		}
		return im.dilatedPool(x, win, op, border)
	}
	switch n := len(win.kernel); n {
	case 1:
		return im.unflatten(im.pool(im.flatten(x), win.flat(), op, border))
	case 2:
	case 3:
		return im.pool3(x, win, op, border)
	default:
		must.Do(unsupported("pooling over %d axes is not supported", n))
	}
	if win.same == "" {
		if added := win.rounded(x); !zeros(added) {
			win.valid = false
			if border == "counted" && !(zeros(win.before) && zeros(win.after)) {
				// The border counts, what rounding up adds does not: the
				// border becomes part of the image.
				x = win.padImage(im, x, 0)
			}
			if border != "" {
				border = "excluded"
			}
			win.after = []int{win.after[0] + added[0], win.after[1] + added[1]}
		}
	}
	for i, k := range win.kernel {
		if win.before[i] >= k || win.after[i] >= k {
			must.Do(unsupported("padding that is not smaller than the kernel is not supported"))
		}
	}
	a := attrs{"kh": graph.IntValue(win.kernel[0]), "kw": graph.IntValue(win.kernel[1]), "stride": win.strideAttr(), "pad": win.padAttr()}
	if border != "" {
		a["border"] = graph.NameValue(border)
	}
	return im.apply(op, a, x)
}

// pool3 pools over the last two axes and then over the first: a maximum of
// maxima; an average of averages, since the number of cells under a window is a
// product over the axes.
func (im *importer) pool3(x *value, win *window, op, border string) *value {
	if win.ceil && border == "counted" && !win.valid {
		return im.averageOf(x, win, border)
	}
	b, c, d := x.size(0), x.size(1), x.size(2)
	v := im.pool(im.reshapeTo(x, []graph.Dim{b, c.Mul(d), x.size(3), x.size(4)}), win.over(1, 3), op, border)
	h, w := v.size(2), v.size(3)
	first := win.reaxed(func(xs []int, nothing int) []int { return []int{xs[0], nothing} })
	v = im.pool(im.reshapeTo(v, []graph.Dim{b, c, d, h.Mul(w)}), first, op, border)
	return im.reshapeTo(v, []graph.Dim{b, c, v.size(2), h, w})
}

// averageOf is the general form of an average: the sum under each window, a
// convolution of each channel with ones, over the number of cells that count.
func (im *importer) averageOf(x *value, win *window, border string) *value {
	image := numbersOf(x.dims()[2:])
	added := win.explicit(image)
	out := win.windows(image, added)
	cells := make([][]float64, len(image)) // that count, by axis and window
	for i, size := range image {
		lo, hi := 0, size
		if border == "counted" {
			lo, hi = -win.before[i], size+win.after[i] // what rounding up adds does not count
		}
		win.after[i] += added[i]
		if graph.Product(out[i], win.kernel[i]) > maxConstant {
			must.Do(unsupported("%d windows of size %d are too many", out[i], win.kernel[i]))
		}
		for o := range out[i] {
			count := 0.0
			for k := range win.kernel[i] {
				if at := o*win.stride[i] - win.before[i] + k*win.dilation[i]; at >= lo && at < hi {
					count++
				}
			}
			cells[i] = append(cells[i], count)
		}
	}
	if graph.Product(out...) > maxConstant || graph.Product(win.kernel...) > maxConstant {
		must.Do(unsupported("%v windows of size %v are too many", out, win.kernel))
	}
	win.valid = false
	one := newConstant(x.dtype, append([]int{1, 1}, win.kernel...)...)
	for i := range one.floats {
		one.floats[i] = 1
	}
	counts := newConstant(x.dtype, append([]int{1, 1}, out...)...)
	graph.Each(out, func(flat int, idx []int) {
		counts.floats[flat] = 1
		for i, o := range idx {
			counts.floats[flat] *= cells[i][o]
		}
	})
	v := im.reshapeTo(x, append([]graph.Dim{x.size(0).Mul(x.size(1)), graph.Int(1)}, x.dims()[2:]...))
	v = im.convolve(v, valueOf(one), win, 1)
	v = im.do("ewdiv", v, im.broadcastTo(valueOf(counts), v.dims()))
	return im.reshapeTo(v, append(slices.Clone(x.dims()[:2]), dimsOf(out...)...))
}

// dilatedPool pools with gaps in the window. Where the stride is a multiple of
// the gap, only every gap-th cell is ever looked at: those are picked, and the
// window over them has none. Else a maximum is that of the image's copies
// shifted to each cell of the kernel, one axis after another.
func (im *importer) dilatedPool(x *value, win *window, op, border string) *value {
	for i, n := range win.explicit(numbersOf(x.dims()[2:])) {
		win.after[i] += n
	}
	x = win.padImage(im, x, least(x.dtype))
	for i := range win.kernel {
		d, s, axis := win.dilation[i], win.stride[i], 2+i
		size := numberOf(x.size(axis))
		out := (size-win.extent(i))/s + 1
		if s%d == 0 {
			x = im.every(x, axis, 0, d, (size+d-1)/d)
			// The other axes are one, of which each cell is its own window.
			sizes := slices.Clone(x.dims())
			rest := &window{kernel: []int{win.kernel[i], 1}, stride: []int{s / d, 1}, dilation: []int{1, 1}, before: []int{0, 0}, after: []int{0, 0}, valid: true}
			v := im.reshapeTo(x, []graph.Dim{product(sizes[:axis]...), graph.Int(1), sizes[axis], product(sizes[axis+1:]...)})
			v = im.pool(v, rest, op, border)
			sizes[axis] = graph.Int(int64(out))
			x = im.reshapeTo(v, sizes)
			continue
		}
		if win.kernel[i] > 64 {
			must.Do(unsupported("a dilated kernel of size %d is not supported, at most 64", win.kernel[i]))
		}
		most := im.every(x, axis, 0, s, out)
		for k := 1; k < win.kernel[i]; k++ {
			most = im.do("ewmax", most, im.every(x, axis, k*d, s, out))
		}
		x = most
	}
	return x
}

func lowerGlobal(f reduction) lowering {
	return func(c *call) {
		x := c.need(1, 1)[0]
		c.arithmetic("", x)
		if x.rank() < 3 {
			must.Failf("%s: want at least 3 axes", x)
		}
		c.set(f(c.im, x, upTo(2, x.rank()), true))
	}
}

// norm is the p of a norm, of which the p-th powers are summed.
func (c *call) norm() int {
	p := c.int("p", 2)
	if p < 1 || p > 64 {
		must.Do(unsupported("norm p = %d is not supported, only 1 to 64", p))
	}
	return int(p)
}

// powers are p-th powers of magnitudes, and normOf is their norm when they are summed.
func (im *importer) powers(x *value, p int) *value {
	if p%2 == 1 {
		x = im.do("abs", x)
	}
	return im.power(x, float64(p))
}

func (im *importer) normOf(sum *value, p int) *value { return im.power(sum, 1/float64(p)) }

func lowerGlobalLp(c *call) {
	p := c.norm()
	lowerGlobal(func(im *importer, x *value, axes []int, keep bool) *value {
		return im.normOf(im.reduce("reducesum", im.powers(x, p), axes, keep), p)
	})(c)
}

// lowerLpPool: sums under windows are a convolution of each channel with ones.
func lowerLpPool(c *call) {
	x, win := c.windowed("")
	im, p, image := c.im, c.norm(), numbersOf(x.dims()[2:])
	added := win.explicit(image)
	out := win.windows(image, added)
	for i := range added {
		win.after[i] += added[i]
	}
	if n := graph.Product(win.kernel...); n > maxConstant {
		must.Do(unsupported("windows of %d elements are too large", n))
	}
	win.valid = false
	one := newConstant(x.dtype, append([]int{1, 1}, win.kernel...)...)
	for i := range one.floats {
		one.floats[i] = 1
	}
	y := im.reshapeTo(im.powers(x, p), append([]graph.Dim{x.size(0).Mul(x.size(1)), graph.Int(1)}, x.dims()[2:]...))
	y = im.convolve(y, valueOf(one), win, 1)
	c.set(im.normOf(im.reshapeTo(y, append(slices.Clone(x.dims()[:2]), dimsOf(out...)...)), p))
}
