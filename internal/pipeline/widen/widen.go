package widen

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
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

// Bounds of the work of one proof, see [sums.CertifyWithin].
const (
	workGuess  = 1000  // of a law of which nothing is known
	workTested = 5000  // of one that holds on random instances and is made of another form of a rule
	workForm   = 30000 // of another form of a rule, and of a law with two cases for each size
)

const (
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
	wide := make([][]*rules.Rule, in.Len())
	err := parallel.Each(ctx, parallel.Workers(opt.Workers, in.Len()), in.Len(), func(_, i int) error {
		r := in.Rules[i]
		if opt.Step != nil {
			defer opt.Step()
		}
		if r.Status != rules.Proved {
			return nil
		}
		w, err := widest(ctx, r, workGuess)
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
	for i, ws := range wide {
		if len(ws) > 0 && ws[0] != in.Rules[i] {
			rep.Widened++
		}
		for _, w := range ws {
			of[w.Law] = w
			laws = append(laws, w.Law)
		}
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

// rounds is the number of times that forms are taken of a rule, and of its forms.
const rounds = 2

// reformed lists rules that state what a rule does in other forms, as generally as steps find.
func reformed(ctx context.Context, from *rules.Rule) ([]*rules.Rule, error) {
	if max(law.Size(from.Law.LHS...), law.Size(from.Law.RHS...)) > mostOperators {
		return nil, nil
	}
	var out []*rules.Rule
	seen, tried := map[string]bool{from.ID(): true}, map[string]bool{}
	open := []*rules.Rule{from}
	for round := 0; round < rounds && len(open) > 0; round++ {
		var next []*rules.Rule
		for _, r := range open {
			for _, l := range forms(r.Law) {
				id := law.ID(law.Canonical(l))
				if tried[id] {
					continue
				}
				tried[id] = true
				// The rule is no instance of it, so that its conditions might hold for no sizes.
				if holds, _ := tested(l); !holds {
					continue
				}
				n, err := certified(ctx, l, workForm)
				if err != nil {
					return nil, err
				}
				if n == nil {
					continue
				}
				n.Level, n.Derivable, n.Conditional = from.Level, from.Derivable, true
				wide, err := widest(ctx, n, workTested)
				if err != nil {
					return nil, err
				}
				for _, n := range append(wide, n) {
					if !seen[n.ID()] {
						seen[n.ID()] = true
						next = append(next, n)
					}
				}
			}
		}
		out, open = append(out, next...), next
	}
	return out, nil
}

// widest is a rule stated as generally as steps find, in each order of steps; or the rule itself. work bounds
// the proof of a law that holds on random instances.
func widest(ctx context.Context, r *rules.Rule, work int) ([]*rules.Rule, error) {
	if max(law.Size(r.Law.LHS...), law.Size(r.Law.RHS...)) > mostOperators {
		return []*rules.Rule{r}, nil
	}
	var out []*rules.Rule
	for _, steps := range orders {
		best, ordered := r, false
		for range mostSteps {
			next, differ, err := step(ctx, best, steps, work)
			if err != nil {
				return nil, err
			}
			if next == nil {
				break
			}
			best, ordered = next, ordered || differ
		}
		if !slices.ContainsFunc(out, func(o *rules.Rule) bool { return o.ID() == best.ID() }) {
			out = append(out, best)
		}
		if !ordered {
			break // in another order, it is the same
		}
	}
	return out, nil
}

// proposer makes laws of a law that may be more general. Most of them may be false.
type proposer func(*law.Law) []*law.Law

// order is the steps in the order in which they are tried.
type order struct {
	first []proposer // the same in all orders
	few   []proposer // what these and the first propose is kept if it is proved
	many  []proposer // what these propose must also hold on random instances, before it is proved
}

// orders are the orders of steps. The numbers of a rule may depend on each other in different ways;
// the first way that is proved is taken.
var orders = func() []order {
	first := []proposer{attributes, groups, bounds, untied, products, axes, absorbed, merged, permutations, conditioned}
	return []order{
		{first, []proposer{numbers}, []proposer{settings, separated, shifted, freed, fewer}},
		{first, []proposer{settings}, []proposer{separated, freed, shifted, numbers, fewer}},
	}
}()

// step is the first law that a step makes of a rule and that is proved, as a rule; or nil. differ: the orders
// do not have the step at the same place.
func step(ctx context.Context, r *rules.Rule, steps order, work int) (next *rules.Rule, differ bool, err error) {
	tried := map[string]bool{}
	for i, propose := range slices.Concat(steps.first, steps.few, steps.many) {
		for _, l := range propose(r.Law) {
			text := law.Body(l)
			if tried[text] {
				continue
			}
			tried[text] = true
			holds, fails := tested(l)
			if fails || !holds && i >= len(steps.first)+len(steps.few) {
				continue
			}
			most := workGuess
			if holds {
				most = work
			}
			if next, err = proved(ctx, l, r, most); err != nil || next != nil {
				return next, i >= len(steps.first), err
			}
		}
	}
	return nil, false, nil
}

// tests is the number of random instances on which a candidate is tested.
const tests = 6

// tested reports whether a law holds on random instances, and whether one fails. A law whose conditions
// are true for no sizes does neither.
func tested(l *law.Law) (holds, fails bool) {
	if _, err := l.Types(); err != nil {
		return false, true
	}
	t := general.Tester{Seed: 1, Ordered: l.HasTag(law.TagOrdered)}
	// Of a law written with =>, the right side may be defined where the left one is not.
	if holds, fails = t.Try(l, tests); holds || fails && !l.OneWay {
		return holds, fails
	}
	// Both sides are defined for few sizes: they are chosen, not drawn.
	p, err := instance.New(l)
	if err != nil {
		return false, false
	}
	draws, good := instance.NewDraws(l, instance.Scope{}, 1), 0
	for try := range uint64(4 * tests) {
		v, ok := draws.Next()
		if !ok {
			return false, false
		}
		var out instance.Outcome
		if t.Ordered {
			out, _ = instance.CompareAt[interp.Q](p, interp.Rational{}, v, func(name string, n int) []interp.Q {
				return general.SmallNumbers(try, name, n)
			})
		} else {
			out, _ = instance.CompareAt[uint64](p, fingerprint.Zp{Key: try}, v, func(name string, n int) []uint64 {
				return fingerprint.Random(try, name, n)
			})
		}
		switch out {
		case instance.Equal:
			if good++; good == tests {
				return true, false
			}
		case instance.OneSided:
			if !l.OneWay {
				return false, true
			}
		case instance.Differs:
			return false, true
		}
	}
	return false, false
}

// forms are statements of a law that say as much as it does in other words, or as much for other sizes.
func forms(l *law.Law) []*law.Law {
	return slices.Concat(differences(l), halved(l), traded(l), bounded(l))
}

// proved is a law as a rule with a proof that the checker accepts, if the rule it was made from is
// an instance of it and it says more, or the same with fewer axis runs; else nil.
func proved(ctx context.Context, l *law.Law, from *rules.Rule, work int) (*rules.Rule, error) {
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
	r, err = certified(ctx, r.Law, work)
	if r == nil || err != nil {
		return nil, err
	}
	r.Level, r.Derivable, r.Conditional = from.Level, from.Derivable, from.Conditional
	return r, nil
}

// certified is a law as a rule with a proof that the checker accepts, or nil.
func certified(ctx context.Context, l *law.Law, work int) (*rules.Rule, error) {
	if _, err := l.Types(); err != nil {
		return nil, nil
	}
	r, err := rules.New(l)
	if err != nil {
		return nil, nil
	}
	if slices.ContainsFunc(r.Law.Where, func(p law.Pred) bool { return p.Mod != nil }) {
		work = workForm
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
