package audit

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/prove"
)

// LeftOut counts the rules of which Certified writes nothing, or not all.
type LeftOut struct {
	// Unproved: not proved for all sizes, not even under a condition.
	Unproved int
	// Sums: proved by sums, and no proof was found that can be checked.
	Sums int
	// Reverse: proved right to left only, which is not what the rule says.
	Reverse int
	// Half: equations of which only one direction is written.
	Half int
	// Form: no proof of the canonical form was found.
	Form int
}

// Certified is the set of the rules that are proved from operator semantics, as they were
// proved: conditions and all, and in the direction in which the rule is stated. Of an equation the directions may be two rules. all: every rule; else
// only the minimal subset. A rule is written in canonical form, and its proof is
// one of that form.
func Certified(ctx context.Context, reps []*Report, all bool) (set *rules.Set, left LeftOut, err error) {
	set = &rules.Set{Header: rules.Header{Tool: "taso audit"}}
	for _, rep := range reps {
		minimal := map[int]bool{}
		for _, i := range rep.Set.Minimal {
			minimal[i] = true
		}
		for _, r := range rep.Rules {
			if r.DuplicateOf >= 0 || !all && !minimal[r.Index] {
				continue
			}
			if err := left.add(ctx, r, set); err != nil {
				return nil, left, fmt.Errorf("rule %d: %w", r.Index, err)
			}
		}
	}
	set.Sort()
	return set, left, nil
}

// add adds what is certified of a rule to a set, and counts what is not.
func (left *LeftOut) add(ctx context.Context, r *Rule, set *rules.Set) error {
	holds := func(o Outcome) bool { return o == Proved || o == Conditional }
	stated := r.Goals[:1]
	if r.Equation && r.Goals[1] != r.Goals[0] {
		stated = r.Goals[:]
	}
	wrote, sums, form := 0, 0, 0
	for k, g := range stated {
		if g == nil || !holds([]Outcome{r.Verdict, r.VerdictReverse}[k]) {
			continue
		}
		if g.Proof == nil {
			sums++
			continue
		}
		x, err := certify(ctx, g)
		if err != nil {
			return err
		}
		if x == nil {
			form++
			continue
		}
		x.Conditional = []Outcome{r.Verdict, r.VerdictReverse}[k] == Conditional
		set.Add(x)
		wrote++
	}
	switch {
	case wrote == len(stated):
	case wrote > 0:
		left.Half++
	case form > 0:
		left.Form++
	case sums > 0:
		left.Sums++
	case !r.Equation && r.Goals[1] != nil:
		left.Reverse++
	default:
		left.Unproved++
	}
	return nil
}

// certify makes a rule with a proof of its canonical form; nil if there is none.
func certify(ctx context.Context, g *Goal) (*rules.Rule, error) {
	x, err := rules.New(g.Law)
	if err != nil {
		return nil, err
	}
	if law.ID(x.Law) != x.ID() {
		return nil, nil
	}
	c, err := prove.Shared.Certify(ctx, x.Law, prove.Thorough)
	if err != nil || !c.Proved() {
		return nil, err
	}
	x.Status, x.Proof, x.Engine = rules.Proved, c.Proof, engineSums
	return x, nil
}
