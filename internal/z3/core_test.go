package z3

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCoreMinimizeIsPlainDeletion compares with the textbook: try each label
// once, from the last to the first. Random equations between few constants have
// many cores, so the two agree only if the order decides.
func TestCoreMinimizeIsPlainDeletion(t *testing.T) {
	c := newContext(t)
	b := newBinop(c)
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		s, err := c.NewSolver(SolverConfig{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		n := rapid.IntRange(3, 6).Draw(t, "constants")
		con := func(i int) Term { return b.con(fmt.Sprint("k", i)) }
		for i := range rapid.IntRange(0, 14).Draw(t, "equations") {
			x, y := rapid.IntRange(0, n-1).Draw(t, "x"), rapid.IntRange(0, n-1).Draw(t, "y")
			if err := s.AssertTracked(fmt.Sprintf("e%d", i), c.Eq(con(x), con(y))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.AssertTracked("goal", c.Not(c.Eq(con(0), con(1)))); err != nil {
			t.Fatal(err)
		}
		unsat := func(labels []string) bool {
			st, err := s.CheckLabels(ctx, labels)
			if err != nil || st == Unknown {
				t.Fatal(st, err)
			}
			return st == Unsat
		}
		core, err := CoreMinimize(ctx, s, nil)
		if !unsat(s.Labels()) {
			if !errors.Is(err, ErrNotUnsat) {
				t.Fatalf("consistent labels: %v", err)
			}
			return
		}
		want := s.Labels()
		for i := len(want) - 1; i >= 0; i-- {
			if try := slices.Delete(slices.Clone(want), i, i+1); unsat(try) {
				want = try
			}
		}
		if err != nil || !core.Minimal || !slices.Equal(core.Labels, want) {
			t.Fatalf("core %q (minimal %v), %v; plain deletion %q", core.Labels, core.Minimal, err, want)
		}
		from, err := CoreMinimize(ctx, s, want)
		if err != nil || !slices.Equal(from.Labels, want) {
			t.Fatalf("minimizing a minimal core: %q, %v", from.Labels, err)
		}
	})
}

func TestCoreMinimizeNeedsFewChecks(t *testing.T) {
	c := newContext(t)
	b := newBinop(c)
	s := newSolver(t, c, SolverConfig{})
	const n = 512
	for i := range n {
		must(t, s.AssertTracked(fmt.Sprint(i), c.Eq(b.con(fmt.Sprint("l", i)), b.con(fmt.Sprint("r", i)))))
	}
	must(t, s.AssertTracked("goal", c.Not(c.Eq(b.con("l300"), b.con("r300")))))
	core, err := CoreMinimize(context.Background(), s, nil)
	must(t, err)
	if !slices.Equal(core.Labels, []string{"300", "goal"}) || !core.Minimal {
		t.Errorf("core %q, minimal %v", core.Labels, core.Minimal)
	}
	if core.Checks > n/8 {
		t.Errorf("%d checks for 2 of %d labels", core.Checks, n)
	}
}

func TestCoreMinimizeUnknownKeeps(t *testing.T) {
	c := newContext(t)
	s := newSolver(t, c, SolverConfig{RLimit: 1000})
	must(t, s.AssertTracked("hard", hard(c)))
	p := c.Const("p", c.Bool())
	must(t, s.AssertTracked("p", p))
	must(t, s.AssertTracked("not p", c.Not(p)))
	core, err := CoreMinimize(context.Background(), s, nil)
	must(t, err)
	// Without p (or not p), "hard" is left and Z3 cannot tell: both stay, and
	// "hard" goes last of all, being first.
	if !slices.Equal(core.Labels, []string{"p", "not p"}) || core.Minimal {
		t.Errorf("core %q, minimal %v; want p, not p and not minimal", core.Labels, core.Minimal)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CoreMinimize(ctx, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
