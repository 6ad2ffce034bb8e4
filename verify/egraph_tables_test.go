package verify

import (
	"context"
	"testing"

	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
)

// Verdicts and proofs are the same with tables that other calls filled: with the same
// laws, with fewer before, and with others, which are not taken up.
func TestTables(t *testing.T) {
	laws := lawtext.Read(t, testAxioms)
	goals := append(lawtext.Read(t, trueGoals), lawtext.Read(t, falseGoals)...)
	prove := func(laws []*law.Law, tables *Tables, workers int) string {
		vs, err := (&EGraph{Laws: laws, Workers: workers, Tables: tables}).Prove(context.Background(), goals)
		if err != nil {
			t.Fatal(err)
		}
		return verdictText(vs)
	}
	few, others := laws[:len(laws)/2], laws[len(laws)/2:]
	var tables Tables
	for i, ls := range [][]*law.Law{few, laws, laws, others, few} {
		if got, want := prove(ls, &tables, 1+i%2), prove(ls, nil, 1); got != want {
			t.Errorf("call %d:\n%s\nwant\n%s", i, got, want)
		}
	}
	// The first call's worker learned the other laws in the second, which found no
	// second one; the fourth and the fifth needed workers of their own.
	if n := len(tables.idle); n < 3 || n > 5 {
		t.Errorf("%d workers are kept", n)
	}
}
