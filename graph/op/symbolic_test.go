package op_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// template is an operator applied to symbolic shapes, well typed for all sizes
// that satisfy what inference leaves open.
type template struct {
	op *graph.Op
	a  named
	in []graph.Shape
}

func templates() []template {
	d := graph.DimValue
	dims := func(names ...string) graph.Shape {
		var s graph.Shape
		for _, x := range names {
			s = append(s, graph.Axis(v(x)))
		}
		return s
	}
	around := func(x graph.Dim) graph.Shape {
		return graph.Shape{graph.AxisRun("P"), graph.Axis(x), graph.AxisRun("S")}
	}
	stride, pad, same := graph.VarValue("s", graph.SortStride), graph.VarValue("p", graph.SortPadding), graph.VarValue("q", graph.SortSame)
	image, one := dims("b", "c", "h", "w"), graph.Int(1)
	grouped := graph.ShapeOf(v("b"), v("g").Mul(v("c")), v("h"), v("w"))
	ts := []template{
		{op.EWAdd, nil, in(around(v("a")), around(v("a")))},
		{op.EWMul, nil, in(run("P"), run("P"))},
		{op.SMul, nil, in(run("P"), s())},
		{op.Relu, nil, in(around(v("a").Mul(v("b"))))},
		{op.MatMul, nil, in(run("P", v("m"), v("k").Add(one)), run("P", v("k").Add(one), v("n")))},
		{op.Concat, named{"axis": p}, in(around(v("a")), around(v("b").Scale(2)))},
		{op.Concat, named{"axis": d(graph.AxisRunLen("P").Add(one))}, in(run("P", v("a"), v("b")), run("P", v("a"), v("c")))},
		{op.Slice, named{"axis": p, "lo": d(v("a")), "hi": d(v("b"))}, in(around(v("c")))},
		{op.Slice, named{"axis": p, "lo": n(0), "hi": d(v("a"))}, in(around(v("a").Add(v("b"))))},
		{op.Split, named{"axis": p, "at": d(v("a"))}, in(around(v("b")))},
		{op.Transpose, named{"perm": tuple(1, 2, 0)}, in(dims("a", "b", "c"))},
		{op.Enlarge, named{"kh": d(v("k")), "kw": d(v("w").Add(v("l")))}, in(dims("b", "c", "h", "w"))},
		{op.One, named{"shape": graph.ShapeValue(around(v("a").Sub(v("b"))))}, nil},
		{op.Broadcast, named{"shape": graph.ShapeValue(around(v("a").Sub(v("b"))))}, in(around(one))},
		{op.Broadcast, named{"shape": graph.ShapeValue(run("P", v("c"), v("a"), v("b")))}, in(graph.ShapeOf(one, v("b")))},
		{op.IMatMul, named{"n": d(v("a").Sub(one))}, nil},
		{op.IConv, named{"c": d(v("c")), "kh": d(v("k")), "kw": n(3)}, nil},
		{op.CPool, named{"c": d(v("g").Mul(v("c"))), "kh": d(v("k")), "kw": n(1)}, nil},
	}
	apart := graph.VarValue("t", graph.SortStride)
	for _, pd := range []graph.Value{same, name("same_lower"), name("valid"), tuple(1, 0, 2, 1), pad} {
		for _, st := range []graph.Value{stride, tuple(1, 1), tuple(2, 3)} {
			ts = append(ts,
				template{op.Conv2D, named{"stride": st, "pad": pd}, in(image, dims("o", "c", "k", "l"))},
				template{op.Conv2D, named{"stride": st, "pad": pd, "groups": d(v("g"))}, in(grouped, dims("o", "c", "k", "l"))},
				template{op.Conv2D, named{"stride": st, "pad": pd, "dilation": apart}, in(image, dims("o", "c", "k", "l"))},
				template{op.Conv2D, named{"stride": st, "pad": pd, "dilation": tuple(2, 3)}, in(image, dims("o", "c", "k", "l"))},
				template{op.PoolMax, named{"stride": st, "pad": pd, "kh": d(v("k")), "kw": n(2)}, in(image)},
				template{op.PoolAvg, named{"stride": st, "pad": pd, "kh": d(v("k")), "kw": n(2), "border": graph.VarValue("e", graph.SortBorder)}, in(image)})
		}
	}
	return slices.Concat(ts, modelTemplates(), layoutTemplates(), pickTemplates(), topkTemplates(), collectiveTemplates())
}

// holds evaluates a condition that inference left open.
func holds(t rapid.TB, need graph.Need, b *graph.Substitution) bool {
	l, err1 := need.Left.Eval(b)
	r, err2 := need.Right.Eval(b)
	if err1 != nil || err2 != nil {
		t.Fatalf("%s: %v, %v", need, err1, err2)
	}
	if need.Rel == "divides" {
		return l > 0 && r%l == 0
	}
	return l <= r
}

// padFits is the condition that no Need can state (see graph.CheckWindow): the
// explicit pads that stand for a padding variable are smaller than the kernel.
func padFits(t rapid.TB, c template, b *graph.Substitution) bool {
	pads, explicit := b.Attrs["p"].Tuple()
	if !explicit || c.a["pad"] != graph.VarValue("p", graph.SortPadding) {
		return true
	}
	for axis, par := range []string{"kh", "kw"} {
		k, ok := c.a[par].Dim()
		if !ok {
			k = c.in[1][2+axis].Dim
		}
		if dilation, ok := c.a["dilation"]; ok {
			k = graph.Extent(k, dilation, axis)
		}
		n, err := k.Eval(b)
		if err != nil {
			t.Fatal(err)
		}
		if pads[axis] >= n || pads[axis+2] >= n {
			return false
		}
	}
	return true
}

// Symbolic inference, once sizes, runs and attributes are filled in, is
// concrete inference: the same shapes, defined under the same conditions.
func TestSymbolicAgreesWithConcrete(t *testing.T) {
	tried := map[string][2]int{} // defined, not defined
	ts := templates()
	rapid.Check(t, func(t *rapid.T) {
		// Every template is tried on every draw of sizes.
		b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
		for _, x := range []string{"a", "b", "c", "g", "h", "k", "l", "m", "n", "o", "w"} {
			b.Dims[x] = graph.Int(rapid.Int64Range(1, 5).Draw(t, x))
		}
		for _, r := range []string{"P", "S"} {
			b.Runs[r] = s(rapid.SliceOfN(rapid.IntRange(1, 4), 0, 2).Draw(t, r)...)
		}
		draw := func(lo, hi int64, l string) int64 { return rapid.Int64Range(lo, hi).Draw(t, l) }
		pads := tuple(draw(0, 3, "top"), draw(0, 1, "left"), draw(0, 3, "bottom"), draw(0, 1, "right"))
		b.Attrs["s"] = tuple(draw(1, 3, "sh"), draw(1, 3, "sw"))
		b.Attrs["t"] = tuple(draw(1, 3, "th"), draw(1, 3, "tw"))
		b.Attrs["p"] = rapid.SampledFrom([]graph.Value{name("same_upper"), name("valid"), pads}).Draw(t, "p")
		b.Attrs["q"] = rapid.SampledFrom([]graph.Value{name("same_upper"), name("same_lower")}).Draw(t, "q")
		b.Attrs["e"] = rapid.SampledFrom([]graph.Value{name("counted"), name("excluded")}).Draw(t, "e")
		for _, c := range ts {
			attrs, err := c.op.Attr(c.a)
			if err != nil {
				t.Fatal(err)
			}
			var f, g graph.Unifier
			out, err := c.op.InferShapes(&f, attrs, c.in)
			if err != nil {
				t.Fatalf("%s%s%v: %v", c.op.Name, c.op.FormatAttrs(attrs), c.in, err)
			}
			want := true
			for _, need := range f.Needs {
				want = want && holds(t, need, b)
			}
			want = want && padFits(t, c, b)
			in := make([]graph.Shape, len(c.in))
			for i := range in {
				in[i] = c.in[i].Subst(b)
			}
			conc, err := c.op.InferShapes(&g, attrs.Subst(b), in)
			if len(g.Needs) > 0 {
				t.Fatalf("%s%v: undecided %s", c.op.Name, in, graph.NeedsString(g.Needs))
			}
			if want != (err == nil) {
				t.Fatalf("%s%s%v at %v: defined if %s, which is %v; concretely %v, %v", c.op.Name, c.op.FormatAttrs(attrs.Subst(b)), c.in, in,
					graph.NeedsString(f.Needs), want, conc, err)
			}
			n := tried[c.op.Name]
			if !want {
				n[1]++
			} else {
				n[0]++
				for i := range out {
					if got := out[i].Subst(b); !got.Equal(conc[i]) {
						t.Fatalf("%s%s%v output %d: symbolic %s, filled in %s, concrete %s", c.op.Name, c.op.FormatAttrs(attrs), in, i, out[i], got, conc[i])
					}
				}
			}
			tried[c.op.Name] = n
		}
	})
	for _, o := range graph.Ops() {
		if tried[o.Name][0] == 0 {
			t.Errorf("operator %s: never defined in %v tries", o.Name, tried[o.Name])
		}
	}
	for _, o := range []*graph.Op{op.Slice, op.Split, op.Conv2D, op.PoolMax, op.PoolAvg, op.Enlarge, op.One, op.IMatMul, op.Halo, op.Lift} {
		if tried[o.Name][1] == 0 {
			t.Errorf("operator %s: never undefined", o.Name)
		}
	}
}
