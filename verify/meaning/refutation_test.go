package meaning_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
	"pgregory.net/rapid"
)

// question is a random question over unknowns from -3 to 3, with clauses that are
// assumed, and a function value for two of the unknowns.
type question struct {
	e       *meaning.Engine
	gs      []graph.Guard
	clauses []meaning.Clause
	w       *world
	vs      []graph.Sym
}

const reach = 3

func drawQuestion(t *rapid.T) *question {
	e := newEngine()
	q := &question{e: e, w: &world{space: e.Space, env: map[graph.Sym]int64{}}, vs: vars(e.Space, 3)}
	half := e.Space.Div(q.vs[0].Index().Add(q.vs[1].Index()), 2)
	d, _ := half.IsSym()
	assume := func(c ...graph.Guard) {
		q.clauses = append(q.clauses, c)
		e.Assume(c...)
	}
	for _, v := range q.vs {
		assume(graph.Guard{E: v.Index().AddInt(reach)})
		assume(graph.Guard{E: v.Index().Scale(-1).AddInt(reach)})
	}
	all := append(slices.Clone(q.vs), d)
	for range rapid.IntRange(0, 2).Draw(t, "clauses") {
		if c := drawGuards(t, all, 2, 3); len(c) > 0 {
			assume(c...)
		}
	}
	q.gs = drawGuards(t, all, 3, 5)
	return q
}

// solvable tries all values.
func (q *question) solvable() bool {
	found := false
	q.w.each(q.vs, reach, func() {
		found = found || q.w.holds(q.gs) && !slices.ContainsFunc(q.clauses, func(c meaning.Clause) bool {
			return !slices.ContainsFunc(c, func(g graph.Guard) bool { return q.w.holds([]graph.Guard{g}) })
		})
	})
	return found
}

// What is refuted has no solution, refutations are accepted, and what has none is
// refuted but for a few.
func TestRefutations(t *testing.T) {
	none, missed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		p, some := sums.Refute(q.e, q.gs), q.solvable()
		if p == nil {
			if !some {
				none++
				missed++
			}
			return
		}
		none++
		if some {
			t.Fatalf("refuted by %v, and there is a solution", p)
		}
		if err := q.e.Refuted(p, q.gs); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	})
	t.Logf("%d without solutions, %d of them not refuted", none, missed)
	if none == 0 || missed*5 > none+10 {
		t.Errorf("%d of %d are not refuted", missed, none)
	}
}

// Whatever numbers are read, what is accepted as a refutation is one.
func TestForgedRefutations(t *testing.T) {
	accepted, solvable := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		p := sums.Refute(q.e, q.gs)
		if p == nil || rapid.Bool().Draw(t, "other") {
			// That of a question with more in it.
			var more []graph.Guard
			for p == nil && len(more) < 12 {
				more = append(more, drawGuards(t, q.vs, 3, 2)...)
				p = sums.Refute(q.e, slices.Concat(q.gs, more))
				more = append(more, graph.Guard{E: q.vs[0].Index()})
			}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		some := q.solvable()
		for range 40 {
			bad := corrupt(rng, p)
			if q.e.Refuted(bad, q.gs) == nil {
				accepted++
				if some {
					t.Fatalf("%v is accepted, and there is a solution", bad)
				}
			} else if some {
				solvable++
			}
		}
	})
	t.Logf("%d accepted; %d rejected of questions with solutions", accepted, solvable)
}

// corrupt alters numbers in one or two places.
func corrupt(rng *rand.Rand, p []int64) []int64 {
	q := slices.Clone(p)
	for range 1 + rng.IntN(2) {
		if len(q) == 0 {
			return []int64{int64(rng.IntN(4))}
		}
		i := rng.IntN(len(q))
		switch rng.IntN(7) {
		case 0:
			q[i]++
		case 1:
			q[i]--
		case 2:
			q[i] = -q[i]
		case 3:
			q[i] = int64(rng.IntN(9) - 4)
		case 4:
			q = slices.Delete(q, i, i+1)
		case 5:
			q = slices.Insert(q, i, int64(rng.IntN(5)-1))
		case 6:
			j := rng.IntN(len(q))
			q[i], q[j] = q[j], q[i]
		}
	}
	return q
}

// What is no refutation is rejected, for the reason expected.
func TestAimedRefutations(t *testing.T) {
	e := newEngine()
	vs := vars(e.Space, 2)
	x, y := vs[0].Index(), vs[1].Index()
	f := e.Space.Div(x, 2)
	g := e.Space.Div(y, 2)
	e.Assume(graph.Guard{E: x.AddInt(-3)})                                   // -1: x >= 3
	e.Assume(graph.Guard{E: y}, graph.Guard{E: y.Scale(-1).AddInt(-5)})      // -3: y >= 0 or y <= -5
	e.Assume(graph.Guard{E: x.Sub(y), Eq: true})                             // -5: x == y
	gs := []graph.Guard{{E: x.Scale(-1).AddInt(2)}, {E: f.Sub(g), Eq: true}} // x <= 2
	fs, _ := f.IsSym()
	s, v := int64(fs), int64(vs[0])
	for _, c := range []struct {
		name string
		p    []int64
		ok   bool
	}{
		{"good", []int64{meaning.Derive, 2, 0, 1, -1, 1}, true},
		{"a row too few", []int64{meaning.Derive, 1, 0, 1}, false},
		{"a factor that is negative", []int64{meaning.Derive, 2, 0, -1, -1, 1}, false},
		{"a factor of 0", []int64{meaning.Derive, 2, 0, 0, -1, 1}, false},
		{"another factor", []int64{meaning.Derive, 2, 0, 2, -1, 1}, false},
		{"a row that is not there", []int64{meaning.Derive, 2, 2, 1, -1, 1}, false},
		{"a condition that is not there", []int64{meaning.Derive, 2, 0, 1, -7, 1}, false},
		{"a fact that is not there", []int64{meaning.Derive, 2, 0, 1, -1000, 1}, false},
		{"a clause for a row", []int64{meaning.Derive, 2, 0, 1, -3, 1}, false},
		{"nothing", nil, false},
		{"no step", []int64{7}, false},
		{"a negative step", []int64{-1}, false},
		{"more rows than numbers", []int64{meaning.Derive, 3, 0, 1, -1, 1}, false},
		{"fewer rows than none", []int64{meaning.Derive, -1}, false},
		{"a sum of nothing", []int64{meaning.Derive, 0}, false},
		{"something behind", []int64{meaning.Derive, 2, 0, 1, -1, 1, 0}, false},
		{"an equation subtracted", []int64{meaning.Derive, 3, 1, -1, 0, 1, -1, 1, meaning.Derive, 2, 0, 1, -1, 1}, true},
		{"a clause", []int64{meaning.Branch, -3, meaning.Derive, 2, 0, 1, -1, 1, meaning.Derive, 3, 2, 1, -1, 1, -5, -1}, true},
		{"a clause with a case left out", []int64{meaning.Branch, -3, meaning.Derive, 2, 0, 1, -1, 1}, false},
		{"a clause that is not there", []int64{meaning.Branch, 5, meaning.Derive, 2, 0, 1, -1, 1, meaning.Derive, 2, 0, 1, -1, 1}, false},
		{"a case that is the other one's", []int64{meaning.Branch, -3, meaning.Derive, 3, 2, 1, -1, 1, -5, -1, meaning.Derive, 3, 2, 1, -1, 1, -5, -1}, false},
		{"a row of another case", []int64{meaning.Branch, -3, meaning.Derive, 2, 0, 1, -1, 1, meaning.Derive, 2, 3, 1, -1, 1}, false},
		{"a cut", []int64{meaning.Cut, 1, v, 1, -3, meaning.Derive, 2, 2, 1, 0, 1, meaning.Derive, 2, 2, 1, -1, 1}, true},
		{"a cut with one side", []int64{meaning.Cut, 1, v, 1, -3, meaning.Derive, 2, 0, 1, 2, 1}, false},
		{"a cut with a gap", []int64{meaning.Cut, 1, v, 1, 3, meaning.Derive, 2, 0, 1, 2, 1, meaning.Derive, 2, -1, 1, 2, 1}, false},
		{"a cut by what is not there", []int64{meaning.Cut, 1, 99, 1, -3, meaning.Derive, 2, 0, 1, 2, 1, meaning.Derive, 2, -1, 1, 2, 1}, false},
		{"functions of two names", []int64{meaning.Same, s, v, meaning.Derive, 2, 0, 1, -1, 1}, false},
		{"a function that is not there", []int64{meaning.Same, s, 99, meaning.Derive, 2, 0, 1, -1, 1}, false},
		{"an unknown below the first", []int64{meaning.Same, s, 0, meaning.Derive, 2, 0, 1, -1, 1}, false},
		{"factors that leave 63 bits", []int64{meaning.Derive, 2, 0, 1 << 62, -1, 1 << 62}, false},
		{"rows in another order", []int64{meaning.Derive, 2, -1, 1, 0, 1}, false},
		{"a row twice", []int64{meaning.Derive, 3, 0, 1, 0, 1, -1, 2}, false},
		{"factors with a divisor", []int64{meaning.Derive, 2, 0, 2, -1, 2}, false},
		{"a cut with a coefficient of 0", []int64{meaning.Cut, 2, v, 1, s, 0, -3, meaning.Derive, 2, 2, 1, 0, 1, meaning.Derive, 2, 2, 1, -1, 1}, false},
		{"a cut by an unknown twice", []int64{meaning.Cut, 2, v, 2, v, -1, -3, meaning.Derive, 2, 2, 1, 0, 1, meaning.Derive, 2, 2, 1, -1, 1}, false},
		{"the lowest number for a row", []int64{meaning.Derive, 2, 0, 1, math.MinInt64, 1}, false},
		{"the lowest factor", []int64{meaning.Derive, 2, 1, math.MinInt64, -1, 1}, false},
		{"rounding that helps nothing", []int64{meaning.Derive, 2, 0, 2, -1, 1, meaning.Derive, 1, 2, 1}, false},
	} {
		err := func() (err error) {
			defer graph.CatchTooLarge(&err)
			return e.Refuted(c.p, gs)
		}()
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// With a negative factor x >= 3 would refute x >= 1.
	more := []graph.Guard{{E: x.AddInt(-1)}}
	if err := e.Refuted([]int64{meaning.Derive, 2, 0, -1, -1, 1}, more); err == nil {
		t.Error("an inequality is taken from another one")
	}
	if err := e.Refuted([]int64{meaning.Derive, 2, 0, 1, -1, 1}, []graph.Guard{{E: x.Scale(-1).AddInt(1)}}); err != nil {
		t.Errorf("x <= 1: %v", err)
	}
}
