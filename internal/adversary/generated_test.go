package adversary

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// Rules that were proved from what operators compute hold by the evaluator, which shares no code
// with the prover.
func TestGenerated(t *testing.T) {
	rep, err := genrules.Run(t.Context(), genrules.Options{MaxOps: sweep.Size(2, 4), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	unmet := 0
	for i, r := range rep.Set.Rules {
		found, tally := eval.Check(r.Law, eval.Claim{Equal: true, Forward: true, Backward: !r.Law.OneWay}, eval.Limits{}, sweep.Size(60, 300), rand.New(rand.NewPCG(1, uint64(i))))
		if found != nil {
			t.Errorf("%s%+v", law.Format(r.Law), found.Outcome)
		}
		if tally.Met == 0 {
			unmet++
		}
	}
	t.Logf("%d rules, %d of them never put to the test", rep.Set.Len(), unmet)
	if n := rep.Set.Len(); n < 100 || unmet > n/20 {
		t.Errorf("%d rules, %d of them never put to the test", n, unmet)
	}
}
