package verify

import (
	"context"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

// TestEGraphLemmas proves every lemma from the axioms and the lemmas before it,
// and has each proof checked twice: by this package's naive closure and by the
// certificate checker.
func TestEGraphLemmas(t *testing.T) {
	have := axioms.ByKind(law.Axiom)
	use := check.Laws(lawsByName(have))
	lemmas := axioms.ByKind(law.Lemma)
	if len(lemmas) == 0 {
		t.Fatal("no lemmas")
	}
	for _, l := range lemmas {
		v, err := Derive(context.Background(), l, have, LemmaRounds)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != Proved {
			t.Errorf("%s: lemma %s: %s (%d nodes)", l.Pos, l.Name, v.Reason, v.Nodes)
			continue
		}
		t.Logf("%-26s %7.2f ms %5d nodes %2d instances %v", l.Name, v.Seconds*1e3, v.Nodes, len(v.Proof.Instances), v.Proof.Laws())
		if err := checkProof(l, lawsByName(have), v.Proof); err != nil {
			t.Errorf("lemma %s: %v", l.Name, err)
		}
		if _, err := check.Rule(l, v.Proof, use); err != nil {
			t.Errorf("lemma %s: checker: %v", l.Name, err)
		}
		have = append(have, l)
		use[l.Name] = l
	}
}

// TestEGraphRefutes: no refuted equation follows from the axioms and lemmas.
func TestEGraphRefutes(t *testing.T) {
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	refutes := axioms.ByKind(law.Refute)
	if len(refutes) == 0 {
		t.Fatal("no refuted equations")
	}
	vs, err := (&EGraph{Laws: laws}).Prove(context.Background(), refutes)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		t.Logf("%-26s %7.2f ms %5d nodes %s", refutes[i].Name, v.Seconds*1e3, v.Nodes, v.Reason)
		if v.Status == Unknown {
			continue
		}
		t.Errorf("%s: refuted equation %s: %s", refutes[i].Pos, refutes[i].Name, v.Status)
		for _, in := range v.Proof.Instances {
			t.Logf("  %s %v %v %v", in.Law, in.Tensors, in.Dims, in.Attrs)
		}
	}
}

// TestEGraphAxiomsUsable: every axiom and lemma can be used in some direction.
func TestEGraphAxiomsUsable(t *testing.T) {
	table := tensor.NewTable()
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		rules, unusable, err := table.Rules(l)
		if err != nil {
			t.Error(err)
		} else if len(rules) == 0 {
			t.Errorf("%s: law %s cannot be used: %v", l.Pos, l.Name, unusable)
		}
	}
}

// BenchmarkEGraphAxioms decides the goals of this package's tests with all
// axioms and lemmas, on one core.
func BenchmarkEGraphAxioms(b *testing.B) {
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	goals := lawtext.Read(b, trueGoals)
	for b.Loop() {
		if _, err := (&EGraph{Laws: laws, Workers: 1}).Prove(context.Background(), goals); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(goals))*float64(b.N)/b.Elapsed().Seconds(), "goals/s")
}
