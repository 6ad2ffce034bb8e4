package genrules

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
)

// Several presets come to one set, whatever the number of workers: each rule is there
// once with a proof, and what one run proved is not among what is not proved.
func TestSeveral(t *testing.T) {
	text := func(rep *Report) string {
		t.Helper()
		var b bytes.Buffer
		if err := rules.WriteText(&b, rep.Set); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := ""
	presets := MeshPresets()
	if len(presets) < 4 {
		t.Fatalf("presets for meshes: %v", presets)
	}
	sum := 0
	for i := range sweep.Size(1, 2) {
		rep, err := Several(context.Background(), Options{MaxOps: 2, Workers: 1 + 2*i}, presets)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if text(rep) != first {
				t.Error("one worker and three make different sets")
			}
			continue
		}
		first = text(rep)
		if errs := rep.Set.Validate(); len(errs) > 0 {
			t.Error(errs)
		}
		lemmas := check.Laws{}
		for _, l := range rep.Set.Lemmas {
			lemmas[l.Law.Name] = l.Law
		}
		for _, r := range rep.Set.Rules {
			if r.Proof.Meaning == nil {
				continue // from axioms: TestCertificates has those
			}
			if _, err := check.Rule(r.Law, r.Proof, lemmas); err != nil {
				t.Errorf("%s: %v", r.ID(), err)
			}
		}
		for _, u := range rep.Unproved {
			if _, ok := rep.Set.Find(u.ID); ok && u.ID != "" {
				t.Errorf("%s is proved and not proved", law.ID(rep.Set.Rules[0].Law))
			}
		}
		for _, name := range presets {
			one, err := Run(context.Background(), Options{MaxOps: 2, Ops: []string{name}})
			if err != nil {
				t.Fatal(err)
			}
			sum += one.Rules.Proved
			for _, r := range one.Set.Rules {
				if !slices.ContainsFunc(rep.Set.Rules, func(g *rules.Rule) bool { return rules.Covers(g.Law, r.Law) }) {
					t.Errorf("preset %s: rule %s is no instance of a rule of the set of all", name, r.ID())
				}
			}
		}
		if n := rep.Rules.Proved; n >= sum || n < 80 {
			t.Errorf("%d rules, of %d of all presets", n, sum)
		}
	}
	two := []string{"parallel-mlp", "parallel-two"}
	goals := 0
	for _, presets := range [][]string{two[:1], two[1:], two} {
		rep, err := Several(context.Background(), Options{MaxOps: 2, Workers: 1, Quantified: true}, presets)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Provers.Goals == 0 {
			t.Fatalf("%v: no goals", presets)
		}
		if len(presets) == 1 {
			goals += rep.Provers.Goals
			continue
		}
		other, err := Several(context.Background(), Options{MaxOps: 2, Workers: 3}, presets)
		if err != nil {
			t.Fatal(err)
		}
		if text(rep) != text(other) {
			t.Error("one worker and three make different sets of two presets")
		}
		if rep.Provers.Goals != goals {
			t.Errorf("provers were compared on %d goals, of both presets %d", rep.Provers.Goals, goals)
		}
	}
	if _, err := Several(context.Background(), Options{}, nil); err == nil {
		t.Error("no presets: no error")
	}
}

func ExampleSeveral() {
	rep, err := Several(context.Background(), Options{MaxOps: 2}, []string{"parallel-mlp", "parallel-two"})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := law.ParseLaw("rule r given X : [P.., g*n, S..] then combine[axis=#P](partition[axis=#P, on=g](X)) == X")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, found := rep.Set.Find(law.ID(l))
	fmt.Println(found, rep.Rules.Unknown)
	// Output: true 0
}
