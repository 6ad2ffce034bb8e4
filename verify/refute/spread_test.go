package refute

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
)

// A target that broadcasting defines is not undefined: what refutes a law is a
// value, or shapes that do not fit with broadcasting either.
func TestRefuteSpread(t *testing.T) {
	for _, c := range []struct{ law, kind string }{
		// With two channels and one the target is defined and equal; not with one
		// and two.
		{"given q : same, X : [b, c*g, h, w], W : [m*g, c, 3, 3], Y : [b, c*k, h, w] then ewadd(conv2d[pad=q, groups=g](X, W), conv2d[pad=q, groups=k](Y, W)) => conv2d[pad=q, groups=g](ewadd(X, Y), W)", "defined"},
		{"given q : same, X : [b, c, h, w], W : [c, 1, 3, 3], Y : [b, 1, h, w] then ewadd(conv2d[pad=q, groups=c](X, W), conv2d[pad=q](Y, W)) => conv2d[pad=q, groups=c](ewadd(X, Y), W)", ""},
		{"given X : [a], Y : [b] then X => slice[axis=0, lo=0, hi=a](concat[axis=0](X, ewadd(X, Y)))", "defined"},
		{"given X : [1, m], Y : [n, m] then relu(X) => ewadd(relu(X), ewsub(Y, Y))", "shape"},
		{"given X : [n, 1], Y : [1, m] then concat[axis=0](X, X) => slice[axis=1, lo=0, hi=1](concat[axis=0](ewadd(X, ewsub(X, X)), ewadd(X, ewsub(X, X))))", ""},
		{"given X : [n, m], Y : [1, m] then relu(X) => ewadd(relu(X), ewsub(Y, Y))", ""},
	} {
		l, err := law.ParseLaw("rule r " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		at, w, err := Spread(context.Background(), l, Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.law, err)
		case w == nil && c.kind != "", w != nil && w.Kind != c.kind:
			t.Errorf("%s: want %q, got\n%s", c.law, c.kind, w)
		case w != nil:
			if _, err := w.Replay(at); err != nil {
				t.Errorf("%s: %v\n%s", c.law, err, w)
			}
		}
	}
}
