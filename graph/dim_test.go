package graph_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// The model of a Dim is a function from assignments to integers: expr draws a
// Dim together with it.
type expr struct {
	d  graph.Dim
	at func(env map[string]int64) int64
}

var dimVars = []string{"a", "b", "c"}

func drawExpr(t *rapid.T, depth int) expr {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		n := rapid.Int64Range(-4, 4).Draw(t, "n")
		return expr{graph.Int(n), func(map[string]int64) int64 { return n }}
	case 1, 2:
		v := rapid.SampledFrom(dimVars).Draw(t, "v")
		if kind == 2 && rapid.Bool().Draw(t, "run") {
			return expr{graph.AxisRunLen("P"), func(e map[string]int64) int64 { return e["#P"] }}
		}
		return expr{graph.Var(v), func(e map[string]int64) int64 { return e[v] }}
	case 3:
		x, k := drawExpr(t, depth-1), rapid.Int64Range(-3, 3).Draw(t, "k")
		return expr{x.d.Scale(k), func(e map[string]int64) int64 { return k * x.at(e) }}
	}
	x, y := drawExpr(t, depth-1), drawExpr(t, depth-1)
	switch kind {
	case 4:
		return expr{x.d.Add(y.d), func(e map[string]int64) int64 { return x.at(e) + y.at(e) }}
	case 5:
		return expr{x.d.Sub(y.d), func(e map[string]int64) int64 { return x.at(e) - y.at(e) }}
	}
	return expr{x.d.Mul(y.d), func(e map[string]int64) int64 { return x.at(e) * y.at(e) }}
}

// drawEnv draws sizes of at least 1, a run length of at least 0, and the
// binding that says the same.
func drawEnv(t *rapid.T) (map[string]int64, *graph.Substitution) {
	env := map[string]int64{}
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}}
	for _, v := range dimVars {
		env[v] = rapid.Int64Range(1, 6).Draw(t, v)
		b.Dims[v] = graph.Int(env[v])
	}
	n := rapid.IntRange(0, 3).Draw(t, "#P")
	env["#P"] = int64(n)
	b.Runs["P"] = graph.Sizes([]int{2, 3, 4}[:n]...)
	return env, b
}

func TestDimEvalIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawExpr(t, 4)
		env, b := drawEnv(t)
		got, err := x.d.Eval(b)
		if err != nil || got != x.at(env) {
			t.Fatalf("%s at %v: got %d, %v, want %d", x.d, env, got, err, x.at(env))
		}
	})
}

func TestDimRingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := drawExpr(t, 3).d, drawExpr(t, 3).d, drawExpr(t, 3).d
		zero, one := graph.Int(0), graph.Int(1)
		for _, c := range []struct {
			law  string
			l, r graph.Dim
		}{
			{"add commutes", x.Add(y), y.Add(x)},
			{"add associates", x.Add(y).Add(z), x.Add(y.Add(z))},
			{"zero", x.Add(zero), x},
			{"opposite", x.Add(x.Neg()), zero},
			{"sub", x.Sub(y), x.Add(y.Neg())},
			{"mul commutes", x.Mul(y), y.Mul(x)},
			{"mul associates", x.Mul(y).Mul(z), x.Mul(y.Mul(z))},
			{"one", x.Mul(one), x},
			{"mul by zero", x.Mul(zero), zero},
			{"distribution", x.Mul(y.Add(z)), x.Mul(y).Add(x.Mul(z))},
			{"scale", x.Scale(-3), x.Mul(graph.Int(-3))},
		} {
			if c.l != c.r {
				t.Fatalf("%s: %s is not %s (x=%s y=%s z=%s)", c.law, c.l, c.r, x, y, z)
			}
			if c.l.String() != c.r.String() {
				t.Fatalf("%s: one polynomial, two strings: %s and %s", c.law, c.l, c.r)
			}
		}
		// Different polynomials are written differently.
		if (x == y) != (x.String() == y.String()) {
			t.Fatalf("%s and %s: equality and text disagree", x, y)
		}
	})
}

func TestDimString(t *testing.T) {
	a, b := graph.Var("a"), graph.Var("b")
	for _, c := range []struct {
		d    graph.Dim
		want string
	}{
		{graph.Dim{}, "0"},
		{graph.Int(-7), "-7"},
		{b.Add(a).Add(graph.Int(1)), "a+b+1"},
		{a.Mul(b).Sub(a.Mul(a).Scale(2)).Sub(graph.Int(3)), "-2*a*a+a*b-3"},
		{a.Neg(), "-a"},
		{graph.AxisRunLen("P").Add(graph.Int(1)), "#P+1"},
		{graph.WindowOut(a, graph.Int(3), graph.TupleValue(2, 2), graph.NameValue("valid"), 0), "window(a-2,1,(2, 2),valid,0)"},
	} {
		if c.d.String() != c.want {
			t.Errorf("got %s, want %s", c.d, c.want)
		}
	}
}

// Subst is a homomorphism: substituting, then evaluating, is evaluating with
// the values of what was substituted.
func TestDimSubst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, into := drawExpr(t, 3), drawExpr(t, 2)
		env, b := drawEnv(t)
		y := x.d.Subst(&graph.Substitution{Dims: map[string]graph.Dim{"a": into.d}})
		env2 := map[string]int64{"a": into.at(env), "b": env["b"], "c": env["c"], "#P": env["#P"]}
		if got, err := y.Eval(b); err != nil || got != x.at(env2) {
			t.Fatalf("%s with a = %s: %s at %v: got %d, %v, want %d", x.d, into.d, y, env, got, err, x.at(env2))
		}
		if z := x.d.Subst(&graph.Substitution{}); z != x.d {
			t.Fatalf("%s changed to %s without a binding", x.d, z)
		}
	})
}

func TestDimEvalUnbound(t *testing.T) {
	if _, err := graph.Var("a").Eval(&graph.Substitution{}); err == nil || err.Error() != "size a: not all variables bound" {
		t.Errorf("got %v", err)
	}
}

func TestDimIsVar(t *testing.T) {
	a := graph.Var("a")
	for _, d := range []graph.Dim{graph.Int(1), a.Add(graph.Int(1)), a.Scale(2), a.Mul(a), a.Add(graph.Var("b")), graph.AxisRunLen("a")} {
		if v, ok := d.IsVar(); ok {
			t.Errorf("%s is the variable %s", d, v)
		}
	}
	if v, ok := a.IsVar(); !ok || v != "a" {
		t.Errorf("a: got %q, %v", v, ok)
	}
}

// What NonNegative and NonZero claim holds wherever it is looked at.
func TestDimSignsAreSound(t *testing.T) {
	claims := 0
	rapid.Check(t, func(t *rapid.T) {
		x := drawExpr(t, 4)
		env, _ := drawEnv(t)
		n := x.at(env)
		if x.d.NonNegative() {
			claims++
			if n < 0 {
				t.Fatalf("%s is %d at %v", x.d, n, env)
			}
		}
		if x.d.NonZero() && n == 0 {
			t.Fatalf("%s is 0 at %v", x.d, env)
		}
	})
	if claims == 0 {
		t.Error("NonNegative never holds")
	}
}

func TestDimNonNegative(t *testing.T) {
	a, b, p := graph.Var("a"), graph.Var("b"), graph.AxisRunLen("P")
	one := graph.Int(1)
	w := graph.WindowOut(a, b, graph.VarValue("s", "stride"), graph.VarValue("p", "padding"), 0)
	for _, c := range []struct {
		d    graph.Dim
		want bool
	}{
		{graph.Int(0), true},
		{graph.Int(-1), false},
		{a.Sub(one), true},
		{a.Sub(graph.Int(2)), false},
		{a.Mul(b).Sub(a), true},
		{a.Sub(b), false},
		{p, true},
		{p.Sub(one), false},
		{w.Sub(one), true},
	} {
		if got := c.d.NonNegative(); got != c.want {
			t.Errorf("%s >= 0: got %v", c.d, got)
		}
	}
}

func TestDimTermsRebuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawExpr(t, 4).d
		terms, sum := x.Terms()
		y := graph.Int(sum)
		for _, m := range terms {
			p := graph.Int(m.Coef)
			for _, a := range m.Atoms {
				if a.Kind == graph.AtomAxisRun {
					p = p.Mul(graph.AxisRunLen(a.Name))
				} else {
					p = p.Mul(graph.Var(a.Name))
				}
			}
			y = y.Add(p)
		}
		if x != y {
			t.Fatalf("%s: the terms add up to %s", x, y)
		}
	})
}

func TestDimWalkSeesArguments(t *testing.T) {
	d := graph.WindowOut(graph.Var("h").Add(graph.Var("g")), graph.Var("k"), graph.VarValue("s", "stride"), graph.NameValue("valid"), 0)
	var got []string
	d.Walk(func(a graph.Atom) { got = append(got, a.Name) })
	if len(got) != 4 || got[0] != "window" {
		t.Errorf("got %v, want window and its three sizes", got)
	}
}

func BenchmarkDim(b *testing.B) {
	m, n, k := graph.Var("m"), graph.Var("n"), graph.Var("k")
	b.Run("const", func(b *testing.B) {
		d := graph.Int(0)
		for i := 0; i < b.N; i++ {
			d = d.Add(graph.Int(3)).Mul(graph.Int(1))
		}
		if n, _ := d.Const(); n != int64(3*b.N) {
			b.Fatal(n)
		}
	})
	b.Run("poly", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			if m.Add(n).Mul(k).Sub(m.Mul(k)) != n.Mul(k) {
				b.Fatal("wrong")
			}
		}
	})
	b.Run("subst", func(b *testing.B) {
		d := m.Add(n).Mul(k)
		env := &graph.Substitution{Dims: map[string]graph.Dim{"m": graph.Int(2), "n": graph.Int(3), "k": graph.Int(4)}}
		for i := 0; i < b.N; i++ {
			if d.Subst(env) != graph.Int(20) {
				b.Fatal("wrong")
			}
		}
	})
}

// A product of many variables is not written out: that would be 2^60 terms.
func TestNonNegativeOfManyVariables(t *testing.T) {
	product := func(n int) graph.Dim {
		p := graph.Int(1)
		for i := range n {
			p = p.Mul(graph.Var(fmt.Sprintf("n%d", i)))
		}
		return p
	}
	if d := product(60).Sub(product(59)); d.NonNegative() || d.NonZero() {
		t.Error("more was shown than can be written out")
	}
	if d := product(8).Sub(product(7)); !d.NonNegative() {
		t.Error("n0*...*n7 >= n0*...*n6 is not seen")
	}
}
