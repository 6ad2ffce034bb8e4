package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// digitsWorld gives values to sizes and indices, and works out what is made of them.
type digitsWorld struct {
	s     *graph.Space
	sizes graph.Substitution
	at    map[graph.Sym]int64
}

func (w *digitsWorld) dim(d graph.Dim) int64 {
	n, err := d.Eval(&w.sizes)
	if err != nil {
		panic(err)
	}
	return n
}

func (w *digitsWorld) value(e graph.Index) int64 {
	n := e.Constant()
	for i := range e.Len() {
		v, k := e.Term(i)
		n += k * w.sym(v)
	}
	return n
}

func (w *digitsWorld) sym(v graph.Sym) int64 {
	if n, ok := w.at[v]; ok {
		return n
	}
	if d, ok := w.s.DimOf(v.Index()); ok {
		return w.dim(d)
	}
	name, args, _ := w.s.App(v)
	var k int64
	if _, err := fmt.Sscanf(name, "div%d", &k); err == nil {
		return graph.FloorDiv(w.value(args[0]), k)
	}
	kind, rest, _ := strings.Cut(name, " ")
	for _, d := range digitSizes {
		if graph.ShapeOf(d).Key() != rest {
			continue
		}
		switch kind {
		case "times":
			return w.dim(d) * w.value(args[0])
		case "floor":
			return graph.FloorDiv(w.value(args[0]), w.dim(d))
		}
	}
	panic(name)
}

func (w *digitsWorld) holds(g graph.Guard) bool {
	n := w.value(g.E)
	return n == 0 || n > 0 && !g.Eq
}

func (w *digitsWorld) all(gs []graph.Guard) bool {
	for _, g := range gs {
		if !w.holds(g) {
			return false
		}
	}
	return true
}

// digitSizes are what axes are made of, and all products of these that are written.
var digitSizes = func() []graph.Dim {
	a, b, c := graph.Var("a"), graph.Var("b"), graph.Var("c")
	out := []graph.Dim{a, b, c, graph.Int(2), graph.Int(3), a.Add(b), a.Scale(2), a.Mul(b), a.Mul(b).Add(b.Mul(c)), a.Mul(b).Mul(c)}
	for _, d := range out[:len(out):len(out)] {
		for _, e := range out[:len(out):len(out)] {
			out = append(out, d.Mul(e))
		}
	}
	for _, d := range out {
		ts, _ := d.Terms()
		for _, t := range ts {
			t.Coef = 1
			out = append(out, t.Dim())
		}
	}
	return out
}()

// Quotients and conditions that ranges simplify are what they were, for indices in their
// ranges, and what is known of them is true.
func TestDigits(t *testing.T) {
	told, simpler := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := &digitsWorld{s: &graph.Space{}, at: map[graph.Sym]int64{}}
		w.sizes.Dims = map[string]graph.Dim{}
		for _, n := range []string{"a", "b", "c"} {
			w.sizes.Dims[n] = graph.Int(int64(rapid.IntRange(1, 4).Draw(t, n)))
		}
		size := func() graph.Dim { return digitSizes[rapid.IntRange(0, 9).Draw(t, "size")] }
		var e graph.Index
		for range rapid.IntRange(1, 3).Draw(t, "indices") {
			v, n := w.s.Var("v"), size()
			w.s.Within(v, n)
			w.at[v] = int64(rapid.IntRange(0, int(w.dim(n))-1).Draw(t, "index"))
			by := graph.Int(int64(rapid.SampledFrom([]int{1, 1, 1, 2, -1}).Draw(t, "coefficient")))
			if rapid.Bool().Draw(t, "times") {
				by = by.Mul(size())
			}
			e = e.Add(w.s.Times(v.Index(), by))
		}
		if rapid.Bool().Draw(t, "constant") {
			e = e.Add(w.s.Size(size()).Scale(int64(rapid.IntRange(-2, 2).Draw(t, "sizes")))).AddInt(int64(rapid.IntRange(-2, 2).Draw(t, "number")))
		}
		n := size()
		q := w.s.Quotient(e, n)
		if got, want := w.value(q), graph.FloorDiv(w.value(e), w.dim(n)); got != want {
			t.Fatalf("floor of %s by %s is %d, as %s it is %d", w.s.String(e), n, want, w.s.String(q), got)
		}
		if m := size(); rapid.Bool().Draw(t, "again") {
			r := w.s.Quotient(q, m)
			if got, want := w.value(r), graph.FloorDiv(w.value(e), w.dim(n)*w.dim(m)); got != want {
				t.Fatalf("floor of %s by %s and %s is %d, as %s it is %d", w.s.String(e), n, m, want, w.s.String(r), got)
			}
		}
		// What is wanted tells more, and the value is the same.
		if v, m, ok := w.s.Wanted(); ok {
			high, low := w.s.Var("high"), w.s.Var("low")
			all, _ := w.s.Range(v)
			rest, whole := all.Quo(m)
			if !whole {
				t.Fatalf("%s wanted of a range of %s", m, all)
			}
			w.s.Within(high, rest)
			w.s.Within(low, m)
			w.at[high], w.at[low] = w.at[v]/w.dim(m), w.at[v]%w.dim(m)
			r := w.s.Subst(q, map[graph.Sym]graph.Index{v: w.s.Times(high.Index(), m).Add(low.Index())})
			if w.value(r) != w.value(q) {
				t.Fatalf("%s is %d, as %s it is %d", w.s.String(q), w.value(q), w.s.String(r), w.value(r))
			}
			told++
		}
		g := graph.Guard{E: e, Eq: rapid.Bool().Draw(t, "equation")}
		gs := w.s.Simplify(g)
		if w.holds(g) != w.all(gs) {
			t.Fatalf("%s holds: %v, %d others", w.s.String(e), w.holds(g), len(gs))
		}
		if len(gs) > 1 || !gs[0].E.Equal(e) {
			simpler++
		}
		for _, f := range w.s.Unifier() {
			ok := !w.all(f.If)
			for _, g := range f.Any {
				ok = ok || w.holds(g)
			}
			if !ok {
				t.Fatalf("what is known is false: %v", f)
			}
		}
	})
	if told == 0 || simpler == 0 {
		t.Errorf("%d were told of digits, %d simplified", told, simpler)
	}
}

// An index below a*b in digits of a and b.
func ExampleSpace_Quotient() {
	var s graph.Space
	a, b := graph.Var("a"), graph.Var("b")
	i, j := s.Var("i"), s.Var("j")
	s.Within(i, a)
	s.Within(j, b)
	f := s.Times(i.Index(), b).Add(j.Index())
	fmt.Println(s.String(f))
	fmt.Println(s.String(s.Quotient(f, b)))
	for _, g := range s.Simplify(graph.GuardLt(f, s.Size(a.Mul(b)).Sub(s.Size(b)))) {
		fmt.Println(s.String(g.E), ">= 0")
	}
	// Output:
	// j+b*i
	// i
	// -i+a-2 >= 0
}

// The range of a quotient is that of what is divided, and forgotten with it: a variable
// that stands for others, with other ranges, has none.
func TestQuotientRange(t *testing.T) {
	s := &graph.Space{}
	n, m := graph.Var("n"), graph.Var("m")
	v, y := s.Var("v"), s.Var("y")
	s.Within(v, n.Mul(m))
	q := s.Quotient(v.Index(), n)
	of, ok := q.IsSym()
	if !ok {
		t.Fatal("the quotient is no unknown")
	}
	if r, ok := s.Range(of); !ok || r != m {
		t.Errorf("the quotient has the range %s, %v, want %s", r, ok, m)
	}
	// m*y + floor(v/n) >= 0 is y >= 0 as long as floor(v/n) is below m.
	g := graph.Guard{E: s.Times(y.Index(), m).Add(q)}
	if gs := s.Simplify(g); len(gs) != 1 || !gs[0].E.SameTerms(y.Index()) {
		t.Errorf("%d conditions, want y >= 0", len(gs))
	}
	s.Within(v, graph.Dim{})
	if r, ok := s.Range(of); ok {
		t.Errorf("the quotient of a variable without a range has the range %s", r)
	}
	if gs := s.Simplify(g); len(gs) != 1 || !gs[0].E.SameTerms(g.E) {
		t.Errorf("%d conditions, not what was asked", len(gs))
	}
}
