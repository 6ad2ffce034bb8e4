package onnx

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestSweepPlaces: elements moved to constant places, of every type, and what is not finite.
func TestSweepPlaces(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(opset int64, op string, in []operand, as ...*onnxpb.AttributeProto) *variant {
		v := variantOf(opset, op, in, z, as...)
		vs = append(vs, v)
		return v
	}
	x, inf := feed("x", 3, 4), math.Inf(1)
	at := whole("at", 0, -1, 2, 1, 1, 0)
	odd := given("x", inf, -inf, 1, math.NaN(), 0, -5).sized(2, 3)
	for _, t := range []graph.DType{graph.Float32, graph.Int64, graph.Int32} {
		x := x.as(t)
		add(13, "GatherElements", list(x, at.sized(2, 3)))
		add(13, "GatherElements", list(x, at.sized(3, 2)), intAttribute("axis", 1))
		add(13, "GatherND", list(x, at.sized(3, 2)))
		add(13, "GatherND", list(feed("x", 2, 3, 2).as(t), whole("at", 2, -1).sized(2, 1)), intAttribute("batch_dims", 1))
		add(13, "ScatterElements", list(x, at.sized(2, 3), feed("u", 2, 3).as(t)))
		add(18, "ScatterND", list(x, at.sized(3, 2), feed("u", 3).as(t)))
		add(13, "ScatterND", list(x, whole("at", 2, 0).sized(2, 1), feed("u", 2, 4).as(t)))
		add(14, "Trilu", list(x, whole("k", 1).sized()))
		add(14, "Trilu", list(x), intAttribute("upper", 0))
		add(13, "Where", list(truths("c", 1, 0, 0, 1).held(), x, feed("u", 1).as(t)))
		add(16, "Where", list(truths("c", 1, 0, 0, 1), x, feed("u", 1).as(t)))
		add(16, "Where", list(truths("c", 1, 0, 1).sized(3, 1), x, feed("u", 4).as(t)))
		add(13, "Compress", list(x, truths("c", 1, 0, 1).held()), intAttribute("axis", 0))
	}
	add(13, "Where", list(truths("c", 1, 0, 1).held(), odd, feed("u", 3)))
	add(13, "Where", list(truths("c", 1, 0, 1), odd, feed("u", 3)))
	add(14, "Trilu", list(odd, whole("k", -1).sized()), intAttribute("upper", 0))
	add(14, "Trilu", list(odd, whole("k", 5).sized()))
	add(10, "ReverseSequence", list(x, whole("n", 1, 3, 2, 2)))
	add(11, "OneHot", list(whole("i", 1, -1, 5), whole("d", 3).sized(), feed("x", 2)))
	add(9, "EyeLike", list(x), intAttribute("k", 1))
	add(13, "GatherElements", list(x, whole("at", 7).sized(1, 1))).fails("index 7 of an axis of size 3")
	sweep(t, vs)
}

// TestSweepIndexed: elements read from and written to places that are computed, and
// combined with what is there, of every type.
func TestSweepIndexed(t *testing.T) {
	t.Parallel()
	var vs variants
	add := vs.one
	for _, t := range []graph.DType{graph.Float32, graph.Int64, graph.Int32} {
		x := feed("x", 3, 4).as(t)
		for _, at := range []func(xs ...int64) operand{
			func(xs ...int64) operand { return integers("at", graph.Int64, xs...) },
			func(xs ...int64) operand { return whole("at", xs...) },
		} {
			rows, cells := at(2, 0).sized(2, 1), at(0, -1, 2, 1, 1, 0).sized(3, 2)
			add(13, "GatherElements", list(x, cells))
			add(13, "GatherElements", list(x, cells), "axis", 1)
			add(13, "GatherND", list(x, cells))
			add(13, "GatherND", list(x, rows))
			add(13, "GatherND", list(feed("x", 2, 3, 2).as(t), at(2, -1).sized(2, 1)), "batch_dims", 1)
			add(13, "GatherND", list(feed("x", 2, 3, 2, 2).as(t), at(2, -1, 0, 1, 1, 0, 0, 0).sized(2, 2, 2)), "batch_dims", 1)
			add(16, "ScatterND", list(x, rows, feed("u", 2, 4).as(t)))
			add(16, "ScatterND", list(x, at(0, -1, 2, 1, 1, 0).sized(3, 2), feed("u", 3).as(t)))
			add(16, "ScatterElements", list(x, at(0, -1, 1, 2, 0, 1).sized(2, 3), feed("u", 2, 3).as(t)))
			add(16, "ScatterElements", list(x, at(0, -1, 2, 1, 3, 0).sized(3, 2), feed("u", 3, 2).as(t)), "axis", 1)
			for _, how := range []string{"add", "mul", "max", "min"} {
				opset := int64(16)
				if how == "max" || how == "min" {
					opset = 18
				}
				add(opset, "ScatterND", list(x, at(2, 0, -1).sized(3, 1), feed("u", 3, 4).as(t)), "reduction", how)
				add(opset, "ScatterElements", list(x, at(0, 0, 0, 2, -1, 1, 1, 1).sized(2, 4), feed("u", 2, 4).as(t)), "reduction", how)
				add(opset, "ScatterElements", list(x, at(0, -1, 0, 2, 1, 1).sized(3, 2), feed("u", 3, 2).as(t)), "axis", 1, "reduction", how)
				add(opset, "ScatterElements", list(x, at(0, -1, 1, 1).sized(2, 2), feed("u", 2, 2).as(t)), "axis", 1, "reduction", how)
				add(opset, "ScatterElements", list(feed("x", 2, 3, 2).as(t), at(2, 2, 0, 0, 1, 2, 2, -1).sized(2, 2, 2), feed("u", 2, 2, 2).as(t)), "axis", 1, "reduction", how)
				add(opset, "ScatterND", list(feed("x", 2, 3, 2).as(t), at(1, 2, 0, 0, 1, -1, 1, 2).sized(2, 2, 2), feed("u", 2, 2, 2).as(t)), "reduction", how)
			}
		}
	}
	add(13, "GatherElements", list(feed("x", 3, 4), integers("at", graph.Int32, 1, 0).sized(1, 2)))
	sweep(t, vs)
}

// TestSweepTopK: the largest and the smallest of every type, equal ones and what is no
// number among them, and elements read and written at their positions.
func TestSweepTopK(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(opset int64, in []operand, as ...any) *variant {
		v := variantOf(opset, "TopK", in, []string{"z", "at"}, attributesNamed(as)...)
		vs = append(vs, v)
		return v
	}
	k := whole("k", 3)
	for _, t := range []graph.DType{graph.Float32, graph.Int64, graph.Int32} {
		x := given("x", 3, -1, 3, 0, 2, -1, 3, 7, -1, 0, 0, 2, 5, 5, 5).sized(3, 5).as(t)
		for _, largest := range []int{0, 1} {
			for axis := range 2 {
				add(11, list(x, k), "axis", axis, "largest", largest)
			}
			add(11, list(x, whole("k", 5)), "largest", largest)
			add(24, list(x, whole("k", 1)), "axis", -2, "largest", largest)
		}
	}
	odd := given("x", math.NaN(), 1, math.Inf(1), math.NaN(), math.Inf(-1), 0, math.Copysign(0, -1), 1)
	for _, largest := range []int{0, 1} {
		add(11, list(odd, whole("k", 8)), "largest", largest)
		add(11, list(odd, whole("k", 3)), "largest", largest)
		add(11, list(odd.held(), whole("k", 8)), "largest", largest)
	}
	add(10, list(feed("x", 2, 3, 4), k), "axis", 1)
	add(11, list(feed("x", 3, 2), k)).fails("k = [3] is out of range for axis 1 of shape [3 2]")
	sweep(t, vs)
}

// TestSweepTruths: comparisons of every type and truth values from outside.
func TestSweepTruths(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(op string, in ...operand) { vs = append(vs, variantOf(16, op, in, z)) }
	for _, t := range []graph.DType{graph.Float32, graph.Int64, graph.Int32} {
		x, y := given("x", -3, 0, 2, 2, 7).as(t), given("yy", 3, 0, 2, -2, 9).as(t)
		for _, op := range []string{"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"} {
			add(op, x, y)
		}
	}
	add("Equal", truths("x", 1, 1, 0, 0), truths("yy", 1, 0, 1, 0))
	for _, op := range []string{"And", "Or", "Xor"} {
		add(op, truths("x", 1, 1, 0, 0), truths("yy", 1, 0, 1, 0))
		add(op, truths("x", 1, 1, 0, 0).sized(2, 2), truths("yy", 1, 0).held())
	}
	add("Not", truths("x", 1, 0))
	sweep(t, vs)
}
