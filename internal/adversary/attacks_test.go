package adversary

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// The laws of testdata/attacks.rules are false. Neither they nor what is refuted of
// them in one direction, nor read with the true order, has a proof from what operators
// compute, and no proof of an axiom, a lemma or the other direction is one.
func TestAttacks(t *testing.T) {
	var stored [][]int64
	for _, l := range axioms.Default() {
		if p, ok := axioms.Proof(l.Name); ok {
			stored = append(stored, p)
		}
	}
	laws := read(t, "testdata/attacks.rules")
	proved, put := 0, 0
	for i, l := range laws {
		var own [][]int64
		var refuted []*law.Law
		for way := range 3 {
			for _, tags := range [][]string{nil, {law.TagOrdered}} {
				m := *l
				m.Tags = tags
				if m.OneWay = l.OneWay || way > 0; way == 2 {
					m.LHS, m.RHS = l.RHS, l.LHS
				}
				points := 400
				if way > 0 {
					points = 150
				}
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				bad, _ := eval.Check(&m, eval.Claim{Forward: true, Backward: !m.OneWay}, eval.Limits{}, points, rng)
				if way == 0 && bad == nil {
					t.Errorf("%s is not seen to be false", l.Name)
				}
				p, err := sums.Certify(context.Background(), &m)
				if err != nil {
					t.Fatal(err)
				}
				if p != nil {
					own = append(own, p)
					proved++
				}
				if bad == nil {
					continue
				}
				if refuted = append(refuted, &m); p != nil {
					t.Errorf("proved: %s\nat %s: %s %s", law.Format(&m), bad.Point, bad.Outcome.Kind, bad.Outcome.Detail)
				}
			}
		}
		for k, m := range refuted {
			some := own
			part := sweep.Size(24, 6)
			for j := (i + k) % part; j < len(stored); j += part {
				some = append(some, stored[j])
			}
			for _, p := range some {
				put++
				if c, err := meaning.Check(m, p); err == nil {
					t.Errorf("%v is accepted as a proof that shows %v: %s", p, c, law.Format(m))
				}
			}
		}
	}
	t.Logf("%d false laws, %d directions proved that are true, %d proofs of others put to them", len(laws), proved, put)
	if len(stored) < 400 || proved == 0 {
		t.Errorf("%d proofs of axioms and lemmas, %d of true directions", len(stored), proved)
	}
}
