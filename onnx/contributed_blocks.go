package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Weights of few bits in blocks with a scale each, as language models are stored for ONNX
// Runtime, and the embedding of an encoder. What is computed of weights alone is computed
// before the first run.

// fewBits is how rows of numbers are stored.
type fewBits struct {
	bits, size int         // of a number, and of a block
	t          graph.DType // of scales, and of the result
}

func (c *call) fewBits(missing int64, t graph.DType) fewBits {
	bits, size := c.int("bits", 4), c.int("block_size", missing)
	if bits != 2 && bits != 4 && bits != 8 {
		must.Do(unsupported("bits = %d is not supported, only 2, 4 and 8", bits))
	}
	if size < 1 || size > graph.MaxSize {
		must.Failf("block_size %d is not supported", size)
	}
	return fewBits{int(bits), int(size), t}
}

// digits are the numbers in bytes [rows, bytes], the lowest bits first: [rows, n].
func (b fewBits) digits(im *importer, v *value, n int) *value {
	if v.dtype != graph.Uint8 {
		must.Do(unsupported("packed numbers of type %s are not supported", v))
	}
	rows, bytes := v.sizes()[0], v.sizes()[1]
	v = im.cast(v, b.t)
	base, per := math.Exp2(float64(b.bits)), 8/b.bits
	if per > 1 {
		var parts []*value
		for range per {
			rest := im.do("floor", im.scale(v, 1/base))
			parts = append(parts, im.reshape(im.do("ewsub", v, im.scale(rest, base)), rows, bytes, 1))
			v = rest
		}
		v = im.reshape(im.joined(2, parts), rows, bytes*per)
	}
	if v.sizes()[1] < n {
		must.Failf("%d packed numbers do not fit %d bytes", n, bytes)
	}
	return im.slice(v, 1, 0, n)
}

// numbers are rows of n numbers, of which each block has a scale, and a number that means
// zero; without these it is in the middle.
func (b fewBits) numbers(im *importer, v, scales, zeros *value, n int) *value {
	rows := v.sizes()[0]
	count := (n + b.size - 1) / b.size
	if scales.dtype != b.t || scales.elements() != rows*count {
		must.Failf("scales %s do not fit %d rows of %d blocks", scales, rows, count)
	}
	spread := func(v *value) *value {
		v = im.broadcast(im.reshape(v, rows, count, 1), rows, count, b.size)
		return im.slice(im.reshape(v, rows, count*b.size), 1, 0, n)
	}
	x := b.digits(im, v, n)
	switch {
	case zeros == nil:
		x = im.plus(x, -math.Exp2(float64(b.bits-1)))
	case zeros.dtype == b.t:
		if zeros.elements() != rows*count {
			must.Failf("zero points %s do not fit %d rows of %d blocks", zeros, rows, count)
		}
		x = im.do("ewsub", x, spread(zeros))
	default:
		bytes := (count*b.bits + 7) / 8
		if zeros.elements() != rows*bytes {
			must.Failf("zero points %s do not fit %d rows of %d blocks", zeros, rows, count)
		}
		x = im.do("ewsub", x, spread(b.digits(im, im.reshape(zeros, rows, bytes), count)))
	}
	return im.do("ewmul", x, spread(scales))
}

func lowerMatMulBits(c *call) {
	in, im := c.need(3, 6), c.im
	x, w := in[0], in[1]
	c.arithmetic("", x)
	k, n := c.int("K", 0), c.int("N", 0)
	b := c.fewBits(0, x.dtype)
	switch {
	case in[4] != nil:
		must.Do(unsupported("g_idx is not supported"))
	case c.flag("weight_prepacked"):
		must.Do(unsupported("weight_prepacked is not supported"))
	case x.rank() < 1 || int64(x.sizes()[x.rank()-1]) != k || n < 1 || n > graph.MaxSize || w.rank() < 1 || int64(w.sizes()[0]) != n || w.elements() == 0:
		must.Failf("input %s and weight %s do not fit K = %d, N = %d", x, w, k, n)
	}
	bytes := w.elements() / int(n)
	if count := (int(k) + b.size - 1) / b.size; bytes*8 != count*b.size*b.bits {
		must.Failf("weight %s does not fit %d blocks of %d numbers of %d bits", w, count, b.size, b.bits)
	}
	weight := b.numbers(im, im.reshape(w, int(n), bytes), in[2], in[3], int(k))
	y := im.matmul(x, im.transpose(weight, 1, 0))
	c.set(im.biased(y, in[5]))
}

// lowerGatherBlocks: rows of a matrix of such numbers.
func lowerGatherBlocks(c *call) {
	in, im := c.need(3, 4), c.im
	w, at, scales := in[0], in[1], in[2]
	c.arithmetic("", scales)
	if w.rank() != 2 || w.dtype != graph.Uint8 || c.int("gather_axis", 0) != 0 || c.int("quantize_axis", 1) != 1 && c.int("quantize_axis", 1) != -1 {
		must.Do(unsupported("data %s with these axes is not supported", w))
	}
	if scales.rank() != 2 || scales.sizes()[0] != w.sizes()[0] || !at.dtype.IsInt() {
		must.Failf("indices %s, data %s and scales %s do not fit", at, w, scales)
	}
	b := c.fewBits(128, scales.dtype)
	n, rows := w.sizes()[1]*8/b.bits, at.elements()
	pick := func(v *value) *value {
		if v == nil {
			return nil
		}
		if v.rank() != 2 || v.sizes()[0] != w.sizes()[0] {
			must.Failf("%s for %s", v, w)
		}
		return im.lookedUp(v, im.reshape(at, rows))
	}
	y := b.numbers(im, pick(w), pick(scales), pick(in[3]), n)
	c.set(im.reshape(y, append(slices.Clone(at.sizes()), n)...))
}

// lowerEmbed: rows of tables of words, places and segments, added and normalized.
func lowerEmbed(c *call) {
	in, im := c.need(1, 9), c.im
	ids, words, places := in[0], in[2], in[3]
	if words == nil || places == nil || in[5] == nil || in[6] == nil || ids.rank() != 2 || words.rank() != 2 || places.rank() != 2 || (in[1] == nil) != (in[4] == nil) {
		must.Failf("embedding tables are missing or do not have 2 axes")
	}
	c.arithmetic("", words)
	batch, long := ids.sizes()[0], ids.sizes()[1]
	x := im.lookedUp(words, ids)
	if at := in[8]; at != nil {
		if at.rank() != 2 || at.sizes()[1] != long || at.sizes()[0] != 1 && at.sizes()[0] != batch {
			must.Failf("positions %s do not fit %s", at, ids)
		}
		x = im.do("ewadd", x, im.broadcastTo(im.lookedUp(places, at), x.dims()))
	} else {
		if places.sizes()[0] < long {
			must.Failf("%d positions do not fit the table %s", long, places)
		}
		x = im.elementwise("ewadd", x, im.slice(places, 0, 0, long))
	}
	if in[1] != nil {
		x = im.do("ewadd", x, im.lookedUp(in[4], in[1]))
	}
	if len(c.outs) < 1 || len(c.outs) > 3 {
		must.Failf("%d outputs", len(c.outs))
	}
	norm := *c
	norm.in = []*value{x, in[5], in[6]}
	norm.outs = c.outs[:1]
	norm.layerNorm(-1, c.float("epsilon", 1e-12))
	if c.wanted(1) {
		if c.has("mask_index_type") {
			must.Do(unsupported("attribute mask_index_type is not supported"))
		}
		if in[7] == nil {
			must.Do(unsupported("the output mask_index needs an input mask"))
		}
		if !slices.Equal(in[7].dims(), ids.dims()) || !in[7].dtype.IsInt() {
			must.Failf("mask %s does not fit %s", in[7], ids)
		}
		c.outs[1] = im.cast(im.reduce("reducesum", im.positive(in[7]), []int{1}, false), graph.Int32)
	}
	if c.wanted(2) {
		c.outs[2] = x
	}
}
