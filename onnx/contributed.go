package onnx

import (
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Operators that ONNX Runtime adds to ONNX's: several in one, which its optimizer and
// exporters write. They are read as what they are made of.

// contributed is their domain.
const contributed = "com.microsoft"

func contributedOperators() []*operator {
	swish := func(c *call, x *value) *value { return c.im.swish(x, c.float("alpha", 1.702)) }
	gelu := func(im *importer, x *value) *value { return im.do("gelu", x) }
	sigmoid := func(c *call, x *value) *value { return c.im.do("sigmoid", x) }
	leaky := withNumbers("leakyrelu", num{"alpha", "alpha", 0.01})
	const window = " auto_pad dilations group kernel_shape pads strides"
	all := []*operator{
		{name: "FusedConv", attrs: "activation activation_params" + window, lower: lowerFusedConv},
		{name: "FusedGemm", attrs: "activation activation_alpha activation_beta activation_gamma alpha beta transA transB", lower: lowerFusedGemm},
		{name: "FusedMatMul", attrs: "alpha transA transB transBatchA transBatchB", lower: lowerFusedMatMul},
		{name: "TransposeMatMul", attrs: "alpha transA transB", lower: lowerFusedMatMul},
		{name: "Gelu", lower: floats(lowerGelu)},
		{name: "QuickGelu", attrs: "alpha", lower: floats(swish)},
		{name: "BiasGelu", lower: lowerBiased(gelu, 2)},
		{name: "FastGelu", lower: lowerBiased((*importer).tanhGelu, 1)},
		{name: "BiasAdd", lower: lowerBiasAdd},
		{name: "SkipLayerNormalization", attrs: "epsilon", lower: lowerSkipNorm},
		{name: "SkipSimplifiedLayerNormalization", attrs: "epsilon", lower: lowerSkipRMSNorm},
		{name: "GridSample", attrs: "align_corners mode padding_mode", lower: lowerGridSample},

		{name: "Attention", lower: lowerContributedAttention,
			attrs: "do_rotary mask_filter_value num_heads past_present_share_buffer qkv_hidden_sizes !rotary_embedding_dim scale unidirectional"},
		{name: "MultiHeadAttention", attrs: "mask_filter_value num_heads scale unidirectional", lower: lowerMultiHead},
		{name: "GroupQueryAttention", lower: lowerGroupQuery,
			attrs: "causal do_rotary k_quant_type !kv_cache_bit_width kv_num_heads local_window_size num_heads !k_norm_epsilon !q_norm_epsilon !qk_norm_epsilon !qk_output rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type"},
		{name: "RotaryEmbedding", attrs: "interleaved is_packed_batching num_heads rotary_embedding_dim scale", lower: lowerContributedRotary},

		// A level of accuracy is the least that is wanted.
		{name: "MatMulNBits", attrs: "K N ~accuracy_level bits block_size weight_prepacked", lower: lowerMatMulBits},
		{name: "GatherBlockQuantized", attrs: "bits block_size gather_axis quantize_axis", lower: lowerGatherBlocks},
		{name: "EmbedLayerNormalization", attrs: "epsilon mask_index_type", lower: lowerEmbed},

		{name: "QuantizeLinear", attrs: "axis", lower: lowerQuantize},
		{name: "DequantizeLinear", attrs: "axis", lower: lowerDequantize},
		{name: "MatMulIntegerToFloat", lower: lowerMatMulIntegerToFloat},
		{name: "DynamicQuantizeMatMul", lower: lowerDynamicQuantizeMatMul},
		{name: "DynamicQuantizeLSTM", types: quantizedRecurrentTypes,
			attrs: "activation_alpha activation_beta activations clip direction hidden_size input_forget"},
		{name: "QGemm", attrs: "alpha transA transB", lower: lowerQGemm},
		{name: "QLinearAdd", lower: quantizedPair("ewadd")},
		{name: "QLinearMul", lower: quantizedPair("ewmul")},
		{name: "QLinearSigmoid", lower: quantizedOne(sigmoid)},
		{name: "QLinearLeakyRelu", attrs: "alpha", lower: quantizedOne(leaky)},
		{name: "QLinearGlobalAveragePool", attrs: "channels_last", lower: quantizedOne(meanOfImage)},
		{name: "QLinearSoftmax", attrs: "axis opset", lower: quantizedOne(softmaxOfLast)},
		{name: "QLinearConcat", attrs: "axis", lower: lowerQLinearConcat},
		{name: "QLinearConv", attrs: "channels_last" + window, lower: lowerQLinearConv},
	}
	for _, o := range all {
		o.domain, o.versions = contributed, "1"
	}
	return all
}

// activate applies a function that is named by an attribute, with its parameters.
func (c *call) activate(v *value, params []float64) *value {
	name := c.text("activation", "")
	if name == "" {
		return v
	}
	param := func(i int, missing float64) graph.Value {
		if i < len(params) {
			missing = shortest(float32(params[i]))
		}
		return graph.NumberValue(missing)
	}
	switch name {
	case "LeakyRelu":
		return c.im.apply("leakyrelu", attrs{"alpha": param(0, 0.01)}, v)
	case "HardSigmoid":
		return c.im.apply("hardsigmoid", attrs{"alpha": param(0, 0.2), "beta": param(1, 0.5)}, v)
	case "Clip":
		return c.im.apply("clip", attrs{"lo": param(0, math.Inf(-1)), "hi": param(1, math.Inf(1))}, v)
	}
	own, ok := unary[name]
	if !ok {
		must.Do(unsupported("its activation is %q", clip(name)))
	}
	return c.im.do(own, v)
}

// lowerFusedConv: a convolution, perhaps plus a tensor, and a function.
func lowerFusedConv(c *call) {
	in := c.need(2, 4)
	conv := *c
	conv.in = in[:3]
	lowerConv(&conv)
	y := c.outs[0]
	if in[3] != nil {
		y = c.im.elementwise("ewadd", y, in[3])
	}
	c.set(c.activate(y, c.floats("activation_params")))
}

func lowerFusedGemm(c *call) {
	lowerGemm(c)
	var params []float64
	for _, name := range []string{"activation_alpha", "activation_beta", "activation_gamma"} {
		if c.has(name) {
			params = append(params, c.float(name, 0))
		}
	}
	c.set(c.activate(c.outs[0], params))
}

// lowerFusedMatMul: alpha times a product of matrices, each perhaps transposed, or with the
// first of its axes as its last but one.
func lowerFusedMatMul(c *call) {
	in, im := c.need(2, 2), c.im
	c.arithmetic("", in[0])
	for i, turned := range [][2]string{{"transBatchA", "transA"}, {"transBatchB", "transB"}} {
		v := in[i]
		r := v.rank()
		if c.flag(turned[0]) {
			if r < 2 {
				must.Failf("%s has no batch", v)
			}
			// [b, …, m, k] was [m, b, …, k].
			v = im.transpose(v, append(append(upTo(1, r-1), 0), r-1)...)
		}
		if c.flag(turned[1]) && r >= 2 {
			v = im.transpose(v, append(upTo(0, r-2), r-1, r-2)...)
		}
		in[i] = v
	}
	c.set(c.activate(c.scaled("alpha", im.matmul(in[0], in[1])), nil))
}

// lowerBiased: a function of a sum with a row; the last least inputs must be there.
func lowerBiased(f func(im *importer, x *value) *value, least int) lowering {
	return func(c *call) {
		in := c.need(least, 2)
		x := in[0]
		c.arithmetic("", x)
		if in[1] != nil {
			x = c.im.elementwise("ewadd", x, in[1])
		}
		c.set(f(c.im, x))
	}
}

// lowerBiasAdd: a tensor, a row and another tensor.
func lowerBiasAdd(c *call) {
	in := c.need(3, 3)
	c.arithmetic("", in[0])
	c.set(c.im.elementwise("ewadd", c.im.elementwise("ewadd", in[0], in[1]), in[2]))
}

// skipped is the sum of the first two inputs, and of a row, which is also the last output.
func (c *call) skipped(bias *value) *value {
	c.arithmetic("", c.in[0])
	x := c.im.elementwise("ewadd", c.in[0], c.in[1])
	if bias != nil {
		x = c.im.elementwise("ewadd", x, bias)
	}
	if len(c.outs) < 1 || len(c.outs) > 4 {
		must.Failf("%d outputs", len(c.outs))
	}
	if c.wanted(3) {
		c.outs[3] = x
	}
	return x
}

func lowerSkipNorm(c *call) {
	in := c.need(3, 5)
	norm := *c
	norm.in = []*value{c.skipped(in[4]), in[2], in[3]}
	norm.outs = c.outs[:min(3, len(c.outs))]
	norm.layerNorm(-1, c.float("epsilon", 1e-12))
}

func lowerSkipRMSNorm(c *call) {
	in := c.need(3, 4)
	x := c.skipped(in[3])
	y, inverse := c.im.rmsNorm(x, in[2], x.rank()-1, c.float("epsilon", 1e-12))
	if c.wanted(1) {
		must.Do(unsupported("optional output 1 is not supported"))
	}
	if c.wanted(2) {
		c.outs[2] = inverse
	}
	c.outs[0] = y
}
