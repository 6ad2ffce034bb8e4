package meaning_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
	"pgregory.net/rapid"
)

// world gives values to unknowns, and so to functions of them.
type world struct {
	space *graph.Space
	env   map[graph.Sym]int64
	sizes *graph.Substitution // nil: there are none
}

func (w *world) index(e graph.Index) int64 {
	n := e.Constant()
	for i := 0; i < e.Len(); i++ {
		v, k := e.Term(i)
		n += k * w.sym(v)
	}
	return n
}

// someSizes are those that indices are multiplied with, or divided by.
var someSizes = func() []graph.Dim {
	a, b := graph.Var("a"), graph.Var("b")
	out := []graph.Dim{a.Add(b), a.Scale(3)}
	for _, x := range []graph.Dim{graph.Int(1), a, a.Mul(a), a.Mul(a).Mul(a)} {
		for _, y := range []graph.Dim{graph.Int(1), b, b.Mul(b), b.Mul(b).Mul(b)} {
			out = append(out, x.Mul(y))
		}
	}
	return out
}()

func (w *world) sym(v graph.Sym) int64 {
	if n, ok := w.env[v]; ok {
		return n
	}
	if d, ok := w.space.DimOf(v.Index()); ok && w.sizes != nil {
		n, err := d.Eval(w.sizes)
		if err != nil {
			panic(err)
		}
		return n
	}
	name, args, ok := w.space.App(v)
	kind, rest, _ := strings.Cut(name, " ")
	for _, d := range someSizes {
		if graph.ShapeOf(d).Key() != rest || w.sizes == nil {
			continue
		}
		n, _ := d.Eval(w.sizes)
		switch kind {
		case "times":
			return n * w.index(args[0])
		case "floor":
			return graph.FloorDiv(w.index(args[0]), n)
		}
	}
	if n := int64(0); ok && len(args) == 1 {
		if _, err := fmt.Sscanf(name, "div%d", &n); err == nil {
			return graph.FloorDiv(w.index(args[0]), n)
		}
	}
	if !ok || !strings.HasPrefix(name, "count") {
		panic(fmt.Sprintf("unknown %d %s has no value", v, name))
	}
	var lower int
	fmt.Sscanf(name, "count%d", &lower)
	lo, hi := w.index(args[0]), w.index(args[lower])
	for _, a := range args[:lower] {
		lo = max(lo, w.index(a))
	}
	for _, a := range args[lower:] {
		hi = min(hi, w.index(a))
	}
	return hi - lo
}

func (w *world) holds(gs []graph.Guard) bool {
	for _, g := range gs {
		if n := w.index(g.E); n < 0 || g.Eq && n != 0 {
			return false
		}
	}
	return true
}

// each calls f with every value of the variables in -r to r.
func (w *world) each(vs []graph.Sym, r int64, f func()) {
	if len(vs) == 0 {
		f()
		return
	}
	for n := -r; n <= r; n++ {
		w.env[vs[0]] = n
		w.each(vs[1:], r, f)
	}
	delete(w.env, vs[0])
}

// term is the value of a term whose atoms are reads, X[i] standing for some
// number that differs from index to index.
func (w *world) term(t meaning.Term) *big.Rat {
	sum := new(big.Rat)
	w.each(t.Over, 8, func() {
		if !w.holds(t.Dom) {
			return
		}
		p := new(big.Rat).Set(t.Num)
		for _, f := range t.Facs {
			x := big.NewRat(w.index(f.E), 1)
			for range max(f.Exp, -f.Exp) {
				if f.Exp < 0 {
					x = new(big.Rat).Inv(big.NewRat(w.index(f.E), 1))
				}
				p.Mul(p, x)
			}
		}
		for _, a := range t.Atoms {
			h := int64(7)
			for _, e := range a.At {
				h = h*31 + w.index(e)*w.index(e) + 3*w.index(e)
			}
			p.Mul(p, big.NewRat(h%101+200, 1))
		}
		sum.Add(sum, p)
	})
	return sum
}

func drawIndex(t *rapid.T, vs []graph.Sym, most int64) graph.Index {
	e := graph.IndexInt(int64(rapid.IntRange(-3, 3).Draw(t, "constant")))
	for _, v := range vs {
		if rapid.Bool().Draw(t, "occurs") {
			e = e.AddScaled(v.Index(), int64(rapid.IntRange(-int(most), int(most)).Draw(t, "coefficient")))
		}
	}
	return e
}

func drawGuards(t *rapid.T, vs []graph.Sym, most int64, n int) []graph.Guard {
	var out []graph.Guard
	for range rapid.IntRange(0, n).Draw(t, "guards") {
		out = append(out, graph.Guard{E: drawIndex(t, vs, most), Eq: rapid.IntRange(0, 4).Draw(t, "equation") == 0})
	}
	return out
}

func vars(s *graph.Space, n int) []graph.Sym {
	out := make([]graph.Sym, n)
	for i := range out {
		out[i] = s.Var("x")
	}
	return out
}

var one = big.NewRat(1, 1)

// newEngine assumes nothing.
func newEngine() *meaning.Engine { return meaning.NewEngine(sums.NewRecorder(context.Background())) }

// Guards that are put in order hold at the same points.
func TestNormalize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{space: &graph.Space{}, env: map[graph.Sym]int64{}}
		vs := vars(w.space, 3)
		gs := drawGuards(t, vs, 3, 5)
		out, ok := meaning.Normalize(gs)
		w.each(vs, 4, func() {
			if got, want := ok && w.holds(out), w.holds(gs); got != want {
				t.Fatalf("at %v: %v, want %v", w.env, got, want)
			}
		})
	})
}

// What project says of the other variables is that a value of the one exists.
func TestProject(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		b := newEngine()
		w := &world{space: b.Space, env: map[graph.Sym]int64{}}
		vs := vars(b.Space, 3)
		gs := drawGuards(t, vs, 1, 5)
		x := vs[0]
		gs = append(gs, graph.Guard{E: x.Index().AddInt(9)}, graph.Guard{E: x.Index().Scale(-1).AddInt(9)})
		gs, ok := meaning.Normalize(gs)
		if !ok {
			return
		}
		out, ok := b.Project(gs, x)
		if out == nil && !ok {
			// Not done, or no points at all: at most a lost proof.
			return
		}
		done++
		w.each(vs[1:], 3, func() {
			some := false
			for n := int64(-9); n <= 9 && !some; n++ {
				w.env[x] = n
				some = w.holds(gs)
			}
			delete(w.env, x)
			if got := w.holds(out); got != some {
				t.Fatalf("at %v: %v, want %v", w.env, got, some)
			}
		})
	})
	if done == 0 {
		t.Error("nothing was projected")
	}
}

// A term that is put in order has the same value.
func TestTidy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newEngine()
		w := &world{space: b.Space, env: map[graph.Sym]int64{}}
		vs := vars(b.Space, 4)
		over, outer := vs[:2], vs[2:]
		u := meaning.Term{Num: big.NewRat(2, 3), Over: over, Dom: drawGuards(t, vs, 1, 4)}
		for _, v := range over {
			u.Dom = append(u.Dom, graph.Guard{E: v.Index()}, graph.Guard{E: v.Index().Scale(-1).AddInt(int64(rapid.IntRange(0, 3).Draw(t, "size")))})
		}
		if rapid.Bool().Draw(t, "atom") {
			u.Atoms = []meaning.Atom{{Kind: meaning.Read, Name: "X", At: []graph.Index{drawIndex(t, vs, 2)}}}
		}
		got, ok := b.Tidy(u, nil)
		w.each(outer, 3, func() {
			want, have := w.term(u), new(big.Rat)
			if ok {
				have = w.term(got)
			}
			if want.Cmp(have) != 0 {
				t.Fatalf("at %v: %v, want %v", w.env, have, want)
			}
		})
	})
}

// Multiplying out does not change the value.
func TestExpand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{space: &graph.Space{}, env: map[graph.Sym]int64{}}
		vs := vars(w.space, 2)
		u := meaning.Term{Num: big.NewRat(1, 2)}
		for range rapid.IntRange(0, 3).Draw(t, "factors") {
			exp := rapid.SampledFrom([]int{-1, 1, 2}).Draw(t, "exponent")
			e := graph.IndexInt(int64(rapid.IntRange(1, 3).Draw(t, "constant")))
			for _, v := range vs {
				e = e.AddScaled(v.Index(), int64(rapid.IntRange(0, 2).Draw(t, "coefficient")))
			}
			u = u.Times(e, exp)
		}
		for n := int64(1); n < 10; n++ {
			w.env[vs[0]], w.env[vs[1]] = n%3+1, n/3+1
			sum := new(big.Rat)
			for _, p := range newEngine().Expand(u) {
				sum.Add(sum, w.term(p))
			}
			if want := w.term(u); sum.Cmp(want) != 0 {
				t.Fatalf("at %v: %v, want %v", w.env, sum, want)
			}
		}
	})
}

// Equality of sums: a term and the same one in other variables, its domain cut
// in two, are equal; with a number or an index changed they are not.
func TestEqualSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newEngine()
		vs := vars(b.Space, 3)
		over, i := vs[:2], vs[2]
		box := func(v graph.Sym, n int64) []graph.Guard {
			return []graph.Guard{{E: v.Index()}, {E: v.Index().Scale(-1).AddInt(n)}}
		}
		n := int64(rapid.IntRange(1, 5).Draw(t, "n"))
		a := meaning.Term{Num: one, Over: over, Dom: append(box(over[0], n), box(over[1], n+1)...), Atoms: []meaning.Atom{
			{Kind: meaning.Read, Name: "X", At: []graph.Index{i.Index().Add(over[0].Index()), over[1].Index()}},
		}}
		// Shifted by m and with the variables in the other order.
		m := int64(rapid.IntRange(-3, 3).Draw(t, "m"))
		c := b.Fresh(a)
		c = b.SubstTerm(c, map[graph.Sym]graph.Index{c.Over[0]: c.Over[0].Index().AddInt(m)})
		c.Over = []graph.Sym{c.Over[1], c.Over[0]}
		cut := drawIndex(t, append([]graph.Sym{i}, c.Over...), 2)
		x, y := c, c
		x.Dom = slices.Concat(c.Dom, []graph.Guard{{E: cut}})
		y.Dom = slices.Concat(c.Dom, meaning.Not(graph.Guard{E: cut}))
		if why := b.Equal(nil, meaning.NF{a}, meaning.NF{x, y}); why != "" {
			t.Fatal(why)
		}
		half := c
		half.Num = big.NewRat(1, 2)
		wider := c
		wider.Dom = append([]graph.Guard{}, c.Dom...)
		k := rapid.IntRange(0, len(wider.Dom)-1).Draw(t, "bound")
		wider.Dom[k] = graph.Guard{E: wider.Dom[k].E.AddInt(1)}
		moved := c
		moved.Atoms = []meaning.Atom{{Kind: meaning.Read, Name: "X", At: []graph.Index{c.Atoms[0].At[0].AddInt(1), c.Atoms[0].At[1]}}}
		for name, u := range map[string]meaning.NF{"half": {half}, "wider": {wider}, "moved": {moved}, "twice": {c, c}, "none": nil} {
			if b.Equal(nil, meaning.NF{a}, u) == "" {
				t.Fatalf("equal: %s", name)
			}
		}
		if why := b.Equal(nil, meaning.NF{a}, meaning.NF{half, half}); why != "" {
			t.Fatal(why)
		}
	})
}

// Every second index is not every index, though one variable gives the other.
func TestStretchedSums(t *testing.T) {
	b := newEngine()
	sum := func(k, n int64) meaning.NF {
		v := b.Space.Var("v")
		return meaning.NF{{Num: one, Over: []graph.Sym{v},
			Dom:   []graph.Guard{{E: v.Index()}, {E: v.Index().Scale(-1).AddInt(n)}},
			Atoms: []meaning.Atom{{Kind: meaning.Read, Name: "X", At: []graph.Index{v.Index().Scale(k)}}}}}
	}
	if b.Equal(nil, sum(2, 2), sum(1, 4)) == "" || b.Equal(nil, sum(1, 4), sum(2, 2)) == "" {
		t.Error("X[0] + X[2] + X[4] is X[0] + ... + X[4]")
	}
	if why := b.Equal(nil, sum(2, 2), sum(2, 2)); why != "" {
		t.Error(why)
	}
}

func TestDeterminant(t *testing.T) {
	var leibniz func(m [][]int64) int64
	leibniz = func(m [][]int64) int64 {
		if len(m) == 1 {
			return m[0][0]
		}
		sum, sign := int64(0), int64(1)
		for j := range m {
			var minor [][]int64
			for _, row := range m[1:] {
				minor = append(minor, append(append([]int64{}, row[:j]...), row[j+1:]...))
			}
			sum += sign * m[0][j] * leibniz(minor)
			sign = -sign
		}
		return sum
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		m := make([][]int64, n)
		for i := range m {
			for range n {
				m[i] = append(m[i], int64(rapid.IntRange(-2, 2).Draw(t, "entry")))
			}
		}
		want := leibniz(m)
		if got, ok := meaning.Determinant(m); !ok || got != want {
			t.Fatalf("%d (%v), want %d", got, ok, want)
		}
	})
	// What could leave 64 bits is not told.
	const big = 1 << 31
	for _, m := range [][][]int64{{{big}}, {{-big - 1, 0}, {0, 1}}, {{1 << 20, 1}, {1, 1 << 20}}, {{1 << 40, 1}, {(1 << 40) - 1, 1}}} {
		if d, ok := meaning.Determinant(m); ok {
			t.Errorf("%v: %d", m, d)
		}
	}
	if d, ok := meaning.Determinant([][]int64{{-big, 1}, {1, 0}}); !ok || d != -1 {
		t.Errorf("%d (%v), want -1", d, ok)
	}
}
