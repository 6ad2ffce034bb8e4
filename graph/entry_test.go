package graph_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// evalIndex is the value of an expression over unknowns, and of the functions
// that a Space makes itself.
func evalIndex(t rapid.TB, s *graph.Space, e graph.Index, env map[graph.Sym]int64) int64 {
	n := e.Constant()
	for i := 0; i < e.Len(); i++ {
		v, k := e.Term(i)
		x, ok := env[v]
		if !ok {
			name, args, _ := s.App(v)
			var vals []int64
			for _, a := range args {
				vals = append(vals, evalIndex(t, s, a, env))
			}
			x = call(t, name, vals)
		}
		n += k * x
	}
	return n
}

func call(t rapid.TB, name string, args []int64) int64 {
	var n int64
	switch {
	case name == "max0":
		return max(args[0], 0)
	case scan(name, "div%d", &n):
		q := args[0] / n
		if args[0]%n < 0 {
			q--
		}
		return q
	case scan(name, "count%d", &n):
		lo, hi := args[0], args[n]
		for _, a := range args[:n] {
			lo = max(lo, a)
		}
		for _, a := range args[n:] {
			hi = min(hi, a)
		}
		return hi - lo
	}
	t.Fatalf("function %s is not known", name)
	return 0
}

func scan(s, format string, n *int64) bool {
	k, err := fmt.Sscanf(s, format, n)
	return k == 1 && err == nil
}

// drawLinear draws an expression over unknowns together with its value.
func drawLinear(t *rapid.T, s *graph.Space, vs []graph.Sym, env map[graph.Sym]int64, depth int) (graph.Index, int64) {
	n := int64(rapid.IntRange(-5, 5).Draw(t, "n"))
	if depth == 0 {
		if rapid.Bool().Draw(t, "constant") {
			return graph.IndexInt(n), n
		}
		v := rapid.SampledFrom(vs).Draw(t, "unknown")
		return v.Index(), env[v]
	}
	a, x := drawLinear(t, s, vs, env, depth-1)
	switch rapid.IntRange(0, 6).Draw(t, "operation") {
	case 0:
		b, y := drawLinear(t, s, vs, env, depth-1)
		return a.Add(b), x + y
	case 1:
		b, y := drawLinear(t, s, vs, env, depth-1)
		return a.Sub(b), x - y
	case 2:
		return a.Scale(n), n * x
	case 3:
		return a.AddInt(n), x + n
	case 4:
		b, y := drawLinear(t, s, vs, env, depth-1)
		return a.AddScaled(b, n), x + n*y
	case 5:
		k := int64(rapid.IntRange(1, 4).Draw(t, "k"))
		return s.Div(a, k), call(t, fmt.Sprintf("div%d", k), []int64{x})
	}
	return s.Max0(a), max(x, 0)
}

// Arithmetic, functions and substitution keep the value, equal expressions have
// one key, and what a Space knows is true.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s graph.Space
		vs := []graph.Sym{s.Var("x"), s.Var("y"), s.Var("z")}
		env := map[graph.Sym]int64{}
		for _, v := range vs {
			env[v] = int64(rapid.IntRange(-7, 7).Draw(t, "value"))
		}
		e, want := drawLinear(t, &s, vs, env, 4)
		if got := evalIndex(t, &s, e, env); got != want {
			t.Fatalf("%s is %d, want %d", s.String(e), got, want)
		}
		f, y := drawLinear(t, &s, vs, env, 2)
		if e.Equal(f) != (e.Key() == f.Key()) || e.Equal(f) && y != want || e.SameTerms(f) != e.Sub(f).Equal(graph.IndexInt(e.Constant()-f.Constant())) || e.OppositeTerms(f) != e.SameTerms(f.Scale(-1)) || !e.OppositeTerms(e.Scale(-1).AddInt(1)) {
			t.Fatalf("%s and %s: equal %v", s.String(e), s.String(f), e.Equal(f))
		}
		g := s.Subst(e, map[graph.Sym]graph.Index{vs[0]: f})
		other := map[graph.Sym]int64{vs[0]: y, vs[1]: env[vs[1]], vs[2]: env[vs[2]]}
		if got, want := evalIndex(t, &s, g, env), evalIndex(t, &s, e, other); got != want {
			t.Fatalf("%s with %s for x: %d, want %d", s.String(e), s.String(f), got, want)
		}
		if !s.Mentions(f, vs[0]) && s.Mentions(g, vs[0]) {
			t.Fatalf("%s with %s for x is %s", s.String(e), s.String(f), s.String(g))
		}
		lo, hi := []graph.Index{graph.IndexInt(0), e}, []graph.Index{f, vs[1].Index()}
		if low, high := max(0, want), min(y, env[vs[1]]); low < high {
			if got := evalIndex(t, &s, s.Count(lo, hi), env); got != high-low {
				t.Fatalf("from %d to %d: %d", low, high, got)
			}
		}
		holds := func(gs []graph.Guard) (all, some bool) {
			all = true
			for _, g := range gs {
				n := evalIndex(t, &s, g.E, env)
				ok := n == 0 || n > 0 && !g.Eq
				all, some = all && ok, some || ok
			}
			return all, some
		}
		for _, f := range s.Unifier() {
			if all, _ := holds(f.If); all {
				if _, some := holds(f.Any); !some {
					t.Fatalf("not true: %s >= 0", s.String(f.Any[0].E))
				}
			}
		}
	})
}

// A size is one expression whichever way it is written, and its value is that
// of the polynomial.
func TestSpaceSize(t *testing.T) {
	var s graph.Space
	a, b := graph.Var("a"), graph.Var("b")
	for _, c := range []struct {
		x, y graph.Dim
		want string
	}{
		{a.Add(b), b.Add(a), "a+b"},
		{a.Mul(b).Scale(2), b.Mul(a.Scale(2)), "2*a*b"},
		{a.Add(graph.Int(1)).Mul(b), a.Mul(b).Add(b), "b+a*b"},
		{graph.Int(3), graph.Int(3), "3"},
		{graph.AxisRunLen("P").Add(a), a.Add(graph.AxisRunLen("P")), "a+#P"},
	} {
		x, y := s.Size(c.x), s.Size(c.y)
		if !x.Equal(y) || s.String(x) != c.want {
			t.Errorf("%s is %s, %s is %s, want %s", c.x, s.String(x), c.y, s.String(y), c.want)
		}
	}
}

func ExampleSpace() {
	var s graph.Space
	h, i := s.Size(graph.Var("h")), s.Var("i").Index()
	k := s.Size(graph.Var("k"))
	same, stride := graph.NameValue(graph.SameUpper), graph.TupleValue(1, 1)
	fmt.Println("window", s.String(i), "begins at", s.String(s.Window(h, k, stride, same, 0, i)))
	fmt.Println("with any stride, at", s.String(s.Window(h, k, graph.VarValue("s", graph.SortStride), same, 0, i)))
	for _, o := range s.Open() {
		fmt.Println("open:", o.Name, "of sort", o.Sort)
	}
	// Output:
	// window i begins at i-div2(k+1)+1
	// with any stride, at start s:stride same_upper vertical(h, k, i)
	// open: s of sort stride
}

// Over an image of one cell SAME padding has one window, which begins at the same cell
// whatever the stride is: at that of every literal stride.
func TestWindowOfOneCell(t *testing.T) {
	for _, pad := range []string{graph.SameUpper, graph.SameLower} {
		for k := int64(1); k <= 6; k++ {
			var s graph.Space
			start := func(stride graph.Value) graph.Index {
				return s.Window(graph.IndexInt(1), graph.IndexInt(k), stride, graph.NameValue(pad), 1, graph.IndexInt(0))
			}
			any := start(graph.VarValue("s", graph.SortStride))
			if len(s.Open()) > 0 {
				t.Errorf("%s, %d cells: %v is left open", pad, k, s.Open())
			}
			for st := int64(1); st <= 4; st++ {
				before, _, err := graph.WindowPads(1, int(k), graph.TupleValue(st, st), graph.NameValue(pad), 1)
				if want := graph.IndexInt(int64(-before)); err != nil || !any.Equal(want) || !start(graph.TupleValue(st, st)).Equal(want) {
					t.Errorf("%s, %d cells, stride %d: begins at %s and %s, want %s", pad, k, st, s.String(any), s.String(start(graph.TupleValue(st, st))), s.String(want))
				}
			}
		}
	}
}
