package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// contributes says that the variant's node is one that ONNX Runtime adds.
func (v *variant) contributes() *variant {
	v.nodes[0].Domain, v.domain = proto.String(contributed), contributed
	return v
}

func floatsAttribute(name string, xs ...float32) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: xs}
}

// TestSweepContributed: several operators in one, as ONNX Runtime's optimizer writes them.
func TestSweepContributed(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(op string, in []operand, outs []string, as ...*onnxpb.AttributeProto) *variant {
		v := variantOf(17, op, in, outs, as...).contributes()
		vs = append(vs, v)
		return v
	}
	x := feed("x", 2, 3, 4)
	add("Gelu", list(x), z)
	add("QuickGelu", list(x), z)
	add("QuickGelu", list(x), z, floatAttribute("alpha", 1))
	add("FastGelu", list(x), z)
	add("FastGelu", list(x, fixedFeed("b", 4)), z)
	add("BiasGelu", list(x, fixedFeed("b", 4)), z)
	for _, a := range []string{"Relu", "Tanh", "Sigmoid"} {
		add("FusedConv", list(feed("x", 1, 4, 5, 5), fixedFeed("w", 6, 2, 3, 3), fixedFeed("b", 6)), z, textAttribute("activation", a), intAttribute("group", 2), intsAttribute("pads", 1, 1, 1, 1))
	}
	add("FusedConv", list(feed("x", 1, 2, 5, 5), fixedFeed("w", 3, 2, 3, 3), none, feed("z0", 1, 3, 3, 3)), z, textAttribute("activation", "Relu"))
	add("FusedConv", list(feed("x", 1, 2, 5, 5), fixedFeed("w", 3, 2, 3, 3)), z, textAttribute("activation", "LeakyRelu"), floatsAttribute("activation_params", 0.3))
	add("FusedConv", list(feed("x", 1, 2, 5, 5), fixedFeed("w", 3, 2, 3, 3)), z, textAttribute("activation", "Clip"), floatsAttribute("activation_params", -0.5, 2))
	add("FusedConv", list(feed("x", 1, 2, 5, 5), fixedFeed("w", 3, 2, 3, 3)), z, textAttribute("activation", "HardSigmoid"), floatsAttribute("activation_params", 0.3, 0.4))
	add("FusedGemm", list(feed("x", 2, 3), fixedFeed("w", 4, 3), fixedFeed("b", 4)), z, textAttribute("activation", "Relu"), intAttribute("transB", 1))
	add("FusedGemm", list(feed("x", 2, 3), fixedFeed("w", 3, 4)), z, textAttribute("activation", "LeakyRelu"), floatAttribute("activation_alpha", 0.25), floatAttribute("alpha", 2))
	for _, a := range []struct {
		x, y       []int
		ta, tb     int64
		ba, bb     int64
		alpha      float32
		mayBeAlone bool
	}{
		{x: []int{2, 3, 4}, y: []int{2, 4, 5}, alpha: 0.5},
		{x: []int{2, 4, 3}, y: []int{2, 4, 5}, ta: 1, alpha: 1},
		{x: []int{2, 3, 4}, y: []int{2, 5, 4}, tb: 1, alpha: 2},
		{x: []int{2, 2, 4, 3}, y: []int{2, 2, 5, 4}, ta: 1, tb: 1, alpha: 1},
		{x: []int{3, 2, 4}, y: []int{2, 4, 5}, ba: 1, alpha: 1},
		{x: []int{2, 3, 4}, y: []int{4, 2, 5}, bb: 1, alpha: 1},
		{x: []int{3, 2, 6, 4}, y: []int{4, 2, 6, 5}, ba: 1, bb: 1, alpha: 1},
		{x: []int{4, 2, 3}, y: []int{2, 4, 5}, ba: 1, ta: 1, alpha: 1},
	} {
		add("FusedMatMul", list(feed("x", a.x...), feed("yy", a.y...)), z, floatAttribute("alpha", float64(a.alpha)), intAttribute("transA", a.ta), intAttribute("transB", a.tb),
			intAttribute("transBatchA", a.ba), intAttribute("transBatchB", a.bb))
	}
	s, b := fixedFeed("scale", 4), fixedFeed("bias", 4)
	add("SkipLayerNormalization", list(x, feed("yy", 2, 3, 4), s, b), z, floatAttribute("epsilon", 1e-5))
	add("SkipLayerNormalization", list(x, feed("yy", 2, 3, 4), s), z)
	add("SkipLayerNormalization", list(x, feed("yy", 2, 3, 4), s, b, fixedFeed("more", 4)), []string{"z", "", "", "sum"}, floatAttribute("epsilon", 0.1))
	add("SkipSimplifiedLayerNormalization", list(x, feed("yy", 2, 3, 4), s), z, floatAttribute("epsilon", 1e-5))
	add("SkipSimplifiedLayerNormalization", list(x, feed("yy", 2, 3, 4), s, b), []string{"z", "", "", "sum"}, floatAttribute("epsilon", 0.1))
	// What is not known keeps its domain.
	add("Inverse", list(given("x", 1, 2, 3, 5).sized(2, 2)), z).declare("z", graph.Float32, 2, 2).keeps("this operator is not supported")
	add("FusedConv", list(feed("x", 1, 2, 5, 5), fixedFeed("w", 3, 2, 3, 3)), z, textAttribute("activation", "Unheard")).declare("z", graph.Float32, 1, 3, 3, 3).keeps("its activation is").alone("fused_conv")
	sweep(t, vs)
}

// TestSweepNormalizations: what is expanded to means, roots and quotients.
func TestSweepNormalizations(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(opset int64, op string, in []operand, as ...*onnxpb.AttributeProto) *variant {
		v := variantOf(opset, op, in, z, as...)
		vs = append(vs, v)
		return v
	}
	x := feed("x", 2, 6, 3, 2)
	add(21, "GroupNormalization", list(x, fixedFeed("s", 6), fixedFeed("b", 6)), intAttribute("num_groups", 3))
	add(22, "GroupNormalization", list(feed("x", 1, 4, 5), fixedFeed("s", 4), fixedFeed("b", 4)), intAttribute("num_groups", 1), floatAttribute("epsilon", 0.1))
	add(18, "GroupNormalization", list(x, fixedFeed("s", 2), fixedFeed("b", 2)), intAttribute("num_groups", 2))
	add(18, "GroupNormalization", list(x, fixedFeed("s", 6), fixedFeed("b", 6)), intAttribute("num_groups", 4)).fails("4 groups of")
	add(23, "RMSNormalization", list(x, fixedFeed("s", 2)))
	add(23, "RMSNormalization", list(x, fixedFeed("s", 3, 2)), intAttribute("axis", 2), floatAttribute("epsilon", 0.1))
	add(17, "SimplifiedLayerNormalization", list(x, fixedFeed("s", 2)))
	for _, size := range []int64{1, 3, 5} {
		add(13, "LRN", list(x), intAttribute("size", size), floatAttribute("alpha", 0.3))
	}
	for _, beta := range []float64{0.5, 0.6, 1, 1.25} {
		add(13, "LRN", list(feed("x", 1, 5, 2, 2)), intAttribute("size", 3), floatAttribute("alpha", 0.3), floatAttribute("beta", beta), floatAttribute("bias", 2))
	}
	add(13, "LRN", list(x), intAttribute("size", 2)).alone("lrn")
	add(13, "LRN", list(x), intAttribute("size", 0)).fails("windows of 0 channels")
	add(13, "MeanVarianceNormalization", list(x))
	add(13, "MeanVarianceNormalization", list(x), intsAttribute("axes", 3, 0))
	for _, p := range []int64{1, 2} {
		add(13, "LpNormalization", list(x), intAttribute("p", p), intAttribute("axis", 1))
	}
	for _, t := range []graph.DType{graph.Float32, graph.Float16, graph.Float64} {
		add(13, "LpNormalization", list(given("x", 0, 0).as(t)), intAttribute("axis", 0))
	}
	add(13, "LpNormalization", list(given("x", 1e-40, 3e-40).as(graph.Float64)), intAttribute("axis", 0))
	add(13, "Hardmax", list(feed("x", 3, 5)))
	add(13, "Hardmax", list(given("x", 1, 3, 3, 2)), intAttribute("axis", 0))
	add(11, "Hardmax", list(feed("x", 3, 5, 2)), intAttribute("axis", 1))
	for _, e := range []float64{0, 1, 4, 7, 0.25, 0.75, 2.5, 1.3, -2, -0.25, -1.1} {
		v := given("x", 0.1, 1, 2.5, 30)
		add(13, "Pow", list(v, given("e", e).held()))
	}
	add(13, "Pow", list(given("x", -2, -1, 0, 3), given("e", 5).held()))
	add(13, "Pow", list(given("x", -2, 0, 3), given("e", 1.3).held()))
	for _, back := range []int64{0, 1} {
		for _, exclusive := range []int64{0, 1} {
			add(14, "CumSum", list(feed("x", 2, 7, 3), whole("a", 1).sized()), intAttribute("reverse", back), intAttribute("exclusive", exclusive))
		}
	}
	add(14, "CumSum", list(feed("x", 1), whole("a", -1).sized()), intAttribute("exclusive", 1))
	for _, n := range []int{1, 2, 5, 8} {
		add(18, "ReduceProd", list(feed("x", 2, n, 3), whole("a", 1)))
	}
	add(18, "ReduceProd", list(feed("x", 2, 3)), intAttribute("keepdims", 0))
	add(13, "ThresholdedRelu", list(feed("x", 9)))
	add(13, "ThresholdedRelu", list(feed("x", 9)), floatAttribute("alpha", -2))
	add(13, "Shrink", list(feed("x", 9)), floatAttribute("lambd", 1.5), floatAttribute("bias", 0.5))
	add(24, "Swish", list(feed("x", 9)), floatAttribute("alpha", 0.5))
	sweep(t, vs)
}
