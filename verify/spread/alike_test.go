package spread

import (
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
	"github.com/taso-go/taso/verify/check"
)

// Each axiom is an instance of itself with plain names, which does not depend on the
// names that the axiom has.
func TestPlainNames(t *testing.T) {
	for _, l := range axioms.ByKind(law.Axiom) {
		m, back := plainNames(l)
		left, right := back.Sides(m)
		if a, b := law.FormatOutputs(left), law.FormatOutputs(l.LHS); a != b {
			t.Errorf("%s: the left side is %s, want %s", l.Name, a, b)
		}
		if a, b := law.FormatOutputs(right), law.FormatOutputs(l.RHS); a != b {
			t.Errorf("%s: the right side is %s, want %s", l.Name, a, b)
		}
		for i, p := range m.Where {
			if got := p.Subst(back.Substitution()); got.String() != l.Where[i].String() {
				t.Errorf("%s: condition %s, want %s", l.Name, got, l.Where[i])
			}
		}
		for _, g := range l.Given {
			if g.Sort != "" {
				continue
			}
			k := slices.IndexFunc(m.Given, func(x law.Declaration) bool {
				v := back.Tensors[x.Name]
				return v != nil && v.Var == g.Name
			})
			if k < 0 || !m.Given[k].Shape.Subst(back.Substitution()).Equal(g.Shape) {
				t.Errorf("%s: %s is not given with its shape", l.Name, g.Name)
			}
		}
		again, _ := plainNames(m)
		if law.Body(again) != law.Body(m) {
			t.Errorf("%s: plain names are\n%sand then\n%s", l.Name, law.Body(m), law.Body(again))
		}
	}
}

// What is proved of one law is known of the same with other names, in the names of that,
// and of no law that says something else.
func TestAnswersAreShared(t *testing.T) {
	laws := axioms.ByKind(law.Axiom)
	byName := check.Laws{}
	for _, l := range laws {
		byName[l.Name] = l
	}
	first, err := New(laws...)
	if err != nil {
		t.Fatal(err)
	}
	next, err := first.Another()
	if err != nil {
		t.Fatal(err)
	}
	var known []int
	for i, text := range []string{
		"rule a given X : [m, k], Y : [m, k], Z : [k, n] then matmul(ewadd(X, Y), Z) => ewadd(matmul(X, Z), matmul(Y, Z))",
		"rule a given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) => matmul(ewadd(X, Y), Z)",
		"rule b given C : [q, p], B : [r, q], A : [r, q] then ewadd(matmul(A, C), matmul(B, C)) => matmul(ewadd(A, B), C)",
		"rule c given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) => matmul(ewadd(Y, X), Z)",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		b := []*Prover{first, next}[i%2]
		v, err := b.Decide(context.Background(), l, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []law.Status{law.Refuted, law.Proved, law.Proved, law.Proved}[i]; v.Status != want {
			t.Errorf("%s: %s, want %s: %s", text, v.Status, want, v.Reason)
		}
		known = append(known, len(first.answers.of))
		if v.Status != law.Proved {
			continue
		}
		p, err := broadcast.All(l, broadcast.Options{})
		if err != nil || len(p.Laws) != len(v.Proofs) {
			t.Fatalf("%s: %d proofs, %v", text, len(v.Proofs), err)
		}
		for k, x := range p.Laws {
			if _, err := check.Rule(x.Law, v.Proofs[k], byName); err != nil {
				t.Errorf("%s%v", law.Format(x.Law), err)
			}
		}
	}
	if known[0] != 0 || known[1] == 0 || known[2] != known[1] || known[3] == known[2] {
		t.Errorf("patterns known after each law: %v", known)
	}
}
