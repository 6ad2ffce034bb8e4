package sums

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// Directions have the numbers that a list gives them in which they are looked up one by
// one, whatever was taken back in between.
func TestDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var d directions
	var list [][]term // the first coefficient is positive
	found, back := 0, 0
	for range 20_000 {
		if rng.IntN(40) == 0 {
			n := rng.IntN(len(list) + 1)
			back += len(list) - n
			list = list[:n]
			d.forget(n)
			continue
		}
		var ts []term
		for v := graph.Sym(1); v <= 4; v++ {
			if k := rng.Int64N(9) - 4; k != 0 && rng.IntN(2) == 0 {
				ts = append(ts, term{v, k})
			}
		}
		at := len(d.terms)
		d.terms = append(d.terms, ts...)
		i, neg := d.number(at)
		if len(ts) == 0 {
			if i != noDirection {
				t.Fatalf("no terms have the direction %d", i)
			}
			continue
		}
		if neg != (ts[0].k < 0) {
			t.Fatalf("%v: opposite is %v", ts, neg)
		}
		if neg {
			for j := range ts {
				ts[j].k = -ts[j].k
			}
		}
		want := slices.IndexFunc(list, func(u []term) bool { return slices.Equal(u, ts) })
		if want < 0 {
			want, list = len(list), append(list, ts)
		} else {
			found++
		}
		if int(i) != want || !slices.Equal(d.of(i), ts) {
			t.Fatalf("%v is number %d, not %d", ts, i, want)
		}
	}
	if found < 1000 || back < 1000 {
		t.Errorf("%d were found again and %d taken back", found, back)
	}
}

// drawGuards are guards over unknowns, of which some have no solution.
func drawGuards(rng *rand.Rand, vs []graph.Sym, most int64) []graph.Guard {
	var gs []graph.Guard
	for range 1 + rng.IntN(7) {
		e := graph.IndexInt(rng.Int64N(2*most+1) - most)
		for _, v := range vs {
			if rng.IntN(3) == 0 {
				e = e.AddScaled(v.Index(), rng.Int64N(2*most+1)-most)
			}
		}
		gs = append(gs, graph.Guard{E: e, Eq: rng.IntN(4) == 0})
	}
	return gs
}

// What was asked before, and what overflowed, has no influence on a refutation.
func TestLinearAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var s linear
	refuted, branched, tooLarge := 0, 0, 0
	for i := range 4000 {
		e := &meaning.Engine{Space: &graph.Space{}}
		vs := []graph.Sym{e.Space.Var("x"), e.Space.Var("y"), e.Space.Var("z")}
		for _, n := range []int64{2, 3} {
			v, _ := e.Space.Div(vs[0].Index().Add(vs[1].Index()), n).IsSym()
			vs = append(vs, v)
		}
		v, _ := e.Space.Max0(vs[2].Index().Sub(vs[0].Index())).IsSym()
		vs = append(vs, v)
		most := int64(4)
		if i%8 == 0 {
			most = math.MaxInt64 / 4
			tooLarge++
		}
		gs := drawGuards(rng, vs, most)
		got, want := s.question(e, gs, nil, maxNodes), Refute(e, gs)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, and without what was asked before %v", gs, got, want)
		}
		if got != nil {
			refuted++
			if got[0] != meaning.Derive {
				branched++
			}
		}
	}
	if refuted < 500 || branched < 20 || tooLarge == 0 {
		t.Errorf("%d refuted, %d of them by cases", refuted, branched)
	}
}

// Values that are fixed are those of a solution only if it meets the question and what
// is known.
func TestLinearFixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var s linear
	solved, not := 0, 0
	for range 4000 {
		e := &meaning.Engine{Space: &graph.Space{}}
		vs := []graph.Sym{e.Space.Var("x"), e.Space.Var("y")}
		v, _ := e.Space.Div(vs[0].Index().Add(vs[1].Index()), 2).IsSym()
		gs := drawGuards(rng, append(vs, v), 4)
		var fixed assignment
		fixed.set(vs[0], rng.Int64N(7)-3)
		if s.question(e, gs, &fixed, fewNodes) != nil {
			t.Fatal("a question about fixed values is refuted")
		}
		if !s.solved {
			not++
			continue
		}
		solved++
		values := fixed.with(&s.model.values)
		if i := values.find(vs[0]); values.of[i].n != fixed.of[0].n {
			t.Fatalf("a value that is fixed is %d, not %d", values.of[i].n, fixed.of[0].n)
		}
		for _, g := range gs {
			if values.breaks(g) {
				t.Fatalf("the solution %v breaks %v", values.of, g)
			}
		}
		if i, j, k := values.find(vs[0]), values.find(vs[1]), values.find(v); i >= 0 && j >= 0 && k >= 0 {
			if x, y, h := values.of[i].n, values.of[j].n, values.of[k].n; h != graph.FloorDiv(x+y, 2) {
				t.Fatalf("half of %d+%d is %d", x, y, h)
			}
		}
	}
	if solved < 300 || not < 300 {
		t.Errorf("%d solved, %d not", solved, not)
	}
}

func ExampleRefute() {
	// 2x = 2y+1 has no integer solution: what is at least 0 both ways is tightened.
	e := &meaning.Engine{Space: &graph.Space{}}
	x, y := e.Space.Var("x").Index(), e.Space.Var("y").Index()
	fmt.Println(Refute(e, []graph.Guard{graph.GuardEq(x.Scale(2), y.Scale(2).AddInt(1))}))
	fmt.Println(Refute(e, []graph.Guard{graph.GuardLe(x, y)}))
	// Output:
	// [0 1 0 1 0 1 0 -1 0 2 2 1 1 1]
	// []
}
