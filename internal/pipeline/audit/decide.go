package audit

import (
	"context"
	"slices"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
)

// decision is what is known of one law, each direction apart: the first is the
// one from left to right, by its place and not by what its sides look like.
type decision struct {
	law    *law.Law
	way    [2]Direction
	shown  [2]*shown // what was proved of each; nil where nothing was
	equal  int       // of an unknown: random shapes at which the sides agree
	closed bool      // of an unknown: the search from the axioms was complete
}

// decider decides laws, each once. A law is known by the whole of its text,
// which is read back as the same law: sorts, shapes and conditions are in it.
type decider struct {
	opt    Options
	theory *theory.Theory
	known  map[string]*decision
	// refutations of general claims, by text; nil where none was found
	witness map[string]*Counterexample
	spread  map[string]*spreading // by text of the law
	// meanings are proofs from what operators compute, of laws by pointer
	meanings map[*law.Law]meaning
}

// each calls f for 0 to n-1 on all workers.
func (d *decider) each(ctx context.Context, n int, f func(int) error) error {
	return parallel.Each(ctx, d.opt.Workers, n, func(_, i int) error { return f(i) })
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
	for i, p := range ps {
		n := open[i]
		ms := p.Verdict.Seconds * 1000
		n.closed = p.Verdict.Stop == tensor.StopSaturated
		for k := range n.way {
			n.way[k] = Direction{Verdict: Unknown, Reason: p.Verdict.Reason, Millis: ms}
		}
		if n.law.OneWay {
			n.way[1] = Direction{} // not claimed
		}
		d.proved(n, p, ms)
	}
	if err := d.oneByOne(ctx, open); err != nil {
		return err
	}
	for _, n := range open {
		for k := range n.way {
			if n.way[k].Verdict == Unknown && n.shown[1-k] != nil {
				d.whereDefined(n, k)
			}
		}
	}
	if err := d.each(ctx, len(open), func(i int) error { return d.refute(ctx, open[i]) }); err != nil {
		return err
	}
	if err := d.unbounded(ctx, open); err != nil {
		return err
	}
	return d.narrow(ctx, open)
}

// oneByOne tries to prove each direction of equations that are not proved as
// such: the e-graph may use a law only where the goal says that it is defined,
// and one side may say more than the other.
func (d *decider) oneByOne(ctx context.Context, ns []*decision) error {
	type way struct {
		n *decision
		k int
	}
	var ways []way
	var goals []*law.Law
	for _, n := range ns {
		if n.law.OneWay || sameNeeds(n.law) {
			continue
		}
		for k := range n.way {
			if n.way[k].Verdict == Unknown {
				ways, goals = append(ways, way{n, k}), append(goals, law.OneDirection(n.law, k == 1))
			}
		}
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

// sameNeeds says whether the sides are defined under the same conditions.
func sameNeeds(l *law.Law) bool {
	ty, err := l.Types()
	return err == nil && slices.Equal(ty.LeftNeeds, ty.RightNeeds)
}
