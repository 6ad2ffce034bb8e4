package coverage

import (
	"context"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/tasopb"
	"github.com/taso-go/taso/verify"
)

// Kind is what is known of an equality.
type Kind string

// The kinds, the better first.
const (
	InSet   Kind = "in the set"  // an instance of one rule
	Derived Kind = "derived"     // follows from the kept rules
	Gap     Kind = "gap"         // follows from the axioms, not from the set
	Refuted Kind = "refuted"     // there is a counterexample
	Unknown Kind = "unknown"     // neither
	Untyped Kind = "without law" // cannot be read
)

// AnyPadding: the verdict holds for both readings of SAME.
const AnyPadding = "any"

// Verdict is what is known of one equality under one reading.
type Verdict struct {
	Rule    int    `json:"rule"`    // index in the collection
	Padding string `json:"padding"` // AnyPadding, graph.SameUpper or graph.SameLower
	Sizes   Sizes  `json:"sizes"`
	Kind    Kind   `json:"kind"`
	Law     string `json:"law,omitempty"` // as it was decided
	// By are the rules (of a gap: the axioms) that the equality follows from.
	By []string `json:"by,omitempty"`
	// Reason is the counterexample, or why there is no verdict.
	Reason string `json:"reason,omitempty"`
	// General is the counterexample to the general form of an equality that
	// holds under a condition.
	General string `json:"general,omitempty"`
	// Open, of an equality refuted in general, is its form with fewer sizes of
	// which nothing is known.
	Open string `json:"open,omitempty"`
}

// Options configure Run.
type Options struct {
	Collection *tasopb.RuleCollection // the equalities
	Set        *rules.Set             // the rules
	// Axioms are tried where the set does not do; nil: all axioms and lemmas.
	Axioms  []*law.Law
	Rounds  []tensor.Limits // of the e-graph; nil: verify.DefaultRounds
	Workers int             // goroutines; 0: one per processor
	Seed    uint64          // of the counterexamples' values
}

// Report is the outcome. Verdicts are in the order of the collection; an
// equality has one, for any padding, or one for each.
type Report struct {
	Rules    int       `json:"rules"`
	Verdicts []Verdict `json:"verdicts"`
}

// Best is the best verdict of each equality, by Kind and then by Sizes.
func (r *Report) Best() []Verdict {
	var out []Verdict
	for _, v := range r.Verdicts {
		if n := len(out); n == 0 || out[n-1].Rule != v.Rule {
			out = append(out, v)
		} else if rank(v) < rank(out[n-1]) {
			out[n-1] = v
		}
	}
	return out
}

var (
	kinds    = []Kind{InSet, Derived, Gap, Unknown, Refuted, Untyped}
	sizeList = []Sizes{General, Tied, Literal}
)

func rank(v Verdict) int {
	for i, k := range kinds {
		for j, s := range sizeList {
			if v.Kind == k && v.Sizes == s {
				return i*len(sizeList) + j
			}
		}
	}
	return len(kinds) * len(sizeList)
}

// Gaps are the verdicts that say that something is missing: equalities that
// follow from the axioms alone, and those of which nothing is known.
func (r *Report) Gaps() []Verdict {
	var out []Verdict
	for _, v := range r.Verdicts {
		if v.Kind == Gap || v.Kind == Unknown || v.Kind == Untyped {
			out = append(out, v)
		}
	}
	return out
}

// String is a table of the best verdicts, by kind and sizes.
func (r *Report) String() string {
	count := map[Kind]map[Sizes]int{}
	for _, v := range r.Best() {
		if count[v.Kind] == nil {
			count[v.Kind] = map[Sizes]int{}
		}
		count[v.Kind][v.Sizes]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %8s %8s %8s %8s\n", "verdict", General, Tied, Literal, "all")
	for _, k := range kinds {
		all := 0
		fmt.Fprintf(&b, "%-12s", k)
		for _, s := range sizeList {
			fmt.Fprintf(&b, " %8d", count[k][s])
			all += count[k][s]
		}
		fmt.Fprintf(&b, " %8d\n", all)
	}
	fmt.Fprintf(&b, "%-12s %35d\n", "equalities", r.Rules)
	return b.String()
}

// commutes reports that a law says no more than that an operator is
// commutative. Such laws are in no set, since sets do not tell terms apart that
// differ in the order of such operands; they are granted.
func commutes(l *law.Law) bool {
	if len(l.LHS) != 1 || len(l.Where) > 0 {
		return false
	}
	a, b := l.LHS[0], l.RHS[0]
	return a.Op != nil && a.Op == b.Op && a.Op.Commutative && len(a.Args) == 2 && a.Args[0].IsVar() && a.Args[1].IsVar() &&
		a.Args[0].Var != a.Args[1].Var && a.Args[0].Var == b.Args[1].Var && a.Args[1].Var == b.Args[0].Var
}

// question is an equality under one reading, in its present form.
type question struct {
	rule    int
	padding string
	law     *law.Law // general
	now     *law.Law // of the present sizes
	v       Verdict
	done    bool
}

type runner struct {
	opt     Options
	kept    []*law.Law // of one output, kept, and commutativity
	rest    []*law.Law // of one output, derivable
	axioms  []*law.Law
	workers int
}

// Run judges every equality of the collection.
func Run(ctx context.Context, opt Options) (*Report, error) {
	if opt.Collection == nil || opt.Set == nil {
		return nil, fmt.Errorf("coverage: a collection and a set are needed")
	}
	r := &runner{opt: opt, axioms: opt.Axioms, workers: opt.Workers}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	if r.axioms == nil {
		r.axioms = append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	}
	for _, l := range r.axioms {
		if commutes(l) {
			r.kept = append(r.kept, l)
		}
	}
	for _, x := range opt.Set.Rules {
		switch {
		case x.Status != rules.Proved || len(x.Law.LHS) != 1:
		case x.Derivable:
			r.rest = append(r.rest, x.Law)
		default:
			r.kept = append(r.kept, x.Law)
		}
	}
	rep := &Report{Rules: len(opt.Collection.Rules)}
	var open []*question
	for i, t := range rules.FromTASO(opt.Collection, rules.Reading{Same: rules.AnySame}) {
		if t.Err != nil {
			rep.Verdicts = append(rep.Verdicts, Verdict{Rule: i, Padding: AnyPadding, Sizes: General, Kind: Untyped, Reason: t.Err.Error()})
			continue
		}
		open = append(open, &question{rule: i, padding: AnyPadding, law: t.Law})
	}
	all := open
	if err := r.prove(ctx, open, General); err != nil {
		return nil, err
	}
	// What does not hold for both readings may for one.
	open = nil
	var asked []*question
	for _, q := range all {
		split := false
		if !q.done {
			for _, pad := range []string{graph.SameUpper, graph.SameLower} {
				if l, ok := withPadding(q.law, pad); ok {
					split = true
					open = append(open, &question{rule: q.rule, padding: pad, law: l})
				}
			}
		}
		if !split {
			asked = append(asked, q)
		}
	}
	if err := r.prove(ctx, open, General); err != nil {
		return nil, err
	}
	asked = append(asked, open...)
	for _, how := range sizeList {
		if how != General {
			if err := r.prove(ctx, asked, how); err != nil {
				return nil, err
			}
		}
		if err := r.refute(ctx, asked, how); err != nil {
			return nil, err
		}
	}
	for _, q := range asked {
		if v := &q.v; v.Kind == Unknown && v.Sizes != General {
			// False as it is meant, and perhaps true for special sizes.
			v.Open, v.Law, v.Reason = v.Law, law.Format(q.law), v.General
			v.Kind, v.Sizes = Refuted, General
		}
		rep.Verdicts = append(rep.Verdicts, q.v)
	}
	sort.SliceStable(rep.Verdicts, func(i, j int) bool { return rep.Verdicts[i].Rule < rep.Verdicts[j].Rule })
	return rep, nil
}

// prove decides the open questions that hold at some sizes.
func (r *runner) prove(ctx context.Context, all []*question, how Sizes) error {
	var open []*question
	for _, q := range all {
		if q.done {
			continue
		}
		l, err := specialize(q.law, how)
		if err != nil {
			// Not a question TASO could have asked; what was found stands.
			q.done = true
			continue
		}
		q.now = l
		open = append(open, q)
	}
	settle := func(q *question, k Kind, by []string) {
		q.done = true
		q.v = Verdict{Rule: q.rule, Padding: q.padding, Sizes: how, Kind: k, Law: law.Format(q.now), By: by, General: q.v.General}
	}
	err := r.each(ctx, len(open), func(i int) error {
		for _, x := range r.opt.Set.Rules {
			if x.Status == rules.Proved && rules.Instance(x.Law, open[i].now) {
				settle(open[i], InSet, []string{x.ID()})
				break
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, from := range []struct {
		laws []*law.Law
		kind Kind
	}{
		{r.kept, Derived},
		{append(r.kept[:len(r.kept):len(r.kept)], r.rest...), Derived},
		{r.axioms, Gap},
	} {
		var left []*question
		var goals []*law.Law
		for _, q := range open {
			if !q.done {
				left = append(left, q)
				goals = append(goals, q.now)
			}
		}
		if len(goals) == 0 || len(from.laws) == 0 {
			continue
		}
		eg := &verify.EGraph{Laws: from.laws, Rounds: r.opt.Rounds, Workers: r.workers}
		vs, err := eg.Prove(ctx, goals)
		if err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, v := range vs {
			if v.Status == verify.Proved {
				settle(left[i], from.kind, v.Proof.Laws())
			} else {
				left[i].v.Reason = v.Reason
			}
		}
	}
	return nil
}

// refute looks for counterexamples to what is not proved. Equalities without
// one are unknown and not asked again; for the others, the next sizes decide.
func (r *runner) refute(ctx context.Context, all []*question, how Sizes) error {
	return r.each(ctx, len(all), func(i int) error {
		q := all[i]
		if q.done {
			return nil
		}
		w, err := verify.Refute(ctx, q.now, verify.RefuteOptions{Bindings: 1500, Seed: r.opt.Seed})
		if err != nil {
			return fmt.Errorf("coverage: rule %d: %w", q.rule, err)
		}
		v := Verdict{Rule: q.rule, Padding: q.padding, Sizes: how, Kind: Unknown, Law: law.Format(q.now),
			Reason: q.v.Reason, General: q.v.General}
		if w == nil {
			q.done = true
		} else {
			v.Kind, v.Reason = Refuted, w.String()
			if how == General {
				v.General = v.Reason
			}
		}
		q.v = v
		return nil
	})
}

// each calls f for 0 to n-1 on all workers.
func (r *runner) each(ctx context.Context, n int, f func(int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, n)
	for range min(r.workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				errs[i] = f(i)
			}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
