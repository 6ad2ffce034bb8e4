package z3

import (
	"context"
	"testing"
)

// The cost of a goal against a warm solver: what a prover pays per rule.

func BenchmarkGroundGoal(b *testing.B) {
	c := newContext(b)
	o := newBinop(c)
	s := newSolver(b, c, SolverConfig{EMatchingOnly: true})
	w := []Term{o.con("a"), o.con("b"), o.con("c"), o.con("d")}
	for i := range 3 {
		must(b, s.Assert(c.Eq(w[i], w[i+1])))
	}
	goal := c.Not(c.Eq(o.op(w[0], w[3]), o.op(w[3], w[0])))
	benchmarkGoal(b, s, goal)
}

func BenchmarkQuantifiedGoal(b *testing.B) {
	c := newContext(b)
	o := newBinop(c)
	s := newSolver(b, c, SolverConfig{EMatchingOnly: true})
	must(b, s.Assert(o.associativity()))
	p, q, r, w := o.con("p"), o.con("q"), o.con("r"), o.con("w")
	goal := c.Not(c.Eq(o.op(o.op(o.op(p, q), r), w), o.op(p, o.op(q, o.op(r, w)))))
	benchmarkGoal(b, s, goal)
}

func benchmarkGoal(b *testing.B, s *Solver, goal Term) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		must(b, s.Push())
		must(b, s.Assert(goal))
		if st, err := s.Check(ctx); st != Unsat || err != nil {
			b.Fatal(st, err)
		}
		must(b, s.Pop())
	}
}

func BenchmarkApply(b *testing.B) {
	c := newContext(b)
	o := newBinop(c)
	x, y := o.con("x"), o.con("y")
	b.ReportAllocs()
	for b.Loop() {
		must(b, o.op(x, y).Err())
	}
}

func BenchmarkNewContext(b *testing.B) {
	for b.Loop() {
		c, err := NewContext(Config{})
		must(b, err)
		must(b, c.Close())
	}
}

func BenchmarkCoreMinimize(b *testing.B) {
	c := newContext(b)
	o := newBinop(c)
	s := newSolver(b, c, SolverConfig{})
	for _, e := range [][2]string{{"a", "b"}, {"u", "v"}, {"b", "c"}, {"v", "w"}, {"c", "d"}} {
		must(b, s.AssertTracked(e[0]+e[1], c.Eq(o.con(e[0]), o.con(e[1]))))
	}
	must(b, s.AssertTracked("goal", c.Not(c.Eq(o.con("a"), o.con("d")))))
	for b.Loop() {
		if core, err := CoreMinimize(context.Background(), s, nil); err != nil || len(core.Labels) != 4 {
			b.Fatal(core, err)
		}
	}
}
