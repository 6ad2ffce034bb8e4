package cpu

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/lower"
)

var infinity = float32(math.Inf(1))

// geometry is a sliding window over images.
type geometry struct {
	b, c, h, w     int // input
	o, oh, ow      int // output
	kh, kw, sh, sw int
	dh, dw         int // dilation
	top, left      int
	padH, padW     int // sizes of the padded image
	padded         bool
}

func newGeometry(x, y []int, kh, kw int, a lower.Attrs) (geometry, error) {
	stride, _ := a.Get("stride")
	st, ok := stride.Tuple()
	if !ok || len(st) != 2 {
		return geometry{}, fmt.Errorf("stride %s is not a pair", stride)
	}
	g := geometry{b: x[0], c: x[1], h: x[2], w: x[3], o: y[1], oh: y[2], ow: y[3],
		kh: kh, kw: kw, sh: int(st[0]), sw: int(st[1])}
	var err error
	if g.top, g.left, err = lower.Pads(a, x, kh, kw); err != nil {
		return g, err
	}
	if g.dh, g.dw, err = lower.Dilation(a); err != nil {
		return g, err
	}
	g.dh, g.top = lower.Closer(g.kh, g.dh, g.top, g.h, (g.oh-1)*g.sh)
	g.dw, g.left = lower.Closer(g.kw, g.dw, g.left, g.w, (g.ow-1)*g.sw)
	g.padH, g.padW = max(g.top+g.h, (g.oh-1)*g.sh+(kh-1)*g.dh+1), max(g.left+g.w, (g.ow-1)*g.sw+(kw-1)*g.dw+1)
	g.padded = g.padH != g.h || g.padW != g.w
	return g, nil
}

// packedConv: kernels are packed group by group, as matrices.
func packedConv(t table, a *lower.App) ([]lower.Packed, error) {
	groups, err := a.Attrs.Int("groups")
	if err != nil {
		return nil, err
	}
	w := a.In[1].Sizes
	og, k := w[0]/groups, w[1]*w[2]*w[3]
	return []lower.Packed{{}, {Elements: groups * t.packedA(og, k), Span: [3]int{groups, og, k}}}, nil
}

func packConv(b *binder, k *lower.Kernel, s *step) error {
	kern, w, packed := b.t, b.value(k.In[0]), b.value(k.Out[0])
	groups, og, n := k.Span[0], k.Span[1], k.Span[2]
	per := kern.packedA(og, n)
	s.run = func(ptr) error {
		for i := range groups {
			kern.packA(at(packed.ptr(), i*per), at(w.ptr(), i*og*n), og, n, n, 1)
		}
		return nil
	}
	return nil
}

func bindConv(b *binder, kn *lower.Kernel, s *step) error {
	kern, a, f := b.t, b.attrs(kn.Node), s.tail
	x, w, packed, y := b.value(kn.In[0]), b.value(kn.In[1]), b.prepared(kn, 1), b.value(kn.Out[0])
	groups, err := a.Int("groups")
	if err != nil {
		return err
	}
	g, err := newGeometry(x.Sizes, y.Sizes, w.Sizes[2], w.Sizes[3], a)
	if err != nil {
		return err
	}
	og, cg := g.o/groups, g.c/groups
	per := kern.packedA(og, cg*g.kh*g.kw)
	cv := conv{o: og, c: cg, kh: g.kh, kw: g.kw, oh: g.oh, ow: g.ow, sh: g.sh, sw: g.sw, dh: g.dh, dw: g.dw, xh: g.padH, xw: g.padW}
	if g.kh == 1 && g.kw == 1 && g.sh == 1 && g.sw == 1 && !g.padded {
		cv.oh, cv.ow, cv.xh, cv.xw = 1, g.oh*g.ow, 1, g.h*g.w // one long row
	}
	image := 0
	if g.padded {
		image = roundUp(g.c*g.padH*g.padW+slack, 16) // what follows is aligned
	}
	s.scratch = image + kern.convScratch(&cv)
	s.run = func(scratch ptr) error {
		v := cv
		v.scratch = at(scratch, image)
		pixels := g.oh * g.ow
		for b := 0; b < g.b; b++ {
			src := at(x.ptr(), b*g.c*g.h*g.w)
			if g.padded {
				kern.padImage(scratch, src, g.c, g.h, g.w, g.top, g.left, g.padH, g.padW)
				src = scratch
			}
			for i := 0; i < groups; i++ {
				first := (b*g.o + i*og) * pixels
				v.x = at(src, i*cg*g.padH*g.padW)
				v.w = at(packed.ptr(), i*per)
				v.y = at(y.ptr(), first)
				v.tail = f.tail.moved(i*og, first, pixels)
				kern.conv(&v)
			}
		}
		return nil
	}
	return nil
}

// bindDots is a depthwise convolution with kernels as large as the image.
func bindDots(b *binder, k *lower.Kernel, s *step) error {
	kern, x, w, y, f := b.t, b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0]), s.tail
	channels, n := k.Span[0], k.Span[1]
	s.run = func(ptr) error {
		for b := 0; b < x.Sizes[0]; b++ {
			v := f.tail.moved(0, b*channels, 1)
			kern.dots(at(y.ptr(), b*channels), at(x.ptr(), b*channels*n), w.ptr(), channels, n, &v)
		}
		return nil
	}
	return nil
}

// bindWindows is a depthwise convolution or a pool.
func bindWindows(b *binder, k *lower.Kernel, s *step) error {
	kern, a, f := b.t, b.attrs(k.Node), s.tail
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	var w *value
	var kh, kw int
	var err error
	kind := poolMax
	if k.As == "depthwise" {
		kind, w = depthwise, b.value(k.In[1])
		kh, kw = w.Sizes[2], w.Sizes[3]
	} else {
		if kh, err = a.Int("kh"); err != nil {
			return err
		}
		if kw, err = a.Int("kw"); err != nil {
			return err
		}
		if k.As == "poolavg" {
			kind = poolAvg
			if a.Word("border") == "excluded" {
				kind = poolAvgInside
			}
		}
	}
	g, err := newGeometry(x.Sizes, y.Sizes, kh, kw, a)
	if err != nil {
		return err
	}
	win := window{c: g.c, h: g.h, w: g.w, oh: g.oh, ow: g.ow, kh: g.kh, kw: g.kw, sh: g.sh, sw: g.sw, dh: g.dh, dw: g.dw,
		top: g.top, left: g.left, kind: kind}
	s.scratch = kern.windowScratch(&win)
	s.run = func(scratch ptr) error {
		v := win
		v.scratch, v.k = scratch, w.ptr()
		for b := 0; b < g.b; b++ {
			first := b * g.c * g.oh * g.ow
			v.x, v.y = at(x.ptr(), b*g.c*g.h*g.w), at(y.ptr(), first)
			v.tail = f.tail.moved(0, first, g.oh*g.ow)
			kern.window(&v)
		}
		return nil
	}
	return nil
}
