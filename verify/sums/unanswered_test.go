package sums_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// A law about which Z3 answers hardly anything is given up after some tens of questions: of
// poolmax_halo it would be a thousand.
func TestUnanswered(t *testing.T) {
	p := newProver(t, sums.Config{Steps: 1})
	for _, name := range []string{"poolmax_halo", "pad_poolmax"} {
		k := slices.IndexFunc(axioms.Default(), func(l *law.Law) bool { return l.Name == name })
		if got := prove(t, p, axioms.Default()[k]).Queries; got == 0 || got > 150 {
			t.Errorf("%s: %d questions", name, got)
		}
	}
}
