package widen

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// Options configure Rules.
type Options struct {
	Workers int    // goroutines; 0: one for each processor
	Step    func() // if not nil, called after each rule, by several goroutines
}

// Report counts what became of the rules of a set.
type Report struct {
	Rules    int `json:"rules"`    // of the set
	Widened  int `json:"widened"`  // stated more generally
	Instance int `json:"instance"` // dropped: instances of other rules
	Written  int `json:"written"`  // of the new set
}

const (
	// mostWork bounds the work of one proof, see [sums.CertifyWithin].
	mostWork = 1000
	// mostSteps bounds the steps for one rule.
	mostSteps = 32
	// mostOperators bounds the operators of a side: larger rules are kept as they are.
	mostOperators = 8
)

// Rules is a set with its rules stated more generally. Rules that are not proved are left out, and
// so are those that are instances of another rule. The error is the end of ctx, or that of a rule
// without types.
func Rules(ctx context.Context, in *rules.Set, opt Options) (*rules.Set, *Report, error) {
	rep := &Report{Rules: in.Len()}
	wide := make([]*rules.Rule, in.Len())
	err := parallel.Each(ctx, parallel.Workers(opt.Workers, in.Len()), in.Len(), func(_, i int) error {
		r := in.Rules[i]
		if opt.Step != nil {
			defer opt.Step()
		}
		if r.Status != rules.Proved {
			return nil
		}
		w, err := rule(ctx, r)
		if err != nil {
			return fmt.Errorf("rule %s: %w", r.ID(), err)
		}
		wide[i] = w
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	of := map[*law.Law]*rules.Rule{}
	var laws []*law.Law
	for i, w := range wide {
		if w == nil {
			continue
		}
		if w != in.Rules[i] {
			rep.Widened++
		}
		of[w.Law] = w
		laws = append(laws, w.Law)
	}
	more := make([][]*rules.Rule, len(laws))
	err = parallel.Each(ctx, parallel.Workers(opt.Workers, len(laws)), len(laws), func(_, i int) (err error) {
		more[i], err = reformed(ctx, of[laws[i]])
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range slices.Concat(more...) {
		of[r.Law] = r
		laws = append(laws, r.Law)
	}
	kept, pruned := rules.Subsume(laws)
	rep.Instance = len(pruned)
	out := &rules.Set{Header: in.Header, Axioms: in.Axioms, Lemmas: in.Lemmas}
	for _, l := range kept {
		r := *of[l]
		// Rules that it was derived from may be dropped here.
		r.DerivableFrom = nil
		out.Add(&r)
	}
	rep.Written = out.Len()
	return out, rep, ctx.Err()
}

// reformed lists rules that state what a rule does in other forms, as generally as steps find.
func reformed(ctx context.Context, from *rules.Rule) ([]*rules.Rule, error) {
	if max(law.Size(from.Law.LHS...), law.Size(from.Law.RHS...)) > mostOperators {
		return nil, nil
	}
	var out []*rules.Rule
	seen := map[string]bool{from.ID(): true}
	open := []*rules.Rule{from}
	for round := 0; round < 2 && len(open) > 0; round++ {
		var next []*rules.Rule
		for _, r := range open {
			for _, l := range forms(r.Law) {
				if !holds(l) {
					continue
				}
				n, err := certified(ctx, l)
				if err != nil {
					return nil, err
				}
				if n == nil {
					continue
				}
				n.Level, n.Derivable, n.Conditional = from.Level, from.Derivable, true
				if n, err = rule(ctx, n); err != nil {
					return nil, err
				}
				if !seen[n.ID()] {
					seen[n.ID()] = true
					next = append(next, n)
				}
			}
		}
		out, open = append(out, next...), next
	}
	return out, nil
}

// rule is a rule stated as generally as steps find, or the rule itself.
func rule(ctx context.Context, r *rules.Rule) (*rules.Rule, error) {
	if max(law.Size(r.Law.LHS...), law.Size(r.Law.RHS...)) > mostOperators {
		return r, nil
	}
	best := r
	for range mostSteps {
		next, err := step(ctx, best)
		if err != nil || next == nil {
			return best, err
		}
		best = next
	}
	return best, nil
}

// step is the first law that a step makes of a rule and that is proved, as a rule; or nil.
func step(ctx context.Context, r *rules.Rule) (*rules.Rule, error) {
	tried := map[string]bool{}
	for i, candidates := range []func(*law.Law) []*law.Law{attributes, groups, bounds, untied, products, numbers, axes, absorbed, merged, permutations, conditioned,
		settings, separated, freed, shifted, fewer} {
		for _, l := range candidates(r.Law) {
			if text := law.Body(l); tried[text] {
				continue
			} else {
				tried[text] = true
			}
			if i >= firstTested && !holds(l) {
				continue
			}
			next, err := proved(ctx, l, r)
			if err != nil || next != nil {
				return next, err
			}
		}
	}
	return nil, nil
}

// firstTested is the number of the first step whose candidates are tested: they are many, and most are
// false.
const firstTested = 11

// tests is the number of random instances on which a candidate is tested.
const tests = 6

// holds reports whether a law holds on random instances. A law whose conditions hold for no sizes has
// none.
func holds(l *law.Law) bool {
	if _, err := l.Types(); err != nil {
		return false
	}
	t := general.Tester{Seed: 1, Ordered: l.HasTag(law.TagOrdered)}
	return t.Holds(l, tests)
}

// forms are statements of a law that say as much as it does in other words, or as much for other sizes.
func forms(l *law.Law) []*law.Law {
	return slices.Concat(differences(l), halved(l), traded(l), bounded(l))
}

// proved is a law as a rule with a proof that the checker accepts, if the rule it was made from is
// an instance of it and it says more, or the same with fewer axis runs; else nil.
func proved(ctx context.Context, l *law.Law, from *rules.Rule) (*rules.Rule, error) {
	if _, err := l.Types(); err != nil {
		return nil, nil
	}
	r, err := rules.New(l)
	if err != nil || r.ID() == from.ID() || law.ID(r.Law) != r.ID() {
		return nil, nil
	}
	if !rules.Instance(r.Law, from.Law) || runs(r.Law) >= runs(from.Law) && rules.Instance(from.Law, r.Law) {
		return nil, nil
	}
	r, err = certified(ctx, r.Law)
	if r == nil || err != nil {
		return nil, err
	}
	r.Level, r.Derivable, r.Conditional = from.Level, from.Derivable, from.Conditional
	return r, nil
}

// certified is a law as a rule with a proof that the checker accepts, or nil.
func certified(ctx context.Context, l *law.Law) (*rules.Rule, error) {
	if _, err := l.Types(); err != nil {
		return nil, nil
	}
	r, err := rules.New(l)
	if err != nil {
		return nil, nil
	}
	work := mostWork
	if slices.ContainsFunc(r.Law.Where, func(p law.Pred) bool { return p.Mod != nil }) {
		work *= 30 // there are two cases for each size
	}
	tokens, err := sums.CertifyWithin(ctx, r.Law, work)
	if err != nil || tokens == nil {
		return nil, err
	}
	r.Proof = &law.Proof{Meaning: tokens}
	if _, err := check.Rule(r.Law, r.Proof, nil); err != nil {
		return nil, nil
	}
	r.Status, r.Engine = rules.Proved, engine
	return r, nil
}

// engine names the prover in rules.
const engine = "sums"
