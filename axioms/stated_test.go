package axioms_test

import (
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
)

// A law in which something is computed with what may have no value says that it holds where
// there are values, and no other law says so.
func TestStated(t *testing.T) {
	more, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range append(axioms.Default(), more...) {
		if l.Kind == law.Refute {
			continue
		}
		if err := law.CheckStated(l); err != nil {
			t.Errorf("%s: %s %s: %v", l.Pos, l.Kind, l.Name, err)
		}
		if l.HasTag(law.TagReal) && law.WithoutValue(l) == nil {
			t.Errorf("%s: %s %s needs no tag %s", l.Pos, l.Kind, l.Name, law.TagReal)
		}
	}
}
