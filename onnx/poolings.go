package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

func init() {
	register(map[string]lowering{
		"MaxPool": lowerMaxPool, "AveragePool": lowerAveragePool,
		"GlobalAveragePool": lowerGlobal("reducemean"), "GlobalMaxPool": lowerGlobal("reducemax"),
	})
}

// windowed is the image that a pool of our operator own reads, and its windows.
func (c *call) windowed(own string) (x *value, w *window, err error) {
	in, err := c.need(1, 1)
	if err != nil {
		return nil, nil, err
	}
	x = in[0]
	if err := c.arithmetic(own, x); err != nil {
		return nil, nil, err
	}
	if x.rank() < 3 {
		return nil, nil, fmt.Errorf("%s: want at least 3 axes", x)
	}
	w, err = c.window(x.sizes[2:], nil)
	return x, w, err
}

func lowerMaxPool(c *call) error {
	x, win, err := c.windowed("relu")
	if err != nil {
		return err
	}
	return c.set(c.im.pool(x, win, "poolmax", ""))
}

func lowerAveragePool(c *call) error {
	x, win, err := c.windowed("")
	if err != nil {
		return err
	}
	count, err := c.int("count_include_pad", 0)
	if err != nil {
		return err
	}
	// Without a border both ways of counting are one.
	border := "excluded"
	if count != 0 || win.valid && !win.ceil && !c.has("count_include_pad") {
		border = "counted"
	}
	return c.set(c.im.pool(x, win, "poolavg", border))
}

// pool slides poolmax or poolavg over one, two or three axes.
func (im *importer) pool(x *value, win *window, op, border string) (*value, error) {
	n := len(win.kernel)
	if slices.ContainsFunc(win.dilation, func(d int) bool { return d != 1 }) {
		if op == "poolavg" {
			return im.averageOf(x, win, border)
		}
		return im.dilatedPool(x, win, op, border)
	}
	switch n {
	case 1:
		v, err := im.reshape(x, x.sizes[0], x.sizes[1], 1, x.sizes[2])
		if err != nil {
			return nil, err
		}
		if v, err = im.pool(v, win.flat(), op, border); err != nil {
			return nil, err
		}
		return im.reshape(v, v.sizes[0], v.sizes[1], v.sizes[3])
	case 2:
	case 3:
		return im.pool3(x, win, op, border)
	default:
		return nil, unsupported("it pools over %d axes", n)
	}
	if win.same == "" {
		added, err := win.explicit(x.sizes[2:])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(added, notZero) {
			win.valid = false
			if border == "counted" && (slices.ContainsFunc(win.before, notZero) || slices.ContainsFunc(win.after, notZero)) {
				// The border counts, what rounding up adds does not: the
				// border becomes part of the image.
				var err error
				if x, err = im.pad(x, []int{0, 0, win.before[0], win.before[1]}, []int{0, 0, win.after[0], win.after[1]}, 0); err != nil {
					return nil, err
				}
				win.before, win.after = []int{0, 0}, []int{0, 0}
			}
			if border != "" {
				border = "excluded"
			}
			win.after = []int{win.after[0] + added[0], win.after[1] + added[1]}
		}
	}
	if win.before[0] >= win.kernel[0] || win.before[1] >= win.kernel[1] || win.after[0] >= win.kernel[0] || win.after[1] >= win.kernel[1] {
		return nil, unsupported("its pads are not smaller than its kernel")
	}
	a := attrs{"kh": intAttr(win.kernel[0]), "kw": intAttr(win.kernel[1]), "stride": win.strideAttr(), "pad": win.padAttr()}
	if border != "" {
		a["border"] = graph.NameValue(border)
	}
	return im.apply(op, a, x)
}

// pool3 pools over the last two axes and then over the first: a maximum of
// maxima; an average of averages, since the number of cells under a window is a
// product over the axes.
func (im *importer) pool3(x *value, win *window, op, border string) (*value, error) {
	part := func(i, j int) *window {
		p := *win
		p.kernel, p.stride, p.dilation = win.kernel[i:j], win.stride[i:j], win.dilation[i:j]
		p.before, p.after = win.before[i:j], win.after[i:j]
		return &p
	}
	if win.ceil && border == "counted" && !win.valid {
		return im.averageOf(x, win, border)
	}
	b, c, d, h, w := x.sizes[0], x.sizes[1], x.sizes[2], x.sizes[3], x.sizes[4]
	v, err := im.reshape(x, b, c*d, h, w)
	if err != nil {
		return nil, err
	}
	if v, err = im.pool(v, part(1, 3), op, border); err != nil {
		return nil, err
	}
	h, w = v.sizes[2], v.sizes[3]
	if v, err = im.reshape(v, b, c, d, h*w); err != nil {
		return nil, err
	}
	p := part(0, 1)
	add := func(xs []int, x int) []int { return []int{xs[0], x} }
	p.kernel, p.stride, p.dilation = add(p.kernel, 1), add(p.stride, 1), add(p.dilation, 1)
	p.before, p.after = add(p.before, 0), add(p.after, 0)
	if v, err = im.pool(v, p, op, border); err != nil {
		return nil, err
	}
	return im.reshape(v, b, c, v.sizes[2], h, w)
}

// averageOf is the general form of an average: the sum under each window, a
// convolution of each channel with ones, over the number of cells that count.
func (im *importer) averageOf(x *value, win *window, border string) (*value, error) {
	n := len(win.kernel)
	added, err := win.explicit(x.sizes[2:])
	if err != nil {
		return nil, err
	}
	out := make([]int, n)
	cells := make([][]float64, n) // that count, by axis and window
	for i, size := range x.sizes[2:] {
		lo, hi := 0, size
		if border == "counted" {
			lo, hi = -win.before[i], size+win.after[i] // what rounding up adds does not count
		}
		win.after[i] += added[i]
		out[i] = (size+win.before[i]+win.after[i]-win.extent(i))/win.stride[i] + 1
		if graph.Product(out[i], win.kernel[i]) > maxConstant {
			return nil, unsupported("it has %d windows of %d cells", out[i], win.kernel[i])
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
		return nil, unsupported("it has %v windows of %v cells", out, win.kernel)
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
	b := calc{im: im}
	lead := x.sizes[0] * x.sizes[1]
	v := b.keep(im.reshape(x, append([]int{lead, 1}, x.sizes[2:]...)...))
	if b.err == nil {
		v = b.keep(im.convolve(v, valueOf(one), win, 1))
	}
	by := valueOf(counts)
	if b.err == nil {
		by = b.keep(im.broadcast(by, v.sizes...))
	}
	v = b.do("ewdiv", v, by)
	if b.err != nil {
		return nil, b.err
	}
	return im.reshape(v, append(slices.Clone(x.sizes[:2]), out...)...)
}

// dilatedPool pools with gaps in the window. Where the stride is a multiple of
// the gap, only every gap-th cell is ever looked at: those are picked, and the
// window over them has none. Else a maximum is that of the image's copies
// shifted to each cell of the kernel, one axis after another.
func (im *importer) dilatedPool(x *value, win *window, op, border string) (*value, error) {
	added, err := win.explicit(x.sizes[2:])
	if err != nil {
		return nil, err
	}
	n := len(win.kernel)
	before, after := append([]int{0, 0}, win.before...), append([]int{0, 0}, win.after...)
	for i := range n {
		after[2+i] += added[i]
	}
	b := calc{im: im}
	x = b.keep(im.pad(x, before, after, lowest))
	for i := range n {
		d, s, axis := win.dilation[i], win.stride[i], 2+i
		if b.err != nil {
			return nil, b.err
		}
		out := (x.sizes[axis]-win.extent(i))/s + 1
		if s%d == 0 {
			x = b.keep(im.every(x, axis, 0, d, (x.sizes[axis]+d-1)/d))
			rest := &window{kernel: []int{1, 1}, stride: []int{1, 1}, dilation: []int{1, 1}, before: []int{0, 0}, after: []int{0, 0}, valid: true}
			if b.err != nil {
				return nil, b.err
			}
			// The other axes are one, of which each cell is its own window.
			sizes := slices.Clone(x.sizes)
			flat := []int{graph.NumElements(sizes[:axis]), 1, sizes[axis], graph.NumElements(sizes[axis+1:])}
			rest.kernel[0], rest.stride[0] = win.kernel[i], s/d
			v := b.keep(im.reshape(x, flat...))
			if b.err == nil {
				v = b.keep(im.pool(v, rest, op, border))
			}
			if sizes[axis] = out; b.err == nil {
				v = b.keep(im.reshape(v, sizes...))
			}
			x = v
			continue
		}
		if win.kernel[i] > 64 {
			return nil, unsupported("its kernel has %d cells with gaps", win.kernel[i])
		}
		var most *value
		for k := range win.kernel[i] {
			v := x
			if b.err == nil {
				v = b.keep(im.every(x, axis, k*d, s, out))
			}
			if most == nil {
				most = v
			} else {
				most = b.do("ewmax", most, v)
			}
		}
		x = most
	}
	return x, b.err
}

// every keeps the n positions first, first+step, … along an axis.
func (im *importer) every(x *value, axis, first, step, n int) (*value, error) {
	if step == 1 {
		return im.slice(x, axis, first, first+n)
	}
	if n > maxConstant {
		return nil, unsupported("it keeps %d cells, %d apart", n, step)
	}
	idx := make([]int, n)
	for i := range idx {
		idx[i] = first + i*step
	}
	return im.pick(x, axis, idx)
}

func lowerGlobal(op string) lowering {
	return func(c *call) error {
		in, err := c.need(1, 1)
		if err != nil {
			return err
		}
		if err := c.arithmetic("", in[0]); err != nil {
			return err
		}
		var axes []int
		for i := 2; i < in[0].rank(); i++ {
			axes = append(axes, i)
		}
		if axes == nil {
			return fmt.Errorf("%s: want at least 3 axes", in[0])
		}
		return c.set(c.im.reduce(op, in[0], axes, true))
	}
}
