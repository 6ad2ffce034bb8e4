package smt

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// runFree are the goals at one choice of ranks.
func runFree(goals []*law.Law) []*law.Law {
	var out []*law.Law
	for _, g := range goals {
		ranked := atRanks(g, map[int]bool{0: true, 2: true, 4: true}, nil)
		if len(ranked) > 0 {
			out = append(out, ranked[len(ranked)-1])
		}
	}
	return out
}

func TestQuantifiedProvesTrueGoals(t *testing.T) {
	// What needs a term that occurs nowhere (X as the transpose of its transpose)
	// E-matching cannot find.
	beyond := map[string]bool{"left_distribute": true, "left_concat": true, "transpose_concat1": true,
		"smul_matmul": true, "avg": true, "pointwise": true, "squares": true}
	laws := read(t, "axioms")
	goals := runFree(read(t, "true"))
	// A context shorter than the list must not change the verdicts.
	for _, life := range []int{0, 5} {
		vs, err := (&Quantified{Laws: laws, Life: life}).Prove(context.Background(), goals)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range vs {
			if v.Status != verify.Proved && !beyond[goals[i].Name] {
				t.Errorf("%s: %s %s", goals[i].Name, v.Status, v.Reason)
			}
			if v.Status != verify.Proved && v.Reason == "" {
				t.Errorf("%s: no reason", goals[i].Name)
			}
			t.Logf("%-18s %s %6.2f ms %5d instances %s", goals[i].Name, v.Status, v.Seconds*1e3, v.Nodes, v.Reason)
		}
	}
}

func TestQuantifiedLeavesFalseGoals(t *testing.T) {
	laws := read(t, "axioms")
	goals := runFree(read(t, "false"))
	vs, err := (&Quantified{Laws: laws}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != verify.Unknown || v.Reason == "" {
			t.Errorf("%s: %s %q", goals[i].Name, v.Status, v.Reason)
		}
	}
}

// Each case differs from one that is proved in a condition only.
func TestQuantifiedIsTyped(t *testing.T) {
	laws := append(read(t, "axioms"), lawtext.Read(t, `
small | X : [n] | n < 4 | relu(X) == X
part | X : [n] | | relu(slice[axis=0, lo=0, hi=k](X)) == slice[axis=0, lo=0, hi=k](X)
cut | X : [n], Y : [m] | | slice[axis=0, lo=0, hi=n](concat[axis=0](X, Y)) == X
down | X : [n] | | slice[axis=0, lo=1, hi=n](relu(X)) => slice[axis=0, lo=1, hi=n](X)
zero_slice | f : zero1, X : [n] | | f(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](f(X))
`)...)
	for _, c := range []struct {
		goal string
		want verify.Status
	}{
		{"a | X : [3] | | relu(X) == X", verify.Proved},
		{"a | X : [4] | | relu(X) == X", verify.Unknown},
		{"a | X : [n] | n < 3 | relu(X) == X", verify.Proved},
		{"a | X : [n] | n < 5 | relu(X) == X", verify.Unknown},
		{"a | X : [n+1] | | relu(slice[axis=0, lo=0, hi=n](X)) == slice[axis=0, lo=0, hi=n](X)", verify.Proved},
		// Y's slice is undefined if m = 1, and then so is the left side only.
		{"a | X : [n], Y : [m] | | slice[axis=0, lo=0, hi=n](concat[axis=0](X, slice[axis=0, lo=1, hi=2](Y))) => X", verify.Proved},
		{"a | X : [n], Y : [m] | | slice[axis=0, lo=0, hi=n](concat[axis=0](X, slice[axis=0, lo=1, hi=2](Y))) == X", verify.Unknown},
		{"a | X : [n], Y : [m] | m > 1 | slice[axis=0, lo=0, hi=n](concat[axis=0](X, slice[axis=0, lo=1, hi=2](Y))) == X", verify.Proved},
		{"a | X : [n] | | split[axis=0, at=1](X).0 => slice[axis=0, lo=0, hi=1](X)", verify.Proved},
		{"a | X : [n] | | slice[axis=0, lo=0, hi=1](X) => split[axis=0, at=1](X).0", verify.Unknown},
		{"a | X : [n] | n > 1 | slice[axis=0, lo=0, hi=1](X) => split[axis=0, at=1](X).0", verify.Proved},
		{"a | X : [n] | | slice[axis=0, lo=1, hi=n](relu(X)) => slice[axis=0, lo=1, hi=n](X)", verify.Proved},
		{"a | f : zero1, X : [n] | | f(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](f(X))", verify.Proved},
		{"a | f : pointwise1, X : [n] | | f(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](f(X))", verify.Unknown},
		{"a | X : [P..] | | relu(relu(X)) == relu(X)", verify.Unknown},
	} {
		goal := lawtext.Read(t, c.goal)
		vs, err := (&Quantified{Laws: laws}).Prove(context.Background(), goal)
		if err != nil {
			t.Fatalf("%s: %v", c.goal, err)
		}
		if vs[0].Status != c.want {
			t.Errorf("%s: %s %s, want %s", c.goal, vs[0].Status, vs[0].Reason, c.want)
		}
	}
}

func TestQuantifiedStops(t *testing.T) {
	laws := read(t, "axioms")
	goals := runFree(read(t, "true"))[:3]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	vs, err := (&Quantified{Laws: laws}).Prove(ctx, goals)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vs {
		if v.Status != verify.Unknown || v.Stop != "deadline" {
			t.Errorf("%s %q", v.Status, v.Stop)
		}
	}
	vs, err = (&Quantified{Laws: laws, Steps: 10}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vs {
		if v.Status != verify.Unknown {
			t.Errorf("proved in 10 steps")
		}
	}
}

func TestAtRanks(t *testing.T) {
	l := lawtext.Read(t, "l | X : [P.., a, S..], Y : [P.., b, S..] | | concat[axis=#P](X, Y) == concat[axis=#P](X, Y)")[0]
	var got []string
	for _, m := range atRanks(l, map[int]bool{1: true, 3: true}, nil) {
		got = append(got, m.Given[0].Shape.String()+m.LHS[0].String())
	}
	want := "[a]concat[axis=0](X, Y) [a, S_0, S_1]concat[axis=0](X, Y) [P_0, a, S_0]concat[axis=1](X, Y) [P_0, P_1, a]concat[axis=2](X, Y)"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

func ExampleQuantified() {
	axiom, _ := law.ParseLaw("axiom comm given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)")
	goal, _ := law.ParseLaw("rule r given X : [m, n] then relu(ewadd(X, relu(X))) == relu(ewadd(relu(X), X))")
	vs, err := (&Quantified{Laws: []*law.Law{axiom}}).Prove(context.Background(), []*law.Law{goal})
	fmt.Println(vs[0].Status, err)
	// Output: proved <nil>
}

// The goals are those of BenchmarkEGraphTrue and False, at ranks 0, 2 and 4.
func BenchmarkQuantifiedTrue(b *testing.B)  { benchmarkQuantified(b, "true") }
func BenchmarkQuantifiedFalse(b *testing.B) { benchmarkQuantified(b, "false") }

func benchmarkQuantified(b *testing.B, file string) {
	laws, goals := read(b, "axioms"), runFree(read(b, file))
	p := &Quantified{Laws: laws}
	proved, n := 0, 0
	for b.Loop() {
		vs, err := p.Prove(context.Background(), goals)
		if err != nil {
			b.Fatal(err)
		}
		for _, v := range vs {
			n++
			if v.Status == verify.Proved {
				proved++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(n), "ms/goal")
	b.ReportMetric(float64(proved)/float64(n), "proved/goal")
}

// Laws with permutation variables are used at the permutations of the goals, and so prove
// what they say of these.
func TestQuantifiedPermutations(t *testing.T) {
	parse := func(text string) *law.Law {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	laws := []*law.Law{
		parse("axiom there given X : [S..], q : perm then transpose[perm=inverse(q)](transpose[perm=q](X)) == X"),
		parse("axiom side given X : [A.., m, B..], Y : [A.., n, B..], q : perm then transpose[perm=q](concat[axis=#A](X, Y)) == concat[axis=at(inverse(q), #A)](transpose[perm=q](X), transpose[perm=q](Y))"),
	}
	goals := []*law.Law{
		parse("rule a given X : [a, b, c] then transpose[perm=(2, 0, 1)](transpose[perm=(1, 2, 0)](X)) == X"),
		parse("rule b given X : [a, b, c], Y : [d, b, c] then transpose[perm=(1, 2, 0)](concat[axis=0](X, Y)) == concat[axis=2](transpose[perm=(1, 2, 0)](X), transpose[perm=(1, 2, 0)](Y))"),
		parse("rule c given X : [n, n, n] then transpose[perm=(1, 2, 0)](transpose[perm=(1, 2, 0)](X)) == X"),
		parse("rule d given X : [n, n, n], Y : [n, n, n] then transpose[perm=(1, 2, 0)](concat[axis=0](X, Y)) == transpose[perm=(1, 2, 0)](concat[axis=0](Y, X))"),
	}
	vs, err := (&Quantified{Laws: laws}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false} {
		if got := vs[i].Status == verify.Proved; got != want {
			t.Errorf("%s: proved: %v, want %v (%s)", goals[i].Name, got, want, vs[i].Reason)
		}
	}
}
