// Package compare is the command "taso rules compare" as a function: it says what each
// of two rule sets derives of the other.
//
// A rule of one set is in the other, or is an instance of a rule there, or follows from the rules
// there as saturation in an e-graph finds, or is missing there. Axioms and lemmas that follow
// from a set's rules in the same way may be used too: what is proved by them follows from
// the rules. What is missing was not found within the limits of the search; it may follow
// all the same.
package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
)

// Side is one set's rules in the other.
type Side struct {
	Rules   int      `json:"rules"`
	Same    int      `json:"same"`    // are in the other set
	Derived int      `json:"derived"` // follow from it
	Missing []string `json:"missing"` // neither, by identity, in the order of the set
}

// Report is the rules of both sets.
type Report struct {
	First  Side `json:"first"`  // of the first set, in the second
	Second Side `json:"second"` // of the second set, in the first
}

// Sets compares two sets on so many goroutines (0: one for each processor). step, if not
// nil, is called after each rule that is looked for. The error is the end of ctx, or that
// a rule cannot be used as a law.
func Sets(ctx context.Context, a, b *rules.Set, workers int, step func()) (*Report, error) {
	r := &Report{}
	var err error
	if r.First, err = find(ctx, a, b, workers, step); err != nil {
		return nil, err
	}
	if r.Second, err = find(ctx, b, a, workers, step); err != nil {
		return nil, err
	}
	return r, nil
}

// find looks for the rules of one set in the other.
func find(ctx context.Context, of, in *rules.Set, workers int, step func()) (Side, error) {
	s := Side{Rules: of.Len(), Missing: []string{}}
	var open []*rules.Rule
	for _, r := range of.Rules {
		if _, ok := in.Find(r.ID()); ok {
			s.Same++
		} else if slices.ContainsFunc(in.Rules, func(g *rules.Rule) bool { return rules.Covers(g.Law, r.Law) }) {
			s.Derived++
		} else {
			open = append(open, r)
			continue
		}
		if step != nil {
			step()
		}
	}
	laws := lawsOf(in.Rules)
	for _, more := range []bool{false, true} {
		if len(open) == 0 {
			return s, nil
		}
		if more {
			known := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
			// An axiom that needs many nodes is of little use in deriving others.
			ok, err := follow(ctx, known, laws, verify.DefaultRounds[:3], workers)
			if err != nil {
				return s, err
			}
			for i, l := range known {
				if ok[i] {
					laws = append(laws, l)
				}
			}
		}
		ok, err := follow(ctx, lawsOf(open), laws, verify.DefaultRounds, workers)
		if err != nil {
			return s, err
		}
		var left []*rules.Rule
		for i, r := range open {
			if !ok[i] {
				left = append(left, r)
				continue
			}
			s.Derived++
			if step != nil {
				step()
			}
		}
		open = left
	}
	for _, r := range open {
		s.Missing = append(s.Missing, r.ID())
		if step != nil {
			step()
		}
	}
	return s, nil
}

func lawsOf(rs []*rules.Rule) []*law.Law {
	out := make([]*law.Law, len(rs))
	for i, r := range rs {
		out[i] = r.Law
	}
	return out
}

// follow says which goals follow from laws.
func follow(ctx context.Context, goals, laws []*law.Law, rounds []tensor.Limits, workers int) ([]bool, error) {
	eg := &verify.EGraph{Laws: laws, Rounds: rounds, Workers: workers}
	vs, err := eg.Prove(ctx, goals)
	if err != nil {
		return nil, fmt.Errorf("derivation: %w", err)
	}
	out := make([]bool, len(vs))
	for i, v := range vs {
		out[i] = v.Status == verify.Proved
	}
	return out, ctx.Err()
}
