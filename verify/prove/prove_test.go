package prove_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/prove"
)

func parse(t testing.TB, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// All laws that come with the program are proved with the effort Search, and the checker
// accepts their certificates.
func TestProgram(t *testing.T) {
	laws, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range append(laws, axioms.Default()...) {
		if l.Kind == law.Refute {
			continue
		}
		c, err := prove.Shared.Certify(t.Context(), l, prove.Search)
		if err != nil || !c.Proved() {
			t.Errorf("%s: %s, %v", l.Name, c.Reason, err)
			continue
		}
		if _, err := meaning.Check(c.Law, c.Proof.Meaning); err != nil || c.Law != l || c.Reason != "" {
			t.Errorf("%s: %v, reason %q", l.Name, err, c.Reason)
		}
	}
}

// False laws are not proved, and there is a reason.
func TestFalse(t *testing.T) {
	for _, l := range axioms.ByKind(law.Refute) {
		for _, find := range []func(context.Context, *law.Law, prove.Effort) (prove.Certificate, error){prove.Shared.Certify, prove.Shared.Show} {
			c, err := find(t.Context(), l, prove.Search)
			if err != nil || c.Proved() && c.Law.OneWay == l.OneWay && c.Law.HasTag(law.TagOrdered) == l.HasTag(law.TagOrdered) || !c.Proved() && c.Reason == "" {
				t.Errorf("%s: proved %v, %q, %v", l.Name, c.Proved(), c.Reason, err)
			}
		}
	}
}

var weak = []struct{ text, reason, shown string }{
	{"relu(relu(X)) == relu(X)", "one normal form", "rule a [ordered]\n  given X : [n]\n  then  relu(relu(X)) == relu(X)\n"},
	{"ewadd(X, ewsub(slice[axis=0, lo=0, hi=k](X), slice[axis=0, lo=0, hi=k](X))) == X", "may be defined", ""},
	{"ewadd(X, X) == X", "one normal form", ""},
}

// A law that holds in part is shown in part, under the name of the one who asks, whatever
// was asked before.
func TestShow(t *testing.T) {
	var p prove.Prover
	for _, x := range weak {
		a, b := parse(t, "rule a given X : [n] then "+x.text), parse(t, "rule b given X : [n] then "+x.text)
		c, err := p.Certify(t.Context(), a, prove.Search)
		if err != nil || c.Proved() {
			t.Errorf("%s: %v, %v", x.text, c, err)
		}
		first, err := p.Show(t.Context(), a, prove.Search)
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Show(t.Context(), b, prove.Search)
		if err != nil || again.Proved() != first.Proved() {
			t.Fatal(again, err)
		}
		if !first.Proved() {
			if x.shown != "" || first.Law != a || again.Law != b {
				t.Errorf("%s: not shown", x.text)
			}
			continue
		}
		if again.Law.Name != "b" || !law.Same(first.Law, again.Law) || again.Law.HasTag(law.TagOrdered) != first.Law.HasTag(law.TagOrdered) {
			t.Errorf("shown\n%sand\n%s", law.Format(first.Law), law.Format(again.Law))
		}
		for _, c := range []prove.Certificate{first, again} {
			if _, err := meaning.Check(c.Law, c.Proof.Meaning); err != nil {
				t.Error(err)
			}
		}
		if text := law.Format(first.Law); x.shown != "" && text != x.shown {
			t.Errorf("shown %q, want %q", text, x.shown)
		}
	}
}

// Tags are part of what is asked: a law with the tag ordered does not prove the one without.
func TestTags(t *testing.T) {
	var p prove.Prover
	plain := parse(t, "rule a given X : [n] then relu(relu(X)) == relu(X)")
	for range 2 {
		for _, l := range []*law.Law{prove.Ordered(plain), plain} {
			if c, err := p.Certify(t.Context(), l, prove.Search); err != nil || c.Proved() != l.HasTag(law.TagOrdered) {
				t.Errorf("%v: proved %v, %v", l.Tags, c.Proved(), err)
			}
		}
	}
	all, err := p.CertifyAll(t.Context(), []*law.Law{plain, prove.Ordered(plain)}, prove.Search, 2)
	if err != nil || !all[0].Proved() || !all[0].Law.HasTag(law.TagOrdered) || !all[1].Proved() {
		t.Error(all, err)
	}
}

// What was proved is remembered by what it says: a law that prints as one that is proved,
// and says something false, is not believed because of it, and is not remembered.
func TestCacheIsNoText(t *testing.T) {
	var p prove.Prover
	ask := func(l *law.Law) bool {
		t.Helper()
		c, err := p.Certify(t.Context(), l, prove.Search)
		if err != nil {
			t.Fatal(err)
		}
		return c.Proved()
	}
	// That relu is relu, stated with a function variable that is not used; and that any
	// function, called relu, is the operator.
	good := parse(t, "rule r given f : pointwise1, X : [n] then relu(X) == relu(X)")
	good.Given[0].Name = "relu"
	bad := *good
	bad.LHS = []*law.Term{{Fn: "relu", Args: []*law.Term{law.V("X")}}}
	if law.Format(good) != law.Format(&bad) {
		t.Fatalf("they print differently:\n%s%s", law.Format(good), law.Format(&bad))
	}
	if !ask(good) {
		t.Fatal("the law is not proved")
	}
	if ask(&bad) {
		t.Errorf("believed:\n%s", law.Format(&bad))
	}
	// A size that is called as the product of two others.
	good = parse(t, "rule r given X : [a*b] then reshape[shape=[a*b]](reshape[shape=[a, b]](X)) == X")
	bad = *good
	bad.Given = []law.Declaration{{Name: "X", Shape: graph.Shape{{Dim: graph.Var("a*b")}}}}
	if law.Format(good) != law.Format(&bad) {
		t.Fatalf("they print differently:\n%s%s", law.Format(good), law.Format(&bad))
	}
	if !ask(good) || ask(&bad) {
		t.Errorf("believed:\n%s", law.Format(&bad))
	}
}

// An end of the context is no answer.
func TestCancelled(t *testing.T) {
	var p prove.Prover
	l := parse(t, "rule a given X : [n, m] then transpose(transpose(X)) == X")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := p.Certify(ctx, l, prove.Search); !errors.Is(err, context.Canceled) && !c.Proved() {
		t.Error(err)
	}
	if c, err := p.Certify(t.Context(), l, prove.Search); err != nil || !c.Proved() {
		t.Error(c.Reason, err)
	}
}

// Laws are named by their text, by several goroutines too.
func TestLemma(t *testing.T) {
	var p prove.Prover
	names := make([]string, 8)
	var wg sync.WaitGroup
	for i := range names {
		wg.Go(func() {
			l, err := p.Lemma(context.Background(), "x_", parse(t, "rule a given X : [n, m], Y : [n, m] then ewadd(X, Y) == ewadd(Y, X)"), prove.Search)
			if err != nil || l == nil {
				t.Error(l, err)
				return
			}
			names[i] = l.Name
			if _, err := meaning.Check(l, p.Proof(l.Name).Meaning); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, n := range names {
		if n != names[0] {
			t.Error(names)
		}
	}
	if l, err := p.Lemma(t.Context(), "x_", parse(t, "rule a given X : [n] then ewadd(X, X) == X"), prove.Search); l != nil || err != nil {
		t.Error(l, err)
	}
	if p.Proof("x_none") != nil {
		t.Error("a law that was not named has a proof")
	}
}

func ExampleProver_Certify() {
	for _, text := range []string{
		"rule twice given X : [m, n] then transpose(transpose(X)) == X",
		"rule moved given X : [m, n] then transpose(X) == X",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		c, err := prove.Shared.Certify(context.Background(), l, prove.Thorough)
		fmt.Println(l.Name, c.Proved(), c.Reason, err)
	}
	// Output:
	// twice true  <nil>
	// moved false the prover does not reduce both sides to one normal form <nil>
}

func ExampleProver_Show() {
	l, err := law.ParseLaw("rule twice given X : [n] then relu(relu(X)) == relu(X)")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := prove.Shared.Show(context.Background(), l, prove.Search)
	fmt.Println(c.Law.Tags, c.Proved(), err)
	// Output: [ordered] true <nil>
}

func ExampleProver_Lemma() {
	l, err := law.ParseLaw("rule sum given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")
	if err != nil {
		fmt.Println(err)
		return
	}
	var p prove.Prover
	m, err := p.Lemma(context.Background(), "my_", l, prove.Search)
	fmt.Println(m.Name, p.Proof(m.Name) != nil, err)
	// Output: my_8b2f9a536f3a307a true <nil>
}
