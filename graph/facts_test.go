package graph_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

func TestFactsCheckMode(t *testing.T) {
	a, b, one := graph.Var("a"), graph.Var("b"), graph.Int(1)
	var f graph.Unifier
	for _, c := range []struct {
		got  error
		want string
	}{
		{f.Eq(a.Add(b), b.Add(a)), ""},
		{f.Eq(a, b), "size a is not b"},
		{f.Eq(graph.Int(2), graph.Int(3)), "size 2 is not 3"},
		{f.Le(one, a), ""},
		{f.Le(a, a.Add(b)), ""},
		{f.Le(a.Add(one), a), "a+1 is more than a"},
		{f.Divides(one, a), ""},
		{f.Divides(a, a.Mul(b)), ""},
		{f.Divides(graph.Int(2), a.Scale(4).Add(graph.Int(2))), ""},
		{f.Divides(graph.Int(2), graph.Int(5)), "2 does not divide 5"},
		{f.Divides(graph.Int(0), a), "0 does not divide a size"},
		{f.Divides(graph.Int(0), graph.Int(4)), "0 does not divide 4"},
		{f.EqValue(graph.NameValue("relu"), graph.NameValue("none")), "relu is not none"},
		{f.EqValue(graph.IntValue(2), graph.DimValue(a)), "size 2 is not a"},
		{f.EqShape(graph.Sizes(2, 3), graph.Sizes(2)), "shape [2, 3] is not [2]"},
		{f.EqShape(graph.Sizes(2, 3), graph.Sizes(2, 4)), "shape [2, 3] is not [2, 4]: size 3 is not 4"},
		{f.EqShape(graph.Shape{graph.AxisRun("P")}, graph.Shape{graph.AxisRun("Q")}), "shape [P..] is not [Q..]"},
		{f.EqShape(graph.Shape{graph.AxisRun("P")}, graph.Shape{graph.AxisRun("P")}), ""},
	} {
		if c.want == "" && c.got != nil || c.want != "" && (c.got == nil || c.got.Error() != c.want) {
			t.Errorf("got %v, want %q", c.got, c.want)
		}
	}
	if len(f.Needs) != 0 {
		t.Errorf("needs %s", graph.NeedsString(f.Needs))
	}
}

func TestFactsNeeds(t *testing.T) {
	a, b := graph.Var("a"), graph.Var("b")
	var f graph.Unifier
	for i := 0; i < 2; i++ { // the same condition twice is one
		if f.Le(a, b) != nil || f.Divides(graph.Int(2), a) != nil || f.Divides(a, graph.Int(6)) != nil {
			t.Fatal("open conditions are no errors")
		}
	}
	if got, want := graph.NeedsString(f.Needs), "a <= b and 2 divides a and a divides 6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFactsSolve(t *testing.T) {
	a, b, c := graph.Var("a"), graph.Var("b"), graph.Var("c")
	f := graph.Solver()
	if err := f.Eq(a, b.Mul(c)); err != nil {
		t.Fatal(err)
	}
	if err := f.Eq(b, c.Add(graph.Int(2))); err != nil {
		t.Fatal(err)
	}
	if got := f.Norm(a); got != c.Mul(c).Add(c.Scale(2)) {
		t.Errorf("a = %s", got)
	}
	if got := f.Solution().Dims["a"]; got != f.Norm(a) {
		t.Errorf("the solution is not fully applied: a = %s", got)
	}
	if s := f.NormShape(graph.Shape{graph.AxisRun("P"), graph.Axis(b)}); s.String() != "[P.., c+2]" {
		t.Errorf("got %s", s)
	}
	if err := f.Eq(c.Add(graph.Int(1)), c); err == nil {
		t.Error("c+1 == c")
	}
}

// An equation that waits is solved when it can be.
func TestFactsPending(t *testing.T) {
	a, b, c := graph.Var("a"), graph.Var("b"), graph.Var("c")
	f := graph.Solver()
	if err := f.Eq(a.Mul(b), c.Mul(c)); err != nil {
		t.Fatal(err)
	}
	if p := f.Pending(); len(p) != 1 {
		t.Fatalf("pending %v", p)
	}
	if f.Eq(b, graph.Int(1)) != nil {
		t.Fatal("b == 1")
	}
	if p := f.Pending(); len(p) != 0 || f.Norm(a) != c.Mul(c) {
		t.Errorf("pending %v, a = %s", p, f.Norm(a))
	}
}

// What both sides have in common and is not 0 is cancelled.
func TestFactsCancel(t *testing.T) {
	a, b, c, run := graph.Var("a"), graph.Var("b"), graph.Var("c"), graph.AxisRunLen("P")
	for _, e := range []struct {
		l, r graph.Dim
		want string // of b
	}{
		{a.Mul(b).Scale(2), a.Mul(c).Scale(2), "c"},
		{a.Mul(b), a.Mul(b).Mul(b), "1"},
		{b.Scale(2), graph.Int(6), "3"},
		{b.Scale(2), graph.Int(5), "b"}, // no solution: stays pending
		{run.Mul(b), run, "b"},          // a run may have no axes
	} {
		f := graph.Solver()
		if err := f.Eq(e.l, e.r); err != nil {
			t.Errorf("%s == %s: %v", e.l, e.r, err)
		}
		if got := f.Norm(b).String(); got != e.want || (got == "b") != (len(f.Pending()) == 1) {
			t.Errorf("%s == %s: b = %s, pending %v, want %s", e.l, e.r, got, f.Pending(), e.want)
		}
	}
}

// A multiple is written with a new variable.
func TestFactsDivides(t *testing.T) {
	f := graph.Solver()
	if f.Divides(graph.Var("g"), graph.Var("o")) != nil {
		t.Fatal("g divides o")
	}
	if got := f.Norm(graph.Var("o")).String(); got != "g*om" {
		t.Errorf("o = %s", got)
	}
	// A divisor that may be 0 or less is not a reason to bind a size to 0 or less.
	f = graph.Solver()
	if f.Divides(graph.Var("a").Sub(graph.Var("b")), graph.Var("o")) != nil {
		t.Fatal("a-b divides o")
	}
	if len(f.Solution().Dims) != 0 || len(f.Needs) != 1 {
		t.Errorf("bound %v", f.Solution().Dims)
	}
}

// Two values of a size function are made equal by making their arguments equal.
func TestFactsSolveFunctions(t *testing.T) {
	s, p := graph.VarValue("s", "stride"), graph.VarValue("p", "padding")
	w := func(h string) graph.Dim { return graph.WindowOut(graph.Var(h), graph.Int(3), s, p, 0) }
	f := graph.Solver()
	if err := f.Eq(w("h"), w("g")); err != nil {
		t.Fatal(err)
	}
	if f.Norm(w("h")) != f.Norm(w("g")) {
		t.Errorf("%s is not %s", f.Norm(w("h")), f.Norm(w("g")))
	}
	if len(f.Pending()) != 0 {
		t.Errorf("pending %v", f.Pending())
	}
}

// Whatever equations are given: every variable is bound to something that is
// at least 1 for all sizes, and under the solution every equation that is not
// pending holds as an identity.
func TestFactsSolveIsSound(t *testing.T) {
	solved := 0
	rapid.Check(t, func(t *rapid.T) {
		f := graph.Solver()
		type eq struct{ l, r graph.Dim }
		var eqs []eq
		for i, n := 0, rapid.IntRange(1, 4).Draw(t, "equations"); i < n; i++ {
			e := eq{drawExpr(t, 2).d, drawExpr(t, 2).d}
			if f.Eq(e.l, e.r) != nil {
				return // no solution, which is said
			}
			eqs = append(eqs, e)
		}
		pending := map[eq]bool{}
		for _, p := range f.Pending() {
			pending[eq{p[0], p[1]}] = true
		}
		sol := f.Solution()
		env, b := drawEnv(t)
		for v, d := range sol.Dims {
			solved++
			if !d.Sub(graph.Int(1)).NonNegative() {
				t.Fatalf("%s = %s is not seen to be a size", v, d)
			}
			if n, err := d.Eval(b); err != nil || n < 1 {
				t.Fatalf("%s = %s is %d at %v (%v)", v, d, n, env, err)
			}
			d.Walk(func(a graph.Atom) {
				if _, bound := sol.Dims[a.Name]; bound && a.Kind == graph.AtomVar {
					t.Fatalf("%s = %s mentions the bound variable %s", v, d, a.Name)
				}
			})
		}
		for _, e := range eqs {
			l, r := f.Norm(e.l), f.Norm(e.r)
			if l != r && !pending[eq{l, r}] {
				t.Fatalf("%s == %s became %s == %s, neither solved nor pending %v", e.l, e.r, l, r, f.Pending())
			}
		}
	})
	if solved == 0 {
		t.Error("nothing was ever solved")
	}
}

// A typing found by solving is accepted by checking.
func TestSolvedTypingsRecheck(t *testing.T) {
	shape := func(names ...string) graph.Shape {
		var s graph.Shape
		for _, n := range names {
			s = append(s, graph.Axis(graph.Var(n)))
		}
		return s
	}
	s, p := graph.VarValue("s", "stride"), graph.VarValue("p", "padding")
	for _, c := range []struct {
		op   string
		a    named
		in   []graph.Shape
		want string
	}{
		{"matmul", nil, []graph.Shape{shape("a", "b"), shape("c", "d")}, "[a, d]"},
		{"matmul", nil, []graph.Shape{shape("a", "b", "c"), shape("d", "e", "f")}, "[d, b, f]"},
		{"ewadd", nil, []graph.Shape{shape("a", "b"), shape("c", "d")}, "[c, d]"},
		{"concat", named{"axis": graph.IntValue(1)}, []graph.Shape{shape("a", "b"), shape("c", "d")}, "[c, b+d]"},
		{"conv2d", named{"stride": s, "pad": p}, []graph.Shape{shape("b", "c", "h", "w"), shape("o", "i", "k", "l")}, "[b, o, window(h,k,s,p,0), window(w,l,s,p,1)]"},
		{"conv2d", named{"stride": s, "pad": p, "groups": graph.DimValue(graph.Var("g"))}, []graph.Shape{shape("b", "c", "h", "w"), shape("o", "i", "k", "l")}, "[b, g*om, window(h,k,s,p,0), window(w,l,s,p,1)]"},
		{"slice", named{"axis": graph.IntValue(0), "lo": graph.DimValue(graph.Var("l")), "hi": graph.DimValue(graph.Var("n"))}, []graph.Shape{shape("a", "b")}, "[-l+n, b]"},
	} {
		op := lookup(t, c.op)
		attrs, err := op.Attr(c.a)
		if err != nil {
			t.Fatal(err)
		}
		f := graph.Solver()
		out, err := op.InferShapes(f, attrs, c.in)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		got := f.NormShape(out[0])
		if got.String() != c.want || len(f.Pending()) != 0 {
			t.Errorf("%s: got %s, pending %v, want %s", c.op, got, f.Pending(), c.want)
		}
		sol := f.Solution()
		in := make([]graph.Shape, len(c.in))
		for i := range in {
			in[i] = c.in[i].Subst(sol)
		}
		var check graph.Unifier
		again, err := op.InferShapes(&check, attrs.Subst(sol), in)
		if err != nil || !again[0].Equal(got) {
			t.Errorf("%s: solved as %v, checked: %v, %v", c.op, in, again, err)
		}
	}
}

func TestInferShapesCountsAndKinds(t *testing.T) {
	mm, slice := lookup(t, "matmul"), lookup(t, "slice")
	var f graph.Unifier
	for _, c := range []struct {
		op   *graph.Op
		a    graph.Attrs
		in   []graph.Shape
		want string
	}{
		{mm, graph.Attrs{}, []graph.Shape{graph.Sizes(2, 3)}, "operator matmul: 1 inputs, want 2"},
		{slice, graph.Attrs{}, []graph.Shape{graph.Sizes(2)}, "operator slice: 0 attributes, want 3"},
		{slice, graph.Attrs{graph.NameValue("relu"), graph.IntValue(0), graph.IntValue(1)}, []graph.Shape{graph.Sizes(2)},
			"operator slice: attribute axis: relu is not a value of sort axis"},
		{slice, graph.Attrs{graph.IntValue(0), graph.TupleValue(1), graph.IntValue(1)}, []graph.Shape{graph.Sizes(2)},
			"operator slice: attribute lo: (1) is not a value of sort int"},
	} {
		if _, err := c.op.InferShapes(&f, c.a, c.in); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestAttr(t *testing.T) {
	conv := lookup(t, "conv2d")
	for _, c := range []struct {
		a    named
		want string // attributes, or "error: ..."
	}{
		{named{"pad": graph.NameValue("valid")}, "[pad=valid]"},
		{named{"pad": graph.TupleValue(1, 0, 1, 0), "act": graph.NameValue("relu"), "groups": graph.IntValue(1)}, "[pad=(1, 0, 1, 0), act=relu]"},
		{named{}, "error: operator conv2d: attribute pad is missing"},
		{named{"pad": graph.NameValue("valid"), "z": graph.IntValue(1), "y": graph.IntValue(2)}, "error: operator conv2d has no attribute y, z"},
	} {
		a, err := conv.Attr(c.a)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = conv.FormatAttrs(a)
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if lookup(t, "relu").FormatAttrs(graph.Attrs{}) != "" {
		t.Error("no attributes are written as something")
	}
}

func TestRegistry(t *testing.T) {
	ops := graph.Ops()
	var names []string
	for i, op := range ops {
		names = append(names, op.Name)
		if i > 0 && ops[i-1].Name >= op.Name {
			t.Errorf("%s stands before %s", ops[i-1].Name, op.Name)
		}
		if got, ok := graph.Lookup(op.Name); !ok || got != op {
			t.Errorf("%s is not found", op.Name)
		}
	}
	if len(names) < 17 {
		t.Errorf("operators %s", strings.Join(names, " "))
	}
	defer func() {
		if recover() == nil {
			t.Error("an operator can be registered twice")
		}
	}()
	graph.Register(&graph.Op{Name: ops[0].Name})
}

// Variables that a unifier makes are none of those that it met or that were reserved.
func TestFreshVariables(t *testing.T) {
	c, g, n := graph.Var("c"), graph.Var("g"), graph.Var("n")
	met := map[string]func(*graph.Unifier, graph.Dim) error{
		"reserved": func(f *graph.Unifier, v graph.Dim) error {
			f.Reserve(graph.Shape{graph.Axis(v)}.Walk)
			return nil
		},
		"solved":        func(f *graph.Unifier, v graph.Dim) error { return f.Eq(v, graph.Var("z").Scale(2)) },
		"a solution":    func(f *graph.Unifier, v graph.Dim) error { return f.Eq(graph.Var("z"), v.Scale(2)) },
		"an inequality": func(f *graph.Unifier, v graph.Dim) error { return f.Le(graph.Var("z"), v) },
		"an equation": func(f *graph.Unifier, v graph.Dim) error {
			return f.Eq(graph.Var("z").Mul(graph.Var("y")), v.Mul(v))
		},
	}
	for how, meet := range met {
		for _, name := range []string{"cm", "cmm", "q1m", "other"} {
			v := graph.Var(name)
			f := graph.Solver()
			if err := meet(f, v); err != nil {
				t.Fatal(err)
			}
			if err := f.Divides(g, c); err != nil {
				t.Fatal(err)
			}
			q, err := f.Quotient(n, g)
			if err != nil {
				t.Fatal(err)
			}
			part, ok := f.Norm(c).Quo(g)
			if !ok || part == v || q == v || part == q {
				t.Errorf("%s %s: c becomes %s and n %s", how, name, f.Norm(c), f.Norm(n))
			}
			if got := f.Quotients(); len(got) != 1 || graph.Var(got[0]) != q {
				t.Errorf("%s %s: quotients %q, want %s", how, name, got, q)
			}
		}
	}
	// In check mode nothing is made.
	var check graph.Unifier
	check.Reserve(c.Walk)
	if _, err := check.Quotient(n, g); err == nil {
		t.Error("a quotient in check mode")
	}
}
