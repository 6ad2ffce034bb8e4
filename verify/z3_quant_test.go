package verify

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
)

// runFree are the goals without axis runs.
func runFree(goals []*law.Law) []*law.Law {
	var out []*law.Law
	for _, g := range goals {
		ranked := atRanks(g, map[int]bool{0: true, 2: true, 4: true})
		if len(ranked) > 0 {
			out = append(out, ranked[len(ranked)-1])
		}
	}
	return out
}

func TestQuantifiedProvesTrueGoals(t *testing.T) {
	laws := readLaws(t, testAxioms)
	goals := runFree(readLaws(t, trueGoals))
	vs, err := (&Quantified{Laws: laws}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	proved := 0
	for i, v := range vs {
		if v.Status == Proved {
			proved++
		}
		t.Logf("%-18s %s %6.2f ms %5d instances %s", goals[i].Name, v.Status, v.Seconds*1e3, v.Nodes, v.Reason)
	}
	t.Logf("%d of %d", proved, len(goals))
}

func TestQuantifiedLeavesFalseGoals(t *testing.T) {
	laws := readLaws(t, testAxioms)
	goals := runFree(readLaws(t, falseGoals))
	vs, err := (&Quantified{Laws: laws}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != Unknown {
			t.Errorf("%s: %s", goals[i].Name, v.Status)
		}
		t.Logf("%-18s %s %6.2f ms %5d instances %s", goals[i].Name, v.Status, v.Seconds*1e3, v.Nodes, v.Reason)
	}
}
