package verifymodels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// TestDeep: with each square the degree doubles, and with it the bound on the error probability.
// Models whose bound is worth nothing only agree on samples. A bound that is worth little is made
// worth more by further runs, if they are allowed.
func TestDeep(t *testing.T) {
	const in = "x : float32[2]\ny : float32[2]\nz : float32[2]\n"
	squares := func(text string, depth int) string {
		last := "p"
		for i := range depth {
			text += fmt.Sprintf("q%d = ewmul(%s, %s)\n", i, last, last)
			last = fmt.Sprintf("q%d", i)
		}
		return text + "return " + last
	}
	for _, c := range []struct {
		depth    int
		flops    int64
		verdict  verifymodels.Conclusion
		why, say string
	}{
		{depth: 5, verdict: verifymodels.ModelsEqual, say: "equal (exact on random residues, error probability < 2^-1"},
		{depth: 50, verdict: verifymodels.ModelsEqual, say: "equal (exact on random residues, error probability < 2^-2"},
		{depth: 50, flops: 300, verdict: verifymodels.NotKnown, why: "2^-20 is needed", say: "not known"},
		{depth: 70, verdict: verifymodels.ModelsAgree, why: "2^-0, 2^-20 is needed", say: "agree on "},
	} {
		a := parse(t, "a", squares(in+"s = ewadd(x, y)\np = ewmul(s, z)\n", c.depth), nil)
		b := parse(t, "b", squares(in+"r = ewmul(x, z)\ns = ewmul(y, z)\np = ewadd(r, s)\n", c.depth), nil)
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b, MaxFLOPs: c.flops})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.verdict || !strings.Contains(r.Exact.Why, c.why) || (r.Exact.Why == "") != (c.why == "") || !strings.HasPrefix(r.Statement, c.say) {
			t.Errorf("depth %d: %s\n%s", c.depth, r.Verdict, r)
		}
		// By structure, depth does not matter.
		if r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: a, MaxFLOPs: c.flops}); err != nil || r.Statement != "equal (proved for all inputs)" {
			t.Errorf("depth %d with itself: %v, %v", c.depth, err, r)
		}
	}
}
