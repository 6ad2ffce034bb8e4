package found

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

func parse(t testing.TB, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func source(t testing.TB, name string, texts ...string) Source {
	t.Helper()
	s := &rules.Set{}
	for _, text := range texts {
		r, err := rules.New(parse(t, "rule x "+text))
		if err != nil {
			t.Fatal(err)
		}
		r.Status, r.Level = rules.Proved, 2
		s.Add(r)
	}
	return Source{name, s}
}

const (
	distribute = "given A : [a, b], B : [b, c], C : [b, c] then matmul(A, ewadd(B, C)) == ewadd(matmul(A, B), matmul(A, C))"
	negative   = "given A : [P..], B : [P..] then ewadd(A, neg(B)) == ewsub(A, B)"
	product    = "given A : [a, b], B : [b, c] then matmul(A, neg(B)) == neg(matmul(A, B))"
	square     = "given A : [a, b] then relu(transpose(A)) == transpose(relu(A))"
)

// Each law gets the outcome and the reason that its rules and operators give.
func TestLaws(t *testing.T) {
	goals := []*law.Law{
		parse(t, "axiom same given X : [m, k], Y : [k, n], Z : [k, n] then matmul(X, ewadd(Y, Z)) == ewadd(matmul(X, Y), matmul(X, Z))"),
		parse(t, "lemma follows given X : [m, k], Y : [k, n], Z : [k, n] then matmul(X, ewsub(Y, Z)) == ewsub(matmul(X, Y), matmul(X, Z))"),
		parse(t, "axiom wide given X : [S..], q : perm then relu(transpose[perm=q](X)) == transpose[perm=q](relu(X))"),
		parse(t, "axiom other given X : [P..] then exp(X) == exp(X)"),
		parse(t, "axiom large given A : [P..], B : [P..], C : [P..], D : [P..] then ewadd(ewadd(A, B), ewadd(C, D)) == ewadd(ewadd(A, C), ewadd(B, D))"),
	}
	r, err := Laws(context.Background(), goals, []Source{source(t, "a", distribute, negative), source(t, "b", product, square)}, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		outcome Outcome
		reason  Reason
	}{{Found, ""}, {Implied, ""}, {Missing, Special}, {Missing, NoOperator}, {Missing, TooLarge}}
	for i, l := range r.Laws {
		if l.Outcome != want[i].outcome || l.Reason != want[i].reason {
			t.Errorf("%s: %s, %s; want %s, %s", l.Name, l.Outcome, l.Reason, want[i].outcome, want[i].reason)
		}
	}
	if l := r.Laws[0]; l.In != "a" || l.Level != 2 || l.Rule == "" {
		t.Errorf("%+v", l)
	}
	if l := r.Laws[1]; len(l.From) != 3 || slices.Contains(l.From, "same") {
		t.Errorf("derived from %v, want the three rules", l.From)
	}
	if l := r.Laws[2]; l.Detail != "perm, rank" {
		t.Errorf("constant: %q", l.Detail)
	}
	if r.Total != (Count{1, 1, 3}) || r.Sources[0].Found != 1 || len(r.Reasons) != 3 {
		t.Errorf("%+v", r)
	}
}

// That operands may be exchanged follows from no rule, and is proved. A rule that says nothing
// states no law.
func TestExchanged(t *testing.T) {
	goals := []*law.Law{
		parse(t, "axiom sum given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)"),
		parse(t, "axiom product given X : [P..], Y : [P..] then ewmul(X, Y) == ewmul(Y, X)"),
	}
	r, err := Laws(context.Background(), goals, []Source{source(t, "a", distribute, "given A : [P..], B : [P..] then ewadd(A, B) == ewadd(B, A)")}, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Laws[0]; l.Outcome != Implied || !slices.Equal(l.From, []string{"exchange_ewadd"}) {
		t.Errorf("%s from %v", l.Outcome, l.From)
	}
	if l := r.Laws[1]; l.Outcome != Missing || l.Reason != NoOperator {
		t.Errorf("%s: %s", l.Outcome, l.Reason)
	}
}

// A law of all functions does not follow from a rule about the true relu.
func TestOrdered(t *testing.T) {
	g := parse(t, "axiom g given X : [P..] then relu(relu(X)) == relu(X)")
	s := source(t, "a", "given A : [P..] then relu(relu(A)) == relu(A)")
	s.Set.Rules[0].Law.Tags = []string{law.TagOrdered}
	r, err := Laws(context.Background(), []*law.Law{g}, []Source{s}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Missing != 1 {
		t.Errorf("%+v", r.Laws[0])
	}
}

// Laws stops when its context ends.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Laws(ctx, []*law.Law{parse(t, "axiom g given X : [P..] then relu(relu(X)) == relu(X)")}, nil, Options{}); err == nil {
		t.Error("the end of the context is no error")
	}
}

func ExampleLaws() {
	goal, _ := law.ParseLaw("axiom negative given X : [P..] then neg(neg(X)) == X")
	rule, _ := rules.Parse("rule x given A : [P..] then neg(neg(A)) == A")
	rule.Status, rule.Level = rules.Proved, 2
	r, err := Laws(context.Background(), []*law.Law{goal}, []Source{{"my.rules", &rules.Set{Rules: []*rules.Rule{rule}}}}, Options{})
	fmt.Println(r.Laws[0].Outcome, r.Laws[0].In, err)
	// Output: found my.rules <nil>
}
