package general

import "github.com/taso-go/taso/law"

// Known is what tests of laws found.
type Known struct{ holds map[knownKey]bool }

type knownKey struct {
	law     string
	ordered bool
	quick   bool
	want    int
}

// maxTested is how many tests are remembered before all are forgotten.
const maxTested = 1 << 16

// NewKnown remembers nothing yet.
func NewKnown() *Known { return &Known{holds: map[knownKey]bool{}} }

// tested is Holds. With quick it gives up where of the first 12 * QuickTests
// instances fewer than QuickTests are defined.
func (t *Tester) tested(l *law.Law, want int, quick bool) bool {
	if t.Known == nil {
		return t.holds(l, want, quick)
	}
	key := knownKey{law.Format(l), t.Ordered, quick, want}
	is, ok := t.Known.holds[key]
	if !ok {
		if len(t.Known.holds) >= maxTested {
			clear(t.Known.holds)
		}
		is = t.holds(l, want, quick)
		t.Known.holds[key] = is
	}
	return is
}
