package theory

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/meaning"
)

// Recheck says which of the laws that come with the program have a proof, and which
// proofs hold.
type Recheck struct {
	Axioms   int `json:"axioms"` // of which a proof is accepted
	Lemmas   int `json:"lemmas"`
	Numbers  int `json:"numbers"`  // in these proofs
	Unproved int `json:"unproved"` // axioms and lemmas without a proof
	// Builtin is about the certificates of the lemmas, from axioms, and of the laws of
	// package rules/builtin.
	Builtin  *check.Report     `json:"builtin"`
	Rejected []check.Rejection `json:"rejected"` // of the axioms and lemmas
	Seconds  float64           `json:"seconds"`
}

// Accepted reports that every law has a proof that holds.
func (r *Recheck) Accepted() bool {
	return r.Unproved == 0 && len(r.Rejected) == 0 && len(r.Builtin.Rejected) == 0
}

// CheckLaws checks the proofs that come with the program: of all axioms and lemmas from
// what their operators compute, and the certificates of package rules/builtin. z3 asks
// Z3 as well about those that are from laws.
func CheckLaws(ctx context.Context, z3 bool) (*Recheck, error) {
	start := time.Now()
	r := &Recheck{Rejected: []check.Rejection{}}
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	why := make([]error, len(laws))
	err := parallel.Each(ctx, parallel.Workers(0, len(laws)), len(laws), func(_, i int) error {
		if p, ok := axioms.Proof(laws[i].Name); ok {
			_, why[i] = meaning.Check(laws[i], p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, l := range laws {
		p, ok := axioms.Proof(l.Name)
		switch {
		case !ok:
			r.Unproved++
		case why[i] != nil:
			r.Rejected = append(r.Rejected, check.Rejection{Place: "axioms/proofs.txt", ID: l.Name, Reason: why[i].Error()})
		default:
			r.Numbers += len(p)
			if l.Kind == law.Axiom {
				r.Axioms++
			} else {
				r.Lemmas++
			}
		}
	}
	own := map[string]*law.Law{}
	for _, l := range laws {
		own[l.Name] = l
	}
	r.Builtin, err = check.File(ctx, bytes.NewReader(builtin.Certificates()), storedFile, check.Options{Z3: z3,
		Axiom: func(l *law.Law) error {
			if a := own[l.Name]; a == nil || a.Kind != law.Axiom || !law.Same(a, l) {
				return fmt.Errorf("law %s is no axiom of this program", l.Name)
			}
			return nil
		}})
	r.Seconds = time.Since(start).Seconds()
	return r, err
}
