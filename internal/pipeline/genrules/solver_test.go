package genrules

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// through answers questions by a solver, and as text on the way.
type through struct {
	Cluster
	t     testing.TB
	s     *Solver
	asked int
	spoil func(*Answer)
}

func (c *through) Solve(ctx context.Context, list []Question) ([]Answer, error) {
	var out []Answer
	for _, q := range list {
		c.asked++
		a, err := c.s.Solve(ctx, q)
		if err != nil {
			return nil, err
		}
		if c.spoil != nil {
			c.spoil(&a)
		}
		text, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		var b Answer
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// judgeOf is a judge with questions from a run: goals that are proved, refuted and
// unknown.
func judgeOf(t *testing.T, c Cluster) (*judge, []*law.Law) {
	t.Helper()
	rep := generate(t, Options{MaxOps: 2, Seed: 1})
	var goals []*law.Law
	for i, r := range rep.Set.Rules {
		if i < 30 {
			goals = append(goals, r.Law)
		}
	}
	for _, u := range rep.Unproved {
		if l, err := law.ParseLaw(u.Law); err == nil {
			goals = append(goals, l)
		}
	}
	for _, text := range []string{
		"rule no given X : [n], Y : [n] then relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))",
		"rule twice given X : [n] then relu(relu(X)) == relu(X)",
		"rule shapes given X : [n], Y : [n] then concat[axis=0](X, Y) == ewadd(X, Y)",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		goals = append(goals, l)
	}
	goals = append(goals, goals[0], goals[len(goals)-1])
	j, err := newJudge(context.Background(), nil, &Options{Seed: 1, Workers: 2, Cluster: c})
	if err != nil {
		t.Fatal(err)
	}
	return j, goals
}

// The answers of others are those of this process.
func TestSolver(t *testing.T) {
	s, err := NewSolver(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &through{t: t, s: s}
	here, goals := judgeOf(t, nil)
	there, _ := judgeOf(t, c)
	there.Theory, here.Theory = s.t, s.t
	all := func(j *judge) string {
		var b strings.Builder
		ps, err := j.derived(context.Background(), goals, deriveRounds[:2], func() {})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ps {
			fmt.Fprintln(&b, law.ID(p.Goal), p.Forward, p.Backward, p.Verdict.Status, p.Verdict.Reason, p.Verdict.Stop, p.Verdict.Engine)
			if p.Verdict.Proof != nil {
				fmt.Fprintln(&b, law.NewCertRule("", p.Goal, p.Verdict.Proof))
			}
		}
		rs, err := j.meant(context.Background(), goals, mostWork)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			if r != nil {
				fmt.Fprintln(&b, r.ID(), r.Proof.Meaning)
			}
		}
		ws, err := j.refuted(context.Background(), goals, fewBindings)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range ws {
			if w != nil {
				fmt.Fprintln(&b, w)
			}
		}
		return b.String()
	}
	want := all(here)
	if got := all(there); got != want {
		t.Errorf("%s", unlike(got, want))
	}
	if c.asked != 3*(len(goals)-2) || !strings.Contains(want, " true true proved") {
		t.Errorf("%d questions about %d laws: %.2000s", c.asked, len(goals)-2, want)
	}
}

// A proof that a worker made up, or that is of another law, proves nothing.
func TestSolverSpoiled(t *testing.T) {
	s, err := NewSolver(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var last *law.CertRule
	c := &through{t: t, s: s, spoil: func(a *Answer) { a.Proof, last = last, a.Proof }}
	j, goals := judgeOf(t, c)
	if _, err := j.derived(context.Background(), goals, deriveRounds[:2], func() {}); err == nil || !strings.Contains(err.Error(), "another law") {
		t.Errorf("error %v", err)
	}
	for _, q := range []Question{{}, {Law: "rule r"}, {Law: law.Format(goals[0])}, {Law: law.Format(goals[0]), Rounds: 99}} {
		if _, err := s.Solve(context.Background(), q); err == nil {
			t.Errorf("%+v has an answer", q)
		}
	}
}

func ExampleNewSolver() {
	s, err := NewSolver(context.Background(), []string{"ewadd", "relu"})
	if err != nil {
		fmt.Println(err)
		return
	}
	const text = "rule r given X : [n], Y : [n] then %s == %s"
	a, err := s.Solve(context.Background(), Question{Law: fmt.Sprintf(text, "ewadd(X, Y)", "ewadd(Y, X)"), Rounds: 2})
	fmt.Println(a.Proof != nil, err)
	a, err = s.Solve(context.Background(), Question{Law: fmt.Sprintf(text, "relu(ewadd(X, Y))", "ewadd(relu(X), relu(Y))"), Bindings: 40, Seed: 1})
	fmt.Println(a.Witness != nil, err)
	// Output:
	// true <nil>
	// true <nil>
}
