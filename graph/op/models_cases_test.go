package op_test

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// modelEntries are checks of entries by operator.
var modelEntries = map[string]func(t *rapid.T){}

var last = named{"axis": graph.DimValue(graph.AxisRunLen("P").Add(graph.Int(1)))}

var modelCarried = []carriedCase{
	{op.Softmax, named{"axis": n(3)}, named{"axis": n(2)}, last, []tensor{fill(1, 2, 3, 2, 4)}, []graph.Shape{run("P", v("a"), v("b"))}, 0},
	{op.LayerNorm, named{"axis": n(3), "eps": num(1)}, named{"axis": n(2), "eps": num(1)}, named{"axis": last["axis"], "eps": num(1)},
		[]tensor{fill(1, 2, 3, 2, 4), fill(2, 4), fill(3, 4)}, []graph.Shape{run("P", v("a"), v("b")), {graph.Axis(v("b"))}, {graph.Axis(v("b"))}}, 0},
	{op.BatchNorm, named{"eps": num(12)}, named{"eps": num(12)}, named{"eps": num(12)},
		[]tensor{fill(1, 2, 4, 2, 3), fill(2, 4), fill(3, 4), fill(4, 4), fill(5, 4)}, []graph.Shape{
			{graph.Axis(v("b")), graph.Axis(v("c")), graph.AxisRun("P")}, graph.ShapeOf(v("c")), graph.ShapeOf(v("c")), graph.ShapeOf(v("c")), graph.ShapeOf(v("c"))}, 2},
	{op.Reshape, named{"shape": graph.ShapeValue(s(2, 3, 8))}, named{"shape": graph.ShapeValue(s(6, 8))},
		named{"shape": graph.ShapeValue(run("P", v("a").Mul(v("b"))))}, []tensor{fill(1, 2, 3, 2, 4)}, []graph.Shape{run("P", v("a"), v("b"))}, 0},
	{op.Cast, named{"to": name("bool")}, named{"to": name("bool")}, named{"to": name("bool")}, []tensor{fill(1, 2, 3, 2, 4)}, []graph.Shape{run("P")}, 0},
	{op.Gather, named{"axis": n(2)}, named{"axis": n(1)}, named{"axis": graph.DimValue(graph.AxisRunLen("P"))},
		[]tensor{fill(1, 2, 3, 2, 4), {Sizes: []int{3}, Data: []float64{1, 0, -1}}}, []graph.Shape{run("P", v("a"), v("b")), {graph.Axis(v("c"))}}, 0},
	{op.Fill, named{"shape": graph.ShapeValue(s(2, 3, 4)), "den": n(3)}, named{"shape": graph.ShapeValue(s(6, 4)), "den": n(3)},
		named{"shape": graph.ShapeValue(run("P", v("a"))), "den": graph.DimValue(v("b"))}, nil, nil, 0},
	{op.Reverse, named{"axes": tuple(0)}, named{"axes": tuple(0)}, named{"axes": tuple(0)}, []tensor{fill(1, 4, 2, 3)},
		[]graph.Shape{{graph.Axis(v("a")), graph.AxisRun("P")}}, 1},
	{op.ScatterAdd, named{"axis": n(0), "n": n(5)}, named{"axis": n(0), "n": n(5)}, named{"axis": n(0), "n": n(5)},
		[]tensor{fill(1, 4, 2, 3), {Sizes: []int{4}, Data: []float64{1, -1, 3, 1}}}, []graph.Shape{{graph.Axis(v("a")), graph.AxisRun("P")}, {graph.Axis(v("a"))}}, 1},
}

func init() {
	for _, c := range functions {
		if !c.op.Pointwise || len(c.op.Params) > 0 {
			modelCarried = append(modelCarried, carriedCase{c.op, c.a, c.a, c.a, []tensor{arguments(c.op, 2, 3, 2, 4)}, []graph.Shape{run("P")}, 0})
		}
	}
	shapes := func(ss ...graph.Shape) []graph.Shape { return ss }
	abc := graph.ShapeOf(v("a"), v("b"), v("c"))
	c := graph.ShapeOf(v("c"))
	inferCases = append(inferCases, []inferCase{
		{op.Softmax, named{"axis": p}, in(run("P", v("a"))), "[P.., a]"},
		{op.Softmax, named{"axis": n(2)}, in(s(2, 3)), "error: operator softmax: axis 2 of shape [2, 3]: no such axis"},
		{op.LayerNorm, named{"axis": p, "eps": num(1e-5)}, in(run("P", v("a"), v("c")), graph.ShapeOf(v("a"), v("c")), graph.ShapeOf(v("a"), v("c"))), "[P.., a, c]"},
		{op.LayerNorm, named{"axis": n(1), "eps": num(1e-5)}, in(s(2, 3), s(3), s(2)), "error: operator layernorm: bias of shape [2], want [3]: shape [2] is not [3]: size 2 is not 3"},
		{op.LayerNorm, named{"axis": n(0), "eps": num(1)}, in(graph.Shape{graph.Axis(v("a")), graph.AxisRun("S")}, c, c), "error: operator layernorm: shape [a, S..]: an axis run stands behind axis 0"},
		{op.BatchNorm, named{"eps": num(0)}, shapes(graph.Shape{graph.Axis(v("b")), graph.Axis(v("c")), graph.AxisRun("S")}, c, c, c, c), "[b, c, S..]"},
		{op.BatchNorm, named{"eps": num(0)}, in(s(2, 3, 4), s(3), s(3), s(4), s(3)), "error: operator batchnorm: mean of shape [4], want [3]: shape [4] is not [3]: size 4 is not 3"},
		{op.BatchNorm, named{"eps": num(0)}, in(s(2), s(2), s(2), s(2), s(2)), "error: operator batchnorm: shape [2]: want [n, c, S..]"},
		{op.Reshape, named{"shape": graph.ShapeValue(run("P", v("a").Mul(v("b")), v("c")))}, in(run("P", v("a"), v("b"), v("c"))), "[P.., a*b, c]"},
		{op.Reshape, named{"shape": graph.ShapeValue(graph.ShapeOf(v("b"), v("c"), v("a")))}, in(abc), "[b, c, a]"},
		{op.Reshape, named{"shape": graph.ShapeValue(s(4, 2))}, in(s(2, 3)), "error: operator reshape: shape [2, 3] cannot become [4, 2]: size 6 is not 8"},
		{op.Reshape, named{"shape": graph.ShapeValue(graph.Shape{graph.Axis(v("a")), graph.AxisRun("P")})}, in(run("P", v("a"))), "error: operator reshape: shape [P.., a] cannot become [a, P..]: shape [P.., a]: an axis run has no size"},
		{op.Reshape, named{"shape": graph.ShapeValue(s(0))}, in(s(2)), "error: operator reshape: 1 is more than 0"},
		{op.Pad, named{"before": tuple(0, 1), "after": tuple(2, 0)}, in(graph.ShapeOf(v("a"), v("b"))), "[a+2, b+1]"},
		{op.Pad, named{"before": tuple(0, 1), "after": tuple(2)}, in(s(2, 3)), "error: operator pad: shape [2, 3]: pads for 2 and 1 axes"},
		{op.Pad, named{"before": tuple(-1), "after": tuple(2)}, in(s(2)), "error: operator pad: pads (-1) and (2): one is negative"},
		{op.Pad, named{"before": tuple(0), "after": tuple(2)}, in(run("P")), "error: operator pad: shape [P..]: want no axis runs"},
		{op.Cast, named{"to": name("int64")}, in(run("P", v("a"))), "[P.., a]"},
		{op.Cast, named{"to": name("int63")}, in(s(2)), `error: operator cast: element type "int63" is not known`},
		{op.Gather, named{"axis": n(1)}, in(abc, graph.ShapeOf(v("k"), v("l"))), "[a, k, l, c]"},
		{op.Gather, named{"axis": n(0)}, in(abc, s()), "[b, c]"},
		{op.Gather, named{"axis": n(3)}, in(abc, s()), "error: operator gather: axis 3 of shape [a, b, c]: no such axis"},
		{op.Gather, named{"axis": n(0)}, in(abc, run("P")), "error: operator gather: positions of shape [P..]: want no axis runs"},
		{op.ScatterAdd, named{"axis": n(1), "n": graph.DimValue(v("n"))}, in(graph.ShapeOf(v("a"), v("k"), v("l"), v("c")), graph.ShapeOf(v("k"), v("l"))), "[a, n, c]"},
		{op.ScatterAdd, named{"axis": n(3), "n": n(2)}, in(abc, s()), "[a, b, c, 2]"},
		{op.ScatterAdd, named{"axis": n(4), "n": n(2)}, in(abc, s()), "error: operator scatteradd: shape [a, b, c] with positions of shape []: no such axis 4"},
		{op.ScatterAdd, named{"axis": n(1), "n": n(2)}, in(s(2, 3), s(4)), "error: operator scatteradd: shape [2, 3] with positions of shape [4] at axis 1: shape [3] is not [4]: size 3 is not 4"},
		{op.ScatterAdd, named{"axis": n(0), "n": n(2)}, in(run("P"), s()), "[2, P..]"},
		{op.ScatterAdd, named{"axis": n(1), "n": n(2)}, in(run("P", v("a")), s()), "error: operator scatteradd: shape [P.., a] with positions of shape []: an axis run stands before the end of the positions"},
		{op.ScatterAdd, named{"axis": n(0), "n": n(0)}, in(s(2), s(2)), "error: operator scatteradd: size of the result: 1 is more than 0"},
		{op.Reverse, named{"axes": tuple(0, 2)}, in(abc), "[a, b, c]"},
		{op.Reverse, named{"axes": tuple(1, 1)}, in(abc), "error: operator reverse: shape [a, b, c]: axes (1, 1): want ascending axes below 3"},
		{op.Reverse, named{"axes": tuple(1)}, in(run("P", v("a"))), "error: operator reverse: shape [P.., a]: an axis run stands before axis 1"},
		{op.Fill, named{"shape": graph.ShapeValue(run("P", v("a"))), "value": num(0.5), "den": graph.DimValue(v("b"))}, nil, "[P.., a]"},
		{op.Fill, named{"shape": graph.ShapeValue(s(2)), "den": n(0)}, nil, "error: operator fill: den: 1 is more than 0"},
		{op.Fill, named{"shape": graph.ShapeValue(s(2)), "value": n(1)}, nil, "error: operator fill: attribute value: 1 is not a value of sort number"},
		{op.Resize, named{"sizes": tuple(1, 2, 8, 6), "mode": name("linear_half_pixel")}, in(s(1, 2, 4, 3)), "[1, 2, 8, 6]"},
		{op.Resize, named{"sizes": tuple(4), "mode": name("cubic")}, in(s(2)), "error: operator resize: mode cubic is not known"},
		{op.Resize, named{"sizes": tuple(4), "mode": name("nearest_round_half_pixel")}, in(s(2, 3)), "error: operator resize: shape [2, 3]: 1 sizes"},
		{op.Resize, named{"sizes": tuple(0), "mode": name("nearest_round_half_pixel")}, in(s(2)), "error: operator resize: size 0 of the result along axis 0, which has size 2"},
		{op.Resize, named{"sizes": tuple(4), "mode": name("nearest_round_half_pixel")}, in(graph.ShapeOf(v("a"))), "error: operator resize: shape [a]: want sizes that are numbers"},
	}...)
}

// modelTemplates are well-typed applications to symbolic shapes.
func modelTemplates() []template {
	d, around := graph.DimValue, func(x graph.Dim) graph.Shape {
		return graph.Shape{graph.AxisRun("P"), graph.Axis(x), graph.AxisRun("S")}
	}
	var ts []template
	for _, c := range functions {
		ts = append(ts, template{c.op, c.a, in(around(v("a")))})
	}
	for _, o := range []*graph.Op{op.EWSub, op.EWDiv, op.EWMax, op.EWMin, op.EWLess, op.EWLessEqual, op.EWEqual, op.EWPow} {
		ts = append(ts, template{o, nil, in(around(v("a")), around(v("a")))})
	}
	for _, o := range []*graph.Op{op.ReduceSum, op.ReduceMean, op.ReduceMax} {
		ts = append(ts,
			template{o, named{"axes": tuple(0, 2)}, in(graph.Shape{graph.Axis(v("a")), graph.Axis(v("b")), graph.Axis(v("c")), graph.AxisRun("S")})},
			template{o, named{"axes": tuple(1), "keep": n(1)}, in(graph.Shape{graph.Axis(v("a")), graph.Axis(v("b")), graph.AxisRun("S")})})
	}
	c := graph.ShapeOf(v("c"))
	prod := v("a").Mul(v("b"))
	return append(ts,
		template{op.EWInt, named{"fn": name("mod")}, in(around(v("a")), around(v("a")))},
		template{op.EWWhere, nil, in(around(v("a")), around(v("a")), around(v("a")))},
		template{op.Softmax, named{"axis": p}, in(around(v("a")))},
		template{op.LayerNorm, named{"axis": p, "eps": num(1)}, in(run("P", v("a"), v("b")), graph.ShapeOf(v("a"), v("b")), graph.ShapeOf(v("a"), v("b")))},
		template{op.BatchNorm, named{"eps": num(1)}, in(graph.Shape{graph.Axis(v("b")), graph.Axis(v("c")), graph.AxisRun("S")}, c, c, c, c)},
		template{op.Reshape, named{"shape": graph.ShapeValue(around(prod))}, in(graph.Shape{graph.AxisRun("P"), graph.Axis(v("a")), graph.Axis(v("b")), graph.AxisRun("S")})},
		template{op.Reshape, named{"shape": graph.ShapeValue(graph.ShapeOf(v("b"), graph.Int(1), v("a")))}, in(graph.ShapeOf(prod))},
		template{op.Pad, named{"before": tuple(1, 0), "after": tuple(0, 2)}, in(graph.ShapeOf(v("a"), v("b")))},
		template{op.Cast, named{"to": name("bool")}, in(around(v("a")))},
		template{op.ScatterAdd, named{"axis": n(1), "n": d(v("n"))}, in(graph.Shape{graph.Axis(v("a")), graph.Axis(v("b")), graph.AxisRun("S")}, graph.ShapeOf(v("b")))},
		template{op.Reverse, named{"axes": tuple(0, 2)}, in(graph.Shape{graph.Axis(v("a")), graph.Axis(v("b")), graph.Axis(v("c")), graph.AxisRun("S")})},
		template{op.Fill, named{"shape": graph.ShapeValue(around(v("a").Sub(v("b")))), "den": d(v("c").Sub(v("b")))}, nil},
		template{op.Gather, named{"axis": p}, in(around(v("a")), graph.ShapeOf(v("k"), v("l")))},
		template{op.Gather, named{"axis": d(graph.Int(0))}, in(around(v("a"))[1:], s())},
		template{op.Resize, named{"sizes": tuple(3, 7), "mode": name("linear_align_corners")}, in(s(4, 5))})
}
