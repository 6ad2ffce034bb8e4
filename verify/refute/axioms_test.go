package refute

import (
	"context"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// Every refute of the project has a witness that replays; no axiom or lemma
// has one: of these, make test takes a third.
func TestRefutesHaveWitnesses(t *testing.T) {
	hold := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	for _, l := range append(lawtext.Sample(hold, sweep.Size(3, 1)), axioms.ByKind(law.Refute)...) {
		w, err := Find(context.Background(), l, Options{Bindings: sweep.Size(150, 1000)})
		switch {
		case err != nil:
			t.Errorf("%s: %v", l.Name, err)
		case l.Kind == law.Refute && w == nil:
			t.Errorf("%s is not refuted", l.Name)
		case l.Kind == law.Refute:
			if _, err := w.Replay(l); err != nil {
				t.Error(err)
			}
		case w != nil:
			t.Errorf("%s %s is refuted:\n%s", l.Kind, l.Name, w)
		}
	}
}
