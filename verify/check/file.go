package check

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/taso-go/taso/law"
)

// Options says how a certificate file is checked. The zero value trusts the
// axioms that the file carries; the report names their hash.
type Options struct {
	// Axioms is the text of the axioms for a file that carries none.
	Axioms string
	// SHA256 is the only hash the axioms may have, if there are any; "": any.
	SHA256 string
	// Axiom, if not nil, says whether a law may stand among the axioms; their hash
	// does not matter then.
	Axiom func(*law.Law) error
	// ID computes the id a rule must have; nil: the id must be the rule's name.
	ID func(*law.Law) string
	// Z3 asks Z3 as well, but of proofs from what operators compute.
	Z3 bool
	// Each, if not nil, is called with every accepted entry, in order.
	Each func(id string, r *Result)
	// Accepted, if not nil, is called with the law of every accepted entry and its proof.
	Accepted func(l *law.Law, p *law.Proof, r *Result)
}

// Report is the outcome for a file.
type Report struct {
	File         string      `json:"file"`
	AxiomsSHA256 string      `json:"axioms_sha256"`
	Axioms       int         `json:"axioms"`    // in the text
	Lemmas       int         `json:"lemmas"`    // accepted
	Rules        int         `json:"rules"`     // accepted
	OneWay       int         `json:"one_way"`   // of these, shown left to right only
	Instances    int         `json:"instances"` // in accepted proofs
	Meaning      int         `json:"meaning"`   // accepted proofs from what operators compute
	Rejected     []Rejection `json:"rejected"`
}

// Rejection is an entry that does not hold, with the reason.
type Rejection struct {
	Place  string `json:"place"` // file:line
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func (r Rejection) String() string { return r.Place + ": " + r.ID + ": " + r.Reason }

// File checks every entry of a certificate file; name names it in messages.
// Entries that fail are listed in the report; the error is that of a file that
// cannot be read to its end, or of axioms that cannot be read.
//
// Lemmas and rules are proved from the axioms in the text, lemmas also from
// the lemmas before them. A lemma in the text of the axioms counts only where
// the file proves it.
func File(ctx context.Context, r io.Reader, name string, o Options) (rep *Report, err error) {
	cr, err := law.NewCertReader(r, name)
	if err != nil {
		return nil, err
	}
	text := cr.Axioms
	none := cr.AxiomsSHA256 == law.HashText("") // its proofs use no axiom
	if text == "" && !none {
		text = o.Axioms
		if h := law.HashText(text); h != cr.AxiomsSHA256 {
			return nil, fmt.Errorf("%s: the file is about axioms with hash %s, those at hand have %s", name, cr.AxiomsSHA256, h)
		}
	}
	if o.SHA256 != "" && !none && o.Axiom == nil && o.SHA256 != cr.AxiomsSHA256 {
		return nil, fmt.Errorf("%s: the axioms have hash %s, want %s", name, cr.AxiomsSHA256, o.SHA256)
	}
	laws, err := law.Parse("axioms", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rep = &Report{File: name, AxiomsSHA256: cr.AxiomsSHA256, Rejected: []Rejection{}}
	use := Laws{}
	for _, l := range laws {
		if l.Kind != law.Axiom {
			continue
		}
		if use[l.Name] != nil {
			return nil, fmt.Errorf("%s: axiom %s stands twice in the axioms", name, l.Name)
		}
		if o.Axiom != nil {
			if err := o.Axiom(l); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		use[l.Name] = l
		rep.Axioms++
	}
	var z *Z3
	if o.Z3 {
		z = &Z3{}
		defer func() { err = errors.Join(err, z.Close()) }()
	}
	seen := map[string]bool{}
	for {
		if err := ctx.Err(); err != nil {
			return rep, fmt.Errorf("%s: %w", name, err)
		}
		e, lemma, err := cr.Next()
		if err == io.EOF {
			return rep, nil
		}
		if err != nil {
			return rep, err
		}
		l, p, res, err := entry(ctx, &e, lemma, use, z, o)
		if err == nil && seen[e.ID] {
			err = errors.New("the id stands twice")
		}
		if err != nil {
			rep.Rejected = append(rep.Rejected, Rejection{Place: cr.Place(), ID: e.ID, Reason: err.Error()})
			continue
		}
		seen[e.ID] = true
		rep.Instances += res.Instances
		if res.Meaning {
			rep.Meaning++
		}
		if o.Each != nil {
			o.Each(e.ID, res)
		}
		if o.Accepted != nil {
			o.Accepted(l, p, res)
		}
		if lemma {
			use[l.Name] = l
			rep.Lemmas++
			continue
		}
		rep.Rules++
		if !res.Backward {
			rep.OneWay++
		}
	}
}

func entry(ctx context.Context, e *law.CertRule, lemma bool, use Laws, z *Z3, o Options) (*law.Law, *law.Proof, *Result, error) {
	l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok })
	if err != nil {
		return nil, nil, nil, err
	}
	want := law.Rule
	if lemma {
		want = law.Lemma
		if use[l.Name] != nil {
			return nil, nil, nil, errors.New("a law of this name is in use already")
		}
	}
	if l.Kind != want {
		return nil, nil, nil, fmt.Errorf("the law is written as %s, want %s", l.Kind, want)
	}
	id := l.Name
	if o.ID != nil && !lemma {
		id = o.ID(l)
	}
	if e.ID != id || l.Name != e.ID {
		return nil, nil, nil, fmt.Errorf("the law is named %s and its id is %s", l.Name, id)
	}
	res, err := Rule(l, p, use)
	if err == nil {
		err = law.CheckStated(l)
	}
	if err == nil && z != nil && !res.Meaning {
		err = z.Rule(ctx, l, p, use)
	}
	return l, p, res, err
}
