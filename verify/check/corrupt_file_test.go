package check_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// smallFile is a certificate file with lemmas that use lemmas, and rules.
func smallFile(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := law.NewCertWriter(&b, axioms)
	swap := inst("add_comm", binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[P..]"}, nil, nil)
	by := func(name, p string) law.InstanceText {
		return inst(name, binds{"X": "X", "Y": "Y"}, nil, binds{"P": p}, nil, nil)
	}
	given := "\n given X : [P..], Y : [P..]\n then "
	laws := use(t)
	for _, e := range []law.CertRule{
		law.TextEntry("turned", "lemma turned"+given+"relu(ewadd(X, Y)) == relu(ewadd(Y, X))", []law.InstanceText{swap}),
		law.TextEntry("turned_twice", "lemma turned_twice"+given+"relu(relu(ewadd(X, Y))) == relu(relu(ewadd(Y, X)))",
			[]law.InstanceText{by("turned", "[P..]")}),
	} {
		if err := w.Lemma(numbered(t, e, laws)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Lemma(byMeaning(t, "meant", "lemma meant"+given+"ewmul(X, ewadd(Y, Y)) == ewadd(ewmul(X, Y), ewmul(Y, X))")); err != nil {
		t.Fatal(err)
	}
	given = "\n given X : [m, n], Y : [m, n]\n then "
	for _, e := range []law.CertRule{
		law.TextEntry("r_1", "rule r_1"+given+"exp(relu(ewadd(X, Y))) == exp(relu(ewadd(Y, X)))", []law.InstanceText{by("turned", "[m, n]")}),
		law.TextEntry("r_2", "rule r_2"+given+"tanh(ewadd(X, Y)) => tanh(ewadd(Y, X))", []law.InstanceText{by("add_comm", "[m, n]")}),
	} {
		if err := w.Rule(numbered(t, e, laws)); err != nil {
			t.Fatal(err)
		}
	}
	// A rule from what operators compute, with questions that have refutations.
	if err := w.Rule(byMeaning(t, "r_3", "rule r_3 given X : [n], Y : [n] where i <= j and j < k then "+
		"concat[axis=0](slice[axis=0, lo=i-1, hi=j](ewadd(X, Y)), slice[axis=0, lo=j, hi=k](ewadd(Y, X))) == slice[axis=0, lo=i-1, hi=k](ewadd(X, Y))")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// numbered is an entry with every node numbered, as writers number them; its law
// joins those in use.
func numbered(t *testing.T, e law.CertRule, use check.Laws) law.CertRule {
	t.Helper()
	l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok })
	if err != nil {
		t.Fatal(err)
	}
	use[e.ID] = l
	return law.NewCertRule(e.ID, l, p)
}

// TestCorruptedFiles: a file that is altered beside its entries is refused, or an
// entry of it rejected.
func TestCorruptedFiles(t *testing.T) {
	file := smallFile(t)
	o := check.Options{SHA256: law.HashText(axioms)}
	rep, err := check.File(context.Background(), bytes.NewReader(file), "good", o)
	if err != nil || len(rep.Rejected) > 0 || rep.Lemmas != 3 || rep.Rules != 3 || rep.Meaning != 2 {
		t.Fatalf("the file unharmed: %+v, %v", rep, err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range check.FileCorruptions() {
		for range 5 {
			bad, err := check.CorruptFile(rng, file, kind)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			rep, err := check.File(context.Background(), bytes.NewReader(bad), "bad", o)
			if err == nil && len(rep.Rejected) == 0 {
				t.Errorf("%s: accepted", kind)
			}
		}
	}
	if _, err := check.CorruptFile(rng, file, "nothing"); err == nil {
		t.Error("an alteration that there is not")
	}
}

// TestOtherAxioms: a file with an axiom that was added is accepted if any axioms are, and
// refused where one text of axioms is wanted, or where each axiom is looked at.
func TestOtherAxioms(t *testing.T) {
	bad, err := check.CorruptFile(rand.New(rand.NewPCG(1, 2)), smallFile(t), "an axiom added, with its hash")
	if err != nil {
		t.Fatal(err)
	}
	known := law.HashText(axioms)
	rep, err := check.File(context.Background(), bytes.NewReader(bad), "bad", check.Options{})
	if err != nil || len(rep.Rejected) > 0 || rep.AxiomsSHA256 == known {
		t.Errorf("any axioms: %+v, %v", rep, err)
	}
	if _, err = check.File(context.Background(), bytes.NewReader(bad), "bad", check.Options{SHA256: known}); err == nil || !strings.Contains(err.Error(), "want "+known) {
		t.Errorf("known axioms only: %v", err)
	}
	mine, err := law.Parse("axioms", []byte(axioms))
	if err != nil {
		t.Fatal(err)
	}
	each := func(l *law.Law) error {
		if !slices.ContainsFunc(mine, func(m *law.Law) bool { return law.Same(m, l) }) {
			return fmt.Errorf("%s is new", l.Name)
		}
		return nil
	}
	if _, err = check.File(context.Background(), bytes.NewReader(bad), "bad", check.Options{Axiom: each}); err == nil || !strings.Contains(err.Error(), " is new") {
		t.Errorf("each axiom: %v", err)
	}
}

// byMeaning is an entry that is proved from what operators compute.
func byMeaning(t testing.TB, name, text string) law.CertRule {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sums.Certify(context.Background(), l)
	if err != nil || p == nil {
		t.Fatalf("%s has no proof: %v", name, err)
	}
	return law.NewCertRule(name, l, &law.Proof{Meaning: p})
}
