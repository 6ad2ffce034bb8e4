package axioms_test

import (
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// The embedded texts have no faults that Lint knows.
func TestLintClean(t *testing.T) {
	for _, e := range law.Lint(axioms.Default(), instance.Mismatch) {
		t.Error(e)
	}
}
