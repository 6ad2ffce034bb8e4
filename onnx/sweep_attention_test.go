package onnx

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
)

// seen are truth values, of which those of the first place in a row are true.
func seen(name string, sizes ...int) operand {
	o := feed(name, sizes...)
	k := newConstant(graph.Bool, sizes...)
	for i, x := range o.k.floats {
		if k.ints[i] = truth(x > 0); sizes[len(sizes)-1] > 0 && i%sizes[len(sizes)-1] == 0 {
			k.ints[i] = 1
		}
	}
	o.k = k
	return o
}

// blind are truth values, of which those of every other row are false.
func blind(name string, sizes ...int) operand {
	o := seen(name, sizes...)
	for i := range o.k.ints {
		if i/sizes[len(sizes)-1]%2 == 1 {
			o.k.ints[i] = 0
		}
	}
	return o
}

// hidden are numbers, of which those of every other row are minus infinity.
func hidden(name string, sizes ...int) operand {
	o := feed(name, sizes...)
	for i := range o.k.floats {
		if i/sizes[len(sizes)-1]%2 == 1 {
			o.k.floats[i] = math.Inf(-1)
		}
	}
	return o
}

// integers are integers of a type, not held by the file.
func integers(name string, t graph.DType, xs ...int64) operand {
	o := whole(name, xs...).as(t)
	o.fixed = false
	return o
}

// TestSweepAttention: ONNX's operator, in all the forms of its inputs and masks.
func TestSweepAttention(t *testing.T) {
	t.Parallel()
	var vs variants
	add := func(opset int64, in []operand, outs []string, as ...any) *variant {
		return vs.of(opset, "Attention", in, outs, as...)
	}
	q, k, v := feed("q", 2, 3, 4, 8), feed("kk", 2, 3, 6, 8), feed("vvv", 2, 3, 6, 5)
	q3, k3, v3 := feed("q", 2, 4, 24), feed("kk", 2, 6, 24), feed("vvv", 2, 6, 15)
	for _, opset := range []int64{23, 24} {
		add(opset, list(q, k, v), z)
		add(opset, list(q, k, v), z, "scale", 0.5)
		add(opset, list(q, k, v), z, "is_causal", 1)
		add(opset, list(q, k, v), z, "softcap", 2.0)
		add(opset, list(q3, k3, v3), z, "q_num_heads", 3, "kv_num_heads", 3)
		add(opset, list(feed("q", 2, 4, 48), k3, v3), z, "q_num_heads", 6, "kv_num_heads", 3)
		add(opset, list(feed("q", 2, 4, 48), feed("kk", 2, 6, 8), feed("vvv", 2, 6, 8)), z, "q_num_heads", 6, "kv_num_heads", 1)
		add(opset, list(feed("q", 2, 6, 4, 8), k, v), z)
		for _, sizes := range [][]int{{4, 6}, {1, 6}, {1, 1, 4, 6}, {2, 1, 4, 6}, {2, 3, 4, 6}, {3, 4, 6}, {2, 1, 1, 6}} {
			for _, mask := range []operand{feed("mask", sizes...), seen("mask", sizes...)} {
				v := add(opset, list(q, k, v, mask), z)
				if sizes[len(sizes)-2] == 1 {
					v.alone("Fail") // a mask of one query for all
				}
			}
		}
		add(opset, list(q, k, v, seen("mask", 4, 6)), z, "is_causal", 1)
		for _, mask := range []operand{blind("mask", 4, 6), blind("mask", 2, 3, 4, 6), hidden("mask", 4, 6), hidden("mask", 2, 1, 4, 6)} {
			add(opset, list(q, k, v, mask), z)
			add(opset, list(q, k, v, mask), z, "is_causal", 1)
		}
		past := list(q, k, v, none, feed("pastk", 2, 3, 5, 8), feed("pastvv", 2, 3, 5, 5))
		all := []string{"z", "pk", "pv", "qk"}
		for mode := range 4 {
			add(opset, past, all, "qk_matmul_output_mode", mode)
		}
		past[3] = feed("mask", 4, 11)
		for mode := range 4 {
			add(opset, past, all, "qk_matmul_output_mode", mode)
			add(opset, past, all, "qk_matmul_output_mode", mode, "softcap", 2.0)
		}
		past[3] = none
		add(opset, past, all, "is_causal", 1)
		add(opset, list(q, k, v), []string{"z", "", "", "qk"}, "qk_matmul_output_mode", 3)
		half := list(q.by(0.1).as(graph.Float16), k.by(0.1).as(graph.Float16), v.above(5).as(graph.Float16))
		add(opset, half, z)
		add(opset, half, z, "softmax_precision", 1)
		add(opset, half, z, "is_causal", 1)
	}
	add(24, list(q, k, v, none, none, none, integers("len", graph.Int64, 4, 6)), z)
	add(24, list(q, k, v, feed("mask", 4, 6), none, none, integers("len", graph.Int64, 1, 3)), z)
	add(24, list(q, k, v, feed("mask", 4, 4), none, none, integers("len", graph.Int64, 4, 3)), z).alone("Fail")
	add(24, list(q, k, v, seen("mask", 2, 1, 4, 3), none, none, integers("len", graph.Int64, 2, 3)), z).alone("Fail")
	add(24, list(q, k, v, seen("mask", 4, 1)), z).declare("z", graph.Float32, 2, 3, 4, 5).keeps("is ambiguous").alone("Fail")
	add(24, list(q, k, v), z, "softcap", 2.0, "is_causal", 1)
	add(24, list(q, k, v, none, none, none, integers("len", graph.Int64, 4, 6)), z, "is_causal", 1).declare("z", graph.Float32, 2, 3, 4, 5).keeps("versions of ONNX define it differently")
	add(25, list(q, k, v), z, "left_window_size", 1).declare("z", graph.Float32, 2, 3, 4, 5).keeps("attribute left_window_size is 1, which is not supported")
	add(25, list(q, k, v), z, "left_window_size", 0, "right_window_size", 0).declare("z", graph.Float32, 2, 3, 4, 5).keeps("attribute left_window_size is 0, which is not supported")
	add(25, list(q, k, v), z, "left_window_size", -1, "right_window_size", -1)
	add(23, list(q, k, v, feed("m", 4, k.k.sizes[2])), z, "softcap", 2.0)
	add(23, list(q, k, v), z, "is_causal", 2).declare("z", graph.Float32, 2, 3, 4, 5).keeps("neither 0 nor 1")
	add(23, list(q, k, v), z, "scale", -1.0).declare("z", graph.Float32, 2, 3, 4, 5).keeps("it must be positive").alone("Fail")
	sweep(t, vs)
}

// TestSweepRotary: ONNX's operator and ONNX Runtime's.
func TestSweepRotary(t *testing.T) {
	t.Parallel()
	var vs variants
	cos, sin := feed("cos", 10, 4), feed("sinus", 10, 4)
	at := integers("at", graph.Int64, 0, 1, 2, 7, 3, 9).sized(2, 3)
	for _, pairs := range []int{0, 1} {
		add := func(op string, in []operand, as ...any) *variant {
			return vs.one(23, op, in, append(as, "interleaved", pairs)...)
		}
		add("RotaryEmbedding", list(feed("x", 2, 5, 3, 8), cos, sin, at))
		add("RotaryEmbedding", list(feed("x", 2, 3, 40), cos, sin, at), "num_heads", 5)
		add("RotaryEmbedding", list(feed("x", 2, 5, 3, 12), cos, sin, at), "rotary_embedding_dim", 8, "num_heads", 5)
		add("RotaryEmbedding", list(feed("x", 2, 5, 3, 8), feed("cos", 2, 3, 4), feed("sinus", 2, 3, 4)))
		add("RotaryEmbedding", list(feed("x", 2, 3, 60), feed("cos", 2, 3, 4), feed("sinus", 2, 3, 4)), "rotary_embedding_dim", 8, "num_heads", 5)
		add("RotaryEmbedding", list(feed("x", 2, 5, 3, 8), at, cos, sin)).contributes()
		add("RotaryEmbedding", list(feed("x", 2, 3, 40), at, cos, sin)).contributes()
		add("RotaryEmbedding", list(feed("x", 2, 3, 40), integers("at", graph.Int64, 2), cos, sin)).contributes()
		add("RotaryEmbedding", list(feed("x", 2, 5, 3, 12), at, cos, sin), "rotary_embedding_dim", 8, "num_heads", 5).contributes()
	}
	sweep(t, vs)
}

// TestSweepTensorScatter: rows written into a cache.
func TestSweepTensorScatter(t *testing.T) {
	t.Parallel()
	var vs variants
	add := func(in []operand, as ...any) *variant { return vs.one(24, "TensorScatter", in, as...) }
	cache, fresh := feed("x", 3, 2, 6, 4), feed("yy", 3, 2, 2, 4)
	add(list(cache, fresh))
	add(list(cache, fresh, whole("at", 0, 4, 1)))
	add(list(cache, fresh, integers("at", graph.Int64, 0, 4, 1)))
	add(list(cache, fresh, whole("at", 5, 4, 1)), "mode", "circular")
	add(list(feed("x", 3, 6, 4), feed("yy", 3, 2, 4), integers("at", graph.Int64, 2, 4, 1)), "axis", 1)
	add(list(feed("x", 3, 6), feed("yy", 3, 6), integers("at", graph.Int64, 0, 0, 0)), "axis", -1)
	add(list(cache, fresh, whole("at", 0, 5, 1))).fails("an update of 2 rows from row 5 on")
	sweep(t, vs)
}

// TestSweepContributedAttention: what ONNX Runtime's tools write.
func TestSweepContributedAttention(t *testing.T) {
	t.Parallel()
	var vs variants
	add := vs.contributed
	x, w, b := feed("x", 2, 4, 6), fixedFeed("w", 6, 24), fixedFeed("bias", 24)
	mask := integers("mask", graph.Int32, 1, 1, 1, 0, 0, 1, 1, 1).sized(2, 4)
	bias := feed("more", 1, 2, 4, 4)
	add("Attention", list(x, w, b), z, "num_heads", 2)
	add("Attention", list(x, w), z, "num_heads", 2, "unidirectional", 1)
	add("Attention", list(x, w, b), z, "num_heads", 2, "scale", 0.25)
	add("Attention", list(x, w, b, mask), z, "num_heads", 2)
	add("Attention", list(x, w, b, mask), z, "num_heads", 2, "unidirectional", 1, "mask_filter_value", -5.0)
	add("Attention", list(x, w, b, integers("mask", graph.Int32, 3, 2)), z, "num_heads", 2)
	add("Attention", list(x, w, b, integers("mask", graph.Int32, 3, 4, 1, 2)), z, "num_heads", 2)
	add("Attention", list(x, w, b, none, none, bias), z, "num_heads", 2)
	add("Attention", list(x, fixedFeed("w", 6, 20), fixedFeed("bias", 20)), z, "num_heads", 2, "qkv_hidden_sizes", []int{8, 8, 4})
	add("Attention", list(x, w, b, none, feed("past", 2, 2, 2, 3, 4)), []string{"z", "present"}, "num_heads", 2, "unidirectional", 1)
	add("Attention", list(x, w, b), []string{"z", "present"}, "num_heads", 2)

	q, k, v := feed("q", 2, 4, 8), feed("kk", 2, 5, 8), feed("vvv", 2, 5, 6)
	add("MultiHeadAttention", list(q, k, v), z, "num_heads", 2)
	add("MultiHeadAttention", list(q, k, v, fixedFeed("bias", 22)), z, "num_heads", 2, "scale", 0.5)
	add("MultiHeadAttention", list(q, k, v, none, integers("mask", graph.Int32, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0).sized(2, 5)), z, "num_heads", 2)
	add("MultiHeadAttention", list(q, k, v, none, none, feed("more", 2, 1, 4, 5)), z, "num_heads", 2)
	add("MultiHeadAttention", list(q, feed("kk", 2, 4, 8), feed("vvv", 2, 4, 8)), z, "num_heads", 2, "unidirectional", 1)
	add("MultiHeadAttention", list(q, feed("kk", 2, 2, 5, 4), feed("vvv", 2, 2, 5, 4)), z, "num_heads", 2)
	add("MultiHeadAttention", list(feed("q", 2, 4, 2, 3, 4)), z, "num_heads", 2).alone("not implemented")
	add("MultiHeadAttention", list(q, feed("kk", 2, 5, 2, 2, 4)), z, "num_heads", 2).alone("not implemented")
	add("MultiHeadAttention", list(q, feed("kk", 2, 4, 8), feed("vvv", 2, 4, 8), none, none, none, feed("pk", 2, 2, 3, 4), feed("pvv", 2, 2, 3, 4)), []string{"z", "nk", "nv"}, "num_heads", 2)
	add("MultiHeadAttention", list(q, feed("kk", 2, 4, 8), feed("vvv", 2, 4, 8), none, none, none, feed("pk", 2, 2, 3, 4), feed("pvv", 2, 2, 3, 4)), []string{"z", "nk", "nv"}, "num_heads", 2, "unidirectional", 1)

	lengths, total := integers("len", graph.Int32, 3, 3), whole("total", 4).sized().as(graph.Int32)
	cos, sin := fixedFeed("cos", 16, 8), fixedFeed("sinus", 16, 8)
	tokens := func(batch, n int) []operand {
		return list(feed("q", batch, n, 64).by(0.3), feed("kk", batch, n, 32), feed("vvv", batch, n, 32))
	}
	group := func(in []operand, outs []string, as ...any) *variant {
		return add("GroupQueryAttention", in, outs, append(as, "num_heads", 4, "kv_num_heads", 2)...)
	}
	outs := []string{"z", "nk", "nv"}
	first := func(more ...operand) []operand {
		return slices.Concat(tokens(2, 4), list(none, none, lengths, total), more)
	}
	group(first(), outs)
	group(list(feed("q", 2, 4, 128), none, none, none, none, lengths, total), outs)
	group(first(cos, sin), outs, "do_rotary", 1)
	group(first(cos, sin), outs, "do_rotary", 1, "rotary_interleaved", 1, "scale", 0.3, "softcap", 3.0)
	group(first(), outs, "local_window_size", 2)
	group(first(), outs, "smooth_softmax", 1)
	group(first(none, none, none, none, feed("sink", 4)), outs)
	group(first(none, none, none, feed("more", 1, 1, 4, 4)), outs, "softcap", 3.0)
	// One more token, of samples of different lengths, behind a past. What is behind the
	// length of a sample is not said, so that the past is compared where they are the same.
	lengths, total = integers("len", graph.Int32, 6, 4), whole("total", 7).sized().as(graph.Int32)
	past := list(feed("pk", 2, 2, 6, 16), feed("pvv", 2, 2, 6, 16))
	next := func(lengths operand, more ...operand) []operand {
		return slices.Concat(tokens(2, 1), past, list(lengths, total), more)
	}
	ragged := func(v *variant) { v.outs = z }
	ragged(group(next(lengths), outs))
	ragged(group(next(lengths, cos, sin), outs, "do_rotary", 1))
	group(next(integers("len", graph.Int32, 6, 6), cos, sin), outs, "do_rotary", 1)
	ragged(group(next(lengths, cos, sin), outs, "do_rotary", 1, "local_window_size", 3))
	ragged(group(next(lengths, cos, sin, integers("at", graph.Int64, 9, 2).sized(2, 1)), outs, "do_rotary", 1))
	group(slices.Concat(tokens(1, 3), list(feed("pk", 1, 2, 6, 16), feed("pvv", 1, 2, 6, 16), integers("len", graph.Int32, 8), whole("total", 9).sized().as(graph.Int32), cos, sin)), outs, "do_rotary", 1)
	sweep(t, vs)
}

// TestPastUnwritten: a node that reads its past and does not write one is kept: ONNX
// Runtime does not read it then.
func TestPastUnwritten(t *testing.T) {
	t.Parallel()
	v := variantOf(17, "GroupQueryAttention", list(feed("q", 1, 1, 64), feed("kk", 1, 1, 32), feed("vvv", 1, 1, 32), feed("pk", 1, 2, 6, 16), feed("pvv", 1, 2, 6, 16),
		integers("len", graph.Int32, 6), whole("total", 7).sized().as(graph.Int32)), z, attributesNamed([]any{"num_heads", 4, "kv_num_heads", 2})...).contributes().declare("z", graph.Float32, 1, 1, 64)
	_, r, err := Read(put(t, marshal(t, v.proto())), ReadOptions{})
	if err != nil || len(r.Opaque) != 1 || !strings.Contains(r.Opaque[0].Reason, "past without present outputs") {
		t.Errorf("%v, %v", r, err)
	}
}

// above has numbers of at least x-4.
func (o operand) above(x float64) operand {
	k := newConstant(o.k.dtype, o.k.sizes...)
	for i := range k.floats {
		k.floats[i] = float64(float32(o.k.floats[i] + x))
	}
	o.k = k
	return o
}

// by has numbers times x.
func (o operand) by(x float64) operand {
	k := newConstant(o.k.dtype, o.k.sizes...)
	for i := range k.floats {
		k.floats[i] = float64(float32(o.k.floats[i] * x))
	}
	o.k = k
	return o
}
