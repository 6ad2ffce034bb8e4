package audit

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// Certified is the set of the rules that are proved from the axioms, as they
// were proved: conditions and all. all: every one; else only the minimal
// subset. A rule is written in canonical form, and its proof is one of that
// form. lost counts the true rules without such a proof.
func Certified(ctx context.Context, reps []*Report, all bool) (set *rules.Set, lost int, err error) {
	t, err := theory.Load(ctx, nil, nil)
	if err != nil {
		return nil, 0, err
	}
	set = &rules.Set{Axioms: axioms.Text(), Lemmas: t.Lemmas, Header: rules.Header{Tool: "taso audit", AxiomsSHA256: axioms.SHA256()}}
	for _, rep := range reps {
		minimal := map[int]bool{}
		for _, i := range rep.Set.Minimal {
			minimal[i] = true
		}
		for _, r := range rep.Rules {
			if r.Goal == nil || r.DuplicateOf >= 0 || !all && !minimal[r.Index] {
				continue
			}
			x, err := certify(ctx, t, r)
			if err != nil {
				return nil, 0, fmt.Errorf("rule %d: %w", r.Index, err)
			}
			if x == nil {
				lost++
				continue
			}
			set.Add(x)
		}
	}
	set.Sort()
	return set, lost, nil
}

// certify makes a rule with a proof of its canonical form; nil if there is none.
func certify(ctx context.Context, t *theory.Theory, r *Rule) (*rules.Rule, error) {
	if r.Proof == nil {
		return nil, nil
	}
	x, err := rules.New(r.Goal)
	if err != nil {
		return nil, err
	}
	if law.ID(x.Law) != x.ID() {
		return nil, nil
	}
	proof := r.Proof
	if _, err := check.Rule(x.Law, proof, t.ByName); err != nil {
		ps, err := t.Decide(ctx, []*law.Law{x.Law}, theory.Options{Workers: 1})
		if err != nil {
			return nil, err
		}
		if proof = ps[0].Verdict.Proof; ps[0].Verdict.Status != verify.Proved {
			return nil, nil
		}
		if _, err := check.Rule(x.Law, proof, t.ByName); err != nil {
			return nil, nil
		}
	}
	x.Status, x.Proof, x.Engine = rules.Proved, proof, "egraph"
	x.Conditional = r.Verdict == Conditional
	return x, nil
}
