package genrules

import (
	"context"
	_ "embed"
	"slices"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// larger are those that follow from rules of four operators.
var larger = []string{"row_parallel", "megatron_mlp", "bias_under_a_sum", "dlrm_concat", "vocabulary_parallel"}

//go:embed testdata/parallel.axioms
var parallelizations []byte

// The parallelizations that papers name follow from generated rules, or from the axioms
// where the presets do not reach. Rules of four operators, of the preset of embeddings, are
// generated in make sweeps only: in make test those that need them follow from the axioms.
func TestParallelizations(t *testing.T) {
	goals, err := law.Parse("parallel.axioms", parallelizations)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var found []*law.Law
	for _, run := range []struct {
		preset string
		ops    int
	}{{"parallel-mlp", 3}, {"parallel-two", 3}, {"parallel-attention", 3}, {"parallel-embedding", sweep.Size(3, 4)}} {
		rep, err := Run(context.Background(), Options{MaxOps: run.ops, Ops: []string{run.preset}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rep.Set.Rules {
			if !r.Derivable && !seen[r.ID()] {
				seen[r.ID()] = true
				found = append(found, r.Law)
			}
		}
	}
	session := func(laws []*law.Law) *verify.Session {
		s, err := verify.NewSession(verify.DefaultRounds, laws...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	fromFound, fromAxioms := session(found), session(axioms.ByKind(law.Axiom))
	for _, g := range goals {
		from := fromFound
		if g.Kind == law.Lemma || sweep.Size(1, 0) == 1 && slices.Contains(larger, g.Name) {
			from = fromAxioms
		}
		v, err := from.Prove(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != verify.Proved {
			t.Errorf("%s does not follow from what is found: %s", g.Name, v.Reason)
		}
	}
	// A sum of copies is none of them.
	no, err := law.ParseLaw("rule no given X : [m, n], B : [g] then reduce(replicate[on=g](X)) == X")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := fromFound.Prove(context.Background(), no); err != nil || v.Status == verify.Proved {
		t.Errorf("a sum of copies is the tensor: %v, %v", v.Status, err)
	}
}
