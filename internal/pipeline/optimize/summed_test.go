package optimize

import (
	"context"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
)

// What was proved is remembered by what it says: a law that prints as one that is proved,
// and says something false, is not believed because of it, and is not remembered.
func TestRemembered(t *testing.T) {
	var r remembered
	known := func(l *law.Law) bool { _, ok := r.number(l); return ok }
	ask := func(l *law.Law) bool {
		t.Helper()
		why, err := r.prove(context.Background(), []*law.Law{l})
		if err != nil {
			t.Fatal(err)
		}
		return why[0] == ""
	}
	parse := func(text string) *law.Law {
		t.Helper()
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	// That relu is relu, stated with a function variable that is not used; and that any
	// function, called relu, is the operator.
	good := parse("rule r given f : pointwise1, X : [n] then relu(X) == relu(X)")
	good.Given[0].Name = "relu"
	bad := *good
	bad.LHS = []*law.Term{{Fn: "relu", Args: []*law.Term{law.V("X")}}}
	if law.Format(good) != law.Format(&bad) {
		t.Fatalf("they print differently:\n%s%s", law.Format(good), law.Format(&bad))
	}
	if !ask(good) || !known(good) {
		t.Fatal("the law is not proved")
	}
	if known(&bad) || ask(&bad) || known(&bad) {
		t.Errorf("believed:\n%s", law.Format(&bad))
	}
	// A size that is called as the product of two others.
	good = parse("rule r given X : [a*b] then reshape[shape=[a*b]](reshape[shape=[a, b]](X)) == X")
	bad = *good
	bad.Given = []law.Declaration{{Name: "X", Shape: graph.Shape{{Dim: graph.Var("a*b")}}}}
	if law.Format(good) != law.Format(&bad) {
		t.Fatalf("they print differently:\n%s%s", law.Format(good), law.Format(&bad))
	}
	if !ask(good) || ask(&bad) {
		t.Errorf("believed:\n%s", law.Format(&bad))
	}
	// Under another name and kind it is the same law.
	again := *good
	again.Kind, again.Name, again.Doc = law.Axiom, "another", "A comment."
	if !known(&again) {
		t.Error("a law of another name is not known to be the same")
	}
	again.OneWay = true
	if known(&again) {
		t.Error("a law in one direction is taken for the law in both")
	}
}

// The laws that come with the program need no search: each has a certificate, or sums
// proves it at once.
func TestEvidenceOfBuiltin(t *testing.T) {
	k, err := known()
	if err != nil {
		t.Fatal(err)
	}
	all, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]*law.Law{}
	for _, l := range all {
		used[l.Name] = l
	}
	e, err := evidenceOf(context.Background(), used, nil)
	if err != nil || len(e.unproved) > 0 {
		t.Fatal(err, e.unproved)
	}
	for _, l := range k.Builtin {
		if p := e.proofs[l.Law.Name]; p != l.Proof {
			t.Errorf("law %s has another proof than its certificate", l.Law.Name)
		}
	}
}
