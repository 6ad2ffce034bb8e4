package check_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// A certificate about an operator that a text defines carries the definition. With another one its
// proof is no proof, and its rule has another id.
func TestDefined(t *testing.T) {
	const statement = "op NAME(X : [n, m]) : [n, m] at i, j = BODY\n" +
		"rule r_1 given A : [n, m], B : [n, m] then NAME(ewadd(A, B)) == ewadd(NAME(A), NAME(B))"
	text := func(name, body string) string {
		return strings.NewReplacer("NAME", name, "BODY", body).Replace(statement)
	}
	l, err := law.ParseLaw(text("check_total", "sum k in 0..i of X[k, j]"))
	if err != nil {
		t.Fatal(err)
	}
	l.Name = law.ID(l)
	proof, err := sums.Certify(context.Background(), l)
	if err != nil || proof == nil {
		t.Fatalf("no proof: %v", err)
	}
	e := law.NewCertRule(l.Name, l, &law.Proof{Meaning: proof})
	if want := "op check_total(X : [n, m]) : [n, m] at i, j = sum k in 0..i of X[k, j]\nrule "; !strings.HasPrefix(e.Law, want) {
		t.Fatalf("the entry does not carry the definition: %s", e.Law)
	}
	// file checks an entry with other names and definitions, which are those of this process then.
	file := func(name, body string, id func(*law.Law) string) *check.Report {
		var b bytes.Buffer
		w := law.NewCertWriter(&b, axioms)
		c := e
		c.Nodes = nil
		for _, n := range e.Nodes {
			c.Nodes = append(c.Nodes, strings.ReplaceAll(n, "check_total", name))
		}
		c.Law = strings.NewReplacer("check_total", name, "sum k in 0..i of X[k, j]", body).Replace(e.Law)
		if err := w.Rule(c); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rep, err := check.File(context.Background(), &b, "f", check.Options{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	if rep := file("check_total", "sum k in 0..i of X[k, j]", law.ID); rep.Meaning != 1 {
		t.Errorf("rejected: %v", rep.Rejected)
	}
	for i, body := range []string{
		"sum k in 0..i of X[k, j]^2", "(sum k in 0..i of X[k, j]) + 1", "max k in 0..i of X[k, j]", "sqrt(sum k in 0..i of X[k, j])",
		"sum k in 0..i of X[k, j]*i*X[0, j]",
	} {
		name := "check_other" + string(rune('a'+i))
		if rep := file(name, body, nil); len(rep.Rejected) != 1 || !strings.Contains(rep.Rejected[0].Reason, "proof from what operators compute") {
			t.Errorf("%s: accepted %d, rejected: %v", body, rep.Rules, rep.Rejected)
		}
		if rep := file(name, body, law.ID); len(rep.Rejected) != 1 {
			t.Errorf("%s: accepted as %s", body, e.ID)
		}
	}
	// Another definition of a name that has one, even one for which the law holds.
	for _, body := range []string{"sum k in i..n - 1 of X[k, j]", "X[0, j]"} {
		if rep := file("check_total", body, nil); len(rep.Rejected) != 1 || !strings.Contains(rep.Rejected[0].Reason, "operator check_total is already defined otherwise") {
			t.Errorf("%s: %v", body, rep.Rejected)
		}
	}
	// A definition that reads what does not exist.
	if rep := file("check_next", "sum k in 0..i + 1 of X[k, j]", nil); len(rep.Rejected) != 1 || !strings.Contains(rep.Rejected[0].Reason, "is not shown to be") {
		t.Errorf("%v", rep.Rejected)
	}
	// Proofs from laws say nothing about such operators.
	if _, err := check.Rule(l, &law.Proof{}, nil); err == nil {
		t.Error("a law about a defined operator follows from nothing")
	}
}

// The shape of an operator that a text defines is known for operands of fixed sizes that fit.
func TestDefinedShapes(t *testing.T) {
	const define = "op check_halves(X : [2*n, m], Y : [m]) : [n, m] at i, j = X[2*i, j] * Y[j]\n"
	for _, c := range []struct {
		given, term, fault string
	}{
		{"X : [4, 3], Y : [3]", "check_halves(X, Y)", ""},
		{"X : [4, 3], Y : [3]", "check_halves(concat[axis=0](X, X), Y)", ""},
		{"X : [4, 3], Y : [3], Z : [2, 3]", "ewadd(Z, check_halves(X, Y))", ""},
		{"X : [4, 3], Y : [3], Z : [4, 3]", "ewadd(Z, check_halves(X, Y))", "do not fit"},
		{"X : [4, 3], Y : [2]", "check_halves(X, Y)", "do not fit"},
		{"X : [3, 3], Y : [3]", "check_halves(X, Y)", "do not fit"},
		{"X : [4, 3], Y : [3, 3]", "check_halves(X, Y)", "do not fit"},
		{"X : [4, m], Y : [m]", "check_halves(X, Y)", "fixed sizes"},
		{"X : [4, P..], Y : [P..]", "check_halves(X, Y)", "fixed sizes"},
	} {
		_, err := run(t, define+"rule r given "+c.given+" then "+c.term+" == "+c.term)
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s of %s: %v, want %q", c.term, c.given, err, c.fault)
		}
	}
}
