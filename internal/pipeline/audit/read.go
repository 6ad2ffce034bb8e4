package audit

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// question is a rule under one reading.
type question struct {
	rule  *Rule
	peer  *peer.Rule
	sem   Semantics
	claim *claim
	// plain is the claim with one group where claim has any number; nil where
	// they are the same.
	plain *claim
	// anyDegree is the claim for any degree of parallelism in place of the rule's; nil
	// for rules without.
	anyDegree *claim
}

// asked is a rule of TASO's operators under one way to read it. A rule is known by its
// encoding: its text in the report may be cut.
type asked struct {
	rule    string
	reading taso.Reading
}

// read fills the report with the rules of a file, and lists the questions about them and
// their laws. Rules that occur again, and readings that say the same, are read once.
func (d *decider) read(ctx context.Context, f *peer.File, rep *Report) (all []*question, laws []*law.Law, err error) {
	claims, err := d.claims(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	for i := range f.Rules {
		p := &f.Rules[i]
		r := &Rule{Index: p.Index, Name: p.Name, Source: p.Source, Equation: p.Equation, Operators: p.Operators, Semantics: []string{}, Axioms: []string{},
			DuplicateOf: -1, SubsumedBy: -1}
		if p.Line > 0 {
			r.Place = fmt.Sprintf("%s:%d:%d", f.Path, p.Line, p.Col)
		}
		rep.Rules = append(rep.Rules, r)
		switch {
		case p.Fault != nil:
			r.Verdict, r.Reason, r.Unsupported = IllFormed, p.Fault.Err.Error(), p.Fault.Operators
			if p.Fault.Kind == peer.Unsupported {
				r.Verdict = Unsupported
			}
		case p.Law != nil:
			q := &question{rule: r, peer: p, sem: All[0], claim: own(p.Law)}
			if all = append(all, q); q.claim.law != nil {
				laws = append(laws, q.claim.law)
			}
		default:
			encoded := encoding(p.TASO)
			understand := func(reading taso.Reading) *claim {
				c := claims[asked{encoded, reading}]
				if c.law != nil {
					laws = append(laws, c.law)
				}
				return c
			}
			sems := d.readings(p.TASO)
			if len(sems) == 0 {
				r.Verdict, r.Reason = Unsupported, "none of the requested semantics covers these operators"
			}
			for _, sem := range sems {
				q := &question{rule: r, peer: p, sem: sem, claim: understand(sem.Reading)}
				if sem.Parallel && hasDegrees(p.TASO) {
					q.anyDegree = understand(atAnyDegree(sem.Reading))
				}
				if sem.Reading.Grouped {
					if c := understand(ungrouped(sem.Reading)); c.law != nil && q.claim.law != nil && law.Format(c.law) != law.Format(q.claim.law) {
						q.plain = c
					}
				}
				all = append(all, q)
			}
		}
	}
	return all, laws, nil
}

// claims are what the rules of TASO's operators say in each reading that is needed.
func (d *decider) claims(ctx context.Context, f *peer.File) (map[asked]*claim, error) {
	out := map[asked]*claim{}
	var keys []asked
	var of []*tasopb.Rule
	for i := range f.Rules {
		p := &f.Rules[i]
		if p.Fault != nil || p.Law != nil {
			continue
		}
		encoded := encoding(p.TASO)
		need := func(reading taso.Reading) {
			if k := (asked{encoded, reading}); out[k] == nil {
				out[k] = &claim{}
				keys, of = append(keys, k), append(of, p.TASO)
			}
		}
		for _, sem := range d.readings(p.TASO) {
			need(sem.Reading)
			if sem.Reading.Grouped {
				need(ungrouped(sem.Reading))
			}
			if sem.Parallel && hasDegrees(p.TASO) {
				need(atAnyDegree(sem.Reading))
			}
		}
	}
	err := d.each(ctx, len(keys), func(i int) error {
		*out[keys[i]] = *peerClaim(of[i], keys[i].reading)
		return nil
	})
	return out, err
}

// encoding is by what a rule is known.
func encoding(r *tasopb.Rule) string {
	return string((&tasopb.RuleCollection{Rules: []tasopb.Rule{*r}}).Marshal())
}

// ungrouped is a reading in which convolutions have one group.
func ungrouped(r taso.Reading) taso.Reading {
	r.Grouped = false
	return r
}
