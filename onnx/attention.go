package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Attention, as others spell it out: products of queries with keys, what a mask adds, a
// softmax, and a product with values.

func attentionOperators() []*operator {
	return []*operator{
		{name: "Attention", versions: "23 24 25", lower: lowerAttention,
			attrs: "is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision !left_window_size !right_window_size"},
		{name: "RotaryEmbedding", versions: "23", lower: lowerRotary, attrs: "interleaved num_heads rotary_embedding_dim"},
		{name: "TensorScatter", versions: "24", lower: lowerTensorScatter, attrs: "axis mode"},
	}
}

// attention is queries that look at keys. Queries are [batch, heads, queries, size],
// keys and values [batch, fewer heads, keys, size]; each head of these serves as many
// heads of queries as stand one after another.
type attention struct {
	im      *importer
	q, k, v *value
	scale   float64 // of products; 0 is 1 by the root of the size of a head
	softcap float64 // 0 is none
	// What masks say: ones are 1 where a query sees a key, else 0; biases are added.
	// They broadcast to [batch, heads, queries, keys].
	ones, biases []*value
	blind        bool        // queries that see no key are given zeros, else what is no number
	precision    graph.DType // of the softmax
	sink         *value      // a score of nothing beside those of keys; nil is none
}

// scores are products, these under the cap, these with masks, and their softmax.
type scores [4]*value

// heads cuts the last axis of [batch, places, n*size]: [batch, n, places, size].
func (im *importer) heads(v *value, n int) *value {
	if v.rank() != 3 || n < 1 {
		must.Failf("%s does not divide into %d heads", v, n)
	}
	count := graph.Int(int64(n))
	each, ok := v.size(2).Quo(count)
	if !ok {
		must.Failf("%s does not divide into %d heads", v, n)
	}
	return im.transpose(im.reshapeTo(v, []graph.Dim{v.size(0), v.size(1), count, each}), 0, 2, 1, 3)
}

// headless is the inverse of heads.
func (im *importer) headless(v *value) *value {
	return im.reshapeTo(im.transpose(v, 0, 2, 1, 3), []graph.Dim{v.size(0), v.size(2), v.size(1).Mul(v.size(3))})
}

// shared repeats each head of keys or values for n heads of queries.
func (im *importer) shared(v *value, n int) *value {
	b, h, s, d := v.size(0), numberOf(v.size(1)), v.size(2), v.size(3)
	if h == n {
		return v
	}
	has, each := graph.Int(int64(h)), graph.Int(int64(n/h))
	v = im.broadcastTo(im.reshapeTo(v, []graph.Dim{b, has, graph.Int(1), s, d}), []graph.Dim{b, has, each, s, d})
	return im.reshapeTo(v, []graph.Dim{b, graph.Int(int64(n)), s, d})
}

// seen is a number to add to scores for each of ones and zeros: nothing, or minus infinity,
// so that the softmax is zero there.
func (im *importer) seen(ones *value) *value { return im.do("log", ones) }

// check says whether sizes fit.
func (a *attention) check() {
	q, k, v := a.q, a.k, a.v
	for _, x := range []*value{q, k, v} {
		if x.rank() != 4 || !a.im.open.same(x.size(0), q.size(0)) || x.dtype != q.dtype {
			must.Failf("queries %s, keys %s and values %s", q, k, v)
		}
	}
	equal := a.im.open.same
	if !equal(k.size(3), q.size(3)) || !equal(k.size(1), v.size(1)) || !equal(k.size(2), v.size(2)) || numberOf(q.size(1))%numberOf(k.size(1)) != 0 {
		must.Failf("queries %s, keys %s and values %s", q, k, v)
	}
}

// result is [batch, heads, queries, size of values], and what the scores were on the way.
func (a *attention) result() (*value, scores) {
	a.check()
	im, heads := a.im, numberOf(a.q.size(1))
	k, v := im.shared(a.k, heads), im.shared(a.v, heads)
	scale := a.scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(numberOf(a.q.size(3))))
	}
	q := a.q
	if scale != 1 {
		q = im.scale(q, scale)
	}
	var s scores
	masks := a.masks()
	s[0] = im.matmul(q, im.transpose(k, 0, 1, 3, 2))
	sizes := s[0].dims()
	mask := func(y *value) *value {
		for _, bias := range masks {
			if joined := im.open.jointOf(sizes, bias.dims()); !slices.Equal(joined, sizes) {
				must.Failf("a mask of sizes %v for scores of %v", bias.dims(), sizes)
			}
			y = im.do("ewadd", y, im.broadcastTo(bias, sizes))
		}
		return y
	}
	// A mask is added behind the cap, which else would show what it hides.
	if s[1] = s[0]; a.softcap != 0 {
		s[1] = im.scale(im.do("tanh", im.scale(s[0], 1/a.softcap)), a.softcap)
	}
	s[2] = mask(s[1])
	all := s[2]
	if a.sink != nil {
		all = im.apply("concat", attrs{"axis": graph.IntValue(3)}, all, im.broadcastTo(a.sink, []graph.Dim{sizes[0], sizes[1], sizes[2], graph.Int(1)}))
	}
	s[3] = im.cast(im.apply("softmax", attrs{"axis": graph.IntValue(3)}, im.cast(all, a.precision)), a.q.dtype)
	s[3] = im.sliceTo(s[3], 3, graph.Int(0), sizes[3])
	if a.blind && len(masks) > 0 {
		s[3] = a.unlessBlind(s[3], masks)
	}
	return im.matmul(s[3], v), s
}

// unlessBlind is a softmax where a query sees some key, and 0 where what masks add up to is
// minus infinity for all keys.
func (a *attention) unlessBlind(y *value, masks []*value) *value {
	im, zero := a.im, a.im.scalar(y, 0)
	most := func(v *value) *value { return im.reduce("reducemax", v, []int{v.rank() - 1}, true) }
	if len(a.biases) == 0 {
		return im.do("ewwhere", im.broadcastTo(most(a.allOnes()), y.dims()), y, zero)
	}
	all := masks[0]
	for _, m := range masks[1:] {
		all = im.elementwise("ewadd", all, m)
	}
	all = most(all)
	none := im.do("ewmul", im.do("isinf", all), im.do("step", im.do("neg", all)))
	return im.do("ewwhere", im.broadcastTo(none, y.dims()), zero, y)
}

// masks are what is added to the scores. Ones are multiplied first: they are smaller.
func (a *attention) masks() []*value {
	all := a.biases
	if ones := a.allOnes(); ones != nil {
		all = append(all[:len(all):len(all)], a.im.seen(ones))
	}
	return all
}

// allOnes are 1 where all say so; nil if nothing is said.
func (a *attention) allOnes() (ones *value) {
	for _, v := range a.ones {
		if v = a.im.cast(v, a.q.dtype); ones == nil {
			ones = v
		} else {
			ones = a.im.elementwise("ewmul", ones, v)
		}
	}
	return ones
}

// causal are ones where a query sees a key: none behind it, where past keys stand before the
// first query, and none that is window or more before it; 0 is no bound. [queries, keys]
func (im *importer) causal(queries, keys, past, window int) *value {
	if queries*keys > maxConstant {
		row, column := newConstant(graph.Float32, queries, 1), newConstant(graph.Float32, 1, keys)
		for i := range queries {
			row.floats[i] = float64(i + past + 1)
		}
		for j := range keys {
			column.floats[j] = float64(j)
		}
		return im.reaching(im.elementwise("ewsub", valueOf(row), valueOf(column)), window)
	}
	k := newConstant(graph.Float32, queries, keys)
	for i := range queries {
		for j := range keys {
			if at := i + past; j <= at && (window == 0 || j > at-window) {
				k.floats[i*keys+j] = 1
			}
		}
	}
	return valueOf(k)
}

// reaching are ones where a distance, counted from 1, is one that a query sees.
func (im *importer) reaching(far *value, window int) *value {
	bit := func(v *value) *value {
		return im.apply("clip", attrs{"lo": graph.NumberValue(0), "hi": graph.NumberValue(1)}, v)
	}
	y := bit(far)
	if window > 0 {
		y = im.do("ewmul", y, bit(im.do("ewsub", im.scalar(far, float64(window+1)), far)))
	}
	return y
}

// before are ones where a key's number is below the length of its sequence: [batch, 1, 1, keys].
func (c *call) before(lengths *value, batch, keys int) *value {
	if lengths.rank() != 1 || lengths.sizes()[0] != batch || !lengths.dtype.IsInt() {
		must.Failf("lengths %s of %d sequences", lengths, batch)
	}
	im, at := c.im, newConstant(lengths.dtype, keys)
	for j := range keys {
		at.ints[j] = int64(j)
	}
	n := im.broadcast(im.reshape(lengths, batch, 1, 1, 1), batch, 1, 1, keys)
	return im.cast(im.do("ewless", im.broadcast(valueOf(at), batch, 1, 1, keys), n), graph.Float32)
}

// grown is keys or values behind those of the past, of which there may be none.
func (im *importer) grown(past, v *value) *value {
	if past == nil || past.empty() {
		return v
	}
	if past.rank() != 4 || v.rank() != 4 || past.dtype != v.dtype || past.sizes()[0] != v.sizes()[0] || past.sizes()[1] != v.sizes()[1] || past.sizes()[3] != v.sizes()[3] {
		must.Failf("%s cannot be appended to past %s", v, past)
	}
	return im.apply("concat", attrs{"axis": graph.IntValue(2)}, past, v)
}

// setAll sets outputs that somebody reads, of which there must be no more than values.
func (c *call) setAll(vs ...*value) {
	if len(c.outs) > len(vs) {
		must.Failf("%d outputs, want at most %d", len(c.outs), len(vs))
	}
	for i := range c.outs {
		if c.wanted(i) || i == 0 {
			c.outs[i] = vs[i]
		}
	}
}

// lowerAttention: ONNX's own operator.
func lowerAttention(c *call) {
	in, im := c.need(3, 7), c.im
	q, k, v := in[0], in[1], in[2]
	c.arithmetic("", q)
	flat := q.rank() == 3
	if flat {
		n, m := int(c.int("q_num_heads", 0)), int(c.int("kv_num_heads", 0))
		q, k, v = im.heads(q, n), im.heads(k, m), im.heads(v, m)
	}
	if (in[4] == nil) != (in[5] == nil) {
		must.Failf("past keys and past values must both be given or both be missing")
	}
	k, v = im.grown(in[4], k), im.grown(in[5], v)
	a := &attention{im: im, q: q, k: k, v: v, softcap: c.float("softcap", 0), precision: q.dtype}
	a.check()
	batch, queries, keys, past := q.sizes()[0], q.sizes()[2], k.sizes()[2], 0
	if in[4] != nil && !in[4].empty() {
		past = in[4].sizes()[2]
	}
	if c.has("scale") {
		if a.scale = c.float("scale", 0); !(a.scale > 0) {
			must.Do(unsupported("scale %g is not supported, it must be positive", a.scale))
		}
	}
	if a.softcap < 0 || math.IsNaN(a.softcap) {
		must.Do(unsupported("softcap %g is not supported", a.softcap))
	}
	if c.has("softmax_precision") {
		t, err := dtypeOf(elem(c.int("softmax_precision", 0)))
		if err != nil || !t.IsFloat() {
			must.Do(unsupported("softmax_precision %s is not supported", elem(c.int("softmax_precision", 0))))
		}
		a.precision = t
	}
	if mask := in[3]; mask != nil {
		c.mask(a, mask, keys)
	}
	if c.bit("is_causal", 0) {
		a.ones = append(a.ones, im.causal(queries, keys, past, 0))
	}
	if in[6] != nil {
		if in[4] != nil {
			must.Failf("both past keys and lengths without padding are given")
		}
		if c.flag("is_causal") {
			must.Do(unsupported("is_causal with nonpad_kv_seqlen is not supported: versions of ONNX define it differently"))
		}
		a.ones = append(a.ones, c.before(in[6], batch, keys))
	}
	// A query that sees no key has zeros, in ONNX 1.23 for all operator sets, and in ONNX
	// Runtime. Without a mask or lengths each sees the first one.
	a.blind = in[3] != nil || in[6] != nil
	// ONNX 1.21 recorded scores of modes 1 and 2 in another order, for all operator sets;
	// 1.23 and ONNX Runtime agree on this one.
	mode := c.int("qk_matmul_output_mode", 0)
	y, s := a.result()
	if flat {
		y = im.headless(y)
	}
	if mode < 0 || mode >= int64(len(s)) {
		must.Failf("qk_matmul_output_mode is %d", mode)
	}
	c.setAll(y, k, v, s[mode])
}

// mask is what is added to scores, or says which are seen. Since operator set 24 it may be
// for fewer keys than there are; the others are not seen.
func (c *call) mask(a *attention, mask *value, keys int) {
	im := c.im
	if mask.rank() < 1 || mask.rank() > 4 {
		must.Failf("mask %s is not supported", mask)
	}
	switch mask.dtype {
	case graph.Bool:
	case a.q.dtype:
	default:
		must.Failf("a mask %s for queries %s", mask, a.q)
	}
	last := mask.rank() - 1
	more := keys - mask.sizes()[last]
	if more < 0 {
		must.Failf("a mask %s for %d keys", mask, keys)
	}
	if more > 0 && c.im.opset >= 24 {
		if mask.sizes()[last] == 1 {
			must.Do(unsupported("a mask with one key for %d keys is ambiguous: ONNX does not say whether it is broadcast or padded", keys))
		}
		none := newConstant(graph.Float32, append(ones(last), keys)...)
		for i := range mask.sizes()[last] {
			none.floats[i] = 1
		}
		a.ones = append(a.ones, valueOf(none))
	}
	if mask.dtype == graph.Bool {
		mask = im.onesOf(mask)
	}
	if more > 0 && c.im.opset >= 24 {
		// What is added there does not matter.
		after := make([]int, mask.rank())
		after[last] = more
		mask = im.pad(mask, make([]int, mask.rank()), after, 0)
	}
	if c.in[3].dtype == graph.Bool {
		a.ones = append(a.ones, mask)
	} else {
		a.biases = append(a.biases, mask)
	}
}
