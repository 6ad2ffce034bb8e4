package cpu

import "github.com/taso-go/taso/lower"

// Convolutions over images that are spread with zeros. Rows of the result that are as many
// apart as those of the image meet the same rows of the kernel, those under which there are
// no zeros; so do columns. These rows and columns, a phase, are a convolution of the
// image as it was with a part of the kernel.

// phase is what of one axis of the result is computed together: cells p, p+apart, ...
type phase struct {
	n         int // how many
	k0, every int // the first cell of the kernel that they meet, and how far the next ones are
	taps      int // how many of these
	dilation  int // how far apart they lie in the image
	first     int // where the first window begins, in cells of the image
}

// phases are those of axis k, for y cells of the result and w of the kernel.
func phases(s lower.Spread, k, y, w int) []phase {
	apart, d := s.Apart[k], s.Dilation[k]
	common := gcd(apart, d)
	all := make([]phase, min(apart, y))
	for p := range all {
		f := &all[p]
		f.n, f.every, f.dilation = (y-p+apart-1)/apart, apart/common, d/common
		for i := range w {
			at := p + i*d - s.First[k]
			if at%apart != 0 {
				continue
			}
			if f.taps++; f.taps == 1 {
				f.k0, f.first = i, at/apart
			}
		}
	}
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// nearer brings windows that reach beyond an image of n cells, on which only zeros are, as
// near to it as they can be.
func nearer(ps []phase, n int) {
	for i := range ps {
		f := &ps[i]
		switch before := 0; {
		case f.taps > 1:
			f.dilation, before = lower.Closer(f.taps, f.dilation, -f.first, n, f.n-1)
			f.first = -before
		case f.taps == 1:
			f.first = max(min(f.first, n), -f.n)
		}
	}
}

// framed is the border that an axis of n cells needs for its phases, and its length then.
func framed(ps []phase, n int) (before, length int) {
	length = n
	for _, f := range ps {
		if f.taps > 0 {
			before = max(before, -f.first)
			length = max(length, f.first+f.n-1+(f.taps-1)*f.dilation+1)
		}
	}
	return before, before + length
}

// spreading is such a convolution.
type spreading struct {
	t              table
	groups, og, cg int
	kh, kw         int
	rows, cols     []phase
	one            bool // the image is one cell: a product with what each cell of the result sees
	cells          int  // of the result, a channel
}

func newSpreading(t table, s lower.Spread, groups int, x, w, y []int) spreading {
	one := groups == 1
	for k := range 2 {
		// Windows reach over as many cells as one of the image has for itself.
		one = one && x[2+k] == 1 && s.Apart[k] == y[2+k]+(w[2+k]-1)*s.Dilation[k] && 0 <= s.First[k] && s.First[k] < s.Apart[k]
	}
	return spreading{t: t, groups: groups, og: y[1] / groups, cg: w[1], kh: w[2], kw: w[3],
		rows: phases(s, 0, y[2], w[2]), cols: phases(s, 1, y[3], w[3]), one: one, cells: y[2] * y[3]}
}

// each calls f with every phase of rows and one of columns that meets a cell, and with where
// its part of the kernel is packed; it returns how long all parts are.
func (c *spreading) each(f func(r, q int, rows, cols *phase, at int)) int {
	at := 0
	for r := range c.rows {
		for q := range c.cols {
			rows, cols := &c.rows[r], &c.cols[q]
			if rows.taps*cols.taps > 0 {
				f(r, q, rows, cols, at)
				at += c.groups * c.t.packedA(c.og, c.cg*rows.taps*cols.taps)
			}
		}
	}
	return at
}

// packed is how many elements the prepared kernel has.
func (c *spreading) packed() int {
	if c.one {
		return c.t.packedB(c.og*c.cells, c.cg)
	}
	return c.each(func(int, int, *phase, *phase, int) {})
}

func packedSpread(t table, a *lower.App) ([]lower.Packed, error) {
	groups, err := a.Attrs.Int("groups")
	if err != nil {
		return nil, err
	}
	y := a.Out[0].Sizes
	c := newSpreading(t, a.Spread, groups, a.In[0].Sizes, a.In[1].Sizes, y)
	// Which image the kernel is prepared for is part of the form.
	one := 0
	if c.one {
		one = 1
	}
	return []lower.Packed{{}, {Elements: c.packed(), Span: [3]int{y[2], y[3], 2*groups + one}}}, nil
}

func packSpread(b *binder, k *lower.Kernel, s *step) error {
	w, packed := b.value(k.In[0]), b.value(k.Out[0])
	groups, cell := k.Span[2]/2, 2-k.Span[2]%2
	c := newSpreading(b.t, k.Spread, groups, []int{1, groups * w.Sizes[1], cell, cell}, w.Sizes, []int{1, w.Sizes[0], k.Span[0], k.Span[1]})
	plane := c.kh * c.kw
	if c.one {
		s.scratch = c.cg * c.og * c.cells
		s.run = func(scratch ptr) error {
			to, from := f32(scratch, s.scratch), f32(w.ptr(), c.og*c.cg*plane)
			clear(to)
			c.each(func(r, q int, rows, cols *phase, _ int) {
				for i := range c.cg {
					for o := range c.og {
						to[(i*c.og+o)*c.cells+r*len(c.cols)+q] = from[(o*c.cg+i)*plane+rows.k0*c.kw+cols.k0]
					}
				}
			})
			c.t.packB(packed.ptr(), scratch, c.og*c.cells, c.cg, c.og*c.cells, 1)
			return nil
		}
		return nil
	}
	s.scratch = c.og * c.cg * plane
	s.run = func(scratch ptr) error {
		to, from := f32(scratch, s.scratch), f32(w.ptr(), groups*c.og*c.cg*plane)
		c.each(func(_, _ int, rows, cols *phase, at0 int) {
			n := c.cg * rows.taps * cols.taps
			for g := range groups {
				i := 0
				for o := range c.og * c.cg {
					part := from[(g*c.og*c.cg+o)*plane:]
					for a := range rows.taps {
						for b := range cols.taps {
							to[i] = part[(rows.k0+a*rows.every)*c.kw+cols.k0+b*cols.every]
							i++
						}
					}
				}
				c.t.packA(at(packed.ptr(), at0+g*c.t.packedA(c.og, n)), scratch, c.og, n, n, 1)
			}
		})
		return nil
	}
	return nil
}

func bindSpread(b *binder, k *lower.Kernel, s *step) error {
	groups, err := b.attrs(k.Node).Int("groups")
	if err != nil {
		return err
	}
	kern, f := b.t, s.tail
	x, packed, y := b.value(k.In[0]), b.prepared(k, 1), b.value(k.Out[0])
	c := newSpreading(kern, k.Spread, groups, x.Sizes, b.value(k.In[1]).Sizes, y.Sizes)
	batch, n, rowMod := x.Sizes[0], f.n, max(f.rowMod, 1)
	finish := func() {
		if f.tail.nops > 0 {
			kern.chain(y.ptr(), y.ptr(), y.Elements()/n, n, rowMod, f.tail.ops, f.tail.nops)
		}
	}
	if c.one {
		s.scratch = kern.gemmScratch()
		s.run = func(scratch ptr) error {
			n := c.og * c.cells
			kern.gemm(&gemm{m: batch, n: n, k: c.cg, a: x.ptr(), ars: c.cg, acs: 1, bp: packed.ptr(), c: y.ptr(), ldc: n, scratch: scratch})
			finish()
			return nil
		}
		return nil
	}
	h, w, oh, ow := x.Sizes[2], x.Sizes[3], y.Sizes[2], y.Sizes[3]
	nearer(c.rows, h)
	nearer(c.cols, w)
	top, padH := framed(c.rows, h)
	left, padW := framed(c.cols, w)
	image := 0
	if padH != h || padW != w {
		image = roundUp(x.Sizes[1]*padH*padW+slack, 16)
	}
	// The results of one phase of rows and all of columns, and behind them what the
	// convolutions need.
	per := roundUp(c.og*c.rows[0].n*c.cols[0].n+slack, 16)
	parts, need := len(c.cols)*per, 0
	convs := make([]phased, len(c.rows)*len(c.cols))
	c.each(func(r, q int, rows, cols *phase, at int) {
		v := phased{conv{o: c.og, c: c.cg, kh: rows.taps, kw: cols.taps, oh: rows.n, ow: cols.n, sh: 1, sw: 1,
			dh: rows.dilation, dw: cols.dilation, xh: padH, xw: padW}, (top+rows.first)*padW + left + cols.first, at}
		need = max(need, kern.convScratch(&v.conv))
		convs[r*len(c.cols)+q] = v
	})
	s.scratch = image + parts + need
	s.run = func(scratch ptr) error {
		part := at(scratch, image)
		for i := range batch * groups {
			b, g := i/groups, i%groups
			src := at(x.ptr(), b*x.Sizes[1]*h*w)
			if image > 0 {
				if g == 0 {
					kern.padImage(scratch, src, x.Sizes[1], h, w, top, left, padH, padW)
				}
				src = scratch
			}
			for r, rows := range c.rows {
				for q, cols := range c.cols {
					v, to := convs[r*len(c.cols)+q], at(part, q*per)
					if v.kh*v.kw == 0 { // between the cells
						clear(f32(to, c.og*rows.n*cols.n))
						continue
					}
					v.x = at(src, g*c.cg*padH*padW+v.from)
					v.w = at(packed.ptr(), v.kernel+g*kern.packedA(c.og, c.cg*v.kh*v.kw))
					v.y, v.scratch = to, at(part, parts)
					kern.conv(&v.conv)
				}
				kern.weave(at(y.ptr(), i*c.og*oh*ow+r*ow), part, c.og, rows.n, ow, len(c.cols), per, oh*ow, len(c.rows)*ow)
			}
		}
		finish()
		return nil
	}
	return nil
}

// phased is the convolution of a phase of rows and one of columns: where its windows begin
// in the image, and its part of the kernel.
type phased struct {
	conv
	from, kernel int
}
