package genrules

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
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
	rep := twoOperators(t)
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
		rs, err := j.meant(context.Background(), goals, prove.Search, func() {})
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
	j.Theory = s.t
	if _, err := j.derived(context.Background(), goals, deriveRounds[:2], func() {}); err == nil || !strings.Contains(err.Error(), "another law") {
		t.Errorf("error %v", err)
	}
	for _, q := range []Question{{}, {Law: "rule r"}, {Law: law.Format(goals[0])}, {Law: law.Format(goals[0]), Rounds: 99}} {
		if _, err := s.Solve(context.Background(), q); err == nil {
			t.Errorf("%+v has an answer", q)
		}
	}
}

// A counterexample that a worker made up, or that is of another law, ends the run; what it
// says of the sides is not believed either.
func TestSolverFalseWitness(t *testing.T) {
	s, err := NewSolver(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) *law.Law {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	sum := read("rule no given X : [n], Y : [n] then relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))")
	twice := read("rule twice given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")
	// More than are answered by the run itself.
	goals := []*law.Law{sum}
	for n := 2; n <= 2+fewQuestions; n++ {
		goals = append(goals, read(fmt.Sprintf("rule s given X : [%d] then relu(X) == X", n)))
	}
	plain, err := (&judge{opt: &Options{Seed: 1, Workers: 2}}).refuted(context.Background(), goals, fewBindings)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		goals []*law.Law
		spoil func(a *Answer)
		want  string
	}{
		{"as found", goals, nil, ""},
		{"other sides", goals, func(a *Answer) { a.Witness.Left, a.Witness.Right = "7", "8" }, ""},
		{"equal sides", goals, func(a *Answer) {
			for i := range a.Witness.Inputs {
				for k := range a.Witness.Inputs[i].Values {
					a.Witness.Inputs[i].Values[k] = "0"
				}
			}
		}, "no: replay no: the sides are equal"},
		{"no sizes", goals, func(a *Answer) { a.Witness.Dims = nil }, "no: replay no: "},
		{"of a true law", append([]*law.Law{twice}, goals...), func(a *Answer) {
			if a.Witness == nil {
				a.Witness = plain[0]
			}
		}, "twice: replay twice: the sides are equal"},
	} {
		j := &judge{opt: &Options{Seed: 1, Workers: 2, Cluster: &through{t: t, s: s, spoil: c.spoil}}}
		ws, err := j.refuted(context.Background(), c.goals, fewBindings)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, w := range ws {
			if w == nil || w.String() != plain[i].String() {
				t.Errorf("%s: %s: %v, want %v", c.name, law.Format(c.goals[i]), w, plain[i])
			}
		}
	}
}

func ExampleNewDeriver() {
	var laws []*law.Law
	for _, text := range []string{"transpose(transpose(X)) == X", "transpose(relu(X)) == relu(transpose(X))", "transpose(relu(transpose(X))) == relu(X)"} {
		l, err := law.ParseLaw("rule r given X : [a, b] then " + text)
		if err != nil {
			fmt.Println(err)
			return
		}
		l.Name = law.ID(l)
		laws = append(laws, l)
	}
	derive, err := NewDeriver(laws[:2])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(derive(laws[2]))
	derive, err = NewDeriver(laws[:1])
	fmt.Println(derive(laws[2]), err)
	// Output:
	// true
	// false <nil>
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

// TestIsAnswer: the proof of another law is no answer, whatever its name.
func TestIsAnswer(t *testing.T) {
	parse := func(text string) *law.Law {
		l, err := law.ParseLaw("rule r given X : [P..], Y : [P..] then " + text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	goal := parse("relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))")
	tagged := parse("relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))")
	tagged.Tags = []string{law.TagOrdered}
	for _, c := range []struct {
		shown, goal *law.Law
		want        bool
	}{
		{goal, goal, true}, {tagged, goal, true}, {goal, tagged, false},
		{law.OneDirection(goal, false), goal, true}, {law.OneDirection(goal, true), goal, true},
		{goal, law.OneDirection(goal, false), false}, {parse("relu(relu(X)) == relu(X)"), goal, false},
	} {
		r, err := canonical(c.shown)
		if err != nil {
			t.Fatal(err)
		}
		if got := isAnswer(r.Law, c.goal); got != c.want {
			t.Errorf("%s for %s: %v", law.Format(r.Law), law.Format(c.goal), got)
		}
	}
}
