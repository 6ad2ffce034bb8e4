package audit

import (
	"context"
	"time"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
)

// fewBindings bounds a quick search for a counterexample.
const fewBindings = 40

// prove records which of the laws are proved from operator semantics, and in which
// directions.
func (d *decider) prove(ctx context.Context, open []*decision) error {
	stage := d.opt.Progress.Stage("prove", int64(len(open)))
	defer stage.Done()
	return d.each(ctx, len(open), func(i int) error {
		defer stage.Add(1)
		n, start := open[i], time.Now()
		c, err := shows(ctx, n.law)
		if err != nil {
			return err
		}
		ms := time.Since(start).Seconds() * 1000
		for k := range n.way {
			n.way[k] = Direction{Verdict: Unknown, Reason: c.Reason, Millis: ms}
		}
		if n.law.OneWay {
			n.way[1] = Direction{} // not claimed
		}
		n.proved(c, ms)
		return nil
	})
}

// shows proves what can be proved of a law, if there are sizes at which both sides are
// defined: a law without any says nothing.
func shows(ctx context.Context, l *law.Law) (prove.Certificate, error) {
	c, err := prove.Shared.Show(ctx, l, prove.Search)
	if c.Proved() && !holdsSomewhere(c.Law) {
		c = prove.Certificate{Law: l, Reason: "no sizes were found at which both sides are defined"}
	}
	return c, err
}

// proved records what a certificate shows of each direction.
func (n *decision) proved(c prove.Certificate, ms float64) {
	if !c.Proved() {
		return
	}
	forward, backward := c.Directions(n.law)
	for k, ok := range [2]bool{forward, backward} {
		if ok {
			n.shown[k] = &shown{law: c.Law, backward: k == 1 && !c.Law.OneWay, proof: c.Proof}
			n.way[k] = Direction{Verdict: Proved, Engine: engineSums, Sizes: allSizes, Defined: sourceThere, Certificate: true, Millis: ms}
		}
	}
}
