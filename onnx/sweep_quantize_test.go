package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
)

// TestSweepQuantize: numbers as small integers, and products of such.
func TestSweepQuantize(t *testing.T) {
	t.Parallel()
	var vs variants
	add, ours := vs.of, vs.contributed
	x, scale := feed("x", 2, 3, 4), given("s", 0.031).sized().held()
	zero := func(t graph.DType, x int64) operand { return whole("z0", x).sized().as(t).held() }
	many := given("s", 0.031, 0.017, 0.11).held()
	for _, opset := range []int64{10, 13, 19, 21} {
		add(opset, "QuantizeLinear", list(x, scale), z)
		for _, typ := range []graph.DType{graph.Uint8, graph.Int8} {
			add(opset, "QuantizeLinear", list(x, scale, zero(typ, 7)), z)
			q := feed("q", 2, 3, 4).as(typ)
			add(opset, "DequantizeLinear", list(q, scale, zero(typ, 7)), z)
			add(opset, "DequantizeLinear", list(q, scale), z)
			if opset >= 13 {
				three := whole("z0", 1, 5, 7).as(typ).held()
				add(opset, "QuantizeLinear", list(x, many, three), z, "axis", 1)
				add(opset, "QuantizeLinear", list(x, many, three), z, "axis", -2)
				add(opset, "DequantizeLinear", list(q, many, three), z, "axis", 1)
				add(opset, "DequantizeLinear", list(q, given("s", 0.5, 0.25).held()), z, "axis", 0)
			}
		}
	}
	add(13, "DequantizeLinear", list(feed("q", 5).as(graph.Int32), scale), z)
	add(21, "QuantizeLinear", list(x, scale, zero(graph.Int16, -300)), z)
	add(21, "DequantizeLinear", list(feed("q", 5).as(graph.Uint16), scale, zero(graph.Uint16, 3)), z)
	blocks := fixedFeed("s", 2, 2, 4).above(0.1)
	add(21, "DequantizeLinear", list(feed("q", 2, 3, 4).as(graph.Int8), blocks), z, "axis", 1, "block_size", 2)
	add(21, "QuantizeLinear", list(x, blocks, fixedFeed("z0", 2, 2, 4).as(graph.Int8)), z, "axis", 1, "block_size", 2)
	add(21, "DequantizeLinear", list(feed("q", 2, 2).as(graph.Int8), given("s", 1, 2, 3).held()), z).fails("do not fit axis 1 of shape")
	add(11, "DynamicQuantizeLinear", list(x), []string{"z", "zs", "zz"})
	add(11, "DynamicQuantizeLinear", list(given("x", 0, 0)), []string{"z", "zs", "zz"})
	add(11, "DynamicQuantizeLinear", list(given("x", 0.5, 2.25, 7)), []string{"z", "zs", "zz"})

	bytes := func(name string, t graph.DType, sizes ...int) operand { return feed(name, sizes...).as(t) }
	a, b := bytes("a", graph.Uint8, 3, 5), bytes("b", graph.Int8, 5, 4)
	az, bz := whole("az", 3).sized().as(graph.Uint8), whole("bz", 2).sized().as(graph.Int8)
	add(10, "MatMulInteger", list(a, b), z)
	add(10, "MatMulInteger", list(a, b.held(), az, bz.held()), z)
	add(10, "MatMulInteger", list(a, bytes("b", graph.Uint8, 5, 4).held(), az.held()), z)
	add(10, "MatMulInteger", list(bytes("a", graph.Uint8, 2, 3, 700), bytes("b", graph.Int8, 700, 4)), z)
	add(10, "MatMulInteger", list(bytes("a", graph.Uint8, 2, 3, 700), bytes("b", graph.Int8, 700, 4).held(), az, whole("bz", 1, 2, 3, 4).as(graph.Int8).held()), z)
	s1, s2, s3 := given("s1", 0.02).sized().held(), given("s2", 0.03).sized().held(), given("s3", 0.07).sized().held()
	add(10, "QLinearMatMul", list(a, s1, az.held(), b.held(), s2, bz.held(), s3, zero(graph.Uint8, 100)), z)
	add(10, "QLinearMatMul", list(a, s1, az.held(), b, given("s2", 0.03, 0.01, 0.02, 0.04).held(), whole("bz", 0, 0, 0, 0).as(graph.Int8).held(), s3, zero(graph.Uint8, 100)), z)
	add(10, "QLinearMatMul", list(a, given("s1", 0.1, 0.2, 0.3), whole("az", 1, 2, 3).as(graph.Uint8), b, s2, bz, s3, zero(graph.Uint8, 1)), z).declare("z", graph.Uint8, 3, 4).keeps("must be scalars").alone("must be a scalar")

	image, kernel := bytes("x", graph.Uint8, 1, 3, 6, 5), bytes("w", graph.Int8, 4, 3, 3, 3)
	pads := []int{1, 1, 1, 1}
	add(10, "ConvInteger", list(image, bytes("w", graph.Uint8, 4, 3, 3, 3), az), z, "pads", pads)
	add(10, "QLinearConv", list(image, s1, az.held(), kernel.held(), s2, bz.held(), s3, zero(graph.Uint8, 90)), z, "pads", pads)
	add(10, "QLinearConv", list(image, s1, az.held(), kernel.held(), given("s2", 0.03, 0.01, 0.02, 0.04).held(), whole("bz", 0, 0, 0, 0).as(graph.Int8).held(), s3, zero(graph.Uint8, 90),
		whole("bias", 100, -200, 7, 0).as(graph.Int32).held()), z, "strides", []int{2, 2})
	add(10, "QLinearConv", list(bytes("x", graph.Uint8, 1, 4, 6, 5), s1, az.held(), bytes("w", graph.Uint8, 4, 1, 3, 3).held(), s2, whole("bz", 2).sized().as(graph.Uint8).held(), s3, zero(graph.Uint8, 90)), z, "group", 4)
	add(10, "QLinearConv", list(bytes("x", graph.Uint8, 1, 80, 4, 4), s1, az.held(), bytes("w", graph.Int8, 2, 80, 3, 3).held(), s2, whole("bz", 0).sized().as(graph.Int8).held(), given("s3", 3).sized().held(), zero(graph.Uint8, 128)), z)

	ours("MatMulIntegerToFloat", list(a, b.held(), s1, s2, az, bz.held(), feed("c", 4)), z)
	ours("MatMulIntegerToFloat", list(a, b.held(), s1, given("s2", 0.03, 0.01, 0.02, 0.04).held()), z)
	ours("DynamicQuantizeMatMul", list(feed("a", 3, 5), b.held(), s2, bz.held(), feed("c", 4)), z)
	ours("QLinearAdd", list(a, s1, az.held(), bytes("b", graph.Uint8, 3, 5), s2, whole("bz", 9).sized().as(graph.Uint8).held(), s3, zero(graph.Uint8, 30)), z)
	ours("QGemm", list(a, s1, az.held(), bytes("b", graph.Int8, 4, 5).held(), s2, bz.held(), whole("c", 5, -9, 100, 7).as(graph.Int32).held(), s3, zero(graph.Uint8, 60)), z, "transB", 1, "alpha", 1.0)
	ours("QGemm", list(a, s1, az.held(), b.held(), s2, bz.held(), none), z)
	ours("QLinearSigmoid", list(a, s1, az.held(), given("s3", 0.004).sized().held(), zero(graph.Uint8, 0)), z)
	ours("QLinearLeakyRelu", list(a, s1, az.held(), s3, zero(graph.Uint8, 30)), z, "alpha", 0.1)
	ours("QLinearGlobalAveragePool", list(image, s1, az.held(), s3, zero(graph.Uint8, 30)), z)
	ours("QLinearSoftmax", list(a, s1, az.held(), given("s3", 0.004).sized().held(), zero(graph.Uint8, 0)), z, "axis", 1, "opset", 13).departs = "its table of exponentials is rounded, and so are its sums"
	ours("QLinearConcat", list(s3, zero(graph.Uint8, 3), a, s1, az.held(), bytes("b", graph.Uint8, 3, 2), s2, whole("bz", 9).sized().as(graph.Uint8).held()), z, "axis", 1)
	sweep(t, vs)
}
