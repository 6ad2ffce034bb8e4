package verify

import (
	"context"
	"math/rand"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// TestEGraphHistory: what a session says of a goal, down to the nodes of its
// graph and the proof, does not depend on the goals that it had before.
func TestEGraphHistory(t *testing.T) {
	var goals []*law.Law
	for i, g := range append(axioms.ByKind(law.Lemma), axioms.ByKind(law.Refute)...) {
		if i%sweep.Size(4, 1) == 0 {
			goals = append(goals, g)
		}
	}
	session := func() *Session {
		s, err := NewSession(DefaultRounds[:2], axioms.ByKind(law.Axiom)...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	say := func(s *Session, goal *law.Law) string {
		v, err := s.Prove(context.Background(), goal)
		if err != nil {
			t.Fatal(err)
		}
		return verdictText([]Verdict{v})
	}
	alone := map[*law.Law]string{}
	for _, g := range goals {
		alone[g] = say(session(), g)
	}
	for seed := range int64(2) {
		s := session()
		for _, i := range rand.New(rand.NewSource(seed)).Perm(len(goals)) {
			if got := say(s, goals[i]); got != alone[goals[i]] {
				t.Errorf("%s after other goals: %s\nalone: %s", goals[i].Name, got, alone[goals[i]])
			}
		}
	}
}
