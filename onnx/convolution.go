package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// windowOperators are convolutions, pools, and what else slides windows.
func windowOperators() []*operator {
	const conv = "auto_pad dilations group kernel_shape pads strides"
	const pool = "auto_pad ceil_mode dilations kernel_shape pads strides"
	return []*operator{
		{name: "Conv", versions: "1 11 22", attrs: conv, lower: lowerConv, writes: map[string]writer{"conv2d": writeConv}},
		{name: "ConvTranspose", versions: "1 11 22", attrs: conv + " output_padding output_shape", lower: lowerConvTranspose},
		{name: "DeformConv", versions: "19 22", attrs: "dilations group kernel_shape offset_group pads strides", lower: lowerDeformConv},
		{name: "MaxPool", versions: "1 8 10 11 12 22", attrs: pool + " storage_order", lower: lowerMaxPool, types: pooledType,
			writes: map[string]writer{"poolmax": writePool("MaxPool")}},
		{name: "AveragePool", versions: "1 7 10 11 19 22", attrs: pool + " count_include_pad", lower: lowerAveragePool, types: pooledType,
			writes: map[string]writer{"poolavg": writePool("AveragePool")}},
		{name: "LpPool", versions: "!1 2 11 18 22", attrs: pool + " p", lower: lowerLpPool},
		{name: "GlobalAveragePool", versions: "1 22", lower: lowerGlobal(plainReduce("reducemean"))},
		{name: "GlobalMaxPool", versions: "1 22", lower: lowerGlobal(plainReduce("reducemax"))},
		{name: "GlobalLpPool", versions: "!1 2 22", attrs: "p", lower: lowerGlobalLp},
		{name: "MaxUnpool", versions: "9 11 22", attrs: "kernel_shape pads strides", lower: lowerMaxUnpool},
		{name: "RoiAlign", versions: "10 16 22", lower: lowerRoiAlign,
			attrs: "coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale"},
		{name: "Col2Im", versions: "18", attrs: "dilations pads strides", lower: lowerCol2Im},
	}
}

// image is what a convolution of this kernel and its transpose have in common: the
// types that they are applied to.
func (c *call) image() (x, w, bias *value) {
	in := c.need(2, 3)
	x, w = in[0], in[1]
	c.arithmetic("", x)
	if w.dtype != x.dtype {
		must.Failf("input %s and kernel %s have different element types", x, w)
	}
	return x, w, in[2]
}

func lowerConv(c *call) {
	x, w, bias := c.image()
	if x.rank() < 3 || w.rank() != x.rank() {
		must.Failf("input %s and kernel %s: want the same number of axes, at least 3", x, w)
	}
	groups := c.int("group", 1)
	win := c.window(x.rank()-2, w.sizes()[2:])
	c.markedSame(x, win)
	if c.marked(noteRow) && w.rank() == 3 {
		if v := w.resized([]int{w.sizes()[0], w.sizes()[1], 1, w.sizes()[2]}); v != nil {
			w = v
		}
	}
	y := c.im.convolve(x, w, win, groups)
	if v := c.markedBias(y, bias); v != nil {
		c.set(c.im.do("ewadd", y, c.im.broadcastTo(v, y.dims())))
		return
	}
	c.set(c.im.addBias(y, bias))
}

// addBias adds a vector over the channels.
func (im *importer) addBias(y, bias *value) *value {
	if bias == nil {
		return y
	}
	if bias.rank() != 1 || !im.open.same(bias.size(0), y.size(1)) {
		must.Failf("the bias %s of %s channels", bias, y.size(1))
	}
	v := im.reshaped(bias, dimsOf(ofChannels(bias.sizes()[0], y.rank())...))
	return im.do("ewadd", y, im.broadcastTo(v, y.dims()))
}

func (im *importer) convolve(x, w *value, win *window, groups int64) *value {
	switch x.rank() {
	case 3:
		row := w
		if w.rank() == 3 {
			row = im.flatten(w)
		}
		return im.unflatten(im.convolve(im.flatten(x), row, win.flat(), groups))
	case 4:
		x = win.padOutside(im, x)
		return im.apply("conv2d", attrs{"stride": win.strideAttr(), "pad": win.padAttr(), "groups": graph.IntValue(groups), "dilation": win.dilationAttr(im)}, x, w)
	case 5:
		return im.convolve3(x, w, win, groups)
	}
	must.Do(unsupported("convolution over %d axes is not supported", x.rank()-2))
	return nil
}

// maxDerived is how many elements a weight may have that is computed from
// another one.
const maxDerived = 1 << 26

// derive is a weight of the given sizes, computed from another one when it is
// loaded.
func (im *importer) derive(w *value, how string, sizes []int, f func(c *constant) *constant) *value {
	if n := graph.Product(sizes...); n > maxDerived || graph.Product(w.sizes()...) > maxDerived {
		must.Do(unsupported("its %s kernel of shape %v has more than %d elements", how, sizes, maxDerived))
	}
	out := &value{dtype: w.dtype, sized: sizes, literal: w.literal}
	if out.name = w.name; w.name != "" && !w.compact {
		out.name += "/" + how
	}
	if w.weight == nil {
		out.known = f(w.known)
		return out
	}
	from := w.weight
	out.weight = &model.Weight{DType: w.dtype, Sizes: sizes, Load: func() ([]byte, error) {
		raw, err := from.Read()
		if err != nil {
			return nil, err
		}
		c, err := decodeConstant(from.DType, from.Sizes, raw)
		if err != nil {
			return nil, err
		}
		return f(c).encode(), nil
	}}
	return out
}

// interleave puts zeros behind each cell of the axes behind the first two, so that
// cells are so many apart.
func (im *importer) interleave(v *value, by []int) *value {
	apart, wide, after := slices.Clone(v.dims()[:2]), slices.Clone(v.dims()[:2]), []int{0, 0}
	for i, d := range by {
		n := v.size(2 + i)
		apart, wide, after = append(apart, n, graph.Int(1)), append(wide, n.Scale(int64(d))), append(after, 0, d-1)
	}
	v = im.reshapeTo(v, apart)
	v = im.pad(v, make([]int, len(after)), after, 0)
	return im.reshapeTo(v, wide)
}

// convolve3 is a convolution over three axes: the sum over the kernel's planes
// of convolutions over two axes, whose batch is the planes of the image that
// the kernel's plane meets.
func (im *importer) convolve3(x, w *value, win *window, groups int64) *value {
	if w.sizes()[2] > 64 {
		must.Do(unsupported("kernel depth %d is not supported, at most 64", w.sizes()[2]))
	}
	win.explicit(numbersOf(x.dims()[2:]))
	x = im.pad(x, []int{0, 0, win.before[0], 0, 0}, []int{0, 0, win.after[0], 0, 0}, 0)
	depth := (numberOf(x.size(2))-win.extent(0))/win.stride[0] + 1
	bt, ch, deep := x.size(0), x.size(1), graph.Int(int64(depth))
	var sum *value
	for k := range w.sizes()[2] {
		xs := im.every(x, 2, k*win.dilation[0], win.stride[0], depth)
		xs = im.reshuffle(xs, xs.dims(), []int{0, 2, 1, 3, 4}, []graph.Dim{bt.Mul(deep), ch, x.size(3), x.size(4)})
		ws := im.reshape(im.slice(w, 2, k, k+1), w.sizes()[0], w.sizes()[1], w.sizes()[3], w.sizes()[4])
		plane := win.over(1, 3)
		plane.valid = false
		y := im.convolve(xs, ws, plane, groups)
		if sum == nil {
			sum = y
		} else {
			sum = im.do("ewadd", sum, y)
		}
	}
	o, h, v := sum.size(1), sum.size(2), sum.size(3)
	return im.reshuffle(sum, []graph.Dim{bt, deep, o, h, v}, []int{0, 2, 1, 3, 4}, []graph.Dim{bt, o, deep, h, v})
}
