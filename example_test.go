package taso_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// A substitution written by hand is proved from the axioms, and the proof is
// checked.
func Example() {
	rule, err := law.ParseLaw(`rule mine
	  given A : [m, k], B : [k, n], C : [k, n], D : [m, n]
	  then  ewadd(matmul(A, B), ewadd(matmul(A, C), D)) == ewadd(matmul(A, ewadd(B, C)), D)`)
	if err != nil {
		fmt.Println(err) // names line and column
		return
	}
	laws := axioms.ByKind(law.Axiom)
	verdicts, err := (&verify.EGraph{Laws: laws}).Prove(context.Background(), []*law.Law{rule})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := verdicts[0]
	if v.Status != verify.Proved {
		fmt.Println(v.Status, v.Reason)
		return
	}
	use := check.Laws{}
	for _, l := range laws {
		use[l.Name] = l
	}
	if _, err := check.Rule(rule, v.Proof, use); err != nil {
		fmt.Println("the checker does not accept the proof:", err)
		return
	}
	fmt.Println("proved and checked, from", v.Proof.Laws())
	// Output:
	// proved and checked, from [ewadd_assoc matmul_ewadd]
}
