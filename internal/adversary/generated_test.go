package adversary

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/widen"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// Rules that were proved from what operators compute hold by the evaluator, which shares no code
// with the prover.
func TestGenerated(t *testing.T) {
	rep, err := genrules.Run(t.Context(), genrules.Options{MaxOps: sweep.Size(2, 4), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, rep.Set, 100)
}

// So do the rules that are stated more generally, whose sizes and settings depend on each other.
func TestWidened(t *testing.T) {
	for _, preset := range []string{"cuts", "channels", "stretches", "kernels", "tables", "enlargements", "pools"}[:sweep.Size(3, 7)] {
		rep, err := genrules.Run(t.Context(), genrules.Options{Ops: []string{preset}, MaxOps: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		wide, _, err := widen.Rules(t.Context(), rep.Set, widen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		judge(t, wide, 4)
	}
}

// judge puts the rules of a set to the test. The set has at least so many rules.
func judge(t *testing.T, set *rules.Set, least int) {
	t.Helper()
	unmet := 0
	for i, r := range set.Rules {
		found, tally := eval.Check(r.Law, eval.Claim{Equal: true, Forward: true, Backward: !r.Law.OneWay}, eval.Limits{}, sweep.Size(60, 300), rand.New(rand.NewPCG(1, uint64(i))))
		if found != nil {
			t.Errorf("%s%+v", law.Format(r.Law), found.Outcome)
		}
		if tally.Met == 0 {
			unmet++
		}
	}
	t.Logf("%d rules, %d of them never put to the test", set.Len(), unmet)
	if n := set.Len(); n < least || unmet > n/20 {
		t.Errorf("%d rules, %d of them never put to the test", n, unmet)
	}
}
