package graph_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// factor is a permutation variable or its inverse.
type factor struct {
	name    string
	inverse bool
}

// product multiplies factors from the left, or pairs from the right: the value is one.
func product(t rapid.TB, fs []factor, fromLeft bool) graph.Value {
	t.Helper()
	of := func(f factor) graph.Value {
		v := graph.VarValue(f.name, graph.SortPerm)
		if f.inverse {
			v, _ = graph.PermInverse(v)
		}
		return v
	}
	if len(fs) == 1 {
		return of(fs[0])
	}
	n := len(fs) - 1
	a, b := fs[:n], fs[n:]
	if !fromLeft {
		a, b = fs[:1], fs[1:]
	}
	v, ok := graph.PermAfter(product(t, a, fromLeft), product(t, b, fromLeft))
	if !ok {
		t.Fatalf("no product of %v and %v", a, b)
	}
	return v
}

// Products of variables are what they are of permutations that are put in, whatever was
// cancelled before.
func TestPermProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "axes")
		ids := make([]int, n)
		for i := range ids {
			ids[i] = i
		}
		at := map[string][]int{}
		b := &graph.Substitution{Attrs: map[string]graph.Value{}}
		for _, name := range []string{"p", "q", "r"} {
			at[name] = rapid.Permutation(ids).Draw(t, name)
			b.Attrs[name] = graph.TupleValue(at[name]...)
		}
		fs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) factor {
			return factor{rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "name"), rapid.Bool().Draw(t, "inverse")}
		}), 1, 6).Draw(t, "factors")
		v := product(t, fs, true)
		if w := product(t, fs, false); v != w || v.Key() != w.Key() {
			t.Fatalf("%v: %s from the left, %s from the right", fs, v, w)
		}
		// Followed by hand, one axis at a time.
		image := func(i int) int {
			for k := len(fs) - 1; k >= 0; k-- {
				q := at[fs[k].name]
				if !fs[k].inverse {
					i = q[i]
					continue
				}
				for j, x := range q {
					if x == i {
						i = j
						break
					}
				}
			}
			return i
		}
		want := make([]int, n)
		for i := range want {
			want[i] = image(i)
		}
		got := v.Subst(b)
		if len(v.PermVars()) == 0 {
			for i, x := range want {
				if x != i {
					t.Fatalf("%v is said to change nothing, and is %v", fs, want)
				}
			}
		} else if got != graph.TupleValue(want...) {
			t.Fatalf("%v: %s, want %v", fs, got, want)
		}
		if n == 0 {
			return
		}
		i := rapid.IntRange(0, n-1).Draw(t, "axis")
		axis, ok := graph.PermAt(v, graph.DimValue(graph.AxisRunLen("A")))
		if !ok {
			t.Fatal("no axis")
		}
		b.Runs = map[string]graph.Shape{"A": graph.Sizes(make([]int, i)...)}
		if got := axis.Subst(b); got != graph.IntValue(want[i]) {
			t.Fatalf("%v takes axis %d to %s, want %d", fs, i, got, want[i])
		}
		back, _ := graph.PermInverse(v)
		if a, ok := graph.PermAt(back, axis); !ok || a != graph.DimValue(graph.AxisRunLen("A")) {
			t.Fatalf("%s back is %s", axis, a)
		}
	})
}

// What is no permutation, or is known in part only, has no product, inverse or image.
func TestPermsUnknown(t *testing.T) {
	q, two := graph.VarValue("q", graph.SortPerm), graph.TupleValue(1, 0)
	stride := graph.VarValue("q", graph.SortStride)
	for _, c := range [][2]graph.Value{{q, two}, {two, q}, {two, graph.TupleValue(2, 0, 1)}, {stride, q}, {q, stride},
		{graph.TupleValue(1, 1), two}, {graph.TupleValue(0, 2), two}, {graph.NameValue("q"), q}, {graph.Value{}, q}} {
		if v, ok := graph.PermAfter(c[0], c[1]); ok {
			t.Errorf("%s after %s is %s", c[0], c[1], v)
		}
	}
	for _, v := range []graph.Value{stride, graph.TupleValue(0, 0), graph.IntValue(1), {}} {
		if w, ok := graph.PermInverse(v); ok {
			t.Errorf("the inverse of %s is %s", v, w)
		}
		if w, ok := graph.PermAt(v, graph.IntValue(0)); ok {
			t.Errorf("%s takes 0 to %s", v, w)
		}
	}
	for _, axis := range []graph.Value{graph.IntValue(2), graph.IntValue(-1), graph.DimValue(graph.Var("n")), q, graph.NameValue("0")} {
		if w, ok := graph.PermAt(two, axis); ok {
			t.Errorf("%s takes %s to %s", two, axis, w)
		}
	}
	if graph.VarValue("q", graph.SortPerm) == stride {
		t.Error("variables of two sorts are one")
	}
	a, _ := graph.PermAfter(q, graph.VarValue("p", graph.SortPerm))
	b, _ := graph.PermAfter(graph.VarValue("p", graph.SortPerm), q)
	if a == b || a.Key() == b.Key() {
		t.Errorf("%s and %s are one", a, b)
	}
}
