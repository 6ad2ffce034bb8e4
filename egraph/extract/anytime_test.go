package extract

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRepeatable: any budget gives a sound result, the same at each run and for any
// number of workers; more of it never gives a worse one in the end.
func TestRepeatable(t *testing.T) {
	p := network(3, 6, 5, 0.5)
	whole, err := Solve(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if whole.Stop != StopOptimal {
		t.Fatalf("%s: cost %d, bound %d: want it optimal", whole.Stop, whole.Cost, whole.Bound)
	}
	stopped := false
	for _, m := range Methods() {
		for _, steps := range []int64{1, 1000, 100_000, 400_000} {
			var first *Result
			for _, workers := range []int{1, 2, 5} {
				r, err := Solve(context.Background(), p, Options{Method: m, Steps: steps, Workers: workers, Best: 4})
				if err != nil {
					t.Fatal(err)
				}
				sound(t, p, r, whole.Cost)
				stopped = stopped || r.Stop == StopSteps
				if first == nil {
					first = r
				} else if !slices.Equal(r.Choice, first.Choice) || r.Bound != first.Bound || r.Steps != first.Steps || r.Stop != first.Stop {
					t.Errorf("method %q, %d steps, %d workers: cost %d, bound %d, %d steps, %s: with 1: %d, %d, %d, %s",
						m, steps, workers, r.Cost, r.Bound, r.Steps, r.Stop, first.Cost, first.Bound, first.Steps, first.Stop)
				}
			}
		}
	}
	if !stopped {
		t.Error("no budget was too small")
	}
}

// TestCancelled: a context that is done gives the first choice.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := network(2, 12, 6, 0.5)
	for _, m := range Methods() {
		r, err := Solve(ctx, p, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := judged(p, r.Choice); !ok || r.Stop == StopOptimal && r.Cost > r.Bound {
			t.Errorf("method %q: %s: not a choice", m, r.Stop)
		}
		if (m == Auto || m == Exact) && r.Stop != StopCancelled {
			t.Errorf("method %q: %s: want cancelled", m, r.Stop)
		}
	}
}

// TestStart: no result is worse than the choice that was known.
func TestStart(t *testing.T) {
	kept := 0
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		want := least(p)
		if want < 0 {
			return
		}
		var start []NodeID
		brute(p, func(choice []NodeID, cost, _ int64) {
			if cost == want && start == nil {
				start = slices.Clone(choice)
			}
		})
		for _, m := range Methods() {
			r, err := Solve(context.Background(), p, Options{Method: m, Start: start, Steps: 1})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, p, r, want)
			if r.Cost != want {
				t.Fatalf("method %q: cost %d, started from %d", m, r.Cost, want)
			}
			if r.Method == Start {
				kept++
			}
		}
	})
	if kept == 0 {
		t.Error("no start was better than what was found")
	}
}

func TestRefused(t *testing.T) {
	node := func(n Node) *Problem { return &Problem{Classes: 2, Nodes: []Node{n}, Roots: []ClassID{0}} }
	for _, c := range []struct {
		p    *Problem
		o    Options
		want string
	}{
		{&Problem{}, Options{}, "no roots"},
		{&Problem{Classes: -1}, Options{}, "-1 classes"},
		{&Problem{Classes: 1, Roots: []ClassID{1}}, Options{}, "root 0: class 1"},
		{&Problem{Classes: 1, Roots: []ClassID{0}}, Options{}, "no acyclic choice"},
		{&Problem{Classes: 1, Roots: []ClassID{0}, MaxBytes: -1}, Options{}, "want at least 0"},
		{node(Node{Class: 2}), Options{}, "node 0: class 2"},
		{node(Node{Cost: -1}), Options{}, "cost -1"},
		{node(Node{Bytes: -1}), Options{}, "-1 bytes"},
		{node(Node{Cost: maxTotal + 1}), Options{}, "add up"},
		{node(Node{Kind: 3}), Options{}, "kind 3"},
		{node(Node{Kind: Fixed, Children: []ClassID{1}}), Options{}, "fixed, with 1 children"},
		{node(Node{Children: []ClassID{-1}}), Options{}, "child 0: class -1"},
		{node(Node{Children: []ClassID{0}}), Options{}, "no acyclic choice"},
		{node(Node{}), Options{Method: "best"}, `method "best"`},
		{node(Node{}), Options{Steps: -1}, "-1 steps"},
		{node(Node{}), Options{Best: -1}, "best -1"},
		{node(Node{}), Options{Start: []NodeID{0}}, "start: choice for 1 classes"},
		{node(Node{}), Options{Start: []NodeID{NoNode, NoNode}}, "start: class 0 is needed"},
		{&Problem{Classes: 1, Nodes: []Node{{Kind: Fixed, Bytes: 3}}, Roots: []ClassID{0}, MaxBytes: 2}, Options{}, "bound of bytes"},
	} {
		if r, err := Solve(context.Background(), c.p, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, %v: want an error with %q", c, r, err, c.want)
		}
	}
}
