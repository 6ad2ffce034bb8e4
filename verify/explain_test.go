package verify

import (
	"context"
	"testing"

	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/verify/explain"
)

// Every proof of the e-graph has a chain of equations that replays.
func TestProofsHaveChains(t *testing.T) {
	laws, goals := lawtext.Read(t, testAxioms), lawtext.Read(t, trueGoals)
	vs, err := (&EGraph{Laws: laws, Workers: 2}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	byName := lawsByName(laws)
	for i, v := range vs {
		if v.Status != Proved {
			t.Errorf("%s: %s", goals[i].Name, v.Status)
			continue
		}
		chains, err := explain.Chain(goals[i], v.Proof, byName)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := explain.Check(goals[i], v.Proof, byName, chains); err != nil {
			t.Error(err)
		}
	}
}
