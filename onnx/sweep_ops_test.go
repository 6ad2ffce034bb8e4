package onnx

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// z is the name of the only output of most variants.
var z = []string{"z"}

// variantOf is a model of one node whose inputs are operands in their order; an
// operand without numbers is left out.
func variantOf(opset int64, op string, in []operand, outs []string, as ...*onnxpb.AttributeProto) *variant {
	v := &variant{opset: opset, outs: nil}
	var names []string
	for _, o := range in {
		names = append(names, o.name)
		if o.name != "" {
			v.in = append(v.in, o)
		}
	}
	for _, o := range outs {
		if o != "" {
			v.outs = append(v.outs, o)
		}
	}
	v.nodes = []*onnxpb.NodeProto{node(op, names, outs, as...)}
	v.name = fmt.Sprintf("%s-%d", op, opset)
	for _, o := range in {
		if o.k == nil {
			v.name += " none"
		} else if v.name += fmt.Sprintf(" %s%v", o.k.dtype, o.k.sizes); o.fixed {
			v.name += "!"
			if o.k.len() < 10 {
				v.name += fmt.Sprint(append([]int64{}, o.k.ints...), append([]float64{}, o.k.floats...))
			}
		}
	}
	for _, a := range as {
		v.name += fmt.Sprintf(" %s=%v%v%v%s%v", a.GetName(), a.GetI(), a.GetF(), a.GetInts(), a.GetS(), a.GetFloats())
	}
	return v
}

var none operand

func list(in ...operand) []operand { return in }

// variants are those of a sweep.
type variants []*variant

// of adds a variant with attributes by name.
func (vs *variants) of(opset int64, op string, in []operand, outs []string, as ...any) *variant {
	v := variantOf(opset, op, in, outs, attributesNamed(as)...)
	*vs = append(*vs, v)
	return v
}

// one is of, of an operator with one result.
func (vs *variants) one(opset int64, op string, in []operand, as ...any) *variant {
	return vs.of(opset, op, in, z, as...)
}

// contributed is of, of an operator of ONNX Runtime's.
func (vs *variants) contributed(op string, in []operand, outs []string, as ...any) *variant {
	return vs.of(17, op, in, outs, as...).contributes()
}

// keeps says that a node of the variant stays opaque.
func (v *variant) keeps(why string) *variant { v.opaque = why; return v }

// fails says that the variant's file is refused.
func (v *variant) fails(why string) *variant { v.refused = why; return v }

// alone says that ONNX Runtime does not run the variant.
func (v *variant) alone(why string) *variant { v.peerless = why; return v }

// declare gives the types of outputs.
func (v *variant) declare(name string, t graph.DType, sizes ...int) *variant {
	if v.types == nil {
		v.types = map[string]graph.TensorType{}
	}
	v.types[name] = graph.TensorType{DType: t, Sizes: sizes}
	return v
}

func truths(name string, xs ...float64) operand { return given(name, xs...).as(graph.Bool) }

// TestSweepElements: operators that compute element by element.
func TestSweepElements(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(v *variant) *variant { vs = append(vs, v); return v }
	for _, op := range []string{"Add", "Sub", "Mul", "Div"} {
		for _, s := range [][2][]int{{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{3}, {2, 3}}, {{2, 3}, {}}, {{}, {2, 3}}, {{1}, {1, 1}}, {{2, 1, 4}, {3, 1}}, {{}, {}}, {{1, 3}, {2, 1}}, {{4, 1, 1}, {1, 3, 1}}} {
			for _, opset := range []int64{7, 13, 14} {
				add(variantOf(opset, op, list(feed("x", s[0]...), feed("y", s[1]...)), z))
				add(variantOf(opset, op, list(feed("x", s[0]...), fixedFeed("y", s[1]...)), z))
			}
		}
	}
	for _, op := range []string{"Add", "Sub", "Mul"} {
		add(variantOf(13, op, list(feed("x", 2, 3).as(graph.Int64), feed("y", 3).as(graph.Int64)), z))
		add(variantOf(13, op, list(feed("x", 2, 3).as(graph.Int32), whole("y", 2, 3, -4).as(graph.Int32)), z))
	}
	add(variantOf(13, "Div", list(feed("x", 6).as(graph.Int64), whole("y", 2, 3, -4, 1, -2, 7)), z))
	add(variantOf(13, "Div", list(feed("x", 6).as(graph.Float64), feed("y", 6).as(graph.Float64)), z))
	add(variantOf(13, "Mul", list(feed("x", 6).as(graph.Float16), feed("y", 6).as(graph.Float16)), z))
	x := feed("x", 2, 3, 4)
	for _, op := range []string{"Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Identity", "Neg", "Abs", "Exp", "Erf", "Elu", "Selu", "Softplus", "Softsign", "Reciprocal"} {
		for _, opset := range []int64{7, 9, 13, 16, 21} {
			if op == "Erf" && opset < 9 {
				continue
			}
			add(variantOf(opset, op, list(x), z))
		}
		add(variantOf(13, op, list(feed("x")), z))
	}
	add(variantOf(16, "LeakyRelu", list(x), z, floatAttribute("alpha", 0.3)))
	add(variantOf(16, "LeakyRelu", list(x), z, floatAttribute("alpha", -2)))
	add(variantOf(9, "HardSigmoid", list(x), z, floatAttribute("alpha", 0.5), floatAttribute("beta", 0.1)))
	add(variantOf(9, "Elu", list(x), z, floatAttribute("alpha", 0.5)))
	add(variantOf(14, "HardSwish", list(x), z))
	add(variantOf(18, "Mish", list(x), z))
	add(variantOf(12, "Celu", list(x), z, floatAttribute("alpha", 2)))
	add(variantOf(20, "Gelu", list(x), z))
	add(variantOf(20, "Gelu", list(x), z, textAttribute("approximate", "none")))
	add(variantOf(20, "Gelu", list(x), z, textAttribute("approximate", "tanh")))
	add(variantOf(14, "Relu", list(feed("x", 5).as(graph.Int32)), z))
	add(variantOf(13, "Sqrt", list(given("x", 0, 1, 4, 2)), z))
	add(variantOf(13, "Log", list(given("x", 0, 1, 4, 2)), z))

	odd := given("x", math.Inf(-1), -3, math.Copysign(0, -1), 0, 0.5, 3, math.Inf(1), math.NaN())
	for _, op := range []string{"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Abs", "Neg", "HardSigmoid", "Exp"} {
		add(variantOf(13, op, list(odd), z)).name += " of what is no number"
	}

	for _, op := range []string{"Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Floor", "Ceil", "Round", "Sign"} {
		opset := map[string]int64{"Sinh": 9, "Cosh": 9, "Asinh": 9, "Acosh": 9, "Atanh": 9, "Round": 11, "Sign": 9}[op]
		add(variantOf(max(opset, 7), op, list(given("x", 0.25, 1, 0.75, 0.5, 1.5, 2.5, -0.5, -1.5, 7.25)), z))
		add(variantOf(22, op, list(x), z))
	}
	for _, op := range []string{"Sin", "Cos", "Floor", "Ceil", "Round", "Sinh", "Atan"} {
		add(variantOf(13, op, list(odd), z)).name += " of what is no number"
	}
	add(variantOf(13, "Sign", list(feed("x", 5).as(graph.Int32)), z))
	add(variantOf(13, "Sign", list(feed("x", 5).as(graph.Int64)), z))
	for _, opset := range []int64{9, 13, 20} {
		add(variantOf(opset, "IsNaN", list(odd), z))
		if opset > 9 {
			add(variantOf(opset, "IsInf", list(odd), z))
			for _, name := range []string{"detect_negative", "detect_positive"} {
				add(variantOf(opset, "IsInf", list(odd), z, intAttribute(name, 0)))
			}
			add(variantOf(opset, "IsInf", list(odd), z, intAttribute("detect_negative", 0), intAttribute("detect_positive", 0)))
		}
	}

	for _, opset := range []int64{6, 10} {
		add(variantOf(opset, "Clip", list(x), z, floatAttribute("min", -1), floatAttribute("max", 0.5)))
		add(variantOf(opset, "Clip", list(x), z, floatAttribute("max", 0.5)))
		add(variantOf(opset, "Clip", list(x), z, floatAttribute("min", -0.1)))
		add(variantOf(opset, "Clip", list(x), z))
	}
	lo, hi := given("lo", -1).sized(), given("hi", 0.5).sized()
	for _, opset := range []int64{11, 12, 13} {
		add(variantOf(opset, "Clip", list(x, lo.held(), hi.held()), z))
		add(variantOf(opset, "Clip", list(x, none, hi.held()), z))
		add(variantOf(opset, "Clip", list(x, lo.held()), z))
		add(variantOf(opset, "Clip", list(x), z))
		add(variantOf(opset, "Clip", list(x, lo, hi), z))
		add(variantOf(opset, "Clip", list(x, lo, hi.held()), z))
		add(variantOf(opset, "Clip", list(x, hi.held(), given("q", -1).sized().held()), z)).name += " crossed"
	}
	add(variantOf(13, "Clip", list(x, given("lo", 2).sized(), hi.held()), z)).name += " crossed, min fed"
	add(variantOf(13, "Clip", list(x, lo.held(), given("hi", -2).sized()), z)).name += " crossed, max fed"
	far := given("x", -2e39, 1, 2e39).as(graph.Float64)
	add(variantOf(13, "Clip", list(far, given("lo", -1e39).sized().as(graph.Float64).held(), given("hi", 1e39).sized().as(graph.Float64).held()), z)).name += " beyond float32"
	add(variantOf(13, "Clip", list(feed("x", 6).as(graph.Int64), whole("lo", -1).sized(), whole("hi", 2).sized()), z))
	add(variantOf(13, "Clip", list(odd, lo.held(), hi.held()), z)).name += " of what is no number"

	for _, op := range []string{"Max", "Min", "Sum", "Mean"} {
		add(variantOf(8, op, list(x), z))
		add(variantOf(8, op, list(x, feed("y", 4), feed("w", 3, 1)), z))
		add(variantOf(13, op, list(feed("y", 4), x), z))
	}
	add(variantOf(12, "Max", list(feed("x", 4).as(graph.Int64), whole("y", 1).sized()), z))
	pow := func(sizes []int, e operand) { add(variantOf(13, "Pow", list(feed("x", sizes...), e.held()), z)) }
	pow([]int{2, 3}, given("e", 2).sized())
	pow([]int{2, 3}, given("e", 3))
	pow([]int{2, 3}, given("e", 1))
	pow([]int{2, 3}, given("e", -1).sized(1, 1))
	pow([]int{1, 3}, given("e", 2, 2).sized(2, 1))
	add(variantOf(13, "Pow", list(feed("x", 3), given("e", 2, 3, 2).held()), z))
	add(variantOf(13, "Pow", list(given("x", 1, 4, 9), given("e", 0.5).held()), z))
	add(variantOf(13, "Pow", list(given("x", 1, 4, 9), given("e", -0.5).held()), z))
	add(variantOf(13, "Pow", list(feed("x", 3), whole("e", 2)), z))
	add(variantOf(13, "Pow", list(feed("x", 3), feed("e", 3)), z))
	add(variantOf(13, "Pow", list(feed("x", 2, 3), whole("e", 2, 0, 3)), z))
	add(variantOf(13, "Pow", list(given("x", -2, -0.5, 3), given("e", 3)), z))
	add(variantOf(13, "Pow", list(given("x", 1.01, 0.99, 1), given("e", 100).held()), z))
	add(variantOf(15, "Pow", list(whole("x", 2, -3, 7).as(graph.Int32), whole("e", 3, 2, 0).as(graph.Int32)), z))
	add(variantOf(15, "Pow", list(whole("x", 2, 3, 7), given("e", 1.5)), z))
	add(variantOf(9, "PRelu", list(x, feed("s", 4)), z))
	add(variantOf(9, "PRelu", list(x, feed("s", 3, 1)), z))
	add(variantOf(9, "PRelu", list(x, feed("s", 1)), z))

	left, right := whole("x", 7, -7, 7, -7, 0, 9), whole("y", 2, 2, -2, -2, 5, 3)
	for _, t := range []graph.DType{graph.Int64, graph.Int32} {
		add(variantOf(14, "Div", list(left.as(t), right.as(t)), z))
		for _, fmod := range []int64{0, 1} {
			add(variantOf(13, "Mod", list(left.as(t), right.as(t)), z, intAttribute("fmod", fmod)))
			add(variantOf(13, "Mod", list(left.sized(2, 3).as(t), whole("y", 2, 3, -4).as(t).held()), z, intAttribute("fmod", fmod)))
		}
		for _, op := range []string{"BitwiseAnd", "BitwiseOr", "BitwiseXor"} {
			add(variantOf(18, op, list(left.as(t), right.as(t)), z))
		}
		add(variantOf(18, "BitwiseNot", list(left.as(t)), z))
		add(variantOf(13, "ArgMax", list(left.as(t)), z))
		add(variantOf(13, "ArgMin", list(left.as(t)), z))
	}
	add(variantOf(13, "Mod", list(feed("x", 2, 3), given("y", 0.3, -0.7, 2)), z, intAttribute("fmod", 1)))
	add(variantOf(13, "Mod", list(feed("x", 2, 3), given("y", 0.3, -0.7, 2)), z)).fails("with the sign of the divisor")
	small, by := whole("x", 1, 2, 77, 200).as(graph.Uint8), whole("y", 0, 1, 2, 3).as(graph.Uint8)
	add(variantOf(18, "BitwiseNot", list(small), z))
	for _, way := range []string{"LEFT", "RIGHT"} {
		add(variantOf(11, "BitShift", list(small, by), z, textAttribute("direction", way)))
	}
	for _, op := range []string{"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"} {
		add(variantOf(16, op, list(odd, given("y", math.Inf(-1), math.Inf(1), 0, math.NaN(), 0.5, 3.5, math.Inf(1), math.NaN())), z)).name += " of what is no number"
	}

	for _, op := range []string{"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"} {
		add(variantOf(16, op, list(feed("x", 2, 3).as(graph.Int64).as(graph.Float32), feed("y", 3).as(graph.Int64).as(graph.Float32)), z))
		add(variantOf(16, op, list(given("x", math.Inf(-1), 3, 1e-30, math.Inf(1), 1), given("y", 3, math.Inf(1), 2e-30, math.Inf(-1), 1)), z)).name += " of infinities"
	}

	numpy := []graph.DType{graph.Float32, graph.Float16, graph.Float64, graph.Int64, graph.Int32, graph.Int16, graph.Int8, graph.Uint64, graph.Uint32, graph.Uint16, graph.Uint8, graph.Bool}
	for _, typ := range numpy {
		to := elemOf(typ)
		for _, from := range numpy {
			in := given("x", 3, 0.25, 2.5, 1.75, 0, 100)
			if !from.IsUnsigned() && !typ.IsUnsigned() {
				in = given("x", 3, -3, 0.25, -0.25, 2.5, -2.5, 1.75, -1.75, 0, 100)
			}
			add(variantOf(13, "Cast", list(in.as(from)), z, intAttribute("to", int64(to))))
			add(variantOf(19, "Cast", list(in.as(from).held()), z, intAttribute("to", int64(to))))
		}
	}
	add(variantOf(13, "Cast", list(feed("x", 3)), z, intAttribute("to", int64(onnxpb.TensorProto_COMPLEX64)))).fails("COMPLEX64")
	add(variantOf(15, "CastLike", list(feed("x", 3), whole("y", 1)), z))

	drop := func(opset int64, in []operand, outs []string, as ...*onnxpb.AttributeProto) *variant {
		return add(variantOf(opset, "Dropout", in, outs, as...))
	}
	drop(7, list(x), z, floatAttribute("ratio", 0.3))
	drop(10, list(x), z)
	drop(12, list(x), z, intAttribute("seed", 3))
	drop(13, list(x, given("r", 0.3).sized().held()), z)
	drop(13, list(x, given("r", 0.3).sized().held(), truths("t", 0).sized().held()), z)
	drop(13, list(x, given("r", 0).sized().held(), truths("t", 1).sized().held()), z)
	drop(12, list(x), []string{"z", "m"}).name += " mask"
	drop(13, list(x, given("r", 0).sized().held(), truths("t", 1).sized().held()), []string{"z", "m"}).name += " mask"

	sweep(t, vs)
}

// TestSweepProducts: products, reductions, softmax, normalizations.
func TestSweepProducts(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(v *variant) *variant { vs = append(vs, v); return v }
	for _, s := range [][2][]int{{{2, 3}, {3, 4}}, {{3}, {3}}, {{3}, {3, 4}}, {{2, 3}, {3}}, {{2, 2, 3}, {3, 4}}, {{2, 2, 3}, {3}}, {{3}, {2, 3, 4}},
		{{2, 3}, {5, 3, 4}}, {{5, 1, 2, 3}, {4, 3, 2}}, {{1, 2, 3}, {5, 3, 4}}, {{2, 1, 4, 3}, {1, 5, 3, 2}}, {{1, 1}, {1, 1}}, {{1}, {1}}} {
		for _, opset := range []int64{7, 13} {
			add(variantOf(opset, "MatMul", list(feed("x", s[0]...), feed("y", s[1]...)), z))
		}
		add(variantOf(13, "MatMul", list(feed("x", s[0]...), fixedFeed("y", s[1]...)), z))
		add(variantOf(13, "MatMul", list(fixedFeed("x", s[0]...), feed("y", s[1]...)), z))
	}
	for _, ta := range []int{0, 1} {
		for _, tb := range []int{0, 1} {
			a, b := []int{2, 3}, []int{3, 4}
			if ta == 1 {
				a = []int{3, 2}
			}
			if tb == 1 {
				b = []int{4, 3}
			}
			for i, c := range []operand{none, feed("c", 4), feed("c", 2, 1), feed("c", 2, 4), feed("c", 1, 4), feed("c"), feed("c", 1), feed("c", 1, 1)} {
				opset := int64([]int{11, 13}[i%2])
				in := list(feed("a", a...), feed("b", b...), c)
				if i == 0 {
					in = in[:2]
				} else if i > 2 {
					in[1].fixed, in[2].fixed = true, true
				}
				flags := []*onnxpb.AttributeProto{intAttribute("transA", int64(ta)), intAttribute("transB", int64(tb))}
				add(variantOf(opset, "Gemm", in, z, flags...))
				add(variantOf(opset, "Gemm", in, z, append(flags, floatAttribute("alpha", 0.7), floatAttribute("beta", -1.3))...))
				if i == 1 {
					add(variantOf(7, "Gemm", in, z, append(flags, floatAttribute("alpha", 0), floatAttribute("beta", 0))...))
				}
			}
		}
	}
	add(variantOf(13, "Gemm", list(feed("a", 2, 3), feed("b", 3, 4), none), z))

	x := feed("x", 2, 3, 4)
	for _, op := range []string{"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"} {
		first := int64(18) // operator set with axes as an input
		if op == "ReduceSum" {
			first = 13
		}
		for _, keep := range []int64{0, 1} {
			k := intAttribute("keepdims", keep)
			for _, opset := range []int64{7, 11, 12, 13, 17, 18, 20, 21} {
				if opset >= first {
					add(variantOf(opset, op, list(x), z, k))
					add(variantOf(opset, op, list(x, whole("axes", 1)), z, k))
					add(variantOf(opset, op, list(x, whole("axes", -1, 0)), z, k))
					add(variantOf(opset, op, list(x, whole("axes")), z, k))
					add(variantOf(opset, op, list(x, whole("axes"), none)[:2], z, k, intAttribute("noop_with_empty_axes", 1)))
					add(variantOf(opset, op, list(x, whole("axes", 1)), z, k, intAttribute("noop_with_empty_axes", 1)))
					continue
				}
				add(variantOf(opset, op, list(x), z, k))
				add(variantOf(opset, op, list(x), z, k, intsAttribute("axes", 1)))
				add(variantOf(opset, op, list(x), z, k, intsAttribute("axes", 0, 1, 2)))
				if opset >= 11 {
					add(variantOf(opset, op, list(x), z, k, intsAttribute("axes", -1, 0)))
				}
			}
		}
	}
	add(variantOf(13, "ReduceSum", list(x, whole("axes", 1).as(graph.Int64)), z))
	open := whole("axes", 1)
	open.fixed = false
	add(variantOf(13, "ReduceSum", list(x, open), z)).declare("z", graph.Float32, 2, 1, 4).keeps("its axes is not constant")
	add(variantOf(18, "ReduceMax", list(feed("x", 2, 3).as(graph.Int64), whole("axes", 1)), z))
	add(variantOf(13, "ReduceSum", list(feed("x", 2, 3).as(graph.Int64), whole("axes", 1)), z)).keeps("ReduceSum")

	for _, op := range []string{"Softmax", "LogSoftmax"} {
		for _, opset := range []int64{7, 11, 12, 13, 21} {
			for _, a := range []int64{0, 1, 2, 99, -1, -2, -3} {
				if a < 0 && opset < 11 {
					continue
				}
				if a == 99 {
					add(variantOf(opset, op, list(x), z))
					continue
				}
				add(variantOf(opset, op, list(x), z, intAttribute("axis", a)))
			}
			add(variantOf(opset, op, list(feed("x", 5, 1)), z))
		}
		add(variantOf(13, op, list(given("x", 1000, 1001, -1000)), z)).name += " large"
	}

	bn := func(opset int64, sizes ...int) []operand {
		c := sizes[1]
		v := fixedFeed("v", c)
		for i := range v.k.floats {
			v.k.floats[i] = math.Abs(v.k.floats[i]) + 0.5
		}
		return list(feed("x", sizes...), fixedFeed("s", c), fixedFeed("b", c), fixedFeed("m", c), v)
	}
	for _, opset := range []int64{7, 9, 14, 15} {
		for _, sizes := range [][]int{{2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {1, 3, 2, 2, 2}} {
			add(variantOf(opset, "BatchNormalization", bn(opset, sizes...), z))
			add(variantOf(opset, "BatchNormalization", bn(opset, sizes...), z, floatAttribute("epsilon", 0.1), floatAttribute("momentum", 0.5)))
		}
	}
	add(variantOf(7, "BatchNormalization", bn(7, 2, 3, 4), z, intAttribute("spatial", 1)))
	each := variantOf(7, "BatchNormalization", list(feed("x", 2, 3, 4), fixedFeed("s", 3, 4), fixedFeed("b", 3, 4), fixedFeed("m", 3, 4), bn(7, 2, 12)[4].sized(3, 4)), z, intAttribute("spatial", 0))
	add(each)
	add(variantOf(14, "BatchNormalization", bn(14, 2, 3, 4, 5), []string{"z", "rm", "rv"}, intAttribute("training_mode", 1), floatAttribute("momentum", 0.7)))
	add(variantOf(15, "BatchNormalization", bn(14, 2, 3, 4, 5), z, intAttribute("training_mode", 1))).alone("number of op outputs should be 3")

	for _, a := range []int64{0, 1, 2, 99, -1, -2, -3} {
		var as []*onnxpb.AttributeProto
		from := 2
		if a != 99 {
			as = append(as, intAttribute("axis", a))
			from = int(a+3) % 3
		}
		sizes := []int{2, 3, 4}[from:]
		add(variantOf(17, "LayerNormalization", list(x, fixedFeed("s", sizes...), fixedFeed("b", sizes...)), z, as...))
		add(variantOf(17, "LayerNormalization", list(x, fixedFeed("s", sizes...)), z, as...))
		add(variantOf(17, "LayerNormalization", list(x, feed("s", sizes...), feed("b", sizes...)), []string{"z", "mean", "dev"}, append(as, floatAttribute("epsilon", 0.1))...))
	}
	add(variantOf(17, "LayerNormalization", list(x, fixedFeed("s", 4), fixedFeed("b", 4)), []string{"z", "", "dev"}))
	add(variantOf(17, "LayerNormalization", list(x, fixedFeed("s", 4), none), []string{"z", "mean"}))
	add(variantOf(7, "InstanceNormalization", list(feed("x", 2, 3, 4, 5), fixedFeed("s", 3), fixedFeed("b", 3)), z))
	add(variantOf(7, "InstanceNormalization", list(feed("x", 2, 3, 4), fixedFeed("s", 3), fixedFeed("b", 3)), z, floatAttribute("epsilon", 0.1)))
	sweep(t, vs)
}

// TestSweepConstants: every way to write a constant.
func TestSweepConstants(t *testing.T) {
	t.Parallel()
	x := feed("x", 2, 3)
	var vs []*variant
	with := func(name string, opset int64, a *onnxpb.AttributeProto, as ...*onnxpb.NodeProto) *variant {
		v := &variant{name: name, opset: opset, in: list(x), outs: z}
		v.nodes = append([]*onnxpb.NodeProto{node("Constant", nil, []string{"c"}, a)}, as...)
		vs = append(vs, v)
		return v
	}
	sum := node("Add", []string{"x", "c"}, z)
	tensor := func(t *onnxpb.TensorProto) *onnxpb.AttributeProto {
		return &onnxpb.AttributeProto{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: t}
	}
	with("value", 7, tensor(floatsWeight("", []int{3}, 1, 2, 3)), sum)
	with("value scalar", 13, tensor(floatsWeight("", nil, 2)), sum)
	with("value_float", 12, floatAttribute("value_float", 0.3), sum)
	with("value_floats", 12, &onnxpb.AttributeProto{Name: proto.String("value_floats"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{1, 2, 0.3}}, sum)
	with("value_int", 12, intAttribute("value_int", 1), node("Gather", []string{"x", "c"}, z))
	with("value_ints", 12, intsAttribute("value_ints", 3, 2), node("Reshape", []string{"x", "c"}, z))
	with("value_string", 12, textAttribute("value_string", "a"), node("Relu", []string{"x"}, z)).fails(`attribute value_string is "a", which is not supported`)
	with("a constant alone", 13, tensor(floatsWeight("", []int{2}, 1, 2)), node("Identity", []string{"c"}, z))
	sparse := &onnxpb.AttributeProto{Name: proto.String("sparse_value"), Type: onnxpb.AttributeProto_SPARSE_TENSOR.Enum(), SparseTensor: &onnxpb.SparseTensorProto{
		Values: floatsWeight("", []int{1}, 5), Indices: intsWeight("", []int{1}, 1), Dims: []int64{3}}}
	with("sparse_value", 13, sparse, sum).fails("attribute sparse_value is of type SPARSE_TENSOR, which is not supported")
	vs = append(vs,
		variantOf(9, "ConstantOfShape", list(whole("s", 2, 3)), z),
		variantOf(9, "ConstantOfShape", list(whole("s")), z),
		variantOf(9, "ConstantOfShape", list(whole("s", 2)), z, tensor(floatsWeight("", []int{1}, 3.5))),
		variantOf(9, "ConstantOfShape", list(whole("s", 2)), z, tensor(intsWeight("", []int{1}, 7))),
	)
	sweep(t, vs)
}

// TestOldBroadcast: before operator set 7 an attribute said which axes a second
// operand has. ONNX Runtime does not run that any more; of what we write it gives
// what it gives of the form with explicit axes.
func TestOldBroadcast(t *testing.T) {
	t.Parallel()
	x, y := feed("x", 2, 3, 3), feed("y", 3)
	broadcast := intAttribute("broadcast", 1)
	var jobs []ort.Job // in pairs: what we write of the old form, the new form
	var names []string
	pair := func(old, explicit *variant) {
		m, r, err := Read(put(t, marshal(t, old.proto())), ReadOptions{})
		if err != nil || len(r.Opaque) > 0 {
			t.Errorf("%s: %v, opaque %v", old.name, err, r)
			return
		}
		out, _ := reread(t, m, WriteOptions{})
		jobs = append(jobs, ort.Job{Model: out, Inputs: old.feeds()}, ort.Job{Model: put(t, marshal(t, explicit.proto())), Inputs: explicit.feeds()})
		names = append(names, old.name)
	}
	for _, op := range []string{"Add", "Sub", "Mul", "Div", "Greater", "Less"} {
		for a, sizes := range [][]int{{3, 1}, {3}} {
			pair(variantOf(6, op, list(x, y), z, broadcast, intAttribute("axis", int64(a+1))), variantOf(13, op, list(x, y.sized(sizes...)), z))
		}
		pair(variantOf(6, op, list(x, y), z, broadcast), variantOf(13, op, list(x, y), z))
	}
	pair(variantOf(6, "PRelu", list(feed("x", 2, 3, 3, 3), y), z), variantOf(13, "PRelu", list(feed("x", 2, 3, 3, 3), y.sized(3, 1, 1)), z))
	res, err := ort.ForTest(t).RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range names {
		a, b := res[2*n], res[2*n+1]
		if a.Err != nil || b.Err != nil {
			t.Errorf("%s: %v, %v", name, a.Err, b.Err)
			continue
		}
		got, err := constantOf(a.Outputs[0])
		want, err2 := constantOf(b.Outputs[0])
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if err := same(got, want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
