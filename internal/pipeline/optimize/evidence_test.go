package optimize

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
)

// Each law that comes with the program is proved from operator semantics, and no law is
// believed.
func TestEvidenceOfBuiltin(t *testing.T) {
	all, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]*law.Law{}
	for _, l := range all {
		used[l.Name] = l
	}
	e, err := evidenceOf(context.Background(), used, nil)
	if err != nil || len(e.unproved) > 0 || len(e.lemmas) != len(used) {
		t.Fatal(err, len(e.lemmas), e.unproved)
	}
	for _, l := range e.lemmas {
		if l.proof.Meaning == nil || !law.Same(l.law, used[l.law.Name]) {
			t.Errorf("law %s has another proof", l.law.Name)
		}
	}
}

// Proofs that are given may use laws that have proofs of their own; where one of these has
// none, the law is proved anew or is unproved.
func TestEvidenceOfGiven(t *testing.T) {
	parse := func(text string) *law.Law {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	good := parse("rule good given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")
	bad := parse("rule bad given X : [n] then neg(X) == X")
	used := map[string]*law.Law{"good": good, "bad": bad}
	by := func(name string) *law.Proof { return &law.Proof{Instances: []law.Instance{{Law: name}}} }
	for _, c := range []struct {
		good, bad string
		given     bool // the proof of good stays
	}{{"ewadd_comm", "none", true}, {"bad", "good", false}, {"none", "bad", false}, {"good", "ewadd_zero_none", false}} {
		e, err := evidenceOf(context.Background(), used, map[string]*law.Proof{"good": by(c.good), "bad": by(c.bad)})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range e.lemmas {
			if l.law.Name == "good" && (l.proof.Meaning == nil) != c.given {
				t.Errorf("%v: good is proved by %v", c, l.proof)
			}
		}
		if proved := c.bad == "good"; len(e.unproved) == 0 != proved {
			t.Errorf("%v: unproved: %v", c, e.unproved)
		}
	}
}
