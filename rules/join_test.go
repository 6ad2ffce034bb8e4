package rules

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

func proved(t testing.TB, src string) *Rule {
	t.Helper()
	r := ruleOf(t, src)
	r.Status = Proved
	return r
}

func TestJoinMatmul(t *testing.T) {
	a := proved(t, `rule x given X : [m, k], A : [k, a], B : [k, b] then matmul(X, A) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B))).0`)
	b := proved(t, `rule x given Y : [q, r], C : [r, s], D : [r, t] then matmul(Y, D) == split[axis=1, at=s](matmul(Y, concat[axis=1](C, D))).1`)
	got := Join([]*Rule{a, b}, 3)
	if len(got) != 1 {
		t.Fatalf("%d joins, want one", len(got))
	}
	want := ruleOf(t, `rule x given X : [m, k], A : [k, a], B : [k, b]
	  then (matmul(X, A), matmul(X, B)) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B)))`)
	r := got[0]
	if !Instance(want.Law, r.Law) || !Instance(r.Law, want.Law) {
		t.Errorf("joined to\n%swant\n%s", law.Format(r.Law), law.Format(want.Law))
	}
	if r.Status != Unknown || r.Proof != nil {
		t.Fatalf("status %s, proof %v", r.Status, r.Proof)
	}
	if len(Join([]*Rule{a, b}, 2)) != 0 {
		t.Error("a side of 3 operators passes a limit of 2")
	}
	a.Status = Unknown
	if len(Join([]*Rule{a, b}, 3)) != 0 {
		t.Error("an unproved rule was joined")
	}
}

func TestJoinSlices(t *testing.T) {
	a := proved(t, `rule x given X : [a, n], Y : [b, n] then relu(X) == slice[axis=0, lo=0, hi=a](relu(concat[axis=0](X, Y)))`)
	b := proved(t, `rule x given X : [a, n], Y : [b, n] then slice[axis=0, lo=a, hi=a+b](relu(concat[axis=0](X, Y))) == relu(Y)`)
	got := Join([]*Rule{b, a}, 4)
	if len(got) != 1 || !strings.Contains(law.Format(got[0].Law), "split[axis=0, at=") {
		t.Fatalf("joins %v", got)
	}
	again := Join([]*Rule{a, b}, 4)
	if got[0].ID() != again[0].ID() {
		t.Error("the result depends on the order of the rules")
	}
}

func TestJoinNot(t *testing.T) {
	for _, c := range [][2]string{
		// Different positions.
		{`X : [a, n], Y : [b, n] then relu(X) == split[axis=0, at=a](relu(concat[axis=0](X, Y))).0`,
			`X : [b, n], Y : [b+a, n] then relu(Y) == split[axis=0, at=b](relu(relu(concat[axis=0](X, Y)))).1`},
		// Both halves are outputs of one split already: nothing but L == T.
		{`X : [n, m] where k < n then split[axis=0, at=k](relu(relu(X))).0 == split[axis=0, at=k](relu(X)).0`,
			`X : [n, m] where k < n then split[axis=0, at=k](relu(relu(X))).1 == split[axis=0, at=k](relu(X)).1`},
		// Different axes.
		{`X : [a, n], Y : [b, n] then relu(X) == split[axis=0, at=a](relu(concat[axis=0](X, Y))).0`,
			`X : [n, a], Y : [n, b] then relu(Y) == split[axis=1, at=a](relu(concat[axis=1](X, Y))).1`},
	} {
		got := Join([]*Rule{proved(t, "rule x given "+c[0]), proved(t, "rule x given "+c[1])}, 4)
		if len(got) != 0 {
			t.Errorf("joined to %s", law.Format(got[0].Law))
		}
	}
}
