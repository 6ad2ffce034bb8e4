package op_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// meshes are the axes of families that are tried.
var meshes = [][]int{{}, {2}, {3, 2}}

// overAttrs are the attributes of the lifted operator.
func overAttrs(o *graph.Op, over graph.Shape, a graph.Attrs) graph.Attrs {
	if o.Each() == o {
		return a
	}
	return append(graph.Attrs{graph.ShapeValue(over)}, a...)
}

// memberOf is the same operands with their entries in another order: for member 0 as
// they are. Positions stay positions, and what is positive stays so.
func memberOf(in []tensor, m int) []tensor {
	out := make([]tensor, len(in))
	for i, x := range in {
		n := len(x.Data)
		out[i] = tensor{Sizes: x.Sizes, Data: make([]float64, n)}
		for k := range x.Data {
			out[i].Data[k] = x.Data[(k+m*(i+1))%n]
		}
	}
	return out
}

// familyOf puts the operands of members behind one another.
func familyOf(mesh []int, members [][]tensor) []tensor {
	out := make([]tensor, len(members[0]))
	for i := range out {
		out[i].Sizes = slices.Concat(mesh, members[0][i].Sizes)
		for _, m := range members {
			out[i].Data = append(out[i].Data, m[i].Data...)
		}
	}
	return out
}

// rational is a tensor of numbers with at most one binary place.
func rational(t tensor) interp.Tensor[interp.Q] {
	out := interp.Tensor[interp.Q]{Sizes: t.Sizes, Data: make([]interp.Q, len(t.Data))}
	for i, x := range t.Data {
		out.Data[i] = interp.Rational{}.Rat(int64(math.Round(2*x)), 2)
	}
	return out
}

// inRing compares a family's results with those of its members, over a ring.
func inRing[T any](t rapid.TB, r interp.Ring[T], same func(x, y T) bool, of func(tensor) interp.Tensor[T],
	o *graph.Op, attrs graph.Attrs, mesh []int, members [][]tensor) (out []interp.Tensor[T]) {
	t.Helper()
	turn := func(in []tensor) []interp.Tensor[T] {
		out := make([]interp.Tensor[T], len(in))
		for i := range in {
			out[i] = of(in[i])
		}
		return out
	}
	e := o.Each()
	got, err := interp.Apply(r, e, overAttrs(o, graph.Sizes(mesh...), attrs), turn(familyOf(mesh, members)))
	if err != nil {
		t.Fatalf("%s%s over %v: %v", e.Name, o.FormatAttrs(attrs), mesh, err)
	}
	for m, in := range members {
		want, err := interp.Apply(r, o, attrs, turn(in))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if !slices.Equal(got[i].Sizes, slices.Concat(mesh, w.Sizes)) {
				t.Fatalf("%s%s over %v: output %d of sizes %v, of a member %v", e.Name, o.FormatAttrs(attrs), mesh, i, got[i].Sizes, w.Sizes)
			}
			n := len(w.Data)
			for k, x := range w.Data {
				if y := got[i].Data[m*n+k]; !same(x, y) {
					t.Fatalf("%s%s over %v: output %d, member %d, entry %d is %v, of the member alone %v", e.Name, o.FormatAttrs(attrs), mesh, i, m, k, y, x)
				}
			}
		}
	}
	return got
}

// checkEach compares an operator on each member of families with itself on each of the
// members: what is computed, in numbers and among the rationals, and what it costs.
func checkEach(t rapid.TB, o *graph.Op, attrs graph.Attrs, in []tensor) {
	t.Helper()
	for _, mesh := range meshes {
		var members [][]tensor
		for m := range graph.NumElements(mesh) {
			members = append(members, memberOf(in, m))
		}
		got := inRing(t, interp.Float{}, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) },
			func(x tensor) tensor { return x }, o, attrs, mesh, members)
		inRing(t, interp.Rational{}, func(x, y interp.Q) bool { return x == y }, rational, o, attrs, mesh, members)
		e, over := o.Each(), overAttrs(o, graph.Sizes(mesh...), attrs)
		sizes := func(ts []tensor) (out [][]int) {
			for _, x := range ts {
				out = append(out, x.Sizes)
			}
			return out
		}
		one, err := interp.Apply(interp.Float{}, o, attrs, in)
		if err != nil {
			t.Fatal(err)
		}
		a, b := e.WorkOf(over, sizes(familyOf(mesh, members)), sizes(got)), o.WorkOf(attrs, sizes(in), sizes(one))
		if n := int64(len(members)); a.FLOPs != n*b.FLOPs || a.BytesRead != n*b.BytesRead || a.BytesWrite != n*b.BytesWrite {
			t.Fatalf("%s%s over %v: work %+v, of a member %+v", e.Name, o.FormatAttrs(attrs), mesh, a, b)
		}
		if e != o && e.Entry != nil && len(mesh) == 1 {
			entryInMember(t, o, attrs, mesh, familyOf(mesh, members), got[0])
		}
	}
}

// entryInMember evaluates the entry of a lifted operator in the last member, and counts
// its nodes: what an operator's entry shares is shared.
func entryInMember(t rapid.TB, o *graph.Op, attrs graph.Attrs, mesh []int, in []tensor, want tensor) {
	t.Helper()
	e, over := o.Each(), overAttrs(o, graph.Sizes(mesh...), attrs)
	shapes, own := make([]graph.Shape, len(in)), make([]graph.Shape, len(in))
	for i, x := range in {
		shapes[i] = graph.Sizes(x.Sizes...)
		own[i] = shapes[i][len(mesh):]
	}
	last := len(want.Data) - len(want.Data)/graph.NumElements(mesh)
	graph.Each(want.Sizes, func(flat int, idx []int) {
		if flat < last {
			return
		}
		at := make([]graph.Index, len(idx))
		for i, n := range idx {
			at[i] = graph.IndexInt(int64(n))
		}
		var s, s1 graph.Space
		x, err := e.Entry(&s, over, shapes, at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := evalEntry(x, in, map[graph.Sym]int64{})
		if err != nil {
			t.Fatalf("%s%s at %v: %v", e.Name, e.FormatAttrs(over), idx, err)
		}
		if math.Abs(got-want.Data[flat]) > 1e-9 {
			t.Fatalf("%s%s at %v: entry %g, meaning %g", e.Name, e.FormatAttrs(over), idx, got, want.Data[flat])
		}
		if flat == last {
			y, err := o.Entry(&s1, attrs, own, at[len(mesh):])
			if err != nil {
				t.Fatal(err)
			}
			if n, m := exprNodes(x), exprNodes(y); n != m {
				t.Fatalf("%s%s: an entry of %d nodes, of a member %d", e.Name, e.FormatAttrs(over), n, m)
			}
		}
	})
}

// exprNodes counts the expressions that an expression is made of, each once.
func exprNodes(x *graph.Expr) int {
	seen := map[*graph.Expr]bool{nil: true}
	var rec func(x *graph.Expr)
	rec = func(x *graph.Expr) {
		if seen[x] {
			return
		}
		seen[x] = true
		for _, y := range x.Args {
			rec(y)
		}
		rec(x.Shift)
		if x.Direct != nil {
			for _, arg := range x.Direct.Args {
				rec(arg)
			}
		}
		if x.Pick != nil {
			rec(x.Pick.At)
			rec(x.Pick.Of)
		}
	}
	rec(x)
	return len(seen) - 1
}

// Every operator on each member of families, in the cases of shape inference; TestEntries
// has it for operands that are drawn.
func TestEach(t *testing.T) {
	seen, differs := map[*graph.Op]bool{}, map[*graph.Op]bool{}
	concrete(t, func(o *graph.Op, attrs graph.Attrs, in []tensor, _ func([]tensor) []tensor) {
		seen[o] = true
		checkEach(t, o, attrs, in)
		differs[o] = differs[o] || !carriesAlong(t, o, attrs, in)
	})
	for _, o := range graph.Ops() {
		if e := o.Each(); !seen[o] || e == nil {
			t.Errorf("operator %s: on no family", o.Name)
		} else if e != o && !differs[o] {
			t.Errorf("operator %s carries axes in front along, and is not marked so", o.Name)
		}
	}
}

// carriesAlong reports whether the operator itself makes of a family what it makes of each
// member, with the same attributes.
func carriesAlong(t rapid.TB, o *graph.Op, attrs graph.Attrs, in []tensor) bool {
	members := [][]tensor{memberOf(in, 0), memberOf(in, 1)}
	got, err := interp.Apply(interp.Float{}, o, attrs, familyOf([]int{2}, members))
	if err != nil {
		return false
	}
	for m, in := range members {
		want, err := interp.Apply(interp.Float{}, o, attrs, in)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			n := len(w.Data)
			if !slices.Equal(got[i].Sizes, append([]int{2}, w.Sizes...)) || !slices.Equal(got[i].Data[m*n:(m+1)*n], w.Data) {
				return false
			}
		}
	}
	return true
}

// Shapes of families are inferred member by member: for numbers, variables and runs in
// front, they are well shaped exactly where members are.
func TestEachInfers(t *testing.T) {
	for _, c := range inferCases {
		attrs, err := c.op.Attr(c.a)
		if err != nil {
			t.Fatal(err)
		}
		e := c.op.Each()
		for _, mesh := range []graph.Shape{{}, s(2), s(3, 2), graph.ShapeOf(v("z")), {graph.AxisRun("Z")}, {graph.AxisRun("Z"), graph.Axis(v("z").Add(v("a")))}} {
			in := make([]graph.Shape, len(c.in))
			for i, x := range c.in {
				in[i] = slices.Concat(mesh, x)
			}
			var f, g graph.Unifier
			want, errOne := c.op.InferShapes(&f, attrs, c.in)
			got, err := e.InferShapes(&g, overAttrs(c.op, mesh, attrs), in)
			where := fmt.Sprintf("%s%s over %s of %v", e.Name, c.op.FormatAttrs(attrs), mesh, c.in)
			switch {
			case errOne != nil && e == c.op:
				continue // what stands in front may make up for what is missing
			case errOne != nil:
				if _, why, _ := strings.Cut(errOne.Error(), ": "); err == nil || !strings.HasPrefix(err.Error(), "operator "+e.Name+": ") || !strings.HasSuffix(err.Error(), why) {
					t.Errorf("%s: %v, of a member: %v", where, err, errOne)
				}
				continue
			case err != nil:
				t.Errorf("%s: %v", where, err)
				continue
			}
			for i := range want {
				if w := slices.Concat(mesh, want[i]); !got[i].Equal(w) {
					t.Errorf("%s: %s, want %s", where, got[i], w)
				}
			}
			if !slices.Equal(f.Needs, g.Needs) {
				t.Errorf("%s: if %s, a member if %s", where, graph.NeedsString(g.Needs), graph.NeedsString(f.Needs))
			}
			// Another mesh in front of one operand.
			for i := range in {
				other := slices.Clone(in)
				switch {
				case len(mesh) == 0:
					continue
				case mesh[len(mesh)-1].AxisRun == "":
					other[i] = slices.Concat(mesh[:len(mesh)-1], graph.ShapeOf(mesh[len(mesh)-1].Dim.Add(graph.Int(1))), c.in[i])
				default:
					other[i] = slices.Concat(graph.Shape{graph.AxisRun("Y")}, c.in[i])
				}
				var h graph.Unifier
				if out, err := e.InferShapes(&h, overAttrs(c.op, mesh, attrs), other); err == nil && (e != c.op || c.op.In > 1) {
					t.Errorf("%s: operand %d of %s gives %v", where, i, other[i], out)
				}
			}
		}
	}
}

// Equations between meshes are solved as those between sizes are.
func TestEachSolves(t *testing.T) {
	f := graph.Solver()
	e := op.Concat.Each()
	over := graph.ShapeValue(graph.ShapeOf(v("g")))
	out, err := e.InferShapes(f, graph.Attrs{over, n(0)}, in(graph.ShapeOf(v("h").Scale(2), v("a")), graph.ShapeOf(v("k"), v("b"))))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.NormShape(out[0]); got.String() != "[2*h, a+b]" || f.Norm(v("g")) != v("h").Scale(2) || f.Norm(v("k")) != v("h").Scale(2) {
		t.Errorf("got %s, g is %s, k is %s", got, f.Norm(v("g")), f.Norm(v("k")))
	}
}

// What is absurd in front is an error.
func TestEachRefuses(t *testing.T) {
	e := op.Softmax.Each()
	huge := make(graph.Shape, 3)
	for i := range huge {
		huge[i] = graph.Axis(graph.Int(1 << 40))
	}
	for _, c := range []struct {
		over, x graph.Shape
		want    string
	}{
		{s(0), s(0, 3), "operator each_softmax: shape [0, 3]: a tensor without elements; sizes are at least 1 here"},
		{s(-2), s(-2, 3), "operator each_softmax: shape [-2, 3]: a tensor without elements; sizes are at least 1 here"},
		{s(2, 3), s(2), "operator each_softmax: shape [2] is no family over [2, 3]"},
		{s(2, 3, 4, 5), s(), "operator each_softmax: shape [] is no family over [2, 3, 4, 5]"},
		{s(2), s(2), "operator each_softmax: operator softmax: axis 0 of shape []: no such axis"},
		{graph.Shape{graph.AxisRun("P")}, s(2, 3), "operator each_softmax: shape [2, 3] is no family over [P..]: shape [2] is not [P..]"},
		{s(2), graph.Shape{graph.AxisRun("P"), graph.Axis(graph.Int(3))}, "operator each_softmax: shape [P.., 3] is no family over [2]: shape [P..] is not [2]"},
	} {
		var f graph.Unifier
		if out, err := e.InferShapes(&f, graph.Attrs{graph.ShapeValue(c.over), n(0)}, in(c.x)); err == nil || err.Error() != c.want {
			t.Errorf("over %s of %s: %v, %v, want %s", c.over, c.x, out, err, c.want)
		}
	}
	for _, a := range []graph.Attrs{{n(2), n(0)}, {n(0)}, {graph.Value{}, n(0)}, {graph.TupleValue(2), n(0)}, nil} {
		var f graph.Unifier
		if out, err := e.InferShapes(&f, a, in(s(2, 3))); err == nil {
			t.Errorf("attributes %v: %v", a, out)
		}
	}
	if _, err := interp.Apply(interp.Float{}, e, graph.Attrs{graph.ShapeValue(huge), n(0)}, []tensor{{Sizes: []int{1 << 40, 1 << 40, 1 << 40, 1}}}); err == nil {
		t.Error("2^120 members are computed")
	}
}

// Element types and places are those of members.
func TestEachTypes(t *testing.T) {
	e := op.Gather.Each()
	a := graph.Attrs{graph.ShapeValue(s(2)), n(1)}
	for _, in := range [][]graph.DType{{graph.Float32, graph.Int64}, {graph.Float32, graph.Float32}, {graph.Int64, graph.Int32}, {graph.Bool, graph.Bool}} {
		want, errOne := op.Gather.DTypes(a[1:], in)
		got, err := e.DTypes(a, in)
		if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(errOne) {
			t.Errorf("%v: %v, %v, of a member %v, %v", in, got, err, want, errOne)
		}
	}
	if i, n, err := e.Places(a, in(s(2, 4, 5), s(2, 3))); i != 1 || n != graph.Int(5) || err != nil {
		t.Errorf("places in operand %d of size %s, %v", i, n, err)
	}
	for _, o := range graph.Ops() {
		if e := o.Each(); (e.DTypes == nil) != (o.DTypes == nil) || (e.Places == nil) != (o.Places == nil) || (e.Entry == nil) != (o.Entry == nil) ||
			(e.Expand == nil) != (o.Expand == nil) || e.Moves != o.Moves || e.Rearranges != o.Rearranges || e.Commutative != o.Commutative || e.ByType != o.ByType ||
			slices.Contains(e.ExpandsTo, nil) || len(e.ExpandsTo) != len(o.ExpandsTo) {
			t.Errorf("operator %s and its lifting differ in what they are", o.Name)
		}
	}
}

// The axes of families are axes of all operands and of the result: what is changed in a
// member changes the result in this member only. The others are those of members.
func TestEachAxes(t *testing.T) {
	concrete(t, func(o *graph.Op, attrs graph.Attrs, in []tensor, _ func([]tensor) []tensor) {
		e, mesh := o.Each(), []int{2, 3}
		var members [][]tensor
		ranks, own := make([]int, len(in)), make([]int, len(in))
		for m := range graph.NumElements(mesh) {
			members = append(members, memberOf(in, m))
		}
		for i, x := range in {
			own[i] = len(x.Sizes)
			ranks[i] = own[i] + len(mesh)
		}
		if e == o {
			return
		}
		over, family := overAttrs(o, graph.Sizes(mesh...), attrs), familyOf(mesh, members)
		out, err := interp.Apply(interp.Float{}, e, over, family)
		if err != nil {
			t.Fatal(err)
		}
		for axis := range out[0].Sizes {
			got, want := e.OperandAxes(over, ranks, axis), make([]graph.OperandAxis, 0)
			if axis < len(mesh) {
				for i := range in {
					want = append(want, graph.OperandAxis{Operand: i, Axis: axis})
				}
			} else {
				for _, x := range o.OperandAxes(attrs, own, axis-len(mesh)) {
					want = append(want, graph.OperandAxis{Operand: x.Operand, Axis: x.Axis + len(mesh)})
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s%s: axis %d is %v, want %v", e.Name, e.FormatAttrs(over), axis, got, want)
			}
		}
		for i, x := range family {
			n := len(x.Data) / len(members)
			for m := range members {
				if x.Data[m*n] == 0 {
					continue // a position
				}
				now, err := interp.Apply(interp.Float{}, e, over, changed(family, i, m*n))
				if err != nil {
					t.Fatal(err)
				}
				size := len(out[0].Data) / len(members)
				for k, y := range now[0].Data {
					if k/size != m && y != out[0].Data[k] && !math.IsNaN(y) {
						t.Fatalf("%s%s: operand %d in member %d changes member %d", e.Name, e.FormatAttrs(over), i, m, k/size)
					}
				}
			}
		}
	})
}
