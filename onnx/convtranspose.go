package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

func init() { register(map[string]lowering{"ConvTranspose": lowerConvTranspose}) }

// maxDerived is how many elements a weight may have that is computed from
// another one.
const maxDerived = 1 << 26

// derive is a weight of the given sizes, computed from another one when it is
// loaded.
func (im *importer) derive(w *value, how string, sizes []int, f func(c *constant) *constant) (*value, error) {
	if n := graph.Product(sizes...); n > maxDerived || graph.Product(w.sizes...) > maxDerived {
		return nil, unsupported("its %s kernel has sizes %v, more than %d elements", how, sizes, maxDerived)
	}
	out := &value{dtype: w.dtype, sizes: sizes, literal: w.literal}
	if w.name != "" {
		out.name = w.name + "/" + how
	}
	if w.weight == nil {
		out.known = f(w.known)
		return out, nil
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
	return out, nil
}

// lowerConvTranspose: the transpose of a convolution is one over the image
// spread with zeros, with the kernel turned around. Where the stride is the
// kernel nothing overlaps, and it is a product and a reshuffle.
func lowerConvTranspose(c *call) error {
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
	if !w.fixed() {
		return unsupported("its kernel is not constant")
	}
	if x.rank() < 3 || x.rank() > 4 || w.rank() != x.rank() {
		return unsupported("it is applied to %s and %s", x, w)
	}
	n := x.rank() - 2
	g64, err := c.int("group", 1)
	if err != nil {
		return err
	}
	if g64 < 1 || g64 > int64(x.sizes[1]) || x.sizes[1]%int(g64) != 0 || w.sizes[0] != x.sizes[1] {
		return fmt.Errorf("%d groups of %s and %s", g64, x, w)
	}
	groups := int(g64)
	win, err := c.window(x.sizes[2:], w.sizes[2:])
	if err != nil {
		return err
	}
	extra, err := c.ints("output_padding")
	if err != nil {
		return err
	}
	if extra == nil {
		extra = make([]int, n)
	}
	shape, err := c.ints("output_shape")
	if err != nil {
		return err
	}
	if len(extra) != n || shape != nil && len(shape) != n {
		return fmt.Errorf("output_padding %v, output_shape %v for %d axes", extra, shape, n)
	}
	for i := range n {
		full := (x.sizes[2+i]-1)*win.stride[i] + win.extent(i) + extra[i]
		total := -1
		switch {
		case shape != nil:
			total = full - shape[i]
		case win.same != "":
			total = full - x.sizes[2+i]*win.stride[i]
		}
		if total >= 0 {
			win.before[i], win.after[i] = total/2, total-total/2
			if win.same == graph.SameLower {
				win.before[i], win.after[i] = win.after[i], win.before[i]
			}
		} else if shape != nil || win.same != "" {
			win.before[i], win.after[i] = 0, total // added, as output_padding
		}
	}
	if n == 1 {
		if x, err = c.im.reshape(x, x.sizes[0], x.sizes[1], 1, x.sizes[2]); err != nil {
			return err
		}
		flat := []int{w.sizes[0], w.sizes[1], 1, w.sizes[2]}
		if w, err = c.im.derive(w, "flat", flat, func(k *constant) *constant {
			f := *k
			f.sizes = flat
			return &f
		}); err != nil {
			return err
		}
		win, extra = win.flat(), []int{0, extra[0]}
	}
	y, err := c.im.deconvolve(x, w, win, groups, extra)
	if err != nil {
		return err
	}
	if n == 1 {
		if y, err = c.im.reshape(y, y.sizes[0], y.sizes[1], y.sizes[3]); err != nil {
			return err
		}
	}
	return c.set(c.im.addBias(y, bias))
}

func (im *importer) deconvolve(x, w *value, win *window, groups int, extra []int) (*value, error) {
	kh, kw := w.sizes[2], w.sizes[3]
	per := w.sizes[1] // output channels of a group
	b := calc{im: im}
	if slices.Equal(win.stride, win.kernel) && !slices.ContainsFunc(win.before, notZero) && !slices.ContainsFunc(win.after, notZero) &&
		!slices.ContainsFunc(extra, notZero) && win.dilation[0] == 1 && win.dilation[1] == 1 {
		k, err := im.derive(w, "transposed", turnedSizes(w.sizes, groups, false), func(c *constant) *constant { return turned(c, groups, false) })
		if err != nil {
			return nil, err
		}
		y := b.with("conv2d", attrs{"pad": graph.NameValue(graph.Valid), "groups": intAttr(groups)}, x, k)
		if b.err != nil {
			return nil, b.err
		}
		n, h, v, o := x.sizes[0], x.sizes[2], x.sizes[3], per*groups
		return im.reshuffle(y, []int{n, o, kh, kw, h, v}, []int{0, 1, 4, 2, 5, 3}, []int{n, o, h * kh, v * kw})
	}
	k, err := im.derive(w, "transposed", turnedSizes(w.sizes, groups, true), func(c *constant) *constant { return turned(c, groups, true) })
	if err != nil {
		return nil, err
	}
	if k, err = im.dilate(k, win.dilation); err != nil {
		return nil, err
	}
	// [h] as [h, 1], padded to [h, s], flat [h*s].
	n, ch, h, v := x.sizes[0], x.sizes[1], x.sizes[2], x.sizes[3]
	sh, sw := win.stride[0], win.stride[1]
	if sh > 1 || sw > 1 {
		x = b.keep(im.reshape(x, n, ch, h, 1, v, 1))
		if b.err == nil {
			x = b.keep(im.pad(x, make([]int, 6), []int{0, 0, 0, sh - 1, 0, sw - 1}, 0))
		}
		if b.err == nil {
			x = b.keep(im.reshape(x, n, ch, h*sh, v*sw))
		}
		if b.err != nil {
			return nil, b.err
		}
	}
	before, after := []int{0, 0, 0, 0}, []int{0, 0, 0, 0}
	for i := range 2 {
		lo := win.extent(i) - 1 - win.before[i]
		hi := win.extent(i) - 1 - win.after[i] + extra[i] - (win.stride[i] - 1)
		size := x.sizes[2+i]
		if size+min(lo, 0)+min(hi, 0) < 1 || size+lo+hi < win.extent(i) {
			return nil, fmt.Errorf("its pads leave nothing")
		}
		x = b.keep(im.slice(x, 2+i, max(-lo, 0), size-max(-hi, 0)))
		if b.err != nil {
			return nil, b.err
		}
		before[2+i], after[2+i] = max(lo, 0), max(hi, 0)
	}
	cw := &window{kernel: []int{k.sizes[2], k.sizes[3]}, stride: []int{1, 1}, dilation: []int{1, 1}, before: before[2:], after: after[2:]}
	if x, err = cw.padOutside(im, x, 0); err != nil {
		return nil, err
	}
	return im.apply("conv2d", attrs{"pad": cw.padAttr(), "groups": intAttr(groups)}, x, k)
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

func turnedSizes(sizes []int, groups int, flip bool) []int {
	ch, o, kh, kw := sizes[0]/groups, sizes[1], sizes[2], sizes[3]
	if flip {
		return []int{groups * o, ch, kh, kw}
	}
	return []int{groups * o * kh * kw, ch, 1, 1}
}
