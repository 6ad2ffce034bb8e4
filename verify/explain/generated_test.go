package explain_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/explain"
)

// Every proof of a generated set, and of its lemmas, has a chain that replays.
func TestGeneratedRules(t *testing.T) {
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 2, Seed: 1, AxiomsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	set := rep.Set
	ax, err := law.Parse("axioms", []byte(set.Axioms))
	if err != nil {
		t.Fatal(err)
	}
	laws := map[string]*law.Law{}
	for _, l := range ax {
		laws[l.Name] = l
	}
	for _, l := range set.Lemmas {
		if laws[l.Law.Name] == nil {
			laws[l.Law.Name] = l.Law
		}
	}
	chains, steps, longest := 0, 0, 0
	one := func(name string, l *law.Law, p *law.Proof) {
		out, err := explain.Chain(l, p, laws)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if err := explain.Check(l, p, laws, out); err != nil {
			t.Error(err)
		}
		for _, c := range out {
			chains, steps, longest = chains+1, steps+len(c), max(longest, len(c))
		}
	}
	for _, l := range set.Lemmas {
		if l.Proof != nil {
			one(l.Law.Name, l.Law, l.Proof)
		}
	}
	for _, r := range set.Rules {
		if r.Status == rules.Proved && r.Proof.Meaning == nil {
			one(r.ID(), r.Law, r.Proof)
		}
	}
	t.Logf("%d chains of %d steps, the longest has %d", chains, steps, longest)
	if chains < 100 {
		t.Errorf("only %d chains", chains)
	}
}
