package verify

import (
	"context"
	_ "embed"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

// permutations are laws of transposes by one permutation each. Most were axioms before
// permutations were variables of laws.
//
//go:embed testdata/permutations.laws
var permutations []byte

// TestEGraphPermutations: what laws with permutation variables say of one permutation
// follows from them, with a proof that the checker accepts.
func TestEGraphPermutations(t *testing.T) {
	laws, err := law.Parse("permutations.laws", permutations)
	if err != nil {
		t.Fatal(err)
	}
	have := axioms.ByKind(law.Axiom)
	use := check.Laws(lawsByName(have))
	vs, err := (&EGraph{Laws: have}).Prove(context.Background(), laws)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range laws {
		if vs[i].Status != Proved {
			t.Errorf("%s: %s: %s", l.Pos, l.Name, vs[i].Reason)
		} else if _, err := check.Rule(l, vs[i].Proof, use); err != nil {
			t.Errorf("%s: %s: checker: %v", l.Pos, l.Name, err)
		} else {
			t.Logf("%-34s %2d instances %v", l.Name, len(vs[i].Proof.Instances), vs[i].Proof.Laws())
		}
	}
}
