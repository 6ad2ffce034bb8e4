package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// numbered are cases for operators whose well-shaped ones in the table of shape
// inference have variables.
var numbered = []inferCase{
	{op.EWSub, nil, in(s(2, 3), s(2, 3)), ""}, {op.EWDiv, nil, in(s(2, 3), s(2, 3)), ""},
	{op.EWMax, nil, in(s(2, 3), s(2, 3)), ""}, {op.EWMin, nil, in(s(2, 3), s(2, 3)), ""},
	{op.EWLess, nil, in(s(2, 3), s(2, 3)), ""}, {op.EWLessEqual, nil, in(s(2, 3), s(2, 3)), ""}, {op.EWEqual, nil, in(s(2, 3), s(2, 3)), ""},
	{op.EWPow, nil, in(s(2, 3), s(2, 3)), ""}, {op.EWInt, named{"fn": name("mod")}, in(s(2, 3), s(2, 3)), ""},
	{op.EWWhere, nil, in(s(2, 3), s(2, 3), s(2, 3)), ""},
	{op.Neg, nil, in(s(2, 3)), ""}, {op.SMul, nil, in(s(2, 3), s()), ""},
	{op.Gather, named{"axis": n(1)}, in(s(2, 3), s(4)), ""},
	{op.Reverse, named{"axes": tuple(0, 1)}, in(s(2, 3)), ""},
	{op.ScatterAdd, named{"axis": n(0), "n": n(2)}, in(s(3, 2), s(3)), ""},
	{op.Fill, named{"shape": graph.ShapeValue(s(2, 3)), "value": num(3), "den": n(4)}, nil, ""},
	{op.Cast, named{"to": name("int32")}, in(s(2, 3)), ""},
	{op.Reshape, named{"shape": graph.ShapeValue(s(3, 2))}, in(s(2, 3)), ""},
	{op.Pad, named{"before": tuple(1, 0), "after": tuple(0, 2), "value": num(5)}, in(s(2, 3)), ""},
	{op.Softmax, named{"axis": n(0)}, in(s(2, 3)), ""}, {op.Softmax, named{"axis": n(1)}, in(s(2, 3)), ""},
	{op.LayerNorm, named{"axis": n(1), "eps": num(1)}, in(s(2, 3), s(3), s(3)), ""},
	{op.BatchNorm, named{"eps": num(0)}, in(s(2, 3, 2), s(3), s(3), s(3), s(3)), ""},
	{op.ReduceSum, named{"axes": tuple(1)}, in(s(2, 3)), ""}, {op.ReduceMax, named{"axes": tuple(0), "keep": n(1)}, in(s(2, 3)), ""},
	{op.ReduceMean, named{"axes": tuple(0, 2)}, in(s(2, 3, 2)), ""},
	{op.One, named{"shape": graph.ShapeValue(s(3, 2))}, nil, ""}, {op.IMatMul, named{"n": n(3)}, nil, ""},
	{op.Gather, named{"axis": n(0)}, in(s(3, 2), s(2, 2)), ""}, {op.Relu, nil, in(s(2, 3)), ""},
}

func init() {
	for _, c := range functions {
		numbered = append(numbered, inferCase{c.op, c.a, in(s(2, 3)), ""})
	}
}

// concrete are the cases of that table and this one with sizes that are numbers
// and operands that fit.
func concrete(t *testing.T, use func(o *graph.Op, a graph.Attrs, in []tensor, run func([]tensor) []tensor)) {
	t.Helper()
next:
	for _, c := range slices.Concat(inferCases, numbered) {
		attrs, err := c.op.Attr(c.a)
		if err != nil {
			t.Fatal(err)
		}
		places := -1
		if c.op.Places != nil {
			if i, _, err := c.op.Places(attrs, c.in); err == nil {
				places = i
			}
		}
		var in []tensor
		for i, s := range c.in {
			sizes, ok := s.Concrete()
			if !ok {
				continue next
			}
			x := tensor{Sizes: sizes, Data: make([]float64, graph.NumElements(sizes))}
			for k := range x.Data {
				x.Data[k] = float64(1000*(i+1) + k)
				if i == places {
					x.Data[k] = 0 // a position that there always is
				}
			}
			in = append(in, x)
		}
		if _, err := interp.Apply(interp.Float{}, c.op, attrs, in); err != nil {
			continue
		}
		use(c.op, attrs, in, func(in []tensor) []tensor {
			out, err := interp.Apply(interp.Float{}, c.op, attrs, in)
			if err != nil {
				t.Fatalf("%s: %v", c.op.Name, err)
			}
			return out
		})
	}
}

// changed is in with entry k of operand i replaced.
func changed(in []tensor, i, k int) []tensor {
	in = slices.Clone(in)
	in[i].Data = slices.Clone(in[i].Data)
	in[i].Data[k] = -7
	return in
}

// Operators with the mark compute an entry from the entries at its place.
func TestElementwise(t *testing.T) {
	seen := map[*graph.Op]bool{}
	concrete(t, func(o *graph.Op, _ graph.Attrs, in []tensor, run func([]tensor) []tensor) {
		if !o.Elementwise && !o.Pointwise {
			return
		}
		seen[o] = true
		before := run(in)[0]
		for i, x := range in {
			if len(x.Sizes) == 0 && len(before.Sizes) > 0 {
				continue
			}
			if !slices.Equal(x.Sizes, before.Sizes) {
				t.Errorf("%s: operand of sizes %v, result of %v", o.Name, x.Sizes, before.Sizes)
				continue
			}
			for k := range x.Data {
				for j, y := range run(changed(in, i, k))[0].Data {
					if j != k && y != before.Data[j] && !math.IsNaN(y+before.Data[j]) {
						t.Errorf("%s: entry %d of operand %d changes entry %d of the result", o.Name, k, i, j)
					}
				}
			}
		}
	})
	wanted(t, seen, func(o *graph.Op) bool { return o.Elementwise })
}

// Every entry of what operators with the mark make is an entry of an operand or
// does not depend on them.
func TestMoves(t *testing.T) {
	seen := map[*graph.Op]bool{}
	concrete(t, func(o *graph.Op, _ graph.Attrs, in []tensor, run func([]tensor) []tensor) {
		if !o.Moves {
			return
		}
		seen[o] = true
		var other []tensor
		for i, x := range in {
			y := tensor{Sizes: x.Sizes, Data: slices.Clone(x.Data)}
			for k := range y.Data {
				if o != op.Gather || i == 0 {
					y.Data[k] += 10_000
				}
			}
			other = append(other, y)
		}
		holds := func(in []tensor, v float64) bool {
			return slices.ContainsFunc(in, func(x tensor) bool { return slices.Contains(x.Data, v) })
		}
		a, b := run(in), run(other)
		for i := range a {
			for k, v := range a[i].Data {
				if w := b[i].Data[k]; v != w && (!holds(in, v) || !holds(other, w)) {
					t.Errorf("%s: entry %d of output %d is %g or %g, in no operand", o.Name, k, i, v, w)
				}
			}
		}
	})
	wanted(t, seen, func(o *graph.Op) bool { return o.Moves })
}

func wanted(t *testing.T, seen map[*graph.Op]bool, marked func(*graph.Op) bool) {
	t.Helper()
	for _, o := range graph.Ops() {
		if marked(o) && !seen[o] {
			t.Errorf("operator %s: no case with numbers", o.Name)
		}
	}
}

func TestNonNegative(t *testing.T) {
	for _, o := range graph.Ops() {
		if !o.NonNegative {
			continue
		}
		if !o.Pointwise {
			t.Errorf("%s is not pointwise", o.Name)
			continue
		}
		for _, v := range []float64{0, 0.2, 3, -2} {
			params := slices.Repeat([]float64{v}, len(o.Params))
			f := o.Value(params)
			for x := -20.0; x <= 20; x += 0.125 {
				if y := f(x); y < 0 {
					t.Errorf("%s(%v) of %g is %g", o.Name, params, x, y)
				}
			}
		}
	}
}
