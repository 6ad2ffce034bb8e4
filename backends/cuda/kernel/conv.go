package kernel

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// bindConv is a convolution by cuDNN, if it may be called, or as a product of matrices by
// tiles: kernels [o, c*kh*kw] times what the windows see [c*kh*kw, b*oh*ow], group by
// group, of which the second matrix is read out of the images.
func bindConv(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	a := b.attrs(k.Node)
	groups, err := a.Int("groups")
	if err != nil {
		return err
	}
	x, w, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	g, err := b.window(a, x.Sizes, y.Sizes, w.Sizes[2], w.Sizes[3])
	if err != nil {
		return err
	}
	if b.lib.Cudnn && max(extent(x), extent(w), extent(y)) <= maxInt {
		return b.byCudnn(k, g, groups)
	}
	if p, ok := pointwise(&g, groups, w.Sizes[0]); ok && b.lib.CublasLt {
		p.a.ref.Value, p.b.ref.Value, p.d.Value = k.In[1], k.In[0], k.Out[0]
		if ms := p.calls(); ms != nil {
			return b.byCublas(k, ms)
		}
	}
	s := b.source(k.In[0], k.In[1], k.Out[0])
	return b.convolve(s, &g, groups, y.Sizes[1], Ref{Value: k.In[0]}, Ref{Value: k.In[1]}, Ref{Value: k.Out[0]},
		func(v, at, _ string) (string, error) { return s.tail(k.Tail, v, at, float) })
}

// pointwise is a convolution by kernels of one cell to o channels as a product for each
// image and group, [o/groups, c/groups] times [c/groups, h*w]; ok is false for others.
func pointwise(g *window, groups, o int) (p product, ok bool) {
	if rows, cols := g.outside(); rows || cols || g.kh*g.kw*g.sh*g.sw != 1 {
		return p, false
	}
	og, cg, cells := o/groups, g.c/groups, g.h*g.w
	p = product{m: og, n: cells, k: cg, a: matrix{rs: cg, cs: 1}, b: matrix{rs: cells, cs: 1}}
	for _, ax := range []batchAxis{{n: g.b, b: g.c * cells}, {n: groups, a: og * cg, b: cg * cells}} {
		if ax.n > 1 {
			p.axes = append(p.axes, ax)
		}
	}
	p.dense()
	return p, true
}

// convolve adds the kernel of a convolution with o channels in the result; finish writes
// what is done to element number at of the result, which is in a channel.
func (b *binder) convolve(s *source, g *window, groups, o int, image, kernels, out Ref, finish func(v, at, channel string) (string, error)) error {
	from := s.pointer(param{float, image, true})
	weights := s.pointer(param{float, kernels, true})
	to := s.pointer(param{float, out, false})
	og, cg, pixels := o/groups, g.c/groups, g.oh*g.ow
	t := tiles{m: og, n: g.b * pixels, k: cg * g.kh * g.kw, batch: groups}
	t.begin = func(z string) {
		s.line("const float *am = %s + %s;", weights, s.place([]string{z}, []int{og * t.k}, 0))
		s.line("const float *bm = %s + %s;", from, s.place([]string{z}, []int{cg * g.h * g.w}, 0))
	}
	t.a = side{alongK: true, element: func(at, k string) (string, []string) {
		return "am[" + s.place([]string{at, k}, []int{t.k, 1}, 0) + "]", nil
	}}
	var row, col, cell string
	t.b.fixed = func(at string) {
		idx := s.unravel(at, []int{g.b, g.oh, g.ow})
		row, col = s.corner(g, idx[1], idx[2])
		cell = s.name()
		s.line("const %s %s = %s;", s.index, cell, s.place([]string{idx[0], row, col}, []int{g.c * g.h * g.w, g.w, 1}, 0))
	}
	t.b.element = func(_, k string) (string, []string) {
		idx := s.unravel(k, []int{cg, g.kh, g.kw})
		place := s.place([]string{cell, idx[0], idx[1], idx[2]}, []int{1, g.h * g.w, g.dh * g.w, g.dw}, 0)
		var y, x string
		if rows, cols := g.outside(); rows || cols {
			y, x = s.sum(row, s.times(idx[1], g.dh)), s.sum(col, s.times(idx[2], g.dw))
		}
		return "bm[" + place + "]", g.inside(y, x)
	}
	t.store = func(v, z, row, col string) error {
		channel := s.name()
		s.line("const %s %s = %s;", s.index, channel, s.place([]string{z, row}, []int{og, 1}, 0))
		idx := s.unravel(col, []int{g.b, pixels})
		at := s.name()
		s.line("const %s %s = %s;", s.index, at, s.place([]string{idx[0], channel, idx[1]}, []int{o * pixels, pixels, 1}, 0))
		x := s.name()
		s.line("const float %s = %s;", x, v)
		x, err := finish(x, at, channel)
		s.line("%s[%s] = %s;", to, at, x)
		return err
	}
	return b.tiled(s, &t, float)
}

// byCudnn adds a call of cuDNN, which does the beginning of the tail, and the rest of it.
// Images with other padding on one side than on the other are padded first.
func (b *binder) byCudnn(k *lower.Kernel, g window, groups int) error {
	x, w, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	e := absorbed(k.Tail, lower.Row)
	if k.Tail != nil && e.bias.Value != lower.None && (k.Tail.Mod != y.Sizes[1] || k.Tail.N != g.oh*g.ow) {
		e = absorbed(k.Tail, lower.NoOperand)
	}
	c := &Conv{W: [4]int(w.Sizes), Y: [4]int(y.Sizes), Groups: groups, Stride: [2]int{g.sh, g.sw}, Dilation: [2]int{g.dh, g.dw},
		Image: Ref{Value: k.In[0]}, Kernel: Ref{Value: k.In[1]}, Out: Ref{Value: k.Out[0]}, Z: e.full, Bias: e.bias, Relu: e.relu}
	if !g.even() {
		if err := b.framedScratch(k.In[0], &g); err != nil {
			return err
		}
		c.Image = Ref{Value: Scratch}
	}
	c.X, c.Pad = [4]int{x.Sizes[0], x.Sizes[1], g.h, g.w}, [2]int{g.top, g.left}
	back, err := b.fallback(func() error {
		s := b.source(k.In[0], k.In[1], k.Out[0])
		if graph.NumElements(c.X[:]) > maxInt {
			s.index = int64s
		}
		return b.convolve(s, &g, groups, c.Y[1], c.Image, c.Kernel, c.Out,
			func(v, at, channel string) (string, error) { return s.finish(c.Z, c.Bias, c.Relu, v, at, channel) })
	})
	if err != nil {
		return err
	}
	b.calls = append(b.calls, Call{Node: b.node, Conv: c, Fallback: back})
	return b.chained(k, e.rest)
}

// framedScratch adds a kernel that writes images as the windows see them, padding
// included, to the scratch memory; the windows slide over that from then on.
func (b *binder) framedScratch(image lower.ValueID, g *window) error {
	h, w := g.seen()
	s := b.source(image)
	from, t, err := s.reads(image)
	if err != nil {
		return err
	}
	to := s.pointer(param{t, Ref{Value: Scratch}, false})
	n := g.b * g.c * h * w
	b.scratch = max(b.scratch, int64(n*b.value(image).DType.Bytes()))
	s.each(n)
	idx := s.unravel("i", []int{g.b * g.c, h, w})
	whole := window{h: g.h, w: g.w, oh: h, ow: w, kh: 1, kw: 1, sh: 1, sw: 1, dh: 1, dw: 1, top: g.top, left: g.left}
	row, col := s.corner(&whole, idx[1], idx[2])
	code := fmt.Sprintf("%s[%s]", from, s.place([]string{idx[0], row, col}, []int{g.h * g.w, g.w, 1}, 0))
	if in := whole.inside(row, col); len(in) > 0 {
		code = strings.Join(in, " && ") + " ? " + code + " : 0"
	}
	s.line("%s[i] = %s;", to, code)
	b.launchEach(s, n)
	g.h, g.w, g.top, g.left = h, w, 0, 0
	return nil
}

// bindDepthwise is a convolution whose groups are single channels: a thread for each
// element of the result.
func bindDepthwise(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	x, w, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	g, err := b.window(b.attrs(k.Node), x.Sizes, y.Sizes, w.Sizes[2], w.Sizes[3])
	if err != nil {
		return err
	}
	s := b.source(k.In[0], k.In[1], k.Out[0])
	from := s.pointer(param{float, Ref{Value: k.In[0]}, true})
	weights := s.pointer(param{float, Ref{Value: k.In[1]}, true})
	n := s.slide(&g, g.c, func(image, channel string) {
		s.line("const float *x = %s + (%s), *w = %s + (%s);", from, s.place([]string{image, channel}, []int{g.c * g.h * g.w, g.h * g.w}, 0),
			weights, s.place([]string{channel}, []int{g.kh * g.kw}, 0))
		s.line("float sum = 0;")
	}, func(place, tap string) { s.line("sum += x[%s] * w[%s];", place, tap) })
	return b.stored(s, k, k.Out[0], term{code: "sum", typ: float}, n)
}

// bindPool is the maximum or the average over a window; cells outside of the image are
// left out.
func bindPool(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	a := b.attrs(k.Node)
	kh, err := a.Int("kh")
	if err != nil {
		return err
	}
	kw, err := a.Int("kw")
	if err != nil {
		return err
	}
	g, err := b.window(a, b.value(k.In[0]).Sizes, b.value(k.Out[0]).Sizes, kh, kw)
	if err != nil {
		return err
	}
	largest := k.As == "poolmax"
	rows, cols := g.outside()
	counted := a.Word("border") == "excluded" && (rows || cols)
	s := b.source(k.In[0], k.Out[0])
	from := s.pointer(param{float, Ref{Value: k.In[0]}, true})
	n := s.slide(&g, g.c, func(image, channel string) {
		s.line("const float *x = %s + (%s);", from, s.place([]string{image, channel}, []int{g.c * g.h * g.w, g.h * g.w}, 0))
		start := "0"
		if largest {
			start = "-" + float.literal(inf)
		}
		s.line("float fold = %s;", start)
		if counted {
			s.line("int cells = 0;")
		}
	}, func(place, _ string) {
		switch {
		case largest:
			s.line("fold = %s(fold, x[%s]);", s.larger(float), place)
		default:
			s.line("fold += x[%s];", place)
		}
		if counted {
			s.line("cells++;")
		}
	})
	code := "fold"
	switch {
	case counted:
		code = "(fold / (float)cells)"
	case !largest:
		code = "(fold / " + float.literal(float64(kh*kw)) + ")"
	}
	return b.stored(s, k, k.Out[0], term{code: code, typ: float}, n)
}
