package explain

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// What both sides compute is written as their operators define it; what is long, or has no index,
// is left out.
func TestEntries(t *testing.T) {
	for _, c := range []struct{ law, want string }{
		{"given A : [P..], B : [P..], C : [] then ewmul(A, smul(B, C)) == smul(ewmul(A, B), C)", `     at [i1], the left side is
       A[i1]*B[i1]*C
     and the right side is
       A[i1]*B[i1]*C
`},
		{"given A : [m, k], B : [k, n], C : [k, n] then matmul(A, ewadd(B, C)) == ewadd(matmul(A, B), matmul(A, C))", `     at [i1, i2], the left side is
       sum(A[i1, k1]*(B[k1, i2] + C[k1, i2]) for k1 < k)
     and the right side is
       sum(A[i1, k1]*B[k1, i2] for k1 < k) + sum(A[i1, k2]*C[k2, i2] for k2 < k)
`},
		{"given X : [a, n], Y : [b, n] then concat[axis=0](X, Y) == concat[axis=0](X, Y)", `     at [i1, i2], the left side is
       (X[i1, i2] if i1 < a, else 0) + (Y[i1-a, i2] if a <= i1, else 0)
     and the right side is
       (X[i1, i2] if i1 < a, else 0) + (Y[i1-a, i2] if a <= i1, else 0)
`},
		{"given A : [], B : [] then relu(ewadd(A, B)) == relu(ewadd(B, A))", `     the left side is
       relu(A + B)
     and the right side is
       relu(B + A)
`},
		{"given s : stride, p : padding, A : [a, b, c, d], B : [e, b, g, h] then conv2d[stride=s, pad=p](A, B) == conv2d[stride=s, pad=p](A, B)", ""},
		{"given A : [P..] where #P < 3 then relu(relu(A)) == relu(A)", ""},
	} {
		l, err := law.ParseLaw("rule r " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if ok := entries(&b, l); ok != (c.want != "") || b.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.law, ok, b.String(), c.want)
		}
	}
}
