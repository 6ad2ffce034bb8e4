package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Attention as ONNX Runtime's optimizer and its builder of language models write it.

// filter is what is added to scores of keys that a mask of integers hides.
func (c *call) filter() float64 { return c.float("mask_filter_value", -10000) }

// filtered hides keys by a mask of integers: 1 for each key [batch, keys], for each query
// and key, or for each sample its length [batch], or its end and its beginning [2*batch].
func (c *call) filtered(a *attention, mask *value) {
	im, batch, queries, keys := c.im, a.q.sizes()[0], a.q.sizes()[2], a.k.sizes()[2]
	if !mask.dtype.IsInt() {
		must.Failf("mask %s is not supported", mask)
	}
	var ones *value
	switch sizes := mask.sizes(); {
	case len(sizes) == 1 && (sizes[0] == batch || sizes[0] == 2*batch):
		ones = c.before(im.slice(mask, 0, 0, batch), batch, keys)
		if sizes[0] == 2*batch {
			early := c.before(im.slice(mask, 0, batch, 2*batch), batch, keys)
			ones = im.do("ewmul", ones, im.not(early, element(early, 1)))
		}
	case slices.Equal(sizes, []int{batch, keys}):
		ones = im.reshape(im.positive(mask), batch, 1, 1, keys)
	case slices.Equal(sizes, []int{batch, queries, keys}):
		ones = im.reshape(im.positive(mask), batch, 1, queries, keys)
	default:
		must.Do(unsupported("mask %s does not fit batch %d, %d queries and %d keys", mask, batch, queries, keys))
	}
	hidden := im.not(ones, element(ones, 1))
	a.biases = append(a.biases, im.cast(im.scale(hidden, c.filter()), a.q.dtype))
}

// biased is x plus a row, which may be left out.
func (im *importer) biased(x, row *value) *value {
	if row == nil {
		return x
	}
	return im.elementwise("ewadd", x, row)
}

// ruled are queries that look at keys with a custom scale, if there is one.
func (c *call) ruled(im *importer, q, k, v *value) *attention {
	a := &attention{im: im, q: q, k: k, v: v, scale: c.float("scale", 0), precision: q.dtype}
	a.check()
	return a
}

func (c *call) headCount(name string) int {
	n := c.int(name, 0)
	if n < 1 || n > graph.MaxSize {
		must.Failf("%s is %d", name, n)
	}
	return int(n)
}

// lowerContributedAttention: queries, keys and values are made of one input by one product.
func lowerContributedAttention(c *call) {
	in, im := c.need(2, 7), c.im
	x, w := in[0], in[1]
	c.arithmetic("", x)
	n := c.headCount("num_heads")
	switch {
	case x.rank() != 3 || w.rank() != 2:
		must.Failf("%s and %s", x, w)
	case c.bit("do_rotary", 0):
		must.Do(unsupported("do_rotary is not supported"))
	case c.flag("past_present_share_buffer") || in[6] != nil:
		must.Do(unsupported("a shared buffer for past and present is not supported"))
	}
	wide := c.ints("qkv_hidden_sizes")
	if wide == nil {
		wide = slices.Repeat([]int{w.sizes()[1] / 3}, 3)
	}
	if len(wide) != 3 || slices.Min(wide) < 1 || slices.Max(wide) > w.sizes()[1] || wide[0]+wide[1]+wide[2] != w.sizes()[1] {
		must.Failf("qkv_hidden_sizes %v do not fit weight %s", wide, w)
	}
	y := im.biased(im.matmul(x, w), in[2])
	var parts [3]*value
	at := 0
	for i, size := range wide {
		parts[i] = im.heads(im.slice(y, 2, at, at+size), n)
		at += size
	}
	q, k, v := parts[0], parts[1], parts[2]
	past := 0
	if p := in[4]; p != nil && !p.empty() {
		if p.rank() != 5 || p.sizes()[0] != 2 {
			must.Failf("past %s has the wrong shape", p)
		}
		past = p.sizes()[3]
		half := func(i int) *value { return im.reshape(im.slice(p, 0, i, i+1), p.sizes()[1:]...) }
		k, v = im.grown(half(0), k), im.grown(half(1), v)
	}
	a := c.ruled(im, q, k, v)
	if in[3] != nil {
		c.filtered(a, in[3])
	}
	if c.bit("unidirectional", 0) {
		a.ones = append(a.ones, im.causal(q.sizes()[2], k.sizes()[2], past, 0))
	}
	if in[5] != nil {
		a.biases = append(a.biases, in[5])
	}
	out, _ := a.result()
	var present *value
	if c.wanted(1) {
		present = im.apply("concat", attrs{"axis": graph.IntValue(0)},
			im.reshape(k, append([]int{1}, k.sizes()...)...), im.reshape(v, append([]int{1}, v.sizes()...)...))
	}
	c.setAll(im.headless(out), present)
}

// packed are the parts of [batch, places, heads, n, size], each [batch, heads, places, size].
func (im *importer) packed(v *value, heads, n int) (parts []*value) {
	if v.rank() != 5 || v.sizes()[2] != heads || v.sizes()[3] != n {
		must.Failf("%s: want %d packed tensors of %d heads", v, n, heads)
	}
	for i := range n {
		part := im.reshape(im.slice(v, 3, i, i+1), v.sizes()[0], v.sizes()[1], heads, v.sizes()[4])
		parts = append(parts, im.transpose(part, 0, 2, 1, 3))
	}
	return parts
}

// lowerMultiHead: queries, keys and values from products before it, whose biases it adds.
func lowerMultiHead(c *call) {
	in, im := c.need(1, 10), c.im
	c.arithmetic("", in[0])
	n := c.headCount("num_heads")
	if in[8] != nil || in[9] != nil {
		must.Do(unsupported("a shared buffer for past and present is not supported"))
	}
	var q, k, v *value
	bias := in[3]
	// row is the bias of what begins at a number of it.
	row := func(x *value, from int) *value {
		if bias == nil {
			return x
		}
		if size := x.sizes()[2]; bias.rank() != 1 || bias.sizes()[0] < from+size {
			must.Failf("bias %s does not fit %s", bias, x)
		}
		return im.biased(x, im.slice(bias, 0, from, from+x.sizes()[2]))
	}
	switch {
	case in[1] == nil && in[2] == nil:
		if bias != nil {
			must.Do(unsupported("a bias with packed inputs is not supported"))
		}
		parts := im.packed(in[0], n, 3)
		q, k, v = parts[0], parts[1], parts[2]
	case in[0].rank() != 3 || in[1] == nil:
		must.Failf("queries %s have the wrong shape", in[0])
	default:
		wide := in[0].sizes()[2]
		q = im.heads(row(in[0], 0), n)
		switch {
		case in[2] == nil:
			if bias != nil {
				must.Do(unsupported("a bias with packed inputs is not supported"))
			}
			parts := im.packed(in[1], n, 2)
			k, v = parts[0], parts[1]
		case in[1].rank() == 4:
			k, v = in[1], in[2]
		case in[1].rank() != 3 || in[2].rank() != 3:
			must.Failf("keys %s and values %s do not fit", in[1], in[2])
		default:
			k, v = im.heads(row(in[1], wide), n), im.heads(row(in[2], 2*wide), n)
		}
	}
	if (in[6] == nil) != (in[7] == nil) {
		must.Failf("past keys and past values must both be given or both be missing")
	}
	past := 0
	if p := in[6]; p != nil && !p.empty() && p.rank() == 4 {
		past = p.sizes()[2]
	}
	k, v = im.grown(in[6], k), im.grown(in[7], v)
	a := c.ruled(im, q, k, v)
	if in[4] != nil {
		c.filtered(a, in[4])
	}
	if c.bit("unidirectional", 0) {
		a.ones = append(a.ones, im.causal(q.sizes()[2], k.sizes()[2], past, 0))
	}
	if in[5] != nil {
		a.biases = append(a.biases, in[5])
	}
	y, s := a.result()
	c.setAll(im.headless(y), k, v, s[3])
}

// lowerContributedRotary: positions may be one number, that of the first place.
func lowerContributedRotary(c *call) {
	in, im := c.need(4, 4), c.im
	x, at := in[0], in[1]
	c.arithmetic("", x)
	switch {
	case c.flag("is_packed_batching"):
		must.Do(unsupported("is_packed_batching is not supported"))
	case c.float("scale", 1) != 1:
		must.Do(unsupported("scale %g is not supported, only 1", c.float("scale", 1)))
	}
	r := rotary{pairs: c.bit("interleaved", 0), places: 2, dim: int(c.int("rotary_embedding_dim", 0))}
	table := in[2]
	if table.rank() != 2 {
		must.Failf("the cosine cache %s must have 2 axes", table)
	}
	y := x
	if x.rank() == 3 {
		n := int(c.int("num_heads", 0))
		if n == 0 {
			n = x.sizes()[2] / max(2*table.sizes()[1], 1)
		}
		if n < 1 || x.sizes()[2]%n != 0 {
			must.Failf("%s does not divide into %d heads", x, n)
		}
		y, r.places = im.reshape(x, x.sizes()[0], x.sizes()[1], n, x.sizes()[2]/n), 1
	}
	if y.rank() != 4 {
		must.Failf("%s: want 3 or 4 axes", x)
	}
	if r.dim == 0 {
		r.dim = y.sizes()[3]
	}
	if at.rank() == 1 && at.sizes()[0] == 1 {
		at = im.counted(at, 1, y.sizes()[r.places])
		at = im.reshape(at, y.sizes()[r.places])
	} else if at.rank() != 2 || at.sizes()[0] != x.sizes()[0] {
		must.Failf("position_ids %s do not fit %s", at, x)
	}
	r.cos, r.sin = im.looked(table, at), im.looked(in[3], at)
	c.set(im.reshapeTo(im.turned(y, r), x.dims()))
}

// counted are n numbers from each of the batch on: [batch, n].
func (im *importer) counted(from *value, batch, n int) *value {
	k := newConstant(from.dtype, n)
	for i := range n {
		k.ints[i] = int64(i)
	}
	return im.do("ewadd", im.broadcast(im.reshape(from, batch, 1), batch, n), im.broadcast(valueOf(k), batch, n))
}

// lowerGroupQuery: the past is as long as what comes out, or shorter, and each sample's own
// part of it is at its front: new keys are written behind that.
func lowerGroupQuery(c *call) {
	in, im := c.need(1, 15), c.im
	c.arithmetic("", in[0])
	n, m := c.headCount("num_heads"), c.headCount("kv_num_heads")
	q, k, v := in[0], in[1], in[2]
	switch {
	case in[5] == nil || in[6] == nil:
		must.Failf("seqlens_k or total_sequence_length is missing")
	case c.flag("sliding_window_cache") || c.text("k_quant_type", "NONE") != "NONE" || c.text("v_quant_type", "NONE") != "NONE":
		must.Do(unsupported("a quantized or sliding-window cache is not supported"))
	case in[12] != nil || in[13] != nil || in[14] != nil || c.int("causal", 1) != 1:
		must.Do(unsupported("normalized, padded or non-causal attention is not supported"))
	case q.rank() != 3:
		must.Failf("queries %s have the wrong shape", q)
	}
	if k == nil && v == nil {
		size := q.sizes()[2] / (n + 2*m)
		if size*(n+2*m) != q.sizes()[2] {
			must.Failf("%s does not fit num_heads %d and kv_num_heads %d", q, n, m)
		}
		all := q
		q, k, v = im.slice(all, 2, 0, n*size), im.slice(all, 2, n*size, (n+m)*size), im.slice(all, 2, (n+m)*size, (n+2*m)*size)
	} else if k == nil || v == nil {
		must.Failf("keys and values must both be given or both be missing")
	}
	if outs := c.node.GetOutput(); in[3] != nil && (len(outs) < 3 || outs[1] == "" || outs[2] == "") {
		must.Do(unsupported("past without present outputs is not supported: the operator's definition does not cover it"))
	}
	q, k, v = im.heads(q, n), im.heads(k, m), im.heads(v, m)
	batch, fresh := q.sizes()[0], q.sizes()[2]
	if k.sizes()[2] != fresh {
		must.Failf("%d queries and %d new keys, want as many", fresh, k.sizes()[2])
	}
	total := c.known(6, "total length")
	if total.len() != 1 || total.dtype.IsFloat() || total.ints[0] < int64(fresh) || total.ints[0] > graph.MaxSize {
		must.Failf("total_sequence_length %s does not fit %d queries", in[6], fresh)
	}
	if in[5].elements() != batch || !in[5].dtype.IsInt() {
		must.Failf("seqlens_k %s does not fit batch %d", in[5], batch)
	}
	first := total.ints[0] == int64(fresh)
	// What each sample has of the past: its length, of which the input is one less, without
	// the new keys.
	before := im.between(im.cast(im.reshape(in[5], batch), graph.Int64), fresh-1, graph.MaxSize)
	if first {
		before = valueOf(newConstant(graph.Int64, batch))
	}
	if c.bit("do_rotary", 0) {
		if in[7] == nil || in[8] == nil || in[7].rank() != 2 {
			must.Failf("cos_cache or sin_cache is missing")
		}
		at := in[9]
		if at == nil {
			at = im.counted(before, batch, fresh)
		} else if !slices.Equal(at.sizes(), []int{batch, fresh}) {
			must.Failf("position_ids %s do not fit batch %d and sequence length %d", at, batch, fresh)
		}
		r := rotary{cos: im.looked(in[7], at), sin: im.looked(in[8], at), dim: 2 * in[7].sizes()[1], pairs: c.bit("rotary_interleaved", 0), places: 2}
		q, k = im.turned(q, r), im.turned(k, r)
	}
	k, v = c.cached(in[3], k, before, first, int(total.ints[0])), c.cached(in[4], v, before, first, int(total.ints[0]))
	present := [2]*value{k, v}
	if long := int(total.ints[0]); k.sizes()[2] > long {
		k, v = im.slice(k, 2, 0, long), im.slice(v, 2, 0, long)
	}
	a := c.ruled(im, q, k, v)
	a.softcap = c.float("softcap", 0)
	window := int(c.int("local_window_size", -1))
	switch {
	case window == 0:
		must.Do(unsupported("local_window_size 0 is not supported"))
	case window < 0 || window > graph.MaxSize:
		window = 0 // no bound
	}
	if first {
		a.ones = append(a.ones, im.causal(fresh, k.sizes()[2], 0, window))
	} else {
		a.ones = append(a.ones, im.reaching(im.apart(before, batch, fresh, k.sizes()[2]), window))
	}
	if in[10] != nil {
		a.biases = append(a.biases, in[10])
	}
	if sink := in[11]; sink != nil {
		if sink.rank() != 1 || sink.sizes()[0] != n || sink.dtype != q.dtype {
			must.Failf("head_sink %s does not fit %d heads", sink, n)
		}
		a.sink = im.reshape(sink, 1, n, 1, 1)
	} else if c.int("smooth_softmax", -1) == 1 {
		a.sink = im.broadcast(element(q, 0), 1, 1, 1, 1)
	}
	y, _ := a.result()
	if c.wanted(3) {
		must.Do(unsupported("optional output 3 is not supported"))
	}
	c.setAll(im.headless(y), present[0], present[1], nil)
}

// cached are keys or values written behind what each sample has in the past.
func (c *call) cached(past, fresh, before *value, first bool, total int) *value {
	im := c.im
	if past != nil && past.empty() {
		past = nil
	}
	if past == nil {
		if !first {
			must.Failf("%d new keys of %d in total, but no past is given", fresh.sizes()[2], total)
		}
		return fresh
	}
	if past.rank() != 4 || past.dtype != fresh.dtype || past.sizes()[0] != fresh.sizes()[0] || past.sizes()[1] != fresh.sizes()[1] || past.sizes()[3] != fresh.sizes()[3] {
		must.Failf("%s cannot be appended to past %s", fresh, past)
	}
	if more := total - past.sizes()[2]; more > 0 {
		past = im.pad(past, make([]int, 4), []int{0, 0, more, 0}, 0)
	}
	return im.overwritten(past, fresh, before, 2, false)
}

// apart is how far, counted from 1, a key is before a query, where the first query stands
// behind as many keys as each sample has: [batch, 1, queries, keys].
func (im *importer) apart(before *value, batch, queries, keys int) *value {
	if math.Max(float64(queries), float64(keys)) >= 1<<24 {
		must.Do(unsupported("%d queries and %d keys are too many", queries, keys))
	}
	row, column := newConstant(graph.Float32, queries, 1), newConstant(graph.Float32, 1, keys)
	for i := range queries {
		row.floats[i] = float64(i + 1)
	}
	for j := range keys {
		column.floats[j] = float64(j)
	}
	near := im.elementwise("ewsub", valueOf(row), valueOf(column))
	return im.elementwise("ewadd", im.reshape(im.cast(before, graph.Float32), batch, 1, 1, 1), near)
}
