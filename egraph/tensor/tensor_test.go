package tensor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

func parse(t testing.TB, src string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return l
}

// TestRules: which directions are usable, and their levels.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		law  string
		want string // rules, then reasons
	}{
		{`axiom a given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`,
			"left to right shrinking; right to left shrinking"},
		{`axiom a given X : [P..], Y : [P..], Z : [P..] then ewmul(ewadd(X, Y), Z) == ewadd(ewmul(X, Z), ewmul(Y, Z))`,
			"left to right growing; right to left shrinking"},
		{`axiom a given X : [m, n] then transpose(transpose(X)) == X`,
			"left to right shrinking; right to left introducing"},
		{`axiom a given X : [m, n] then transpose(transpose(X)) => X`,
			"left to right shrinking"},
		{`axiom a given X : [P.., a, S..], Y : [P.., b, S..]
		  then split[axis=#P, at=a](concat[axis=#P](X, Y)) == (X, Y)`,
			"left to right shrinking; left to right shrinking; ! law a, right to left: the source is nothing but several variables"},
		{`axiom a given X : [P.., a, S..], Y : [P.., b, S..]
		  then slice[axis=#P, lo=0, hi=a](concat[axis=#P](X, Y)) == X`,
			"left to right shrinking; ! law a, right to left: the source does not mention Y"},
		{`axiom a given X : [P.., a+b, S..]
		  then concat[axis=#P](slice[axis=#P, lo=0, hi=a](X), slice[axis=#P, lo=a, hi=a+b](X)) == X`,
			"left to right shrinking; right to left introducing"},
		{`axiom a given f : pointwise1, X : [P..], Y : [P..] then ewadd(X, Y) => ewadd(X, ewadd(f(Y), X))`,
			"! law a, left to right: the source does not mention f"},
		{`axiom a given s : stride, X : [b, c, h, w]
		  then conv2d[pad=same_upper](X, iconv[c=c, kh=1, kw=1]()) => poolmax[kh=1, kw=1, stride=s, pad=same_upper](X)`,
			"! law a"},
		{`axiom a given X : [m*n, k] then concat[axis=0](slice[axis=0, lo=0, hi=m](X), slice[axis=0, lo=m, hi=m*n](X)) == X`,
			"left to right shrinking; ! law a, right to left: the source does not determine the sizes"},
	} {
		l := parse(t, c.law)
		rules, unusable, err := NewTable().Rules(l)
		var got []string
		if err != nil {
			got = append(got, "! "+err.Error())
		}
		for _, r := range rules {
			got = append(got, direction(r.Backward)+" "+r.Level.String())
		}
		for _, e := range unusable {
			got = append(got, "! "+e.Error())
		}
		if s := strings.Join(got, "; "); s != c.want && (!strings.HasPrefix(c.want, "! ") || !strings.HasPrefix(s, c.want)) {
			t.Errorf("%s:\n got %s\nwant %s", c.law, s, c.want)
		}
	}
}

// TestSolver: equations between a law's sizes and a goal's.
func TestSolver(t *testing.T) {
	sh := func(src string) graph.Shape {
		s, err := law.ParseShape(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	d := func(src string) graph.Dim {
		v, err := law.ParseValue("0+"+src, "axis", nil) // a line that begins with # is a comment
		if err != nil {
			t.Fatal(err)
		}
		x, _ := v.Dim()
		return x
	}
	type eq struct{ pattern, actual string }
	for _, c := range []struct {
		shapes []eq
		dims   []eq
		want   string // solution, "" for none
	}{
		{[]eq{{"[m, n]", "[a, b+1]"}}, nil, "map[?m:a ?n:b+1] map[]"},
		{[]eq{{"[m, m]", "[a, b]"}}, nil, ""},
		{[]eq{{"[m, n]", "[a, b, c]"}}, nil, ""},
		{[]eq{{"[m, n]", "[a, B..]"}}, nil, ""},
		{[]eq{{"[P..]", "[a, B..]"}}, nil, "map[] map[?P:[a, B..]]"},
		{[]eq{{"[B.., m, n]", "[Q.., 2, a]"}}, nil, "map[?m:2 ?n:a] map[?B:[Q..]]"},
		{[]eq{{"[P.., a, S..]", "[x, y, z]"}}, []eq{{"#P", "1"}}, "map[?a:y] map[?P:[x] ?S:[z]]"},
		{[]eq{{"[P.., a, S..]", "[Q.., x, y, T..]"}}, []eq{{"#P", "#Q+1"}}, "map[?a:y] map[?P:[Q.., x] ?S:[T..]]"},
		{[]eq{{"[P.., a, S..]", "[Q.., x, y]"}}, []eq{{"#P", "1"}}, ""},
		{[]eq{{"[P.., a, S..]", "[x, y]"}}, nil, ""},
		{[]eq{{"[P.., a, S..]", "[x, y]"}}, []eq{{"#P", "2"}}, ""},
		{[]eq{{"[P.., a, S..]", "[x, y, z]"}, {"[P.., b]", "[x, w]"}}, nil, "map[?a:y ?b:w] map[?P:[x] ?S:[z]]"},
		{[]eq{{"[P.., a+b]", "[x, y+z]"}}, []eq{{"a", "z"}}, "map[?a:z ?b:y] map[?P:[x]]"},
		{[]eq{{"[a+b]", "[y+z]"}}, nil, ""},
		{[]eq{{"[g*c, h]", "[6*x, y]"}}, []eq{{"g", "2*x"}}, "map[?c:3 ?g:2*x ?h:y] map[]"},
		{[]eq{{"[g*c, h]", "[x+y, z]"}}, []eq{{"g", "2"}}, ""},
		{[]eq{{"[2*a+1]", "[4*x+3]"}}, nil, "map[?a:2*x+1] map[]"},
		{[]eq{{"[a, a+1]", "[x, x+2]"}}, nil, ""},
	} {
		n := &names{dims: []string{"a", "b", "c", "g", "h", "m", "n"}, runs: []string{"B", "P", "S"}}
		b := n.marking()
		s := newSolver()
		for _, e := range c.shapes {
			s.shapes = append(s.shapes, shapeEq{sh(e.pattern).Subst(b), sh(e.actual)})
		}
		for _, e := range c.dims {
			s.dims = append(s.dims, dimEq{d(e.pattern).Subst(b), d(e.actual)})
		}
		got := ""
		if s.propagate() && s.solved() {
			got = fmt.Sprint(s.b.Dims, s.b.Runs)
		}
		if got != c.want {
			t.Errorf("%v %v: got %q, want %q", c.shapes, c.dims, got, c.want)
		}
	}
}

// TestSolverFinds: a law's shapes instantiated by sizes and runs drawn at random
// are solved by just these, given the place of the axis.
func TestSolverFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Custom(func(t *rapid.T) graph.Dim {
			d := graph.Int(int64(rapid.IntRange(1, 3).Draw(t, "constant")))
			for range rapid.IntRange(0, 2).Draw(t, "terms") {
				v := graph.Var(rapid.SampledFrom([]string{"a", "x", "y"}).Draw(t, "variable"))
				d = d.Add(v.Scale(int64(rapid.IntRange(1, 3).Draw(t, "factor"))))
			}
			return d
		})
		run := rapid.Custom(func(t *rapid.T) graph.Shape {
			s := graph.Shape{}
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				if rapid.Bool().Draw(t, "run") {
					s = append(s, graph.Run(rapid.SampledFrom([]string{"P", "Q"}).Draw(t, "name")))
				} else {
					s = append(s, graph.Axis(size.Draw(t, "size")))
				}
			}
			return s
		})
		want := graph.Binding{
			Dims: map[string]graph.Dim{"?a": size.Draw(t, "a"), "?b": size.Draw(t, "b")},
			Runs: map[string]graph.Shape{"?P": run.Draw(t, "P"), "?S": run.Draw(t, "S")},
		}
		a, b := graph.Var("?a"), graph.Var("?b")
		s := newSolver()
		for _, x := range []graph.Dim{a, b, a.Add(b)} {
			p := graph.Shape{graph.Run("?P"), graph.Axis(x), graph.Run("?S")}
			s.shapes = append(s.shapes, shapeEq{p, p.Subst(&want)})
		}
		s.dims = append(s.dims, dimEq{graph.RunLen("?P"), want.Runs["?P"].Rank()})
		if !s.propagate() || !s.solved() {
			t.Fatalf("no solution for %v %v", want.Dims, want.Runs)
		}
		if got := fmt.Sprint(s.b.Dims, s.b.Runs); got != fmt.Sprint(want.Dims, want.Runs) {
			t.Fatalf("got %s, want %v %v", got, want.Dims, want.Runs)
		}
	})
}

// TestInSort: which values an attribute variable may stand for.
func TestInSort(t *testing.T) {
	for _, c := range []struct {
		v    graph.Value
		sort string
		want bool
	}{
		{graph.TupleValue(1, 2), graph.SortStride, true},
		{graph.TupleValue(0, 2), graph.SortStride, false},
		{graph.TupleValue(1, 2, 3, 4), graph.SortStride, false},
		{graph.TupleValue(1, 2, 3, 4), graph.SortPadding, true},
		{graph.NameValue(graph.Valid), graph.SortPadding, true},
		{graph.NameValue(graph.Valid), graph.SortSame, false},
		{graph.NameValue(graph.SameLower), graph.SortSame, true},
		{graph.VarValue("q", graph.SortSame), graph.SortPadding, true},
		{graph.VarValue("p", graph.SortPadding), graph.SortSame, false},
		{graph.VarValue("p", graph.SortPadding), graph.SortStride, false},
		{graph.NameValue("relu"), graph.SortAct, true},
		{graph.NameValue("none"), graph.SortAct, true},
		{graph.NameValue("matmul"), graph.SortAct, false},
		{graph.NameValue("excluded"), graph.SortBorder, true},
		{graph.IntValue(1), graph.SortBorder, false},
		{graph.NameValue("relu"), "", false},
	} {
		if got := InSort(c.v, c.sort); got != c.want {
			t.Errorf("%s in %s: %t", c.v, c.sort, got)
		}
	}
}

// saturate runs all levels and returns whether the goal's sides met.
func saturate(t testing.TB, laws []string, goal string) (bool, *Graph, error) {
	tab := NewTable()
	var rules []*Rule
	for _, src := range laws {
		rs, _, err := tab.Rules(parse(t, src))
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rs...)
	}
	l := parse(t, goal)
	g := NewGraph(tab)
	a, err := g.Add(l.LHS[0], ScopeOf(l))
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.Add(l.RHS[0], ScopeOf(l))
	if err != nil {
		t.Fatal(err)
	}
	met := func() bool { return g.E().Same(a, b) }
	_, _, err = g.Run(context.Background(), rules, Limits{Nodes: 300, Iters: 6, Level: Introducing}, met)
	return met(), g, err
}

// TestFunctionVariables: what may stand for a law's function variable.
func TestFunctionVariables(t *testing.T) {
	any := `axiom a given f : pointwise1, X : [P..] then f(f(X)) == f(X)`
	zero := `axiom a given f : zero1, X : [P..] then f(f(X)) == f(X)`
	two := `axiom a given f : pointwise1, g : pointwise1, X : [P..] then f(g(X)) == g(f(X))`
	for _, c := range []struct {
		law, goal string
		want      bool
	}{
		{any, `rule g given X : [m] then relu(relu(X)) == relu(X)`, true},
		{any, `rule g given h : pointwise1, X : [m] then h(h(X)) == h(X)`, true},
		{any, `rule g given h : zero1, X : [m] then h(h(X)) == h(X)`, true},
		{zero, `rule g given X : [m] then relu(relu(X)) == relu(X)`, true},
		{zero, `rule g given h : zero1, X : [m] then h(h(X)) == h(X)`, true},
		{zero, `rule g given h : pointwise1, X : [m] then h(h(X)) == h(X)`, false},
		{any, `rule g given h : zero1, X : [m] then h(relu(X)) == h(X)`, false},
		{two, `rule g given h : zero1, X : [m] then h(relu(X)) == relu(h(X))`, true},
		{any, `rule g given X : [m, n] then transpose(transpose(X)) == transpose(transpose(relu(X)))`, false},
	} {
		got, _, err := saturate(t, []string{c.law}, c.goal)
		if err != nil || got != c.want {
			t.Errorf("%s: %s: %t, %v", c.law, c.goal, got, err)
		}
	}
}

// TestShapesDecide: a false law that would merge classes of different shapes
// never does: each instance is typed first.
func TestShapesDecide(t *testing.T) {
	laws := []string{
		`axiom t given X : [n, n] then transpose(X) == X`,
		`axiom s given X : [P.., a+b, S..] then slice[axis=#P, lo=0, hi=a](X) == slice[axis=#P, lo=b, hi=a+b](X)`,
	}
	for goal, want := range map[string]bool{
		`rule g given X : [n, n] then transpose(X) == X`:                                                true,
		`rule g given X : [m, n], Y : [n, m] then matmul(X, Y) == transpose(matmul(X, Y))`:              true,
		`rule g given X : [m, n] then matmul(X, transpose(X)) == transpose(matmul(X, transpose(X)))`:    true,
		`rule g given X : [n, m], Y : [n, m] then ewadd(X, Y) == transpose(transpose(ewadd(X, X)))`:     false,
		`rule g given X : [x+y] then slice[axis=0, lo=0, hi=x](X) == slice[axis=0, lo=y, hi=x+y](X)`:    true,
		`rule g given X : [x+y] then slice[axis=0, lo=0, hi=x](X) == slice[axis=0, lo=1, hi=x+1](X)`:    false,
		`rule g given X : [x, y+1] then slice[axis=1, lo=0, hi=y](X) == slice[axis=1, lo=1, hi=y+1](X)`: true,
	} {
		got, _, err := saturate(t, laws, goal)
		if err != nil || got != want {
			t.Errorf("%s: %t, %v", goal, got, err)
		}
	}
}

// TestConflict: classes of different shapes cannot be merged.
func TestConflict(t *testing.T) {
	g := NewGraph(NewTable())
	in := Scope{Shapes: map[string]graph.Shape{"X": graph.Sizes(2, 3), "Y": graph.Sizes(3, 2)}}
	x, err := g.Add(law.V("X"), in)
	if err != nil {
		t.Fatal(err)
	}
	y, err := g.Add(law.V("Y"), in)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.e.Union(x, y, 1)
	var conflict *egraph.ConflictError
	if !errors.As(err, &conflict) || !strings.Contains(err.Error(), "[2, 3]") {
		t.Fatalf("got %v", err)
	}
	g.Reset()
	if _, err := g.Add(law.V("X"), in); err != nil {
		t.Fatalf("after Reset: %v", err)
	}
}

// TestAddErrors: faults of terms are told with the term and the cause.
func TestAddErrors(t *testing.T) {
	op := func(name string) *graph.Op { o, _ := graph.Lookup(name); return o }
	in := Scope{Shapes: map[string]graph.Shape{"X": graph.Sizes(2, 3)}, Fns: map[string]string{"f": law.SortPointwise1}}
	x := law.V("X")
	for _, c := range []struct {
		t    *law.Term
		want string
	}{
		{law.V("Z"), "tensor Z has no shape"},
		{law.Call("g", x), "function variable g"},
		{law.Apply(op("matmul"), nil, x, x), "inner sizes differ"},
		{law.Apply(op("matmul"), nil, x), "1 inputs, want 2"},
		{law.Apply(op("transpose"), nil, x), "0 attributes, want 1"},
		{law.Apply(op("split"), graph.Attrs{graph.IntValue(1), graph.IntValue(3)}, x), "second part"},
		{law.Apply(op("split"), graph.Attrs{graph.IntValue(1), graph.IntValue(1)}, x).Output(2), "no output 2"},
	} {
		if _, err := NewGraph(NewTable()).Add(c.t, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.t, err, c.want)
		}
	}
	n, err := NewGraph(NewTable()).Add(law.Call("f", law.Apply(op("split"), graph.Attrs{graph.IntValue(1), graph.IntValue(1)}, x).Output(1)), in)
	if err != nil || n == 0 {
		t.Errorf("good term: %v", err)
	}
}

// TestInterned: equal shapes and symbols have equal numbers, others do not.
func TestInterned(t *testing.T) {
	tab := NewTable()
	seen := map[ShapeID]string{}
	for _, s := range []graph.Shape{{}, graph.Sizes(1), graph.Sizes(1, 2), graph.Sizes(2, 1), graph.ShapeOf(graph.Var("P")), {graph.Run("P")}} {
		id := tab.ShapeID(s)
		if id != tab.ShapeID(s.Clone()) || !tab.Shape(id).Equal(s) {
			t.Errorf("%s: id %d", s, id)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s share id %d", s, other, id)
		}
		seen[id] = s.String()
	}
}

// TestMinimize drops what is not needed and refuses what does not suffice.
func TestMinimize(t *testing.T) {
	l := parse(t, `axiom a given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`)
	goal := parse(t, `rule g given U : [n], V : [n] then relu(ewadd(U, V)) == relu(ewadd(V, U))`)
	use := func(x, y string) law.Instance {
		return law.Instance{Law: "a", Tensors: map[string]*law.Term{"X": law.V(x), "Y": law.V(y)},
			Runs: map[string]graph.Shape{"P": graph.ShapeOf(graph.Var("n"))}}
	}
	find := func(name string) *law.Law {
		if name == "a" {
			return l
		}
		return nil
	}
	m := NewMinimizer(NewTable())
	got, err := m.Minimize(goal, []law.Instance{use("U", "U"), use("U", "V"), use("V", "U")}, find)
	if err != nil || len(got) != 1 || got[0].Tensors["X"].Var != "U" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := m.Minimize(goal, []law.Instance{use("V", "V")}, find); err == nil || !strings.Contains(err.Error(), "do not prove") {
		t.Errorf("too few: %v", err)
	}
	if _, err := m.Minimize(goal, []law.Instance{{Law: "b"}}, find); err == nil || !strings.Contains(err.Error(), "no law b") {
		t.Errorf("unknown law: %v", err)
	}
}
