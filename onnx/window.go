package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Operators that slide a window over the axes behind the first two. Ours slide
// over two axes: one axis is made two with a reshape, three are done in steps.

func init() {
	register(map[string]lowering{"Conv": lowerConv})
}

// window is the geometry of a node, by spatial axis.
type window struct {
	kernel, stride, dilation []int
	before, after            []int  // pads
	same                     string // same_upper or same_lower: pads are not used
	valid                    bool   // no pads, and none were written
	ceil                     bool   // the output size is rounded up
}

// window reads the attributes that windows share; kernel is that of the weight
// of a convolution, or nil.
func (c *call) window(image, kernel []int) (*window, error) {
	n := len(image)
	if n < 1 {
		return nil, fmt.Errorf("no axes to slide over")
	}
	w := &window{}
	var err error
	list := func(name string, missing, least int) (xs []int) {
		if err != nil {
			return nil
		}
		if xs, err = c.ints(name); err != nil {
			return nil
		}
		if xs == nil {
			xs = make([]int, n)
			for i := range xs {
				xs[i] = missing
			}
		}
		if len(xs) != n {
			err = fmt.Errorf("%s %v for %d axes", name, xs, n)
		}
		for _, x := range xs {
			if x < least || x > graph.MaxSize {
				err = fmt.Errorf("%s %v", name, xs)
			}
		}
		return xs
	}
	w.stride, w.dilation = list("strides", 1, 1), list("dilations", 1, 1)
	w.kernel = kernel
	if c.has("kernel_shape") {
		w.kernel = list("kernel_shape", 0, 1)
		if err == nil && kernel != nil && !slices.Equal(w.kernel, kernel) {
			return nil, fmt.Errorf("kernel_shape %v of a kernel with %v", w.kernel, kernel)
		}
	}
	if err != nil {
		return nil, err
	}
	if w.kernel == nil {
		return nil, fmt.Errorf("no kernel_shape")
	}
	ceil, err := c.int("ceil_mode", 0)
	if err != nil {
		return nil, err
	}
	w.ceil = ceil != 0
	pads, err := c.ints("pads")
	if err != nil {
		return nil, err
	}
	w.before, w.after = make([]int, n), make([]int, n)
	auto, err := c.text("auto_pad", "NOTSET")
	if err != nil {
		return nil, err
	}
	switch auto {
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
			return nil, fmt.Errorf("%d pads for %d axes", len(pads), n)
		}
		for _, p := range pads {
			if p < 0 || p > graph.MaxSize {
				return nil, fmt.Errorf("pads %v", pads)
			}
		}
		copy(w.before, pads[:n])
		copy(w.after, pads[n:])
		// Most tools write zeros where they mean none; ours says so if it
		// means zeros.
		w.valid = !slices.ContainsFunc(pads, notZero) && !(c.im.own && c.has("auto_pad"))
	default:
		return nil, unsupported("auto_pad is %q", clip(auto))
	}
	return w, nil
}

// extent is the kernel's size along an axis with its gaps.
func (w *window) extent(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// explicit turns SAME padding into numbers for an image, and adds to the end
// what ceil_mode needs so that rounding down gives the same size. It returns
// what was added.
func (w *window) explicit(image []int) (added []int, err error) {
	added = make([]int, len(image))
	for i, n := range image {
		k, s := w.extent(i), w.stride[i]
		if w.same != "" {
			total := max(((n+s-1)/s-1)*s+k-n, 0)
			w.before[i], w.after[i] = total/2, total-total/2
			if w.same == graph.SameLower {
				w.before[i], w.after[i] = w.after[i], w.before[i]
			}
			continue
		}
		room := n + w.before[i] + w.after[i] - k
		if room < 0 {
			return nil, fmt.Errorf("a window of %d does not fit into %d with pads %d and %d", k, n, w.before[i], w.after[i])
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
	return added, nil
}

// flat is a window over one axis as one over two.
func (w *window) flat() *window {
	f := *w
	one := func(xs []int, x int) []int { return []int{x, xs[0]} }
	f.kernel, f.stride, f.dilation = one(w.kernel, 1), one(w.stride, 1), one(w.dilation, 1)
	f.before, f.after = one(w.before, 0), one(w.after, 0)
	return &f
}

func (w *window) strideAttr() graph.Value { return tupleAttr(w.stride...) }

// padAttr is the padding of a window over two axes.
func (w *window) padAttr() graph.Value {
	switch {
	case w.same != "":
		return graph.NameValue(w.same)
	case w.valid:
		return graph.NameValue(graph.Valid)
	}
	return tupleAttr(w.before[0], w.before[1], w.after[0], w.after[1])
}

// padOutside pads with a step of its own where the padding is not smaller than
// the kernel, which our windows do not allow.
func (w *window) padOutside(im *importer, x *value, fill float64) (*value, error) {
	large := false
	for i := range w.kernel {
		large = large || w.before[i] >= w.extent(i) || w.after[i] >= w.extent(i)
	}
	if !large {
		return x, nil
	}
	lead := make([]int, x.rank()-len(w.kernel))
	x, err := im.pad(x, append(slices.Clone(lead), w.before...), append(lead, w.after...), fill)
	w.before, w.after = make([]int, len(w.kernel)), make([]int, len(w.kernel))
	w.valid = true
	return x, err
}

func lowerConv(c *call) error {
	in, err := c.need(2, 3)
	if err != nil {
		return err
	}
	x, w, bias := in[0], in[1], in[2]
	if err := c.arithmetic("", x); err != nil {
		return err
	}
	if w.dtype != x.dtype {
		return fmt.Errorf("input %s and kernel %s have different element types", x, w)
	}
	if x.rank() < 3 || w.rank() != x.rank() {
		return fmt.Errorf("input %s and kernel %s: want the same number of axes, at least 3", x, w)
	}
	groups, err := c.int("group", 1)
	if err != nil {
		return err
	}
	win, err := c.window(x.sizes[2:], w.sizes[2:])
	if err != nil {
		return err
	}
	y, err := c.im.convolve(x, w, win, groups)
	if err != nil {
		return err
	}
	return c.set(c.im.addBias(y, bias))
}

// addBias adds a vector over the channels.
func (im *importer) addBias(y, bias *value) (*value, error) {
	if bias == nil {
		return y, nil
	}
	if bias.rank() != 1 || bias.sizes[0] != y.sizes[1] {
		return nil, fmt.Errorf("the bias %s of %d channels", bias, y.sizes[1])
	}
	ones := make([]int, y.rank()-1)
	for i := range ones {
		ones[i] = 1
	}
	ones[0] = bias.sizes[0]
	b := calc{im: im}
	v := b.keep(im.reshapeStep(bias, append([]int{1}, ones...)...))
	if b.err == nil {
		v = b.keep(im.broadcast(v, y.sizes...))
	}
	return b.do("ewadd", y, v), b.err
}

// reshapeStep is a reshape even of a constant, whose numbers are then stored as
// they were.
func (im *importer) reshapeStep(v *value, sizes ...int) (*value, error) {
	return im.apply("reshape", attrs{"shape": shapeAttr(sizes...)}, v)
}

func (im *importer) convolve(x, w *value, win *window, groups int64) (*value, error) {
	switch x.rank() {
	case 3:
		x1, err := im.reshape(x, x.sizes[0], x.sizes[1], 1, x.sizes[2])
		if err != nil {
			return nil, err
		}
		w1, err := im.reshape(w, w.sizes[0], w.sizes[1], 1, w.sizes[2])
		if err != nil {
			return nil, err
		}
		y, err := im.convolve(x1, w1, win.flat(), groups)
		if err != nil {
			return nil, err
		}
		return im.reshape(y, y.sizes[0], y.sizes[1], y.sizes[3])
	case 4:
		w, err := im.dilate(w, win.dilation)
		if err != nil {
			return nil, err
		}
		if x, err = win.padOutside(im, x, 0); err != nil {
			return nil, err
		}
		return im.apply("conv2d", attrs{"stride": win.strideAttr(), "pad": win.padAttr(), "groups": graph.IntValue(groups)}, x, w)
	case 5:
		return im.convolve3(x, w, win, groups)
	}
	return nil, unsupported("it convolves over %d axes", x.rank()-2)
}

// dilate spreads a kernel with zeros: [.., k, ..] becomes [.., (k-1)*d+1, ..].
func (im *importer) dilate(w *value, by []int) (*value, error) {
	if !slices.ContainsFunc(by, func(d int) bool { return d != 1 }) {
		return w, nil
	}
	if w.fixed() {
		sizes := slices.Clone(w.sizes)
		for i, d := range by {
			sizes[2+i] = (sizes[2+i]-1)*d + 1
		}
		return im.derive(w, "dilated", sizes, func(c *constant) *constant {
			out := newConstant(c.dtype, sizes...)
			st := graph.Strides(sizes)
			graph.Each(c.sizes, func(flat int, idx []int) {
				p := idx[0]*st[0] + idx[1]*st[1]
				for i, d := range by {
					p += idx[2+i] * d * st[2+i]
				}
				out.floats[p] = c.floats[flat]
			})
			return out
		})
	}
	// [k] as [k, 1], padded to [k, d], flat [k*d], without the last d-1.
	apart, wide := slices.Clone(w.sizes[:2]), slices.Clone(w.sizes[:2])
	after := []int{0, 0}
	for i, d := range by {
		k := w.sizes[2+i]
		apart, wide, after = append(apart, k, 1), append(wide, k*d), append(after, 0, d-1)
	}
	b := calc{im: im}
	v := b.keep(im.reshape(w, apart...))
	if b.err == nil {
		v = b.keep(im.pad(v, make([]int, len(after)), after, 0))
	}
	if b.err == nil {
		v = b.keep(im.reshape(v, wide...))
	}
	for i, d := range by {
		if b.err == nil {
			v = b.keep(im.slice(v, 2+i, 0, v.sizes[2+i]-d+1))
		}
	}
	return v, b.err
}

// convolve3 is a convolution over three axes: the sum over the kernel's planes
// of convolutions over two axes, whose batch is the planes of the image that
// the kernel's plane meets.
func (im *importer) convolve3(x, w *value, win *window, groups int64) (*value, error) {
	if w.sizes[2] > 64 {
		return nil, unsupported("the kernel has %d planes", w.sizes[2])
	}
	if _, err := win.explicit(x.sizes[2:]); err != nil {
		return nil, err
	}
	b := calc{im: im}
	x = b.keep(im.pad(x, []int{0, 0, win.before[0], 0, 0}, []int{0, 0, win.after[0], 0, 0}, 0))
	if b.err != nil {
		return nil, b.err
	}
	depth := (x.sizes[2]-win.extent(0))/win.stride[0] + 1
	plane := &window{kernel: win.kernel[1:], stride: win.stride[1:], dilation: win.dilation[1:],
		before: win.before[1:], after: win.after[1:]}
	bt, ch := x.sizes[0], x.sizes[1]
	var sum *value
	for k := range w.sizes[2] {
		xs := b.keep(im.every(x, 2, k*win.dilation[0], win.stride[0], depth))
		if b.err != nil {
			return nil, b.err
		}
		xs = b.keep(im.reshuffle(xs, xs.sizes, []int{0, 2, 1, 3, 4}, []int{bt * depth, ch, x.sizes[3], x.sizes[4]}))
		if b.err != nil {
			return nil, b.err
		}
		ws := b.keep(im.slice(w, 2, k, k+1))
		if b.err == nil {
			ws = b.keep(im.reshape(ws, w.sizes[0], w.sizes[1], w.sizes[3], w.sizes[4]))
		}
		if b.err != nil {
			return nil, b.err
		}
		p := *plane
		y, err := im.convolve(xs, ws, &p, groups)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = y
		} else {
			sum = b.do("ewadd", sum, y)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	o, h, v := sum.sizes[1], sum.sizes[2], sum.sizes[3]
	return im.reshuffle(sum, []int{bt, depth, o, h, v}, []int{0, 2, 1, 3, 4}, []int{bt, o, depth, h, v})
}
