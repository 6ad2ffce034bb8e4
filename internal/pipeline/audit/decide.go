package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/sums"
)

// Engines that decide, as the report names them.
const (
	engineAxioms = "axioms" // e-graph, Z3 and checker
	engineSums   = "sums"   // all sizes, by sum normal form
)

// decision is what is known of one law, each direction apart.
type decision struct {
	law    *law.Law
	way    [2]Direction // left to right, right to left
	goal   *law.Law     // the form that was proved; nil if none
	proof  *law.Proof   // from the axioms; nil if goal was proved otherwise
	equal  int          // of an unknown: random shapes at which the sides agree
	closed bool         // of an unknown: the search from the axioms was complete
}

// decider decides laws, each once.
type decider struct {
	opt    Options
	theory *theory.Theory
	known  map[string]*decision
	// refutations of general claims, by text; nil where none was found
	witness map[string]*Counterexample
	spread  map[string]*spread // by text of the law
}

// each calls f for 0 to n-1 on all workers.
func (d *decider) each(ctx context.Context, n int, f func(int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, n)
	for range min(d.opt.Workers, n) {
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

// oneWay is the claim that wherever the one side of l is defined so is the
// other, and they are equal.
func oneWay(l *law.Law, backward bool) *law.Law {
	w := *l
	w.OneWay = true
	if backward {
		w.LHS, w.RHS = l.RHS, l.LHS
	}
	return &w
}

// decide fills known for the laws.
func (d *decider) decide(ctx context.Context, laws []*law.Law) error {
	var open []*decision
	for _, l := range laws {
		text := law.Format(l)
		if d.known[text] == nil {
			n := &decision{law: l}
			d.known[text] = n
			open = append(open, n)
		}
	}
	stage := d.opt.Progress.Stage("prove", int64(len(open)))
	defer stage.Done()
	goals := make([]*law.Law, len(open))
	for i, n := range open {
		goals[i] = n.law
	}
	ps, err := d.theory.Decide(ctx, goals, theory.Options{Workers: d.opt.Workers, Done: func() { stage.Add(1) }})
	if err != nil {
		return err
	}
	var failed []*decision
	for i, p := range ps {
		n := open[i]
		ms := p.Verdict.Seconds * 1000
		if p.Verdict.Status == verify.Proved {
			d.proved(n, p, ms)
			continue
		}
		n.closed = p.Verdict.Stop == "saturated"
		for k := range n.way {
			n.way[k] = Direction{Verdict: Unknown, Reason: p.Verdict.Reason, Millis: ms}
		}
		failed = append(failed, n)
	}
	if err := d.oneByOne(ctx, failed); err != nil {
		return err
	}
	for _, n := range open {
		if n.law.OneWay {
			n.way[1] = Direction{}
		}
	}
	if err := d.each(ctx, len(open), func(i int) error { return d.refute(ctx, open[i]) }); err != nil {
		return err
	}
	if err := d.unbounded(ctx, failed); err != nil {
		return err
	}
	return d.narrow(ctx, failed)
}

// oneByOne tries to prove each direction of equations that are not proved as
// such: the e-graph may use a law only where the goal says that it is defined,
// and one side may say more than the other.
func (d *decider) oneByOne(ctx context.Context, failed []*decision) error {
	var goals []*law.Law
	for _, n := range failed {
		if !n.law.OneWay && !sameNeeds(n.law) {
			goals = append(goals, oneWay(n.law, false), oneWay(n.law, true))
		}
	}
	ps, err := d.theory.Decide(ctx, goals, theory.Options{Workers: d.opt.Workers})
	if err != nil {
		return err
	}
	i := 0
	for _, n := range failed {
		if n.law.OneWay || sameNeeds(n.law) {
			continue
		}
		for range n.way {
			if p := ps[i]; n.goal == nil && p.Verdict.Status == verify.Proved {
				d.proved(n, p, n.way[0].Millis+p.Verdict.Seconds*1000)
			}
			i++
		}
	}
	return nil
}

// sameNeeds says whether the sides are defined under the same conditions.
func sameNeeds(l *law.Law) bool {
	ty, err := l.Types()
	return err == nil && slices.Equal(ty.LeftNeeds, ty.RightNeeds)
}

// proved records a proof. That of a one-way form shows the other direction
// only where both sides are defined.
func (d *decider) proved(n *decision, p theory.Proof, ms float64) {
	n.goal, n.proof = p.Law, p.Verdict.Proof
	ok := Direction{Verdict: Proved, Engine: engineAxioms, Axioms: d.theory.AxiomsOf(n.proof), Millis: ms}
	n.way = [2]Direction{ok, ok}
	if p.Law.OneWay && !n.law.OneWay {
		other := 1
		if law.FormatOutputs(p.Law.LHS) != law.FormatOutputs(n.law.LHS) {
			other = 0
		}
		n.way[other].Verdict, n.way[other].Condition = Conditional, targetDefined(n.law, other == 1)
	}
}

// refute looks for counterexamples to the directions that are not proved as
// they stand.
func (d *decider) refute(ctx context.Context, n *decision) error {
	for k := range n.way {
		w := &n.way[k]
		if w.Verdict != Unknown && w.Verdict != Conditional {
			continue
		}
		if k == 1 && n.way[0].Counterexample != nil && n.way[0].Counterexample.Witness.Kind != "defined" {
			w.Verdict, w.Reason, w.Counterexample = Refuted, n.way[0].Reason, n.way[0].Counterexample
			continue
		}
		start := time.Now()
		c, err := d.counterexample(ctx, oneWay(n.law, k == 1))
		if c == nil && err == nil && w.Verdict == Conditional {
			c, err = d.undefined(ctx, n.law, k == 1)
		}
		if err != nil {
			return err
		}
		w.Millis += time.Since(start).Seconds() * 1000
		switch {
		case c != nil && w.Verdict == Unknown:
			w.Verdict, w.Reason, w.Counterexample = Refuted, summary(c.Witness), c
		case c != nil:
			w.Counterexample = c
		case w.Verdict == Unknown && n.equal == 0:
			n.equal = agreeing(n.law)
		}
	}
	return nil
}

func (d *decider) counterexample(ctx context.Context, l *law.Law) (*Counterexample, error) {
	w, err := verify.Refute(ctx, l, verify.RefuteOptions{Seed: d.opt.Seed})
	if err != nil || w == nil {
		return nil, err
	}
	return newCounterexample(l, w), nil
}

// maxNeeded bounds the sizes tried to make a target undefined.
const maxNeeded = 8

// undefined looks for sizes at which the source of a direction is defined and
// the target is not: such as miss one of the target's conditions.
func (d *decider) undefined(ctx context.Context, l *law.Law, backward bool) (*Counterexample, error) {
	for _, n := range targetNeeds(l, backward) {
		if n.Rel != "<=" {
			continue
		}
		miss := *oneWay(l, backward)
		miss.Where = append(append([]law.Pred(nil), l.Where...), law.Pred{Left: n.Right, Rel: "<", Right: n.Left})
		w, err := verify.Refute(ctx, &miss, verify.RefuteOptions{MaxSize: maxNeeded, Bindings: 4000, Seed: d.opt.Seed})
		if err != nil {
			return nil, err
		}
		if w != nil {
			return newCounterexample(oneWay(l, backward), w), nil
		}
	}
	return nil, nil
}

// unbounded asks the engine for all sizes where the axioms say nothing and no
// counterexample was found.
func (d *decider) unbounded(ctx context.Context, ns []*decision) error {
	var open []*decision
	var goals []*law.Law
	for _, n := range ns {
		if n.way[0].Verdict == Unknown || n.way[1].Verdict == Unknown {
			open, goals = append(open, n), append(goals, n.law)
		}
	}
	if len(goals) == 0 {
		return nil
	}
	stage := d.opt.Progress.Stage("all sizes", int64(len(goals)))
	defer stage.Done()
	// Rules are about the true rectifier and maximum.
	engine := &verify.Unbounded{Workers: d.opt.Workers, Sums: sums.Config{Ordered: true}}
	rs, err := engine.Results(ctx, goals)
	if err != nil {
		return err
	}
	for i, n := range open {
		r := rs[i]
		for k := range n.way {
			w := &n.way[k]
			if w.Verdict != Unknown {
				continue
			}
			w.Millis += r.Seconds * 1000
			if !r.Equal {
				// What was shown up to limits, r.UpTo, is no proof.
				w.Reason = strings.TrimSpace(w.Reason + "; for all sizes: " + r.Reason)
				continue
			}
			w.Verdict, w.Engine = Proved, engineSums
			w.Reason = "no derivation from the axioms was found; both sides are the same sums"
			if k == 0 && !r.Forward || k == 1 && !r.Backward {
				w.Verdict, w.Condition = Conditional, targetDefined(n.law, k == 1)
				if w.Counterexample, err = d.undefined(ctx, n.law, k == 1); err != nil {
					return err
				}
			}
			if n.goal == nil {
				n.goal = n.law
				switch {
				case n.law.OneWay || r.Forward && r.Backward:
				case r.Forward:
					n.goal = oneWay(n.law, false)
				case r.Backward:
					n.goal = oneWay(n.law, true)
				default:
					n.goal, _ = defined(n.law)
				}
			}
		}
	}
	return nil
}

// narrow looks for conditions under which refuted laws hold.
func (d *decider) narrow(ctx context.Context, ns []*decision) error {
	type search struct {
		n    *decision
		left []special
	}
	var open []*search
	for _, n := range ns {
		if n.way[0].Verdict == Refuted || n.way[1].Verdict == Refuted {
			open = append(open, &search{n, specials(n.law)})
		}
	}
	stage := d.opt.Progress.Stage("conditions", int64(len(open)))
	defer stage.Done()
	for len(open) > 0 {
		// The next special form of each that is not refuted at once.
		next := make([]*special, len(open))
		err := d.each(ctx, len(open), func(i int) error {
			s := open[i]
			for len(s.left) > 0 && next[i] == nil {
				c := &s.left[0]
				s.left = s.left[1:]
				w, err := verify.Refute(ctx, c.law, verify.RefuteOptions{Minimize: -1, Seed: d.opt.Seed})
				if err != nil {
					return err
				}
				if w == nil {
					next[i] = c
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		var goals []*law.Law
		var at []int
		for i, c := range next {
			if c != nil {
				goals, at = append(goals, c.law), append(at, i)
			}
		}
		ps, err := d.theory.Decide(ctx, goals, theory.Options{Workers: d.opt.Workers})
		if err != nil {
			return err
		}
		done := make([]bool, len(open))
		for j, p := range ps {
			i := at[j]
			if p.Verdict.Status == verify.Proved {
				d.conditional(open[i].n, next[i], p)
				done[i] = true
			}
		}
		var rest []*search
		for i, s := range open {
			if !done[i] && len(s.left) > 0 {
				rest = append(rest, s)
				continue
			}
			stage.Add(1)
		}
		open = rest
	}
	return nil
}

// conditional records that a refuted law holds in a special form. A one-way
// proof of that says of the other direction only what holds where both sides
// are defined.
func (d *decider) conditional(n *decision, c *special, p theory.Proof) {
	n.goal, n.proof = p.Law, p.Verdict.Proof
	forward := law.FormatOutputs(p.Law.LHS) == law.FormatOutputs(c.law.LHS)
	for k := range n.way {
		w := &n.way[k]
		if w.Verdict != Refuted {
			continue
		}
		w.Condition = c.condition
		if p.Law.OneWay && forward == (k == 1) {
			w.Condition += ", both sides are defined"
		}
		w.Verdict, w.Engine = Conditional, engineAxioms
		w.Axioms = d.theory.AxiomsOf(n.proof)
		w.Millis += p.Verdict.Seconds * 1000
	}
}

// summary is a counterexample in one line.
func summary(w *verify.Witness) string {
	var in []string
	for _, t := range w.Inputs {
		in = append(in, fmt.Sprintf("%s : %v", t.Term, t.Shape))
	}
	given := strings.Join(in, ", ")
	switch w.Kind {
	case "defined":
		return fmt.Sprintf("with %s the target is %s", given, w.Right)
	case "shape":
		return fmt.Sprintf("with %s the source has shape %s, the target %s", given, w.Left, w.Right)
	}
	return fmt.Sprintf("with %s the sides are %s and %s at %v", given, w.Left, w.Right, w.Cell)
}
