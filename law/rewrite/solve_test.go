package rewrite

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// solverOf is a solver with equations between shapes and sizes of a law and
// actual ones; false if one of them cannot hold.
func solverOf(t interface{ Fatal(...any) }, shapes [][2]graph.Shape, dims [][2]graph.Dim) (*Solver, bool) {
	n := newNumbering()
	for _, e := range shapes {
		e[0].Walk(n.see)
	}
	for _, e := range dims {
		e[0].Walk(n.see)
	}
	s := (&Law{numbering: *n}).NewSolver()
	for _, e := range shapes {
		sh, err := n.shape(e[0])
		if err != nil {
			t.Fatal(err)
		}
		if !s.shape(&sh, e[1]) {
			return s, false
		}
	}
	for _, e := range dims {
		v, err := n.value(graph.DimValue(e[0]))
		if err != nil {
			t.Fatal(err)
		}
		if !s.value(&v, graph.DimValue(e[1])) {
			return s, false
		}
	}
	return s, true
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
		{[]eq{{"[m, n]", "[a, b+1]"}}, nil, "map[m:a n:b+1] map[]"},
		{[]eq{{"[m, m]", "[a, b]"}}, nil, ""},
		{[]eq{{"[m, n]", "[a, b, c]"}}, nil, ""},
		{[]eq{{"[m, n]", "[a, B..]"}}, nil, ""},
		{[]eq{{"[P..]", "[a, B..]"}}, nil, "map[] map[P:[a, B..]]"},
		{[]eq{{"[B.., m, n]", "[Q.., 2, a]"}}, nil, "map[m:2 n:a] map[B:[Q..]]"},
		{[]eq{{"[P.., a, S..]", "[x, y, z]"}}, []eq{{"#P", "1"}}, "map[a:y] map[P:[x] S:[z]]"},
		{[]eq{{"[P.., a, S..]", "[Q.., x, y, T..]"}}, []eq{{"#P", "#Q+1"}}, "map[a:y] map[P:[Q.., x] S:[T..]]"},
		{[]eq{{"[P.., a, S..]", "[Q.., x, y]"}}, []eq{{"#P", "1"}}, ""},
		{[]eq{{"[P.., a, S..]", "[x, y]"}}, nil, ""},
		{[]eq{{"[P.., a, S..]", "[x, y]"}}, []eq{{"#P", "2"}}, ""},
		{[]eq{{"[P.., a, S..]", "[x, y, z]"}, {"[P.., b]", "[x, w]"}}, nil, "map[a:y b:w] map[P:[x] S:[z]]"},
		{[]eq{{"[P.., a+b]", "[x, y+z]"}}, []eq{{"a", "z"}}, "map[a:z b:y] map[P:[x]]"},
		{[]eq{{"[a+b]", "[y+z]"}}, nil, ""},
		{[]eq{{"[g*c, h]", "[6*x, y]"}}, []eq{{"g", "2*x"}}, "map[c:3 g:2*x h:y] map[]"},
		{[]eq{{"[g*c, h]", "[x+y, z]"}}, []eq{{"g", "2"}}, ""},
		{[]eq{{"[2*a+1]", "[4*x+3]"}}, nil, "map[a:2*x+1] map[]"},
		{[]eq{{"[a, a+1]", "[x, x+2]"}}, nil, ""},
	} {
		var shapes [][2]graph.Shape
		var dims [][2]graph.Dim
		for _, e := range c.shapes {
			shapes = append(shapes, [2]graph.Shape{sh(e.pattern), sh(e.actual)})
		}
		for _, e := range c.dims {
			dims = append(dims, [2]graph.Dim{d(e.pattern), d(e.actual)})
		}
		got := ""
		if s, ok := solverOf(t, shapes, dims); ok && s.start() && s.propagate() && s.solved() {
			got = fmt.Sprint(s.Substitution().Dims, s.Substitution().Runs)
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
					s = append(s, graph.AxisRun(rapid.SampledFrom([]string{"P", "Q"}).Draw(t, "name")))
				} else {
					s = append(s, graph.Axis(size.Draw(t, "size")))
				}
			}
			return s
		})
		want := graph.Substitution{
			Dims: map[string]graph.Dim{"a": size.Draw(t, "a"), "b": size.Draw(t, "b")},
			Runs: map[string]graph.Shape{"P": run.Draw(t, "P"), "S": run.Draw(t, "S")},
		}
		a, b := graph.Var("a"), graph.Var("b")
		var shapes [][2]graph.Shape
		for _, x := range []graph.Dim{a, b, a.Add(b)} {
			p := graph.Shape{graph.AxisRun("P"), graph.Axis(x), graph.AxisRun("S")}
			shapes = append(shapes, [2]graph.Shape{p, p.Subst(&want)})
		}
		s, ok := solverOf(t, shapes, [][2]graph.Dim{{graph.AxisRunLen("P"), want.Runs["P"].Rank()}})
		if !ok || !s.start() || !s.propagate() || !s.solved() {
			t.Fatalf("no solution for %v %v", want.Dims, want.Runs)
		}
		if got := fmt.Sprint(s.Substitution().Dims, s.Substitution().Runs); got != fmt.Sprint(want.Dims, want.Runs) {
			t.Fatalf("got %s, want %v %v", got, want.Dims, want.Runs)
		}
	})
}
