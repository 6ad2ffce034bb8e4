package audit

import (
	"context"
	"slices"

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
	doubt  [2]doubt  // of each, before proofs that take long
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
	open, err := d.layouts(ctx, open)
	if err != nil {
		return err
	}
	if err := d.prove(ctx, open); err != nil {
		return err
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

// sameNeeds says whether the sides are defined under the same conditions.
func sameNeeds(l *law.Law) bool {
	ty, err := l.Types()
	return err == nil && slices.Equal(ty.LeftNeeds, ty.RightNeeds)
}
