package meaning_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/verify/meaning"
)

// How a proof of a law may differ from another one of it.
const (
	otherRows   = "a question is refuted by other rows"
	unanswered  = "a question is left open whose answer is not needed"
	caseByCase  = "what is claimed of each case is not claimed in general too"
	unexplained = "no known reason"
)

// why says for what reason both are proofs of one law: they are the same answers to
// the same questions, but for some. Refutations have been read twice by then.
func why(was, is []meaning.Answer) string {
	reason := unexplained
	for len(was) > 0 && len(is) > 0 {
		a, b := was[0], is[0]
		was, is = was[1:], is[1:]
		switch yes, no := a.Numbers[0] == 1, b.Numbers[0] == 0; {
		case a.Kind != b.Kind:
			return unexplained
		case slices.Equal(a.Numbers, b.Numbers):
		case a.Kind == "question" && yes && !no:
			reason = otherRows
		case a.Kind == "question" && yes:
			reason = unanswered
		case a.Kind == "try" && yes && no && slices.ContainsFunc(is, func(c meaning.Answer) bool { return c.Kind == "split" && c.Numbers[0] == 1 }):
			reason = caseByCase
		default:
			return unexplained
		}
	}
	if len(was)+len(is) > 0 {
		return unexplained
	}
	return reason
}

// Proofs with numbers changed are rejected, or are proofs for a reason that is known.
func TestCorrupted(t *testing.T) {
	var long []proved
	answers := map[string][]meaning.Answer{}
	for _, p := range proofs() {
		if len(p.proof) > 20 {
			long = append(long, p)
			as, err := meaning.Answers(p.l, p.proof)
			if err != nil {
				t.Fatalf("%s: %v", p.l.Name, err)
			}
			answers[p.l.Name] = as
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	reasons := map[string]int{}
	changed := 0
	for changed < 1000 {
		p := long[rng.IntN(len(long))]
		bad := corrupt(rng, p.proof)
		if slices.Equal(bad, p.proof) {
			continue
		}
		changed++
		c, err := meaning.Check(p.l, bad)
		if err != nil {
			continue
		}
		if !c.Shows(p.l) {
			t.Errorf("%s: %v shows %v", p.l.Name, bad, c)
		}
		as, err := meaning.Answers(p.l, bad)
		if err != nil {
			t.Errorf("%s: %v is accepted: %v", p.l.Name, bad, err)
		}
		reason := why(answers[p.l.Name], as)
		if reasons[reason]++; reason == unexplained {
			t.Errorf("%s: accepted, and it is not known why:\n%v\nwas\n%v", p.l.Name, as, answers[p.l.Name])
		}
	}
	t.Logf("%d corruptions, accepted for these reasons: %v", changed, fmt.Sprint(reasons))
}

// What is tried has to hold, and a number stands where one is asked for only: a proof
// with what was left out before, and changed nothing, is rejected.
func TestNothingInVain(t *testing.T) {
	tried, split := 0, 0
	for _, p := range proofs() {
		as, err := meaning.Answers(p.l, p.proof)
		if err != nil {
			t.Fatalf("%s: %v", p.l.Name, err)
		}
		// That the conditions contradict one another is tried, and not shown.
		if len(p.l.Where) > 0 && as[0].Kind == "try" && as[0].Numbers[0] == 0 {
			tried++
			if _, err := meaning.Check(p.l, append([]int64{1, 0}, p.proof[1:]...)); err == nil {
				t.Errorf("%s: a contradiction that is not there is tried", p.l.Name)
			}
		}
		// A largest value of what has no numbers.
		for _, a := range as {
			if a.Kind == "split" && len(a.Numbers) == 2 {
				split++
				if _, err := meaning.Check(p.l, slices.Insert(slices.Clone(p.proof), a.At+2, 3)); err == nil {
					t.Errorf("%s: a split with a number too much", p.l.Name)
				}
			}
		}
	}
	if tried == 0 || split == 0 {
		t.Errorf("%d tried, %d split", tried, split)
	}
}
