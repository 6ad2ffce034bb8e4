package refute

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
)

// A gather is not defined where it reads outside its table: only within it are the sides
// compared.
func TestPlaces(t *testing.T) {
	for text, refuted := range map[string]bool{
		"given f : pointwise1, X : [n, S..], I : [k] then f(gather[axis=0](X, I)) == gather[axis=0](f(X), I)":                                                                      false,
		"given X : [n, S..], I : [m], J : [k] then gather[axis=0](gather[axis=0](X, I), J) => gather[axis=0](X, gather[axis=0](I, J))":                                             false,
		"given X : [n], I : [k] then gather[axis=0](X, relu(I)) == gather[axis=0](X, I)":                                                                                           true,
		"given X : [n], I : [k] then exp(gather[axis=0](X, relu(I))) == exp(gather[axis=0](X, I))":                                                                                 true,
		"given X : [n], Y : [m], I : [j] then gather[axis=0](concat[axis=0](X, Y), I) == gather[axis=0](concat[axis=0](Y, X), I)":                                                  true,
		"given X : [n], Y : [m], I : [j] then gather[axis=0](concat[axis=0](X, Y), I) == ewadd(gather[axis=0](X, I), gather[axis=0](pad[before=(1), after=(0), value=0.0](Y), I))": true,
		"given X : [n], A : [] then A == ewadd(A, gather[axis=0](X, one[shape=[]]()))":                                                                                             true,
	} {
		l, err := law.ParseLaw("rule r " + text)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Find(context.Background(), l, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if (w != nil) != refuted {
			t.Errorf("%s: counterexample %v", text, w)
		}
		if w == nil {
			continue
		}
		if _, err := w.Replay(l); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
