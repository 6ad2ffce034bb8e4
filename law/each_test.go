package law_test

import (
	"testing"

	"github.com/taso-go/taso/axioms"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Every axiom and lemma about an operator that is lifted has a form about each member,
// which is well typed and reads back as the same law.
func TestEach(t *testing.T) {
	changed := 0
	for _, l := range axioms.Default() {
		m := law.Each(l)
		if m == l {
			continue
		}
		changed++
		back, err := law.ParseLaw(law.Format(m))
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		if law.ID(back) != law.ID(m) {
			t.Errorf("%s: read back as another law:\n%s\n%s", l.Name, law.Format(m), law.Format(back))
		}
		if law.ID(m) == law.ID(l) {
			t.Errorf("%s: the same law", l.Name)
		}
	}
	if changed < 300 {
		t.Errorf("%d laws changed", changed)
	}
}
