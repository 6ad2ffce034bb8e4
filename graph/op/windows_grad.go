package op

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Derivatives of operators with windows, as convolutions.
//
// With stride 1 the derivative by the image is the convolution of that by the result
// with the kernel reversed, inputs and outputs exchanged; the derivative by the kernel is
// the convolution of the image with that by the result, batch and channels exchanged.
//
// A convolution with stride s is one with stride 1 of the image cut into blocks of s by s
// cells, the cells of a block being channels, and of the kernel cut likewise (as in
// sub-pixel convolution, Shi et al., CVPR 2016): nothing is multiplied with zeros that
// stand between cells.
//
//	image, padded   [b, c, s*H, s*W]  ->  [b, c*s*s, H, W]
//	kernel, padded  [o, c, s*K, s*L]  ->  [o, c*s*s, K, L]
//
// Where the kernel is dilated by d its cells lie in different blocks at different
// places. There the derivative by the kernel is the convolution with stride d of the
// image with that by the result, dilated by s, and that by the image is one of the
// derivative by the result, zeros put in where the stride left cells out.

// slide is how a window slides along height and width.
type slide struct {
	groups int
	// Along each axis: cells of the image, of the window and of the result, the stride,
	// the dilation, the padding before and behind.
	image, kernel, out, stride, dilation, before, after [2]int
}

// slideOf is how a window of kh by kw cells, a dilation apart, slides over x to y.
func slideOf(x, y []int, kh, kw int, stride, pad, dilation graph.Value, groups int) slide {
	s := slide{groups: groups, kernel: [2]int{kh, kw}}
	steps, apart := ints(stride), ints(dilation)
	for i := range 2 {
		s.image[i], s.out[i], s.stride[i], s.dilation[i] = x[2+i], y[2+i], steps[i], apart[i]
		if s.kernel[i] == 1 {
			s.dilation[i] = 1 // there is no second cell
		}
		before, after, err := graph.WindowPads(x[2+i], s.extent(i), stride, pad, i)
		must.Do(err)
		s.before[i], s.after[i] = before, after
	}
	if s.out == [2]int{1, 1} && s.before == [2]int{} {
		s.stride = s.kernel // there is one window: any stride does
		if s.dilated() {
			s.stride = [2]int{1, 1}
		}
	}
	return s
}

// extent is how many cells of the image the window reaches over along an axis.
func (s slide) extent(i int) int { return (s.kernel[i]-1)*s.dilation[i] + 1 }

func (s slide) dilated() bool { return s.dilation != [2]int{1, 1} }

// behind are the cells, borders counted, that lie behind the last window along an axis.
func (s slide) behind(i int) int {
	return s.image[i] + s.before[i] + s.after[i] - (s.out[i]-1)*s.stride[i] - s.extent(i)
}

// blocks are, along an axis, how many cells of a block windows read, and how many blocks
// a window and the windows together cover.
func (s slide) blocks(i int) (cells, window, all int) {
	window = (s.kernel[i] + s.stride[i] - 1) / s.stride[i]
	return min(s.stride[i], s.kernel[i]), window, s.out[i] + window - 1
}

// blocked: the stride is not 1, or cells are left over behind the last window.
func (s slide) blocked() bool {
	for i := range 2 {
		if s.stride[i] != 1 || s.behind(i) != 0 {
			return true
		}
	}
	return false
}

// inBlocks is the slide with stride 1 over blocks.
func (s slide) inBlocks() slide {
	t := slide{groups: s.groups, stride: [2]int{1, 1}, dilation: [2]int{1, 1}, out: s.out}
	for i := range 2 {
		_, t.kernel[i], t.image[i] = s.blocks(i)
	}
	return t
}

func pair(n [2]int) graph.Value { return graph.TupleValue(n[:]...) }

// fold makes the cells of blocks channels: [n, c, H*s, W*t] becomes [n, c*p*q, H, W] for
// the first p by q cells of blocks of s by t.
func fold(c *graph.Calc, x graph.Tensor, block, cells [2]int) graph.Tensor {
	n := c.Sizes(x)
	x = c.Reshape(x, n[0], n[1], n[2]/block[0], block[0], n[3]/block[1], block[1])
	x = c.Slice(c.Slice(x, 3, 0, cells[0]), 5, 0, cells[1])
	x = c.Transpose(x, 0, 1, 3, 5, 2, 4)
	return c.Reshape(x, n[0], n[1]*cells[0]*cells[1], n[2]/block[0], n[3]/block[1])
}

// unfold undoes fold; cells that were left out are zeros.
func unfold(c *graph.Calc, x graph.Tensor, block, cells [2]int) graph.Tensor {
	n := c.Sizes(x)
	channels := n[1] / (cells[0] * cells[1])
	x = c.Reshape(x, n[0], channels, cells[0], cells[1], n[2], n[3])
	x = c.Transpose(x, 0, 1, 4, 2, 5, 3)
	x = c.PadAxis(c.PadAxis(x, 3, 0, block[0]-cells[0]), 5, 0, block[1]-cells[1])
	return c.Reshape(x, n[0], channels, n[2]*block[0], n[3]*block[1])
}

// moveImage shifts an image along height and width: cell i of the result is cell
// i+from of x, zero where there is none.
func moveImage(c *graph.Calc, x graph.Tensor, from, sizes [2]int) graph.Tensor {
	for i := range 2 {
		n := c.Sizes(x)[2+i]
		lo, hi := from[i], from[i]+sizes[i]
		x = c.Slice(x, 2+i, max(lo, 0), min(hi, n))
		x = c.PadAxis(x, 2+i, max(-lo, 0), max(hi-n, 0))
	}
	return x
}

// imageInBlocks is the padded image, cut off behind the last window, in blocks.
func (s slide) imageInBlocks(c *graph.Calc, x graph.Tensor) graph.Tensor {
	var from, sizes, cells [2]int
	for i := range 2 {
		p, _, all := s.blocks(i)
		from[i], sizes[i], cells[i] = -s.before[i], all*s.stride[i], p
	}
	return fold(c, moveImage(c, x, from, sizes), s.stride, cells)
}

// kernelInBlocks is the kernel in blocks.
func (s slide) kernelInBlocks(c *graph.Calc, w graph.Tensor) graph.Tensor {
	var sizes, block [2]int
	for i := range 2 {
		cells, window, _ := s.blocks(i)
		sizes[i], block[i] = cells*window, cells
	}
	return fold(c, moveImage(c, w, [2]int{}, sizes), block, block)
}

// byImage is the derivative by the image, given that by the result d and the kernel w.
func (s slide) byImage(c *graph.Calc, d, w graph.Tensor) graph.Tensor {
	if s.dilated() && s.blocked() {
		t := s
		t.stride = [2]int{1, 1}
		for i := range 2 {
			t.out[i] = (s.out[i]-1)*s.stride[i] + 1 + s.behind(i)
		}
		d = moveImage(c, unfold(c, d, s.stride, [2]int{1, 1}), [2]int{}, t.out)
		return t.byImage(c, d, w)
	}
	if s.blocked() {
		dx := s.inBlocks().byImage(c, d, s.kernelInBlocks(c, w))
		var cells, from [2]int
		for i := range 2 {
			cells[i], _, _ = s.blocks(i)
			from[i] = s.before[i]
		}
		return moveImage(c, unfold(c, dx, s.stride, cells), from, s.image)
	}
	n := c.Sizes(w)
	if o := n[0] / s.groups; s.groups == 1 {
		w = c.Transpose(w, 1, 0, 2, 3)
	} else {
		w = c.Reshape(w, s.groups, o, n[1], n[2], n[3])
		w = c.Reshape(c.Transpose(w, 0, 2, 1, 3, 4), s.groups*n[1], o, n[2], n[3])
	}
	pad := graph.TupleValue(s.extent(0)-1-s.before[0], s.extent(1)-1-s.before[1], s.extent(0)-1-s.after[0], s.extent(1)-1-s.after[1])
	return c.Op("conv2d", graph.Named{"pad": pad, "groups": graph.IntValue(s.groups), "dilation": pair(s.dilation)}, d, c.Reverse(w, 2, 3))
}

// byKernel is the derivative by the kernel, given that by the result d and the image x.
func (s slide) byKernel(c *graph.Calc, d, x graph.Tensor) graph.Tensor {
	if s.blocked() && !s.dilated() {
		dw := s.inBlocks().byKernel(c, d, s.imageInBlocks(c, x))
		var block [2]int
		for i := range 2 {
			block[i], _, _ = s.blocks(i)
		}
		return moveImage(c, unfold(c, dw, block, block), [2]int{}, s.kernel)
	}
	pad := graph.TupleValue(s.before[0], s.before[1], s.after[0], s.after[1])
	reach := func(i int) int { return (s.out[i]-1)*s.stride[i] + 1 }
	if max(s.before[0], s.after[0]) >= reach(0) || max(s.before[1], s.after[1]) >= reach(1) {
		x = c.Pad(x, []int{0, 0, s.before[0], s.before[1]}, []int{0, 0, s.after[0], s.after[1]})
		pad = graph.TupleValue(0, 0, 0, 0)
	}
	n := c.Sizes(x)
	if per := n[1] / s.groups; s.groups == 1 {
		x = c.Transpose(x, 1, 0, 2, 3)
	} else {
		x = c.Transpose(c.Reshape(x, n[0], s.groups, per, n[2], n[3]), 2, 1, 0, 3, 4)
		x = c.Reshape(x, per, s.groups*n[0], n[2], n[3])
	}
	dw := c.Op("conv2d", graph.Named{"stride": pair(s.dilation), "pad": pad, "groups": graph.IntValue(s.groups), "dilation": pair(s.stride)},
		x, c.Transpose(d, 1, 0, 2, 3))
	return moveImage(c, c.Transpose(dw, 1, 0, 2, 3), [2]int{}, s.kernel)
}

// gradConv: the activation's derivative, then the convolution's.
func gradConv(b *graph.Backward) []graph.Tensor {
	d, x, w := b.D[0], b.In[0], b.In[1]
	if act, _ := b.Attrs[3].Name(); act != "none" {
		f, ok := graph.Lookup(act)
		if !ok {
			must.Failf("activation %s is not known", b.Attrs[3])
		}
		plain := slices.Clone(b.Attrs)
		plain[3] = none
		z := b.Op("conv2d", graph.Named{"stride": plain[0], "pad": plain[1], "groups": plain[2], "dilation": plain[4]}, x, w)
		in, err := f.Backward(&graph.Backward{Calc: b.Calc, In: []graph.Tensor{z}, Out: b.Out, D: b.D, Want: []bool{true}})
		must.Do(err)
		if d = in[0]; d == (graph.Tensor{}) {
			return []graph.Tensor{{}, {}}
		}
	}
	k := b.Sizes(w)
	s := slideOf(b.Sizes(x), b.Sizes(d), k[2], k[3], b.Attrs[0], b.Attrs[1], b.Attrs[4], num(b.Attrs, 2))
	out := make([]graph.Tensor, 2)
	if b.Want[0] {
		out[0] = s.byImage(b.Calc, d, w)
	}
	if b.Want[1] {
		out[1] = s.byKernel(b.Calc, d, x)
	}
	return out
}

func slideOfPool(b *graph.Backward) slide {
	x := b.Sizes(b.In[0])
	return slideOf(x, b.Sizes(b.Out[0]), num(b.Attrs, 0), num(b.Attrs, 1), b.Attrs[2], b.Attrs[3], unit, x[1])
}

func (s slide) padded() bool { return s.before != [2]int{} || s.after != [2]int{} }

// gradPoolAvg: an average is a convolution of each channel. Where the border is not
// counted, sums are divided by the number of cells instead.
func gradPoolAvg(b *graph.Backward) []graph.Tensor {
	s, d, x := slideOfPool(b), b.D[0], b.Sizes(b.In[0])
	w := b.Const(d, "cpool", graph.Named{"c": graph.IntValue(x[1]), "kh": b.Attrs[0], "kw": b.Attrs[1]})
	if border, _ := b.Attrs[4].Name(); border == "excluded" && s.padded() {
		share := b.Op("poolavg", graph.Named{"kh": b.Attrs[0], "kw": b.Attrs[1], "stride": b.Attrs[2], "pad": b.Attrs[3]},
			b.Full(d, 1, 1, 1, 1, x[2], x[3]))
		d = b.Div(d, b.Broadcast(share, b.Sizes(d)...))
	}
	return []graph.Tensor{s.byImage(b.Calc, d, w)}
}

// gradPoolMax gives d to the cells of a window that are its maximum. What a window sees
// is what the convolution sees with kernels that have a single one, one for each of its
// cells.
func gradPoolMax(b *graph.Backward) []graph.Tensor {
	s, d, x, y := slideOfPool(b), b.D[0], b.In[0], b.Out[0]
	n, k := b.Sizes(x), s.kernel[0]*s.kernel[1]
	if s.stride == s.kernel && !s.padded() { // the windows are blocks
		all := [2]int{s.out[0] * s.kernel[0], s.out[1] * s.kernel[1]}
		split := func(t graph.Tensor, h, w, kh, kw int) graph.Tensor { return b.Reshape(t, n[0], n[1], h, kh, w, kw) }
		dx := toLargest(b.Calc, split(d, s.out[0], s.out[1], 1, 1),
			split(moveImage(b.Calc, x, [2]int{}, all), s.out[0], s.out[1], s.kernel[0], s.kernel[1]),
			split(y, s.out[0], s.out[1], 1, 1), graph.Tensor{}, []int{3, 5})
		return []graph.Tensor{moveImage(b.Calc, b.Reshape(dx, n[0], n[1], all[0], all[1]), [2]int{}, s.image)}
	}
	one := b.Reshape(b.Const(d, "imatmul", graph.Named{"n": graph.IntValue(k)}), k, 1, s.kernel[0], s.kernel[1])
	each := b.Reshape(b.Broadcast(one, n[1], k, 1, s.kernel[0], s.kernel[1]), n[1]*k, 1, s.kernel[0], s.kernel[1])
	sees := func(t, w graph.Tensor, channels int) graph.Tensor {
		t = b.Op("conv2d", graph.Named{"stride": b.Attrs[2], "pad": b.Attrs[3], "groups": graph.IntValue(channels)}, t, w)
		return b.Reshape(t, b.Sizes(t)[0], channels, k, s.out[0], s.out[1])
	}
	var inside graph.Tensor
	if s.padded() {
		inside = sees(b.Full(d, 1, 1, 1, 1, n[2], n[3]), one, 1)
	}
	beside := func(t graph.Tensor) graph.Tensor { return b.Reshape(t, n[0], n[1], 1, s.out[0], s.out[1]) }
	dw := toLargest(b.Calc, beside(d), sees(x, each, n[1]), beside(y), inside, []int{2})
	return []graph.Tensor{s.byImage(b.Calc, b.Reshape(dw, n[0], n[1]*k, s.out[0], s.out[1]), each)}
}
