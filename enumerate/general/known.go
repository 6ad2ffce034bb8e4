package general

import "github.com/taso-go/taso/law"

// Known is what tests of laws found.
type Known struct{ found map[knownKey]finding }

type knownKey struct {
	law     string
	ordered bool
	quick   bool
	want    int
}

// finding is what a test of a law found: that it holds as often as wanted, that it fails
// somewhere, or neither, where too few instances are defined.
type finding struct{ holds, fails bool }

// maxTested is how many tests are remembered before all are forgotten.
const maxTested = 1 << 16

// NewKnown remembers nothing yet.
func NewKnown() *Known { return &Known{found: map[knownKey]finding{}} }

// tested tests a law. With quick it gives up where of the first 12 * QuickTests
// instances fewer than QuickTests are defined.
func (t *Tester) tested(l *law.Law, want int, quick bool) finding {
	if t.Known == nil {
		return t.try(l, want, quick)
	}
	key := knownKey{law.Format(l), t.Ordered, quick, want}
	is, ok := t.Known.found[key]
	if !ok {
		if len(t.Known.found) >= maxTested {
			clear(t.Known.found)
		}
		is = t.try(l, want, quick)
		t.Known.found[key] = is
	}
	return is
}
