package audit

import (
	"context"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/refute"
)

const (
	// fewRounds is how many of verify.DefaultRounds a law is given before counterexamples
	// are looked for: the others take most of the time, and are of no use to a law that
	// does not hold.
	fewRounds = 2
	// fewBindings bounds that search for a counterexample.
	fewBindings = 40
)

// prove records which of the laws are proved from the axioms, and in which directions.
func (d *decider) prove(ctx context.Context, open []*decision) error {
	stage := d.opt.Progress.Stage("prove", int64(len(open)))
	defer stage.Done()
	ask := func(ns []*decision, rounds int, done func()) (left []*decision, err error) {
		goals := make([]*law.Law, len(ns))
		for i, n := range ns {
			goals[i] = n.law
		}
		ps, err := d.theory.Decide(ctx, goals, theory.Options{Rounds: verify.DefaultRounds[:rounds], Workers: d.opt.Workers, Done: done})
		if err != nil {
			return nil, err
		}
		for i, p := range ps {
			n := ns[i]
			ms := n.way[0].Millis + p.Verdict.Seconds*1000
			n.closed = p.Verdict.Stop == tensor.StopSaturated && rounds == len(verify.DefaultRounds)
			for k := range n.way {
				n.way[k] = Direction{Verdict: Unknown, Reason: p.Verdict.Reason, Millis: ms}
			}
			if n.law.OneWay {
				n.way[1] = Direction{} // not claimed
			}
			if d.proved(n, p, ms); p.Verdict.Status != verify.Proved {
				left = append(left, n)
			}
		}
		return left, nil
	}
	left, err := ask(open, fewRounds, func() { stage.Add(1) })
	if err != nil {
		return err
	}
	if err := d.each(ctx, len(left), func(i int) error { return d.doubts(ctx, left[i]) }); err != nil {
		return err
	}
	var more []*decision
	for _, n := range left {
		if n.doubt[0] != refutable || n.doubt[1] != refutable && !n.law.OneWay {
			more = append(more, n)
		}
	}
	_, err = ask(more, len(verify.DefaultRounds), nil)
	return err
}

// doubt is what a quick search for a counterexample to a direction found.
type doubt uint8

const (
	notAsked  doubt = iota
	noneFound       // which proves nothing
	refutable       // a counterexample is there
)

// doubts looks for counterexamples to the directions of which nothing is known, unless
// that was done: where there is one it is not worth while to look for a proof. The one
// that is shown is looked for later, by the same draws.
func (d *decider) doubts(ctx context.Context, n *decision) error {
	for k := range n.way {
		if n.way[k].Verdict != Unknown || n.doubt[k] != notAsked {
			continue
		}
		w, err := refute.Find(ctx, law.OneDirection(n.law, k == 1),
			refute.Options{Bindings: fewBindings, Minimize: -1, Reach: -1, Seed: d.opt.Seed})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || w == nil: // what is wrong is said if no proof is found
			n.doubt[k] = noneFound
		case w.Kind == "defined":
			n.doubt[k] = refutable
		default:
			n.doubt = [2]doubt{refutable, refutable} // both sides are defined, and differ
		}
	}
	return nil
}

// oneByOne tries to prove each direction of equations that are not proved as
// such: the e-graph may use a law only where the goal says that it is defined,
// and one side may say more than the other.
func (d *decider) oneByOne(ctx context.Context, ns []*decision) error {
	type way struct {
		n *decision
		k int
	}
	var open []*decision
	for _, n := range ns {
		if !n.law.OneWay && (n.way[0].Verdict == Unknown || n.way[1].Verdict == Unknown) && !sameNeeds(n.law) {
			open = append(open, n)
		}
	}
	err := d.each(ctx, len(open), func(i int) error { return d.doubts(ctx, open[i]) })
	if err != nil {
		return err
	}
	var ways []way
	for _, n := range open {
		for k := range n.way {
			if n.way[k].Verdict == Unknown && n.doubt[k] != refutable {
				ways = append(ways, way{n, k})
			}
		}
	}
	goals := make([]*law.Law, len(ways))
	for i, w := range ways {
		goals[i] = law.OneDirection(w.n.law, w.k == 1)
	}
	ps, err := d.theory.Decide(ctx, goals, theory.Options{Workers: d.opt.Workers})
	if err != nil {
		return err
	}
	for i, p := range ps {
		n, k := ways[i].n, ways[i].k
		if p.Forward {
			d.holds(n, k, &shown{law: p.Goal, proof: p.Verdict.Proof}, n.way[k].Millis+p.Verdict.Seconds*1000)
		}
	}
	return nil
}
