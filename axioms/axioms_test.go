package axioms

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/law"
)

// The embedded texts parse and every law has one shape on both sides.
func TestTextsParse(t *testing.T) {
	for _, f := range texts() {
		laws, err := law.Parse(f.name, []byte(f.text))
		if err != nil {
			t.Errorf("%v", err)
		}
		for _, l := range laws {
			if _, err := l.Types(); err != nil && !(l.Kind == law.Refute && errors.Is(err, law.ErrOrder)) {
				t.Errorf("%s: %v", l.Pos, err)
			}
			again, err := law.ParseLaw(law.Format(l))
			if err != nil {
				t.Errorf("%s: formatted text does not parse: %v\n%s", l.Pos, err, law.Format(l))
				continue
			}
			if law.Format(again) != law.Format(l) {
				t.Errorf("%s: not read back:\n%s\n%s", l.Pos, law.Format(l), law.Format(again))
			}
		}
	}
}
