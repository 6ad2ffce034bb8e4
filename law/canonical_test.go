package law_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"pgregory.net/rapid"
)

// The canonical form of a canonical form is itself, and a disguised law has
// the canonical form and the identity of the law.
func TestCanonicalOfDisguise(t *testing.T) {
	all := axioms.Default()
	rapid.Check(t, func(t *rapid.T) {
		l := all[rapid.IntRange(0, len(all)-1).Draw(t, "law")]
		canonicalAgrees(t, l, disguise(t, l))
	})
}

func TestCanonicalOfDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaw(t)
		canonicalAgrees(t, l, disguise(t, l))
	})
}

func canonicalAgrees(t *rapid.T, l, m *law.Law) {
	c := law.Canonical(l)
	want := law.Format(c)
	if got := law.Format(law.Canonical(c)); got != want {
		t.Fatalf("canonical form\n%s\nhas canonical form\n%s", want, got)
	}
	if got := law.Format(law.Canonical(m)); got != want {
		t.Fatalf("canonical form\n%s\nand of the disguised law\n%s\nit is\n%s", want, law.Format(m), got)
	}
	if law.ID(l) != law.ID(m) || law.ID(c) != law.ID(l) {
		t.Fatalf("identities %s, %s, %s", law.ID(l), law.ID(m), law.ID(c))
	}
}

// Different axioms have different identities: none says the same as another,
// commutative operands exchanged or not.
func TestIDsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, l := range axioms.ByKind(law.Axiom) {
		id := law.ID(l)
		if other := seen[id]; other != "" {
			t.Errorf("%s and %s are %s", other, l.Name, id)
		}
		seen[id] = l.Name
	}
}

// Identities are part of file formats: they must not change.
func TestIDStable(t *testing.T) {
	for text, want := range map[string]string{
		"rule a given X : [m, n], Y : [n, k], Z : [k, l] then matmul(X, matmul(Y, Z)) == matmul(matmul(X, Y), Z)": "r_06a9352e53",
		"rule b given f : pointwise1, X : [P..], Y : [P..] then f(ewadd(X, Y)) => f(ewadd(Y, X))":                 "r_59051adc46",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := law.ID(l); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The direction of a law written => is part of what it says.
func TestCanonicalKeepsDirection(t *testing.T) {
	l, err := law.ParseLaw("rule x given X : [m, n] then X => transpose(transpose(X))")
	if err != nil {
		t.Fatal(err)
	}
	if got := law.Format(law.Canonical(l)); !strings.Contains(got, "A => transpose(transpose(A))") {
		t.Errorf("canonical form\n%s", got)
	}
}

func BenchmarkCanonical(b *testing.B) {
	all := axioms.Default()
	for i := 0; i < b.N; i++ {
		law.Canonical(all[i%len(all)])
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(axioms.Text())
	b.SetBytes(int64(len(text)))
	for i := 0; i < b.N; i++ {
		if _, err := law.Parse("axioms", text); err != nil {
			b.Fatal(err)
		}
	}
}

// The canonical form of every axiom is a text that is read as the same law: no
// two variables have one name.
func TestCanonicalIsRead(t *testing.T) {
	for _, l := range axioms.Default() {
		text := law.Format(law.Canonical(l))
		back, err := law.ParseLaw(text)
		if err != nil {
			t.Errorf("%s: canonical form\n%s\n%v", l.Name, text, err)
			continue
		}
		if got := law.Format(back); got != text {
			t.Errorf("%s: canonical form\n%s\nis read as\n%s", l.Name, text, got)
		}
	}
}

// The size of a tensor that no side reads is a condition of the law, and part of
// what the law is.
func TestCanonicalKeepsSizesOfUnreadTensors(t *testing.T) {
	const then = " then ewadd(Z, reducesum[axes=(0), keep=1](slice[axis=0, lo=0, hi=b](Y))) => Z"
	parse := func(given string) *law.Law {
		l, err := law.ParseLaw("rule x\n given " + given + then)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	with, without, free := parse("X : [a-b], Y : [a], Z : [1]"), parse("Y : [a], Z : [1]"), parse("X : [a+b], Y : [a], Z : [1]")
	if law.ID(with) == law.ID(without) {
		t.Errorf("%s\nand\n%s\nhave one id", law.Format(with), law.Format(without))
	}
	if law.ID(free) != law.ID(without) {
		t.Errorf("a size that is at least 1 makes another law:\n%s", law.Format(law.Canonical(free)))
	}
	again, err := law.ParseLaw(law.Format(law.Canonical(with)))
	if err != nil || law.ID(again) != law.ID(with) {
		t.Errorf("the canonical form reads as another law: %v\n%s", err, law.Format(law.Canonical(with)))
	}
}

// The canonical form of a law with many commutative operators is its own: its operands are
// ordered by names, which change with them.
func TestCanonicalTwice(t *testing.T) {
	laws, err := law.Parse("laws", []byte(`
rule rotary
  given X : [s, 2*d], C : [s, d], S : [s, d], B : [s, d], R : [s, d]
  let   turn(X) = concat[axis=1](neg(slice[axis=1, lo=d, hi=2*d](X)), slice[axis=1, lo=0, hi=d](X))
  let   rope(X, C, S) = ewadd(ewmul(X, concat[axis=1](C, C)), ewmul(turn(X), concat[axis=1](S, S)))
  then  rope(rope(X, C, S), B, R) => rope(X, ewsub(ewmul(C, B), ewmul(S, R)), ewadd(ewmul(S, B), ewmul(C, R)))

rule rotary_back
  given X : [s, 2*d], C : [s, d], S : [s, d], B : [s, d], R : [s, d]
  let   turn(X) = concat[axis=1](neg(slice[axis=1, lo=d, hi=2*d](X)), slice[axis=1, lo=0, hi=d](X))
  let   rope(X, C, S) = ewadd(ewmul(X, concat[axis=1](C, C)), ewmul(turn(X), concat[axis=1](S, S)))
  then  rope(rope(X, C, S), B, neg(R)) => rope(X, ewadd(ewmul(C, B), ewmul(S, R)), ewsub(ewmul(S, B), ewmul(C, R)))
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range laws {
		c := law.Canonical(l)
		if again := law.Canonical(c); law.Body(again) != law.Body(c) {
			t.Errorf("%s: the canonical form of\n%s\nis\n%s", l.Name, law.Format(c), law.Format(again))
		}
	}
}
