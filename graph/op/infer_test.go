package op_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

type named = map[string]graph.Value

func n(x int64) graph.Value         { return graph.IntValue(x) }
func name(s string) graph.Value     { return graph.NameValue(s) }
func tuple(xs ...int64) graph.Value { return graph.TupleValue(xs...) }
func v(name string) graph.Dim       { return graph.Var(name) }
func run(r string, rest ...graph.Dim) graph.Shape {
	return append(graph.Shape{graph.AxisRun(r)}, graph.ShapeOf(rest...)...)
}

// inferCase is one line of the table of shape inference: want is the output
// shapes, then " if " and what is left to be shown; or "error: " and the text.
type inferCase struct {
	op   *graph.Op
	a    named
	in   []graph.Shape
	want string
}

func s(sizes ...int) graph.Shape             { return graph.Sizes(sizes...) }
func in(shapes ...graph.Shape) []graph.Shape { return shapes }

var p = graph.DimValue(graph.AxisRunLen("P"))

var inferCases = []inferCase{
	{op.EWAdd, nil, in(s(2, 3), s(2, 3)), "[2, 3]"},
	{op.EWAdd, nil, in(run("P", v("a")), run("P", v("a"))), "[P.., a]"},
	{op.EWAdd, nil, in(s(2, 3), s(2, 4)), "error: operator ewadd: shape [2, 3] is not [2, 4]: size 3 is not 4"},
	{op.EWAdd, nil, in(s(2, 3), s(3)), "error: operator ewadd: shape [2, 3] is not [3]"},
	{op.EWMul, nil, in(s(), s()), "[]"},
	{op.EWMul, nil, in(s(2), s(3)), "error: operator ewmul: shape [2] is not [3]: size 2 is not 3"},
	{op.SMul, nil, in(run("P"), s()), "[P..]"},
	{op.SMul, nil, in(s(2), s(1)), "error: operator smul: second input has shape [1], want a scalar []"},
	{op.Relu, nil, in(run("P", v("a"))), "[P.., a]"},
	{op.Relu, nil, nil, "error: operator relu: 0 inputs, want 1"},

	{op.MatMul, nil, in(s(2, 3), s(3, 4)), "[2, 4]"},
	{op.MatMul, nil, in(s(5, 2, 3), s(5, 3, 4)), "[5, 2, 4]"},
	{op.MatMul, nil, in(run("B", v("m"), v("k")), run("B", v("k"), v("n"))), "[B.., m, n]"},
	{op.MatMul, nil, in(s(2, 3), s(4, 5)), "error: operator matmul: shapes [2, 3] and [4, 5]: inner sizes differ: size 3 is not 4"},
	{op.MatMul, nil, in(s(5, 2, 3), s(6, 3, 4)), "error: operator matmul: shapes [5, 2, 3] and [6, 3, 4]: batch axes differ: shape [5] is not [6]: size 5 is not 6"},
	{op.MatMul, nil, in(s(3), s(3)), "error: operator matmul: shapes [3] and [3]: want [B.., m, k] and [B.., k, n]"},
	{op.MatMul, nil, in(run("B", v("k")), run("B", v("k"))), "error: operator matmul: shapes [B.., k] and [B.., k]: want [B.., m, k] and [B.., k, n]"},

	{op.Concat, named{"axis": n(1)}, in(s(2, 3), s(2, 4)), "[2, 7]"},
	{op.Concat, named{"axis": p}, in(run("P", v("a"), v("c")), run("P", v("b"), v("c"))), "[P.., a+b, c]"},
	{op.Concat, named{"axis": n(0)}, in(s(2, 3), s(2, 4)), "error: operator concat: shapes [2, 3] and [2, 4] differ beside axis 0: shape [2, 3] is not [2, 4]: size 3 is not 4"},
	{op.Concat, named{"axis": n(2)}, in(s(2, 3), s(2, 4)), "error: operator concat: axis 2 of shape [2, 3]: no such axis"},
	{op.Concat, named{"axis": n(0)}, in(s(2, 3), s(2)), "error: operator concat: shapes [2, 3] and [2] cannot be joined along axis 0"},
	{op.Concat, named{"axis": n(0)}, in(s(2), graph.Shape{graph.AxisRun("P")}), "error: operator concat: shapes [2] and [P..] cannot be joined along axis 0"},
	{op.Concat, named{"axis": name("relu")}, in(s(2), s(2)), "error: operator concat: attribute axis: relu is not a value of sort axis"},

	{op.Slice, named{"axis": n(1), "lo": n(1), "hi": n(3)}, in(s(2, 3)), "[2, 2]"},
	{op.Slice, named{"axis": p, "lo": n(0), "hi": graph.DimValue(v("a"))}, in(run("P", v("a").Add(v("b")))), "[P.., a]"},
	{op.Slice, named{"axis": n(0), "lo": graph.DimValue(v("l")), "hi": graph.DimValue(v("h"))}, in(graph.ShapeOf(v("n"))), "[h-l] if l+1 <= h and h <= n"},
	{op.Slice, named{"axis": n(0), "lo": n(-1), "hi": n(1)}, in(s(2)), "error: operator slice: slice start: 0 is more than -1"},
	{op.Slice, named{"axis": n(0), "lo": n(1), "hi": n(1)}, in(s(2)), "error: operator slice: slice 1 to 1 is empty: 2 is more than 1"},
	{op.Slice, named{"axis": n(0), "lo": n(1), "hi": n(3)}, in(s(2)), "error: operator slice: slice of [2] ends outside: 3 is more than 2"},
	{op.Slice, named{"axis": n(1), "lo": n(0), "hi": n(1)}, in(s(2)), "error: operator slice: axis 1 of shape [2]: no such axis"},

	{op.Split, named{"axis": n(1), "at": n(1)}, in(s(2, 3)), "[2, 1] [2, 2]"},
	{op.Split, named{"axis": p, "at": graph.DimValue(v("a"))}, in(run("P", v("a").Add(v("b")))), "[P.., a] [P.., b]"},
	{op.Split, named{"axis": n(0), "at": graph.DimValue(v("a"))}, in(graph.ShapeOf(v("n"))), "[a] [-a+n] if a+1 <= n"},
	{op.Split, named{"axis": n(0), "at": n(0)}, in(s(3)), "error: operator split: first part is empty: 1 is more than 0"},
	{op.Split, named{"axis": n(0), "at": n(3)}, in(s(3)), "error: operator split: second part of [3] cut at 3 is empty: 4 is more than 3"},
	{op.Split, named{"axis": n(-1), "at": n(1)}, in(s(3)), "error: operator split: axis -1 of shape [3]: no such axis"},

	{op.Transpose, nil, in(graph.ShapeOf(v("a"), v("b"))), "[b, a]"},
	{op.Transpose, named{"perm": tuple(2, 0, 1)}, in(s(2, 3, 4)), "[4, 2, 3]"},
	{op.Transpose, named{"perm": tuple()}, in(s()), "[]"},
	{op.Transpose, nil, in(s(2, 3, 4)), "error: operator transpose: shape [2, 3, 4]: want 2 axes"},
	{op.Transpose, nil, in(run("P", v("a"))), "error: operator transpose: shape [P.., a]: want 2 axes"},
	{op.Transpose, named{"perm": tuple(0, 0)}, in(s(2, 3)), "error: operator transpose: perm (0, 0) is not a permutation"},
	{op.Transpose, named{"perm": tuple(0, 2)}, in(s(2, 3)), "error: operator transpose: perm (0, 2) is not a permutation"},
	{op.Transpose, named{"perm": n(1)}, in(s(2, 3)), "error: operator transpose: attribute perm: 1 is not a value of sort perm"},

	{op.Enlarge, named{"kh": n(3), "kw": n(5)}, in(s(4, 2, 3, 1)), "[4, 2, 3, 5]"},
	{op.Enlarge, named{"kh": graph.DimValue(v("k")), "kw": n(3)}, in(graph.ShapeOf(v("o"), v("c"), v("h"), v("w"))), "[o, c, k, 3] if h <= k and w <= 3"},
	{op.Enlarge, named{"kh": n(2), "kw": n(5)}, in(s(4, 2, 3, 1)), "error: operator enlarge: kernel [4, 2, 3, 1] is not smaller: 3 is more than 2"},
	{op.Enlarge, named{"kh": n(2), "kw": n(5)}, in(s(4, 2)), "error: operator enlarge: shape [4, 2]: want [o, c, kh, kw]"},

	{op.Conv2D, named{"pad": name("valid")}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "[2, 8, 3, 5]"},
	{op.Conv2D, named{"pad": name("same_lower"), "stride": tuple(2, 3)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "[2, 8, 3, 2]"},
	{op.Conv2D, named{"pad": tuple(1, 0, 2, 1), "groups": n(2)}, in(s(2, 4, 5, 6), s(8, 2, 3, 2)), "[2, 8, 6, 6]"},
	{op.Conv2D, named{"pad": name("same_upper"), "groups": graph.DimValue(v("g"))},
		in(graph.ShapeOf(v("b"), v("g").Mul(v("c")), v("h"), v("w")), graph.ShapeOf(v("g").Mul(v("o")), v("c"), v("k"), v("l"))), "[b, g*o, h, w]"},
	{op.Conv2D, named{"pad": graph.VarValue("q", "padding"), "stride": graph.VarValue("s", "stride"), "act": graph.VarValue("f", "act")},
		in(graph.ShapeOf(v("b"), v("c"), v("h"), v("w")), graph.ShapeOf(v("o"), v("c"), v("k"), v("l"))),
		"[b, o, window(h,k,s,q,0), window(w,l,s,q,1)] if 1 <= window(h,k,s,q,0) and 1 <= window(w,l,s,q,1)"},
	{op.Conv2D, named{"pad": name("valid"), "dilation": tuple(2, 3)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "[2, 8, 1, 3]"},
	{op.Conv2D, named{"pad": name("same_upper"), "dilation": tuple(9, 9), "stride": tuple(2, 1)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "[2, 8, 3, 6]"},
	{op.Conv2D, named{"pad": tuple(4, 3, 4, 0), "dilation": tuple(2, 5)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "[2, 8, 9, 4]"},
	{op.Conv2D, named{"pad": graph.VarValue("q", "padding"), "stride": graph.VarValue("s", "stride"), "dilation": graph.VarValue("d", "stride")},
		in(graph.ShapeOf(v("b"), v("c"), v("h"), v("w")), graph.ShapeOf(v("o"), v("c"), v("k"), graph.Int(1))),
		"[b, o, window(h,k*step(d,0)-step(d,0)+1,s,q,0), window(w,1,s,q,1)] if 1 <= window(h,k*step(d,0)-step(d,0)+1,s,q,0)"},
	{op.Conv2D, named{"pad": name("valid"), "dilation": tuple(2, 6)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: input [2, 4, 5, 6], kernel [8, 4, 3, 2]: window of 7 does not fit into 6: 1 is more than 0"},
	{op.Conv2D, named{"pad": tuple(5, 0, 0, 0), "dilation": tuple(2, 1)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: input [2, 4, 5, 6], kernel [8, 4, 3, 2]: padding (5, 0, 0, 0) is not smaller than the kernel: 6 is more than 5"},
	{op.Conv2D, named{"pad": name("valid"), "dilation": tuple(0, 1)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: dilation (0, 1): want two positive numbers"},
	{op.Conv2D, named{"pad": name("valid"), "dilation": tuple(1)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: dilation (1): want two positive numbers"},
	{op.Conv2D, named{"pad": name("valid"), "dilation": n(2)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: attribute dilation: 2 is not a value of sort stride"},
	{op.Conv2D, named{"pad": name("same_upper"), "dilation": tuple(1<<30, 1)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: kernel [8, 4, 3, 2], dilation (1073741824, 1): it reaches over 2147483649 cells"},
	{op.Conv2D, named{"pad": name("valid")}, in(s(2, 4, 5, 6), s(8, 3, 3, 2)), "error: operator conv2d: input [2, 4, 5, 6], kernel [8, 3, 3, 2], 1 groups: channels differ: size 4 is not 3"},
	{op.Conv2D, named{"pad": name("valid"), "groups": n(2)}, in(s(2, 4, 5, 6), s(7, 2, 3, 2)), "error: operator conv2d: kernel [7, 2, 3, 2], 2 groups: output channels: 2 does not divide 7"},
	{op.Conv2D, named{"pad": name("valid"), "groups": n(0)}, in(s(2, 4, 5, 6), s(7, 2, 3, 2)), "error: operator conv2d: groups: 1 is more than 0"},
	{op.Conv2D, named{"pad": name("valid")}, in(s(2, 4, 2, 6), s(8, 4, 3, 2)), "error: operator conv2d: input [2, 4, 2, 6], kernel [8, 4, 3, 2]: window of 3 does not fit into 2: 1 is more than 0"},
	{op.Conv2D, named{"pad": name("valid")}, in(s(4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: shapes [4, 5, 6] and [8, 4, 3, 2]: want [b, c, h, w] and [o, c, kh, kw]"},
	{op.Conv2D, named{"pad": name("valid"), "act": name("stair")}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: activation stair is not known"},
	{op.Conv2D, named{"pad": name("valid"), "act": name("ewadd")}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: activation ewadd is not known"},
	{op.Conv2D, named{"pad": name("reflect")}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: input [2, 4, 5, 6], kernel [8, 4, 3, 2]: padding reflect is not known"},
	{op.Conv2D, named{"pad": tuple(0, 2, 0, 0)}, in(s(2, 4, 5, 6), s(8, 4, 3, 2)), "error: operator conv2d: input [2, 4, 5, 6], kernel [8, 4, 3, 2]: padding (0, 2, 0, 0) is not smaller than the kernel: 3 is more than 2"},

	{op.PoolMax, named{"kh": n(3), "kw": n(2), "pad": name("valid"), "stride": tuple(2, 2)}, in(s(1, 3, 7, 7)), "[1, 3, 3, 3]"},
	{op.PoolMax, named{"kh": n(0), "kw": n(2), "pad": name("valid")}, in(s(1, 3, 7, 7)), "error: operator poolmax: kernel: 1 is more than 0"},
	{op.PoolMax, named{"kh": n(9), "kw": n(2), "pad": name("valid")}, in(s(1, 3, 7, 7)), "error: operator poolmax: input [1, 3, 7, 7]: window of 9 does not fit into 7: 1 is more than -1"},
	{op.PoolMax, named{"kh": n(9), "kw": n(8), "pad": name("same_upper")}, in(s(1, 3, 7, 7)), "[1, 3, 7, 7]"},
	{op.PoolMax, named{"kh": n(1), "kw": n(1), "pad": name("valid")}, in(s(3, 7, 7)), "error: operator poolmax: shape [3, 7, 7]: want [b, c, h, w]"},
	{op.PoolAvg, named{"kh": n(2), "kw": n(2), "pad": name("same_lower"), "stride": tuple(2, 1)}, in(s(1, 3, 7, 7)), "[1, 3, 4, 7]"},
	{op.PoolAvg, named{"kh": n(2), "kw": n(2), "pad": name("valid"), "border": name("half")}, in(s(1, 3, 7, 7)), "error: operator poolavg: border half is not known"},

	{op.One, named{"shape": graph.ShapeValue(run("P", v("a")))}, nil, "[P.., a]"},
	{op.One, named{"shape": graph.ShapeValue(s(2, 0))}, nil, "error: operator one: 1 is more than 0"},
	{op.One, named{"shape": n(2)}, nil, "error: operator one: attribute shape: 2 is not a value of sort shape"},
	{op.Broadcast, named{"shape": graph.ShapeValue(s(2, 3))}, in(s(2, 1)), "[2, 3]"},
	{op.Broadcast, named{"shape": graph.ShapeValue(s(4, 2, 3))}, in(s(1, 3)), "[4, 2, 3]"},
	{op.Broadcast, named{"shape": graph.ShapeValue(s(4, 2))}, in(s()), "[4, 2]"},
	{op.Broadcast, named{"shape": graph.ShapeValue(run("P", v("a"), v("b")))}, in(run("P", graph.Int(1), v("b"))), "[P.., a, b]"},
	{op.Broadcast, named{"shape": graph.ShapeValue(graph.Shape{graph.Axis(v("a")), graph.AxisRun("P")})}, in(run("P")), "[a, P..]"},
	{op.Broadcast, named{"shape": graph.ShapeValue(graph.ShapeOf(v("a").Sub(v("b"))))}, in(s(1)), "[a-b] if 1 <= a-b"},
	{op.Broadcast, named{"shape": graph.ShapeValue(s(2, 3))}, in(s(3, 3)), "error: operator broadcast: shape [3, 3] cannot be broadcast to [2, 3]: size 3 is not 2"},
	{op.Broadcast, named{"shape": graph.ShapeValue(s(3))}, in(s(1, 3)), "error: operator broadcast: shape [1, 3] has more axes than [3]"},
	{op.Broadcast, named{"shape": graph.ShapeValue(s(0))}, in(s(1)), "error: operator broadcast: 1 is more than 0"},
	{op.Broadcast, named{"shape": graph.ShapeValue(run("Q"))}, in(run("P")), "error: operator broadcast: shape [P..] cannot be broadcast to [Q..]: an axis run stands for itself only"},
	{op.Broadcast, named{"shape": graph.ShapeValue(graph.ShapeOf(v("a")))}, in(graph.ShapeOf(v("b"))), "error: operator broadcast: shape [b] cannot be broadcast to [a]: size b is not a"},
	{op.Broadcast, named{"shape": n(2)}, in(s(1)), "error: operator broadcast: attribute shape: 2 is not a value of sort shape"},
	{op.IMatMul, named{"n": graph.DimValue(v("m"))}, nil, "[m, m]"},
	{op.IMatMul, named{"n": n(0)}, nil, "error: operator imatmul: 1 is more than 0"},
	{op.IConv, named{"c": n(2), "kh": n(3), "kw": n(1)}, nil, "[2, 2, 3, 1]"},
	{op.IConv, named{"c": n(2), "kh": n(-1), "kw": n(1)}, nil, "error: operator iconv: 1 is more than -1"},
	{op.CPool, named{"c": n(2), "kh": n(3), "kw": n(1)}, nil, "[2, 1, 3, 1]"},
	{op.CPool, named{"c": n(0), "kh": n(3), "kw": n(1)}, nil, "error: operator cpool: 1 is more than 0"},
}

func TestInfer(t *testing.T) {
	good, bad := map[string]bool{}, map[string]bool{}
	for _, c := range inferCases {
		attrs, err := c.op.Attr(c.a)
		if err != nil {
			t.Fatalf("%s: %v", c.op.Name, err)
		}
		var f graph.Unifier
		got := ""
		if out, err := c.op.InferShapes(&f, attrs, c.in); err != nil {
			got = "error: " + err.Error()
			bad[c.op.Name] = true
		} else {
			parts := make([]string, len(out))
			for i, s := range out {
				parts[i] = s.String()
			}
			got = strings.Join(parts, " ")
			if len(f.Needs) > 0 {
				got += " if " + graph.NeedsString(f.Needs)
			}
			good[c.op.Name] = true
		}
		if got != c.want {
			t.Errorf("%s%s%v:\ngot  %s\nwant %s", c.op.Name, c.op.FormatAttrs(attrs), c.in, got, c.want)
		}
	}
	for _, o := range graph.Ops() {
		if !good[o.Name] || !bad[o.Name] {
			t.Errorf("operator %s: a well-shaped and an ill-shaped case are wanted in the table", o.Name)
		}
	}
}

func TestEveryOperatorIsDocumented(t *testing.T) {
	for _, o := range graph.Ops() {
		if len(o.Doc) < 10 || !strings.HasSuffix(o.Doc, ".") || o.Infer == nil || (o.Entry == nil) == (o.Expand == nil) || o.Out < 1 {
			t.Errorf("operator %s: doc %q", o.Name, o.Doc)
		}
		seen := map[string]bool{}
		for _, p := range o.Params {
			if p.Doc == "" || p.Sort == "" || p.Name == "" || seen[p.Name] {
				t.Errorf("operator %s: parameter %+v", o.Name, p)
			}
			seen[p.Name] = true
		}
		if o.Commutative && o.In != 2 || o.Pointwise && (o.In != 1 || o.Out != 1) || (o.ZeroAtZero || o.Zero != nil) && !o.IsFunction() || o.ZeroAtZero && len(o.Params) > 0 {
			t.Errorf("operator %s: its flags do not fit its arity", o.Name)
		}
		if o.IsFunction() != (o.Value != nil) {
			t.Errorf("operator %s: a function of one element, and no other, says what it is in numbers", o.Name)
		}
	}
}

// A derived operator is what it expands to.
func TestExpandShapes(t *testing.T) {
	for _, c := range inferCases {
		attrs, err := c.op.Attr(c.a)
		if err != nil {
			t.Fatal(err)
		}
		var f graph.Unifier
		out, err := c.op.InferShapes(&f, attrs, c.in)
		if c.op.Expand == nil || err != nil {
			continue
		}
		prims, err := c.op.Expand(attrs, c.in)
		if err != nil || len(prims) != c.op.Out {
			t.Fatalf("%s: %d parts, %v", c.op.Name, len(prims), err)
		}
		for i, q := range prims {
			got, err := q.Op.InferShapes(&f, q.Attrs, c.in)
			if !slices.Contains(c.op.ExpandsTo, q.Op) {
				t.Errorf("%s expands to %s, which it does not list", c.op.Name, q.Op.Name)
			}
			if err != nil || !got[0].Equal(out[i]) {
				t.Errorf("%s output %d: %v, %v, want %s", c.op.Name, i, got, err, out[i])
			}
		}
	}
	if _, err := op.Split.Expand(op.Split.MustAttr(named{"axis": n(3), "at": n(1)}), in(s(2))); err == nil {
		t.Error("split of an axis that is not there expands")
	}
}
