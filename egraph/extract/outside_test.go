package extract

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// solvers lists the solvers this machine has.
func solvers() []string {
	var out []string
	for _, name := range []string{"cbc", "highs"} {
		if _, err := outsideSolver(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// TestOutside holds what solvers find to all choices, and on an e-graph of layers
// that hang together to the exact search.
func TestOutside(t *testing.T) {
	if len(solvers()) == 0 {
		t.Skip("neither cbc nor highs is on the path")
	}
	for _, name := range solvers() {
		// Landmarks close small problems before a solver is asked, so it is asked of
		// what is not reduced: little ones, held to all choices, and ones too large for
		// that, held to Solve.
		for _, size := range [][2]int{{9, 22}, {40, 110}} {
			used := false
			rapid.Check(t, func(t *rapid.T) {
				p := drawn(t, size[0], size[1])
				f, err := p.fold(0)
				if err != nil {
					return
				}
				var want int64
				if size[0] < 10 {
					want = least(p)
				} else {
					r, err := Solve(context.Background(), p, Options{})
					if err != nil {
						t.Fatal(err)
					}
					if want = r.Cost; r.Stop != StopOptimal {
						t.Fatalf("cost %d, bound %d, %s", r.Cost, r.Bound, r.Stop)
					}
				}
				pc := newPiece(f.core.clone())
				pc.choice, pc.cost = pc.core.treeChoice(), costTop
				s, err := outsideSolver(name)
				if err != nil {
					t.Fatal(err)
				}
				if len(pc.class) == 0 {
					return
				}
				if err := pc.mip(context.Background(), s); err != nil {
					t.Fatal(err)
				}
				if got := pc.cost; got != want {
					t.Fatalf("%s: cost %d: the least is %d", name, got, want)
				}
				used = true
			})
			if !used {
				t.Errorf("%s: nothing to solve", name)
			}
		}
		p := network(3, 3, 4, 0.5)
		want, err := Solve(context.Background(), p, Options{Method: Exact})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		r, err := Solve(ctx, p, Options{Method: MIP, Solver: name})
		if err != nil {
			t.Fatal(err)
		}
		sound(t, p, r, want.Cost)
		if want.Stop != StopOptimal || r.Cost != want.Cost {
			t.Errorf("%s: cost %d: exact search %d, %s", name, r.Cost, want.Cost, want.Stop)
		}
	}
}

// TestNoSolver: no solver is an error that says so, and so is one that fails.
func TestNoSolver(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	p := network(3, 3, 4, 0.5)
	for _, name := range []string{"", "cbc"} {
		if r, err := Solve(context.Background(), p, Options{Method: MIP, Solver: name}); !errors.Is(err, ErrNoSolver) {
			t.Errorf("solver %q: got %v, %v: want ErrNoSolver", name, r, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cbc"), []byte("#!/bin/sh\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if r, err := Solve(context.Background(), p, Options{Method: MIP}); err == nil {
		t.Errorf("a solver that writes nothing: got %v", r)
	}
}

// TestChosen reads what the solvers write.
func TestChosen(t *testing.T) {
	p := &piece{class: make([]int32, 20)}
	for text, want := range map[string][]NodeID{
		"Optimal - objective value 3\n      2 x2   1   0\n      7 x17  0.9999999   5\n":                                             {2, 17},
		"Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 3\n# Columns 3\nx0 0\nx3 1\nt4 2\n# Rows 1\nc0 1\n": {3},
		"x99 1\nx-1 1\nxx 1\nx1\n": nil,
	} {
		if got := p.chosen([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
