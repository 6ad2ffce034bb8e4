package cpu

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

var infinity = float32(math.Inf(1))

// geometry is a sliding window over images.
type geometry struct {
	b, c, h, w     int // input
	o, oh, ow      int // output
	kh, kw, sh, sw int
	top, left      int
	padH, padW     int // sizes of the padded image
	padded         bool
}

func newGeometry(x, y []int, kh, kw int, a attrs) (geometry, error) {
	stride, _ := a.get("stride")
	pad, _ := a.get("pad")
	st, ok := stride.Tuple()
	if !ok || len(st) != 2 {
		return geometry{}, fmt.Errorf("stride %s is not a pair", stride)
	}
	g := geometry{b: x[0], c: x[1], h: x[2], w: x[3], o: y[1], oh: y[2], ow: y[3],
		kh: kh, kw: kw, sh: int(st[0]), sw: int(st[1])}
	var err error
	if g.top, _, err = graph.WindowPads(g.h, kh, stride, pad, 0); err != nil {
		return g, err
	}
	if g.left, _, err = graph.WindowPads(g.w, kw, stride, pad, 1); err != nil {
		return g, err
	}
	g.padH, g.padW = max(g.top+g.h, (g.oh-1)*g.sh+kh), max(g.left+g.w, (g.ow-1)*g.sw+kw)
	g.padded = g.padH != g.h || g.padW != g.w
	return g, nil
}

// directChannels is the number of output channels of a group up to which
// reading the image in place beats packing its windows; larger ones amortize
// the packing.
const directChannels = 128

func emitConv(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	in, err := c.allDense(in)
	if err != nil {
		return nil, err
	}
	x, w := in[0], in[1]
	groups, err := a.int("groups")
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(x.sizes, out[0].Sizes, w.sizes[2], w.sizes[3], a)
	if err != nil {
		return nil, err
	}
	var y *value
	if groups == g.c && w.sizes[1] == 1 && g.o == g.c && groups > 1 {
		y, err = c.windows(depthwise, g, x, w, out[0])
	} else {
		y, err = c.convolution(g, groups, x, w, out[0])
	}
	if err != nil {
		return nil, err
	}
	return c.activation(a.name("act"), y, out[0])
}

// activation applies the function that an attribute names.
func (c *compiler) activation(name string, y *value, t graph.TensorType) ([]*value, error) {
	if name == "none" || name == "" {
		return []*value{y}, nil
	}
	code, ok := unaryCodes[name]
	if !ok {
		return nil, fmt.Errorf("activation %s: there is no kernel", name)
	}
	y, err := c.elementwise(chainOp{code: code}, y, nil, nil, 0, t)
	return []*value{y}, err
}

func (c *compiler) convolution(g geometry, groups int, x, w *value, t graph.TensorType) (*value, error) {
	og, cg := g.o/groups, g.c/groups
	k := cg * g.kh * g.kw
	per := c.t.packedA(og, k)
	packed, err := c.result(graph.TensorType{DType: graph.Float32, Sizes: []int{groups * per}}, w)
	if err != nil {
		return nil, err
	}
	kern := c.t
	err = c.add(&step{run: func(ptr) error {
		for i := 0; i < groups; i++ {
			kern.packA(at(packed.ptr(), i*per), at(w.ptr(), i*og*k), og, k, k, 1)
		}
		return nil
	}}, packed, w)
	if err != nil {
		return nil, err
	}
	y, err := c.result(t, x, packed)
	if err != nil {
		return nil, err
	}
	cv := conv{o: og, c: cg, kh: g.kh, kw: g.kw, oh: g.oh, ow: g.ow, sh: g.sh, sw: g.sw, xh: g.padH, xw: g.padW}
	one := g.kh == 1 && g.kw == 1
	cv.direct = g.sh == 1 && g.sw == 1 && og <= directChannels && (!one || og <= 16)
	if one && g.sh == 1 && g.sw == 1 && !g.padded {
		cv.oh, cv.ow, cv.xh, cv.xw = 1, g.oh*g.ow, 1, g.h*g.w // one long row
	}
	image := 0
	if g.padded {
		image = roundUp(g.c*g.padH*g.padW+slack, 16) // what follows is aligned
	}
	f := &fusion{sizes: t.Sizes, n: g.oh * g.ow, rowMod: g.o, registers: true}
	s := &step{fuse: f, scratch: func() int { return image + kern.convScratch(&cv) }}
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
	return y, c.add(s, y, x, packed)
}

// moved is the tail for the part of a result that begins at row row and
// element off, in rows of n elements.
func (t tail) moved(row, off, n int) tail {
	t.row0, t.off0, t.rowLen = row, off, n
	if t.init != nil {
		t.init = at(t.init, off)
	}
	if t.rowScale != nil {
		t.rowScale = at(t.rowScale, row)
	}
	if t.rowBias != nil {
		t.rowBias = at(t.rowBias, row)
	}
	return t
}

// windows is a depthwise convolution (w its kernels) or a pool.
func (c *compiler) windows(kind int32, g geometry, x, w *value, t graph.TensorType) (*value, error) {
	reads := []*value{x}
	if w != nil {
		reads = append(reads, w)
	}
	y, err := c.result(t, reads...)
	if err != nil {
		return nil, err
	}
	kern := c.t
	win := window{c: g.c, h: g.h, w: g.w, oh: g.oh, ow: g.ow, kh: g.kh, kw: g.kw, sh: g.sh, sw: g.sw,
		top: g.top, left: g.left, kind: kind}
	f := &fusion{sizes: t.Sizes, n: g.oh * g.ow, rowMod: g.c}
	s := &step{fuse: f, scratch: func() int { return kern.windowScratch(&win) }}
	s.run = func(scratch ptr) error {
		v := win
		v.scratch = scratch
		if w != nil {
			v.k = w.ptr()
		}
		for b := 0; b < g.b; b++ {
			first := b * g.c * g.oh * g.ow
			v.x, v.y = at(x.ptr(), b*g.c*g.h*g.w), at(y.ptr(), first)
			v.tail = f.tail.moved(0, first, g.oh*g.ow)
			kern.window(&v)
		}
		return nil
	}
	return y, c.add(s, y, reads...)
}

// emitPool is poolmax and poolavg.
func emitPool(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	in, err := c.allDense(in)
	if err != nil {
		return nil, err
	}
	x := in[0]
	kh, err := a.int("kh")
	if err != nil {
		return nil, err
	}
	kw, err := a.int("kw")
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(x.sizes, out[0].Sizes, kh, kw, a)
	if err != nil {
		return nil, err
	}
	kind := poolMax
	if a.op.Name == "poolavg" {
		kind = poolAvg
		if a.name("border") == "excluded" {
			kind = poolAvgInside
		}
	}
	var y *value
	if g.oh == 1 && g.ow == 1 && kh == g.h && kw == g.w && g.top == 0 && g.left == 0 {
		how := reduceMean
		if kind == poolMax {
			how = reduceMax
		}
		y, err = c.reduced(x, g.b*g.c, g.h*g.w, 1, how, out[0])
	} else {
		y, err = c.windows(kind, g, x, nil, out[0])
	}
	return []*value{y}, err
}
