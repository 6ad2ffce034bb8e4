package genrules

import (
	"testing"

	"github.com/taso-go/taso/law"
)

// Sides that would read as another law without an attribute have it.
func TestHeadline(t *testing.T) {
	for _, c := range []struct{ law, change, before, after string }{
		{`s : stride, p : padding, X : [b, c, h, w], W : [o, c, kh, kw] then relu(conv2d[stride=s, pad=p](X, W)) == conv2d[stride=s, pad=p, act=relu](X, W)`,
			"removes a relu", "relu(conv2d[act=none](A, B))", "conv2d[act=relu](A, B)"},
		{`X : [m, k], Y : [n, k], A : [k, a] then concat[axis=0](matmul(X, A), matmul(Y, A)) == matmul(concat[axis=0](X, Y), A)`,
			"removes a matmul", "concat[axis=0](matmul(A, B), matmul(C, B))", "matmul(concat[axis=0](A, C), B)"},
		// One stride of two operators is no stride of each.
		{`s : stride, p : padding, X : [b, c, h, w], W : [o, c, kh, kw] then poolmax[kh=3, kw=3, stride=s, pad=p](relu(conv2d[stride=s, pad=p](X, W)))
			== relu(poolmax[kh=3, kw=3, stride=s, pad=p](conv2d[stride=s, pad=p](X, W)))`,
			"same operators, less work",
			"poolmax[kh=3, kw=3, stride=s, pad=p](relu(conv2d[stride=s, pad=p](A, B)))",
			"relu(poolmax[kh=3, kw=3, stride=s, pad=p](conv2d[stride=s, pad=p](A, B)))"},
	} {
		r := provedRule(t, c.law)
		sides := [2][]*law.Term{r.Law.LHS, r.Law.RHS}
		if before, _ := headline(sides[0], sides[1]); before != c.before {
			sides[0], sides[1] = sides[1], sides[0] // the canonical form may exchange them
		}
		before, after := headline(sides[0], sides[1])
		if got := change(sides[0], sides[1]); got != c.change || before != c.before || after != c.after {
			t.Errorf("%s: %s -> %s; want %s: %s -> %s", got, before, after, c.change, c.before, c.after)
		}
	}
}
