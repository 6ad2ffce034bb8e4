package plan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
)

// towers is a network of branches of so many layers each, added up at the end.
func towers(t *testing.T, branches, layers int) *Training {
	t.Helper()
	in, body, sums, sum := "", "", "", ""
	for b := range branches {
		in += fmt.Sprintf("x%d : float32[64, 256]\n", b)
		at := fmt.Sprintf("x%d", b)
		for l := range layers {
			in += fmt.Sprintf("w%d_%d : weight float32[256, 256]\n", b, l)
			body += fmt.Sprintf("h%[1]d_%[2]d = matmul(%[3]s, w%[1]d_%[2]d)\nr%[1]d_%[2]d = relu(h%[1]d_%[2]d)\n", b, l, at)
			at = fmt.Sprintf("r%d_%d", b, l)
		}
		if b == 0 {
			sum = at
			continue
		}
		sums += fmt.Sprintf("s%d = ewadd(%s, %s)\n", b, sum, at)
		sum = fmt.Sprintf("s%d", b)
	}
	g, err := graph.ParseText("towers", in+body+sums+"return "+sum+"\n")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Branches become stages side by side, and are faster so than stages that wait for each other in
// a row; both are what their files say.
func TestBranches(t *testing.T) {
	tr := towers(t, 3, 4)
	c, err := machine.Find("p3-16xlarge:1", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var time [2]machine.Time
	for i, row := range []bool{false, true} {
		p, err := Find(context.Background(), "pipeline", &Job{Strategies: strategies, Training: tr, Cluster: c, Devices: 3, Stages: 3, Row: row})
		if err != nil {
			t.Fatal(err)
		}
		l := p.Pipeline
		if len(l.Stages) != 3 || l.Row != row {
			t.Fatalf("%d stages, row %v", len(l.Stages), l.Row)
		}
		if got, want := slices.Contains(l.Stages[1].After, 0), row; got != want {
			t.Errorf("row %v: stage 2 waits for stage 1: %v", row, got)
		}
		if l.Bound > l.Makespan {
			t.Errorf("row %v: a step takes %v, at least %v", row, l.Makespan, l.Bound)
		}
		x, err := p.staging()
		if err != nil {
			t.Fatal(err)
		}
		y, err := x.judge(tr, c)
		if err != nil {
			t.Fatal(err)
		}
		if time[i] = y.makespan; y.makespan != l.Makespan || y.peak != l.Peak {
			t.Errorf("row %v: %v and %d bytes, derived again %v and %d", row, l.Makespan, l.Peak, y.makespan, y.peak)
		}
	}
	if time[0] >= time[1] {
		t.Errorf("side by side %v, in a row %v", time[0], time[1])
	}
	if _, err := Find(context.Background(), "pipeline", &Job{Strategies: strategies, Training: tr, Cluster: c, Devices: 3, Stages: 2}); !IsNone(err) {
		t.Errorf("two equal stages of three devices: %v", err)
	}
}

// What stages read is the same by their clusters as by their nodes.
func TestMerged(t *testing.T) {
	tr := towers(t, 3, 4)
	of, n, err := tr.parts(8)
	if err != nil {
		t.Fatal(err)
	}
	s := &hunt{of: of, n: n, after: tr.after(of, n)}
	if !branches(s.after) || branches(inRow(s.after)) {
		t.Fatalf("%v", s.after)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		stage, last := make([]int, n), 1
		for c := range stage {
			if c > 0 && rng.IntN(2) == 0 {
				last++
			}
			stage[c] = last
		}
		got, want := merged(s.after, stage, last), tr.after(s.stages(stage), last)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("stages %v: %v, want %v", stage, got, want)
		}
		// Without branches the longest way is all of them.
		if d := depths(inRow(want)); d[0] != last {
			t.Fatalf("%d stages in a row, depth %v", last, d)
		}
	}
	// a, then b beside c, then d.
	after := [][]int{nil, {0}, {0}, {1, 2}}
	if d := depths(after); !slices.Equal(d, []int{3, 2, 2, 1}) {
		t.Error(d)
	}
	if l := longest(after, func(i int) machine.Time { return []machine.Time{1, 5, 7, 2}[i] }); l != 10 {
		t.Error(l)
	}
	// Two branches of three, the first of which is longer: cut where the second one begins.
	after = [][]int{nil, {0}, {1}, nil, {3}}
	for _, ends := range aligned(after, []machine.Time{0, 10, 20, 32, 42, 50}, []int{2, 5}) {
		if !slices.Equal(ends, []int{3, 5}) {
			t.Error(ends)
		}
	}
}
