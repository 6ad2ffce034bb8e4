package bench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph/op"
)

// What saturates has as many classes and nodes as there are sets, or intervals, of
// leaves and ways to cut them in two.
func TestOursSaturates(t *testing.T) {
	for _, c := range []struct {
		name           string
		task           *peerTask
		classes, nodes int
	}{
		{"sum of 6", sumOf(6), 1<<6 - 1, 729 - 1<<7 + 1 + 6},
		{"product of 12", productOf(12), 12 * 13 / 2, 12 + (12*12*12-12)/6},
	} {
		o, err := ours(context.Background(), c.task)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Saturated || o.Classes != c.classes || o.Nodes != c.nodes {
			t.Errorf("%s: saturated %v, %d classes, %d nodes, want %d, %d", c.name, o.Saturated, o.Classes, o.Nodes, c.classes, c.nodes)
		}
	}
}

func sumOf(n int) *peerTask {
	t := &peerTask{rounds: saturating}
	t.chain(op.EWAdd, n)
	return t
}

func productOf(n int) *peerTask {
	t := &peerTask{rounds: saturating}
	t.chain(op.MatMul, n)
	return t
}

func TestOurTowers(t *testing.T) {
	o, err := ourTowers(context.Background(), 20, 5)
	if err != nil || o.Classes != 6 || o.Nodes != 25 {
		t.Errorf("%+v, %v; want 6 classes, 20 leaves and 5 nodes", o, err)
	}
}

// What other programs are given is the laws' text.
func TestPeerRules(t *testing.T) {
	rules, err := peerRules(tensor.NewTable())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rules {
		l, to := sides(r, "?", "")
		got = append(got, l+" "+to)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		"(ewadd ?X ?Y) (ewadd ?Y ?X)",
		"(matmul ?X (matmul ?Y ?Z)) (matmul (matmul ?X ?Y) ?Z)",
		"(matmul (matmul ?X ?Y) ?Z) (matmul ?X (matmul ?Y ?Z))",
		"(transpose (matmul ?X ?Y)) (matmul (transpose ?Y) (transpose ?X))",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no rule %s in\n%s", want, all)
		}
	}
	if strings.Contains(all, " (transpose (transpose") {
		t.Error("a rule introduces transpositions anywhere")
	}
}

func TestPeersAbsent(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("TASO_EGGLOG_PYTHON", "")
	_, err := egraphPeers(context.Background(), &Env{})
	var m *Missing
	if !errors.As(err, &m) || !strings.Contains(m.What, "cargo") || !strings.Contains(m.What, "TASO_EGGLOG_PYTHON") {
		t.Errorf("got %v, want what is missing", err)
	}
}

func TestTurnsMustAgree(t *testing.T) {
	turn := 0
	p := peerProgram{name: "one", run: func(context.Context, *peerTask) (*outcome, error) {
		turn++
		return &outcome{Nodes: 7, Classes: 3, Seconds: 4 / float64(turn)}, nil
	}}
	best, err := taskInTurns(context.Background(), []peerProgram{p, p}, nil)
	if err != nil || best[0].Seconds != 0.8 {
		t.Errorf("%+v, %v; want the shortest time, 4/5 s", best[0], err)
	}
	q := p
	q.run = func(context.Context, *peerTask) (*outcome, error) { return &outcome{Nodes: 8, Classes: 3}, nil }
	if _, err := taskInTurns(context.Background(), []peerProgram{p, q}, nil); err == nil {
		t.Error("programs with different e-graphs are compared")
	}
}
