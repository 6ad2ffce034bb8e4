package bounded

import (
	"context"
	"strings"
	"testing"
)

// Functions without exact values: what follows from their signs is seen, what
// holds of every function too, and what is false of the true ones is refuted by
// numbers that are rounded.
func TestNetworkFunctions(t *testing.T) {
	for _, c := range []struct{ law, want string }{
		{"given X : [n] then relu(exp(X)) == exp(X)", ""},
		{"given X : [n] then relu(reciprocal(exp(X))) == reciprocal(exp(X))", ""},
		{"given X : [n] then relu(rsqrt[eps=0.5](X)) == rsqrt[eps=0.5](X)", ""},
		{"given X : [n], Y : [n] then relu(ewmul(ewsub(X, Y), ewsub(X, Y))) == ewmul(ewsub(X, Y), ewsub(X, Y))", ""},
		{"given X : [n], Y : [n] then relu(ewmul(ewsub(X, Y), ewadd(X, Y))) == ewmul(ewsub(X, Y), ewadd(X, Y))", "left"},
		{"given X : [n] then relu(reciprocal(X)) == reciprocal(X)", "left"},
		{"given X : [n] then exp(X) == sigmoid(X)", "for random values"},
		{"given X : [m, n] then softmax[axis=0](X) == softmax[axis=1](X)", "for random values"},
		{"given X : [n], I : [k] then gather[axis=0](X, relu(I)) == gather[axis=0](X, I)", "for X = "},
		{"given f : pointwise1, X : [n] then f(exp(X)) == exp(f(X))", "for random values"},
		{"given f : zero1, X : [n] then f(exp(X)) == exp(f(X))", "for random values"},
	} {
		r, err := Check(context.Background(), mustLaw(t, "axiom a "+c.law), Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.law, err)
		case c.want == "" && (r.Failure != "" || r.Tested > 0 || r.Undecided > 0):
			t.Errorf("%s: %+v", c.law, *r)
		case c.want != "" && !strings.Contains(r.Failure, c.want):
			t.Errorf("%s: failure %q, want %q", c.law, r.Failure, c.want)
		}
	}
}
