package theory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
)

// Known is a theory with the laws that come with the program beside it. It is not
// changed once it is there; goroutines may share it.
type Known struct {
	*Theory
	// Builtin are the laws of package rules/builtin, in their order. The proof of one that
	// the e-graph does not derive is from what its operators compute.
	Builtin []*rules.Lemma
}

// storedFile is the name of the embedded certificates in messages.
const storedFile = "rules/builtin/laws.cert"

// Stored takes the proofs of the lemmas and of the laws of package rules/builtin from
// the certificates that are embedded in the program, and has the checker accept each of
// them: nothing is searched for. The error is that of certificates that are broken, of
// other laws, or without one of the lemmas. A process reads them once.
func Stored(ctx context.Context) (*Known, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return stored()
}

var stored = sync.OnceValues(func() (*Known, error) {
	k, err := readStored(context.Background(), builtin.Certificates())
	if err != nil {
		return nil, fmt.Errorf("certificates that come with the program (go generate ./rules/builtin writes them): %w", err)
	}
	return k, nil
})

func readStored(ctx context.Context, cert []byte) (*Known, error) {
	proofs, err := accepted(ctx, cert)
	if err != nil {
		return nil, err
	}
	return knownFrom(proofs)
}

// accepted are the laws of a file of certificates with their proofs, by name, if the
// checker accepts all of them.
func accepted(ctx context.Context, cert []byte) (map[string]*rules.Lemma, error) {
	own := map[string]*law.Law{}
	for _, l := range axioms.ByKind(law.Axiom) {
		own[l.Name] = l
	}
	proofs := map[string]*rules.Lemma{}
	rep, err := check.File(ctx, bytes.NewReader(cert), storedFile, check.Options{
		Axiom: func(l *law.Law) error {
			if a := own[l.Name]; a == nil || !law.Same(a, l) {
				return fmt.Errorf("law %s is no axiom of this program", l.Name)
			}
			return nil
		},
		Accepted: func(l *law.Law, p *law.Proof, _ *check.Result) { proofs[l.Name] = &rules.Lemma{Law: l, Proof: p} },
	})
	if err != nil {
		return nil, err
	}
	if len(rep.Rejected) > 0 {
		return nil, errors.New(rep.Rejected[0].String())
	}
	return proofs, nil
}

// knownFrom takes the proofs of the laws of the program from laws that were proved. The
// error names a law that is not there, or is another one.
func knownFrom(proofs map[string]*rules.Lemma) (*Known, error) {
	k, err := newKnown()
	if err != nil {
		return nil, err
	}
	for _, l := range axioms.ByKind(law.Axiom) {
		k.add(l)
	}
	used := 0
	// proofOf is the proof of a law, if it is that law which was proved.
	proofOf := func(l *law.Law, kind law.Kind) (*law.Proof, error) {
		p := proofs[l.Name]
		switch {
		case p == nil:
			return nil, nil
		case p.Law.Kind != kind || !law.Same(p.Law, l):
			return nil, fmt.Errorf("%s: law %s is another one than that of the program", storedFile, l.Name)
		}
		used++
		return p.Proof, nil
	}
	for _, l := range axioms.ByKind(law.Lemma) {
		p, err := proofOf(l, law.Lemma)
		if err != nil {
			return nil, err
		}
		if p == nil {
			return nil, fmt.Errorf("%s: lemma %s is not there", storedFile, l.Name)
		}
		k.Lemmas = append(k.Lemmas, &rules.Lemma{Law: l, Proof: p})
		k.add(l)
	}
	for _, l := range k.Builtin {
		if l.Proof, err = proofOf(l.Law, law.Rule); err != nil {
			return nil, err
		}
	}
	if used != len(proofs) {
		return nil, fmt.Errorf("%s: %d laws, of which the program has %d", storedFile, len(proofs), used)
	}
	return k, nil
}

// newKnown has the laws of package rules/builtin, without proofs, and no others.
func newKnown() (*Known, error) {
	k := &Known{Theory: &Theory{ByName: check.Laws{}}}
	laws, err := builtin.All()
	for _, l := range laws {
		k.Builtin = append(k.Builtin, &rules.Lemma{Law: l})
	}
	return k, err
}

// Search looks for the proofs that Stored reads: those of the lemmas, each from the laws
// before it, and those of the laws of package rules/builtin from them.
func Search(ctx context.Context) (*Known, error) {
	k, err := newKnown()
	if err != nil {
		return nil, err
	}
	if k.Theory, err = load(ctx, everyLaw(), nil, nil); err != nil {
		return nil, err
	}
	for _, l := range k.Builtin {
		v, err := verify.Derive(ctx, l.Law, k.near(l.Law), verify.DefaultRounds)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.Proof = v.Proof; v.Status != verify.Proved {
			c, err := prove.Shared.Certify(ctx, l.Law, prove.Thorough)
			if err != nil {
				return nil, err
			}
			if !c.Proved() {
				continue
			}
			l.Proof = c.Proof
		}
		if _, err := check.Rule(l.Law, l.Proof, k.ByName); err != nil {
			return nil, fmt.Errorf("law %s: the checker does not accept its proof: %w", l.Law.Name, err)
		}
	}
	return k, nil
}

// near are the laws so far that speak of no other operators than l.
func (t *Theory) near(l *law.Law) []*law.Law {
	return Relevant(t.Laws, append(operators(l.LHS), operators(l.RHS)...))
}

// WriteCert writes the proofs as a certificate file with the axioms that they use.
func (k *Known) WriteCert(w io.Writer) error {
	used := map[string]bool{}
	for _, ls := range [2][]*rules.Lemma{k.Lemmas, k.Builtin} {
		for _, l := range ls {
			if l.Proof != nil {
				for _, name := range l.Proof.Laws() {
					used[name] = true
				}
			}
		}
	}
	var from []*law.Law
	for _, l := range k.Laws {
		if l.Kind == law.Axiom && used[l.Name] {
			from = append(from, bare(l))
		}
	}
	c := law.NewCertWriter(w, law.FormatAll(from))
	for _, l := range k.Lemmas {
		if err := c.Lemma(law.NewCertRule(l.Law.Name, bare(l.Law), l.Proof)); err != nil {
			return err
		}
	}
	for _, l := range k.Builtin {
		if l.Proof == nil {
			continue
		}
		if err := c.Rule(law.NewCertRule(l.Law.Name, bare(l.Law), l.Proof)); err != nil {
			return err
		}
	}
	return c.Close()
}

// bare is a law without what is there for people.
func bare(l *law.Law) *law.Law {
	m := *l
	m.Doc, m.Section = "", ""
	return &m
}
