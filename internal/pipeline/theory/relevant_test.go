package theory

import (
	"context"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

func TestRelevant(t *testing.T) {
	all := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	for _, c := range []struct {
		name    string
		ops     []*graph.Op
		with    []string
		without []string
	}{
		{"sums and products", []*graph.Op{op.EWAdd, op.EWMul}, []string{"ewadd_comm", "ewadd_assoc"}, []string{"ewsub_neg", "matmul_ewadd", "reshape_all"}},
		{"what a difference is", []*graph.Op{op.EWSub}, []string{"ewsub_neg", "neg_neg"}, []string{"neg_smul", "ewsub_zero"}},
		{"what a cut is", []*graph.Op{op.Split, op.Concat}, []string{"split_concat", "slice_concat_first"}, []string{"slice_smul"}},
		{"none", nil, nil, []string{"ewadd_comm", "reshape_all"}},
	} {
		got := map[string]bool{}
		for _, l := range Relevant(all, c.ops) {
			got[l.Name] = true
		}
		for _, n := range c.with {
			if !got[n] {
				t.Errorf("%s: without %s", c.name, n)
			}
		}
		for _, n := range c.without {
			if got[n] {
				t.Errorf("%s: with %s", c.name, n)
			}
		}
	}
}

// The laws that matter to some operators prove the lemmas that do.
func TestLoad(t *testing.T) {
	ops := []*graph.Op{op.MatMul, op.EWAdd, op.EWSub, op.Concat, op.Split, op.Transpose}
	th, err := Load(context.Background(), ops, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(th.Lemmas) == 0 || len(th.Laws) >= len(axioms.ByKind(law.Axiom)) {
		t.Errorf("%d lemmas, %d laws", len(th.Lemmas), len(th.Laws))
	}
	known := map[string]bool{}
	for _, l := range th.Laws {
		known[l.Name] = true
	}
	for _, l := range th.Lemmas {
		for _, n := range l.Proof.Laws() {
			if !known[n] {
				t.Errorf("lemma %s is proved from %s, which does not matter", l.Law.Name, n)
			}
		}
	}
}
