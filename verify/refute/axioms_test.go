package refute

import (
	"context"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// Every refute of the project has a witness that replays; no axiom or lemma
// has one: of these, make test takes every fourth and the first of each operator.
func TestRefutesHaveWitnesses(t *testing.T) {
	ops, part := map[*graph.Op]bool{}, sweep.Size(4, 1)
	for i, l := range axioms.Default() {
		n := len(ops)
		l.EachTerm(func(u *law.Term) { ops[u.Op] = true })
		if l.Kind != law.Refute && i%part != 0 && len(ops) == n {
			continue
		}
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
