package found

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
)

// Outcome is what became of a law.
type Outcome string

// The outcomes.
const (
	Found   Outcome = "found"   // a rule states it, or it is an instance of one
	Implied Outcome = "implied" // it follows from rules
	Missing Outcome = "missing" // neither
)

// Source is a set of generated rules with its name.
type Source struct {
	Name string
	Set  *rules.Set
}

// Law is what became of one axiom or lemma.
type Law struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	File    string  `json:"file"` // in which it is written
	Outcome Outcome `json:"outcome"`
	// Rule states a law that was found; In is the first source that has the rule, and Level
	// the number of operators at which it was generated there.
	Rule  string `json:"rule,omitempty"`
	In    string `json:"in,omitempty"`
	Level int    `json:"level,omitempty"`
	// Operators are those of the law, sorted.
	Operators []string `json:"operators"`
	// From lists the rules from which a law is derived, and laws that were derived before.
	From []string `json:"from,omitempty"`
	// Reason is why a law is missing; Detail names what it is about.
	Reason Reason `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Nearest is a rule that is a special case of a missing law.
	Nearest string `json:"nearest,omitempty"`

	law *law.Law
}

// Count is the number of laws with each outcome.
type Count struct {
	Found   int `json:"found"`
	Implied int `json:"implied"`
	Missing int `json:"missing"`
}

// FileCount is the counts of one file of axioms.
type FileCount struct {
	File string `json:"file"`
	Laws int    `json:"laws"`
	Count
}

// SourceCount is the rules of a source, and the laws that it was the first to state.
type SourceCount struct {
	Name  string `json:"name"`
	Rules int    `json:"rules"`
	Found int    `json:"found"`
}

// ReasonCount is the number of laws that are missing for a reason.
type ReasonCount struct {
	Reason Reason `json:"reason"`
	Laws   int    `json:"laws"`
}

// Report is the table of laws with its sums.
type Report struct {
	Total   Count         `json:"total"`
	Files   []FileCount   `json:"files"`
	Sources []SourceCount `json:"sources"`
	Reasons []ReasonCount `json:"reasons"`
	Laws    []Law         `json:"laws"` // in the order of the goals
}

// Options configure Laws.
type Options struct {
	Workers int    // goroutines; 0: one for each processor
	Step    func() // if not nil, called once for each goal, by several goroutines
}

// rounds is the number of times that derivations are tried: what one round derives may be used
// in the next.
const rounds = 3

// Laws reports what became of goals, which are axioms and lemmas. The error is the end of ctx,
// or that a rule cannot be used as a law.
func Laws(ctx context.Context, goals []*law.Law, sources []Source, opt Options) (*Report, error) {
	k := newKnown(sources)
	if err := k.exchange(ctx, opt.Workers); err != nil {
		return nil, err
	}
	out := make([]Law, len(goals))
	err := parallel.Each(ctx, parallel.Workers(opt.Workers, len(goals)), len(goals), func(_, i int) error {
		out[i] = k.look(goals[i])
		if opt.Step != nil {
			opt.Step()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := k.derive(ctx, out, opt.Workers); err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Outcome == Missing {
			k.explain(&out[i])
		}
	}
	return report(out, sources), nil
}

// known is the rules of all sources, each once.
type known struct {
	rules  []*rules.Rule
	in     map[string]string // the first source of each rule, by identity
	base   []*law.Law        // the rules that no other rule makes needless
	ops    map[string]bool   // operators that rules have or sources enumerate
	levels map[string]int    // most operators of a side of a rule with the operator
}

func newKnown(sources []Source) *known {
	k := &known{in: map[string]string{}, ops: map[string]bool{}, levels: map[string]int{}}
	var independent []*law.Law
	for _, s := range sources {
		for _, r := range s.Set.Rules {
			if k.in[r.ID()] != "" || r.Status != rules.Proved || trivial(r.Law) {
				continue
			}
			k.in[r.ID()] = s.Name
			k.rules = append(k.rules, r)
			if !r.Derivable {
				independent = append(independent, r.Law)
			}
			for _, o := range operators(r.Law) {
				k.ops[o] = true
				k.levels[o] = max(k.levels[o], r.Level)
			}
		}
	}
	k.base, _ = rules.Subsume(independent)
	return k
}

// trivial reports whether a law says that something equals itself.
func trivial(l *law.Law) bool {
	return slices.EqualFunc(l.LHS, l.RHS, law.Equal)
}

// exchange adds the laws that exchange the operands of commutative operators, as far as they are
// proved. A rule with exchanged operands is the same rule, so no set has such a law.
func (k *known) exchange(ctx context.Context, workers int) error {
	var laws []*law.Law
	for _, r := range k.rules {
		laws = append(laws, r.Law)
	}
	cs, err := prove.Shared.CertifyAll(ctx, rules.Exchanges(laws), prove.Search, workers)
	if err != nil {
		return err
	}
	for _, c := range cs {
		if c.Proved() {
			k.base = append(k.base, c.Law)
		}
	}
	return nil
}

// look is whether a rule states a goal: the one of the fewest operators.
func (k *known) look(goal *law.Law) Law {
	l := Law{Name: goal.Name, Kind: goal.Kind.String(), File: filepath.Base(goal.Pos.File), Outcome: Missing,
		Operators: operators(goal), law: goal}
	var best *rules.Rule
	for _, r := range k.rules {
		if !usable(r.Law, goal) || best != nil && r.Level >= best.Level {
			continue
		}
		if rules.Instance(r.Law, goal) {
			best = r
		}
	}
	if best != nil {
		l.Outcome, l.Rule, l.In, l.Level = Found, best.ID(), k.in[best.ID()], best.Level
	}
	return l
}

// usable reports whether a law may prove a goal: what is true of the order of numbers only proves
// no law of all functions, and one direction does not prove both.
func usable(l, goal *law.Law) bool {
	return (goal.HasTag(law.TagOrdered) || !l.HasTag(law.TagOrdered)) && (goal.OneWay || !l.OneWay)
}

// derive looks for proofs of the missing laws from rules, and from laws that were found or
// derived in a round before.
func (k *known) derive(ctx context.Context, laws []Law, workers int) error {
	have := slices.Clone(k.base)
	for round := range rounds {
		var open []int
		for i := range laws {
			if laws[i].Outcome == Missing {
				open = append(open, i)
			}
		}
		proofs := make([]*law.Proof, len(open))
		err := parallel.Each(ctx, parallel.Workers(workers, len(open)), len(open), func(_, j int) (err error) {
			proofs[j], err = derivation(ctx, laws[open[j]].law, have, round > 0)
			return err
		})
		if err != nil {
			return err
		}
		n := 0
		for j, p := range proofs {
			if p == nil {
				continue
			}
			n++
			l := &laws[open[j]]
			l.Outcome, l.From = Implied, p.Laws()
			have = append(have, l.law)
		}
		if n == 0 && round > 0 {
			break
		}
	}
	return ctx.Err()
}

// derivation is a proof of a goal from laws that the checker accepts, or nil. wide: laws that
// share an operator with the goal are used too, not only those over its operators.
func derivation(ctx context.Context, goal *law.Law, laws []*law.Law, wide bool) (*law.Proof, error) {
	ops := operatorsOf(goal)
	var from []*law.Law
	for _, l := range laws {
		if (goal.HasTag(law.TagOrdered) || !l.HasTag(law.TagOrdered)) && l.Name != goal.Name {
			from = append(from, l)
		}
	}
	if wide {
		from = near(from, ops)
	} else {
		from = relevant(from, ops)
	}
	if len(from) == 0 {
		return nil, nil
	}
	eg := &verify.EGraph{Laws: from, Workers: 1}
	v, err := eg.Prove(ctx, []*law.Law{goal})
	if err != nil {
		return nil, fmt.Errorf("derivation of %s: %w", goal.Name, err)
	}
	if v[0].Status != verify.Proved {
		return nil, nil
	}
	use := check.Laws{}
	for _, l := range from {
		use[l.Name] = l
	}
	if _, err := check.Rule(goal, v[0].Proof, use); err != nil {
		return nil, nil
	}
	return v[0].Proof, nil
}

// relevant is [theory.Relevant], which takes definitions in the direction in which they are written.
// Rules have no such direction.
func relevant(laws []*law.Law, ops []*graph.Op) []*law.Law {
	both := slices.Clone(laws)
	for _, l := range laws {
		if !l.OneWay {
			back := *l
			back.LHS, back.RHS = l.RHS, l.LHS
			both = append(both, &back)
		}
	}
	in := map[string]bool{}
	for _, l := range theory.Relevant(both, ops) {
		in[l.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(laws), func(l *law.Law) bool { return !in[l.Name] })
}

// near lists the laws that have at most one operator that the goal does not have, and at least
// one that it has.
func near(laws []*law.Law, ops []*graph.Op) []*law.Law {
	in := map[string]bool{}
	for _, o := range ops {
		in[o.Name] = true
	}
	var out []*law.Law
	for _, l := range laws {
		have, others := 0, 0
		for _, o := range operators(l) {
			if in[o] {
				have++
			} else {
				others++
			}
		}
		if others == 0 || have > 0 && others == 1 {
			out = append(out, l)
		}
	}
	return out
}

// operatorsOf lists the operators of a law with those that attributes name, such as the
// activation of a convolution, each once, in the order of the law.
func operatorsOf(l *law.Law) (ops []*graph.Op) {
	put := func(o *graph.Op) {
		if !slices.Contains(ops, o) {
			ops = append(ops, o)
		}
	}
	for _, t := range l.Outputs() {
		t.Walk(func(u *law.Term) {
			if u.Op == nil {
				return
			}
			put(u.Op)
			for _, v := range u.Attrs {
				if name, ok := v.Name(); ok {
					if o, ok := graph.Lookup(name); ok {
						put(o)
					}
				}
			}
		})
	}
	return ops
}

// operators are the names of operatorsOf, sorted.
func operators(l *law.Law) []string {
	names := []string{}
	for _, o := range operatorsOf(l) {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return names
}

// report sums up.
func report(laws []Law, sources []Source) *Report {
	r := &Report{Files: []FileCount{}, Sources: []SourceCount{}, Reasons: []ReasonCount{}, Laws: laws}
	by, why := map[string]int{}, map[Reason]int{}
	for _, l := range laws {
		i := slices.IndexFunc(r.Files, func(f FileCount) bool { return f.File == l.File })
		if i < 0 {
			i = len(r.Files)
			r.Files = append(r.Files, FileCount{File: l.File})
		}
		r.Files[i].Laws++
		r.Files[i].add(l.Outcome)
		r.Total.add(l.Outcome)
		if l.Outcome == Found {
			by[l.In]++
		}
		if l.Outcome == Missing {
			why[l.Reason]++
		}
	}
	for _, s := range sources {
		r.Sources = append(r.Sources, SourceCount{s.Name, s.Set.Len(), by[s.Name]})
	}
	for reason, n := range why {
		r.Reasons = append(r.Reasons, ReasonCount{reason, n})
	}
	slices.SortFunc(r.Reasons, func(a, b ReasonCount) int {
		if a.Laws != b.Laws {
			return b.Laws - a.Laws
		}
		return strings.Compare(string(a.Reason), string(b.Reason))
	})
	return r
}

func (c *Count) add(o Outcome) {
	switch o {
	case Found:
		c.Found++
	case Implied:
		c.Implied++
	case Missing:
		c.Missing++
	}
}
