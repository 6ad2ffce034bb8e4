package verify

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

func lawsByName(ls []*law.Law) map[string]*law.Law {
	m := map[string]*law.Law{}
	for _, l := range ls {
		m[l.Name] = l
	}
	return m
}

// TestEGraphProves: every true goal is proved, and the proof holds without the
// e-graph; no instance of it can be left out.
func TestEGraphProves(t *testing.T) {
	laws := lawtext.Read(t, testAxioms)
	goals := lawtext.Read(t, trueGoals)
	vs, err := (&EGraph{Laws: laws, Workers: 2}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	byName := lawsByName(laws)
	for i, v := range vs {
		if v.Status != Proved {
			t.Errorf("%s: %s %s (%d nodes, %d rounds)", goals[i].Name, v.Status, v.Reason, v.Nodes, v.Iters)
			continue
		}
		t.Logf("%-18s %6.2f ms %5d nodes %2d rounds %2d instances %v",
			goals[i].Name, v.Seconds*1e3, v.Nodes, v.Iters, len(v.Proof.Instances), v.Proof.Laws())
		if err := checkProof(goals[i], byName, v.Proof); err != nil {
			t.Errorf("%s: %v", goals[i].Name, err)
		}
		for j := range v.Proof.Instances {
			less := &law.Proof{Instances: append(append([]law.Instance{}, v.Proof.Instances[:j]...), v.Proof.Instances[j+1:]...)}
			if checkProof(goals[i], byName, less) == nil {
				t.Errorf("%s: instance %d of %s is not needed", goals[i].Name, j, v.Proof.Instances[j].Law)
			}
		}
	}
}

// TestEGraphMirror: a goal with its sides exchanged is proved as well.
func TestEGraphMirror(t *testing.T) {
	goals := lawtext.Read(t, trueGoals)
	for _, g := range goals {
		g.LHS, g.RHS = g.RHS, g.LHS
	}
	laws := lawtext.Read(t, testAxioms)
	vs, err := (&EGraph{Laws: laws}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != Proved {
			t.Errorf("%s: %s %s", goals[i].Name, v.Status, v.Reason)
		} else if err := checkProof(goals[i], lawsByName(laws), v.Proof); err != nil {
			t.Errorf("%s: %v", goals[i].Name, err)
		}
	}
}

// TestEGraphLeavesFalse: nothing false is proved, and a reason is given.
func TestEGraphLeavesFalse(t *testing.T) {
	laws := lawtext.Read(t, testAxioms)
	goals := lawtext.Read(t, falseGoals)
	vs, err := (&EGraph{Laws: laws, Workers: 2}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != Unknown || v.Reason == "" || v.Stop == "" || v.Proof != nil {
			t.Errorf("%s: %+v", goals[i].Name, v)
		}
		t.Logf("%-18s %6.2f ms %5d nodes %2d rounds %s", goals[i].Name, v.Seconds*1e3, v.Nodes, v.Iters, v.Reason)
	}
}

// verdictText is everything of a verdict but the time.
func verdictText(vs []Verdict) string {
	var b strings.Builder
	for _, v := range vs {
		v.Seconds = 0
		proof := v.Proof
		v.Proof = nil
		fmt.Fprintf(&b, "%+v\n", v)
		if proof != nil {
			for _, in := range proof.Instances {
				fmt.Fprintf(&b, "  %s %v %v %v %v %v\n", in.Law, in.Tensors, in.Dims, in.Runs, in.Attrs, in.Fns)
			}
		}
	}
	return b.String()
}

// TestEGraphWorkers: verdicts and proofs do not depend on the number of
// workers, nor on the order of the goals.
func TestEGraphWorkers(t *testing.T) {
	laws := lawtext.Read(t, testAxioms)
	goals := append(lawtext.Read(t, trueGoals), lawtext.Read(t, falseGoals)...)
	var want string
	for workers := 1; workers <= 3; workers++ {
		var calls atomic.Int64
		p := &EGraph{Laws: laws, Workers: workers, Progress: func(int) { calls.Add(1) }}
		vs, err := p.Prove(context.Background(), goals)
		if err != nil {
			t.Fatal(err)
		}
		if int(calls.Load()) != len(goals) {
			t.Errorf("%d workers: %d calls of Progress, want %d", workers, calls.Load(), len(goals))
		}
		got := verdictText(vs)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, got, want)
		}
	}
	back := make([]*law.Law, len(goals))
	for i, g := range goals {
		back[len(goals)-1-i] = g
	}
	vs, err := (&EGraph{Laws: laws, Workers: 1}).Prove(context.Background(), back)
	if err != nil {
		t.Fatal(err)
	}
	turned := make([]Verdict, len(vs))
	for i, v := range vs {
		turned[len(vs)-1-i] = v
	}
	if got := verdictText(turned); got != want {
		t.Errorf("goals in reverse:\n%s\nwant\n%s", got, want)
	}
}

// TestEGraphConditions: a condition has to hold or be one of the goal's own.
func TestEGraphConditions(t *testing.T) {
	laws := lawtext.Read(t, `
odd | X : [m, n] | m != n | transpose(relu(X)) == relu(transpose(X))
least | X : [m] | m >= 2 | relu(relu(X)) == relu(X)
cut | X : [P.., n, S..] | k < n | concat[axis=#P](slice[axis=#P, lo=0, hi=k](X), slice[axis=#P, lo=k, hi=n](X)) == X`)
	for line, want := range map[string]Status{
		`a | X : [p, q] | | transpose(relu(X)) == relu(transpose(X))`:          Unknown,
		`b | X : [p, q] | p != q | transpose(relu(X)) == relu(transpose(X))`:   Proved,
		`c | X : [p, p] | | transpose(relu(X)) == relu(transpose(X))`:          Unknown,
		`d | X : [p, p+1] | | transpose(relu(X)) == relu(transpose(X))`:        Proved,
		`e | X : [p, q+1] | q != p | transpose(relu(X)) == relu(transpose(X))`: Unknown,
		`f | X : [3] | | relu(relu(X)) == relu(X)`:                             Proved,
		`g | X : [1] | | relu(relu(X)) == relu(X)`:                             Unknown,
		`h | X : [a+b] | | relu(relu(X)) == relu(X)`:                           Proved,
		`i | X : [a] | | relu(relu(X)) == relu(X)`:                             Unknown,
		// Where the left side is defined, h < p; the right side is defined always.
		`j | X : [p] | | concat[axis=0](slice[axis=0, lo=0, hi=h](X), slice[axis=0, lo=h, hi=p](X)) == X`:          Unknown,
		`k | X : [p] | | concat[axis=0](slice[axis=0, lo=0, hi=h](X), slice[axis=0, lo=h, hi=p](X)) => X`:          Proved,
		`l | X : [p] | p > h | concat[axis=0](slice[axis=0, lo=0, hi=h](X), slice[axis=0, lo=h, hi=p](X)) == X`:    Proved,
		`m | X : [p] | h+3 <= p | concat[axis=0](slice[axis=0, lo=0, hi=h](X), slice[axis=0, lo=h, hi=p](X)) == X`: Proved,
		`n | X : [p] | h <= p | concat[axis=0](slice[axis=0, lo=0, hi=h](X), slice[axis=0, lo=h, hi=p](X)) == X`:   Unknown,
	} {
		goal := lawtext.Read(t, line)[0]
		v, err := Derive(context.Background(), goal, laws, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != want {
			t.Errorf("%s: %s, want %s", line, v.Status, want)
		}
		if v.Status == Proved {
			if _, err := check.Rule(goal, v.Proof, check.Laws(lawsByName(laws))); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestEGraphRefuses: what is wrong with goals is said of the goal, what is
// wrong with laws is an error.
func TestEGraphRefuses(t *testing.T) {
	laws := lawtext.Read(t, testAxioms)
	for line, want := range map[string]string{
		`a | X : [m, n], Y : [n, m] | | ewadd(X, Y) == ewadd(Y, X)`: "left side: ewadd(X, Y)",
		`b | X : [m, n] | | X == transpose(X)`:                      "left side has shape [m, n], right side [n, m]",
	} {
		v, err := Derive(context.Background(), lawtext.Read(t, line)[0], laws, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != Unknown || v.Stop != "ill-typed" || !strings.Contains(v.Reason, want) {
			t.Errorf("%s: %+v, want %q", line, v, want)
		}
	}
	goal := lawtext.Read(t, `g | X : [m] | | relu(X) == relu(X)`)[0]
	free := *goal
	free.RHS = []*law.Term{law.V("Y")}
	v, err := Derive(context.Background(), &free, laws, nil)
	if err != nil || v.Status != Unknown || !strings.Contains(v.Reason, "tensor Y has no shape") {
		t.Errorf("unbound tensor: %+v, %v", v, err)
	}
	bad := lawtext.Read(t, `bad | X : [m, n] | | ewadd(X, transpose(X)) == X`)
	if _, err := Derive(context.Background(), goal, bad, nil); err == nil || !strings.Contains(err.Error(), "law bad") {
		t.Errorf("ill-typed law: %v", err)
	}
	twice := append(lawtext.Read(t, testAxioms), laws[0])
	if _, err := Derive(context.Background(), goal, twice, nil); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("name used twice: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	goal = lawtext.Read(t, `g | A : [m, n], X : [n, q] | | ewadd(matmul(A, X), matmul(A, X)) == matmul(A, ewadd(X, X))`)[0]
	v, err = Derive(ctx, goal, laws, nil)
	if err != nil || v.Status != Unknown || v.Stop != tensor.StopDeadline {
		t.Errorf("ended context: %+v, %v", v, err)
	}
}

// TestSession: laws added later are used, a law that cannot be added leaves the
// session as it was, and verdicts are those of EGraph.
func TestSession(t *testing.T) {
	laws := lawtext.Read(t, testAxioms)
	goals := append(lawtext.Read(t, trueGoals), lawtext.Read(t, falseGoals)...)
	s, err := NewSession(nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.Prove(context.Background(), goals[0]); err != nil || v.Status != Unknown {
		t.Errorf("without laws: %+v, %v", v, err)
	}
	for i, l := range laws {
		if err := s.Add(l); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(l); err == nil {
			t.Errorf("law %s was added twice", l.Name)
		}
		if i == 3 {
			bad := lawtext.Read(t, `bad | X : [m, n] | | ewadd(X, transpose(X)) == X`)[0]
			if err := s.Add(bad); err == nil {
				t.Error("an ill-typed law was added")
			}
		}
	}
	var got []Verdict
	for _, g := range goals {
		v, err := s.Prove(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	want, err := (&EGraph{Laws: laws}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	if verdictText(got) != verdictText(want) {
		t.Errorf("got\n%s\nwant\n%s", verdictText(got), verdictText(want))
	}
}

// TestEGraphReflexive: equal sides need no law.
func TestEGraphReflexive(t *testing.T) {
	goal := lawtext.Read(t, `g | X : [m, n] | | slice[axis=1, lo=0, hi=1](relu(X)) == slice[axis=1, lo=0, hi=1](relu(X))`)[0]
	v, err := Derive(context.Background(), goal, nil, nil)
	if err != nil || v.Status != Proved || len(v.Proof.Instances) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

func benchmarkGoals(b *testing.B, text string) {
	laws := lawtext.Read(b, testAxioms)
	goals := lawtext.Read(b, text)
	var many []*law.Law
	for range 20 {
		many = append(many, goals...)
	}
	for b.Loop() {
		if _, err := (&EGraph{Laws: laws, Workers: 1}).Prove(context.Background(), many); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(many))*float64(b.N)/b.Elapsed().Seconds(), "goals/s")
}

// BenchmarkEGraphTrue and ...False decide goals on one core.
func BenchmarkEGraphTrue(b *testing.B)  { benchmarkGoals(b, trueGoals) }
func BenchmarkEGraphFalse(b *testing.B) { benchmarkGoals(b, falseGoals) }
