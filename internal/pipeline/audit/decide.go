package audit

import (
	"context"

	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
)

// decision is what is known of one law, each direction apart: the first is the
// one from left to right, by its place and not by what its sides look like.
type decision struct {
	law   *law.Law
	way   [2]Direction
	shown [2]*shown // what was proved of each; nil where nothing was
	equal int       // of an unknown: random shapes at which the sides agree
}

// decider decides laws, each once. A law is known by the whole of its text,
// which is read back as the same law: sorts, shapes and conditions are in it.
type decider struct {
	opt    Options
	theory *theory.Theory // for broadcasting, and to compare
	known  map[string]*decision
	// refutations of general claims, by text; nil where none was found
	witness map[string]*Counterexample
	spread  map[string]*spreading // by text of the law
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
	if err := d.prove(ctx, open); err != nil {
		return err
	}
	err := d.each(ctx, len(open), func(i int) error {
		n := open[i]
		for k := range n.way {
			if n.way[k].Verdict == Unknown && n.shown[1-k] != nil {
				if err := n.whereDefined(ctx, k); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.each(ctx, len(open), func(i int) error { return d.refute(ctx, open[i]) }); err != nil {
		return err
	}
	if err := d.unbounded(ctx, open); err != nil {
		return err
	}
	return d.narrow(ctx, open)
}
