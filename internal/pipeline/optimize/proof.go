package optimize

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/taso-go/taso/graph/bounds"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/assume"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/network"
)

// noAxioms is the text of the axioms in a certificate that assumes none. It is not empty:
// without a text a file is about the axioms of the program.
const noAxioms = "# No axiom is assumed.\n"

// WriteProof writes the certificate of a derivation. proofs are those of the laws
// that it uses, by name, as far as they are known; others are proved now.
func WriteProof(ctx context.Context, w io.Writer, d *search.Derivation, proofs map[string]*law.Proof) error {
	e, err := evidenceOf(ctx, usedLaws(d), proofs)
	if err != nil {
		return err
	}
	if len(e.unproved) > 0 {
		return unknown(e.unproved)
	}
	cw := law.NewCertWriter(w, noAxioms)
	for _, l := range e.lemmas {
		if err := cw.Lemma(law.NewCertRule(l.law.Name, l.law, l.proof)); err != nil {
			return err
		}
	}
	if err := cw.Rule(law.NewCertRule(d.Equation.Name, d.Equation, d.Proof)); err != nil {
		return err
	}
	return cw.Close()
}

// usedLaws are the laws that instances name.
func usedLaws(d *search.Derivation) map[string]*law.Law {
	used := map[string]*law.Law{}
	for _, name := range d.Proof.Laws() {
		used[name] = d.Laws[name]
	}
	return used
}

// Checked is what a proof was found to show.
type Checked struct {
	*network.Report
	Steps  int `json:"steps"`  // instances of laws in the entry of the networks
	Axioms int `json:"axioms"` // laws that it believes
	Lemmas int `json:"lemmas"`
	// Assumptions are what the statement that the models are equal takes for granted: that of
	// the laws that the proof uses, of weights that are computed, and of operators that are
	// not understood.
	Assumptions []assume.Name `json:"assumptions"`
}

// Rejected is the error of a proof that does not show what it is to show.
type Rejected struct{ Why error }

// Error says why.
func (r *Rejected) Error() string { return "rejected: " + r.Why.Error() }

// Unwrap is why.
func (r *Rejected) Unwrap() error { return r.Why }

// CheckProof says whether a certificate shows that two models compute the same. What
// it believes are axioms of this program and laws that verify/prove proves now.
func CheckProof(ctx context.Context, r io.Reader, name string, a, b *model.Model, z3 bool) (*Checked, error) {
	return checkProof(ctx, r, name, a, b, z3, false)
}

// CheckProofWhereDefined is CheckProof for inputs at which every function has a value where it
// is applied ([network.CheckWhereDefined]). The assumptions have assume.Defined where the
// models apply a function that may have none.
func CheckProofWhereDefined(ctx context.Context, r io.Reader, name string, a, b *model.Model, z3 bool) (*Checked, error) {
	return checkProof(ctx, r, name, a, b, z3, true)
}

func checkProof(ctx context.Context, r io.Reader, name string, a, b *model.Model, z3, defined bool) (*Checked, error) {
	var eq *law.Law
	out := &Checked{}
	laws, used := map[string]*law.Law{}, assume.Set{}
	rep, err := check.File(ctx, r, name, check.Options{
		Axiom: func(l *law.Law) error {
			if err := Believed(ctx, l); err != nil {
				return &Rejected{err}
			}
			laws[l.Name] = l
			return nil
		},
		Z3: z3,
		Accepted: func(l *law.Law, pf *law.Proof, res *check.Result) {
			if laws[l.Name] = l; l.Kind == law.Rule {
				eq, out.Steps = l, res.Instances
				used.Union(ofProof(l, pf, laws))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	if len(rep.Rejected) > 0 {
		return nil, &Rejected{errors.New(rep.Rejected[0].String())}
	}
	if eq == nil || rep.Rules != 1 {
		return nil, &Rejected{fmt.Errorf("%s: %d equations, want one of two networks", name, rep.Rules)}
	}
	if eq.OneWay {
		return nil, &Rejected{errors.New("the equation is written =>")}
	}
	out.Axioms, out.Lemmas = rep.Axioms, rep.Lemmas
	about := network.Check
	if defined {
		about = network.CheckWhereDefined
	}
	out.Report, err = about(eq, a, b)
	if err != nil {
		return nil, &Rejected{fmt.Errorf("%s is about other models: %w", name, err)}
	}
	delete(used, assume.Defined) // package verify/network has seen to it
	if defined {
		for _, m := range []*model.Model{a, b} {
			for _, s := range bounds.Unreal(m.Graph, m.Intervals()) {
				if s != bounds.Real {
					used.Add(assume.Defined)
				}
			}
		}
	}
	if out.Computed > 0 {
		used.Add(assume.Reals)
	}
	if a.Graph.Sizing() != nil {
		used.Add(assume.Sizes)
	}
	if len(a.Defaults)+len(b.Defaults) > 0 {
		used.Add(assume.Defaults)
	}
	for id := range a.Graph.Nodes() {
		if _, _, opaque := a.Graph.Opaque(id); opaque {
			used.Add(assume.Opaque)
		}
	}
	out.Assumptions = used.List()
	return out, nil
}

// ofProof is what the equation of two models takes for granted by the laws that its proof
// uses. An equation that is proved from what operators compute is such a law itself.
func ofProof(eq *law.Law, p *law.Proof, laws map[string]*law.Law) assume.Set {
	s := assume.Set{}
	if p.Meaning != nil {
		return assume.OfLaw(eq)
	}
	for _, name := range p.Laws() {
		s.Union(assume.OfLaw(laws[name]))
	}
	return s
}
