package tensor

import (
	"context"
	"errors"
	"strings"
	"testing"

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
			way := "left to right "
			if r.Backward {
				way = "right to left "
			}
			got = append(got, way+r.Level.String())
		}
		for _, e := range unusable {
			got = append(got, "! "+e.Error())
		}
		if s := strings.Join(got, "; "); s != c.want && (!strings.HasPrefix(c.want, "! ") || !strings.HasPrefix(s, c.want)) {
			t.Errorf("%s:\n got %s\nwant %s", c.law, s, c.want)
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
	for _, s := range []graph.Shape{{}, graph.Sizes(1), graph.Sizes(1, 2), graph.Sizes(2, 1), graph.ShapeOf(graph.Var("P")), {graph.AxisRun("P")}} {
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
