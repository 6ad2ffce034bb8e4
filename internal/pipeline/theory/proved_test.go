package theory

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
)

// Every law that comes with the program has a proof, which is accepted.
func TestCheckLaws(t *testing.T) {
	r, err := CheckLaws(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	laws, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	if !r.Accepted() || r.Axioms != len(axioms.ByKind(law.Axiom)) || r.Lemmas != len(axioms.ByKind(law.Lemma)) ||
		r.Builtin.Lemmas != r.Lemmas || r.Builtin.Rules != len(laws) {
		t.Errorf("%+v, %+v", r, r.Builtin)
	}
	t.Logf("%d axioms and %d lemmas by %d numbers, %.2f s in all", r.Axioms, r.Lemmas, r.Numbers, r.Seconds)
}

func ExampleCheckLaws() {
	r, err := CheckLaws(context.Background(), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Accepted(), r.Unproved, len(r.Rejected))
	// Output: true 0 0
}
