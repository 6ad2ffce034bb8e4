package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

// refute looks for counterexamples to the directions that are not proved as
// they stand.
func (d *decider) refute(ctx context.Context, n *decision) error {
	if _, err := n.law.Types(); errors.Is(err, graph.ErrTooLarge) {
		return nil // of sizes that cannot be followed no sample is drawn
	}
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
		c, err := d.counterexample(ctx, law.OneDirection(n.law, k == 1))
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
	w, err := refute.Find(ctx, l, refute.Options{Seed: d.opt.Seed})
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
		miss := *law.OneDirection(l, backward)
		miss.Where = append(append([]law.Pred(nil), l.Where...), law.Pred{Left: n.Right, Rel: "<", Right: n.Left})
		w, err := refute.Find(ctx, &miss, refute.Options{MaxSize: maxNeeded, Bindings: 4000, Seed: d.opt.Seed})
		if err != nil {
			return nil, err
		}
		if w != nil {
			return newCounterexample(law.OneDirection(l, backward), w), nil
		}
	}
	return nil, nil
}

// summary is a counterexample in one line.
func summary(w *refute.Witness) string {
	var in []string
	for _, t := range w.Inputs {
		in = append(in, fmt.Sprintf("%s : %v", t.Term, t.Shape))
	}
	given := strings.Join(in, ", ")
	switch w.Kind {
	case "defined":
		return fmt.Sprintf("target %s, for %s", w.Right, given)
	case "shape":
		return fmt.Sprintf("source shape %s, target shape %s, for %s", w.Left, w.Right, given)
	}
	return fmt.Sprintf("source %s, target %s at %v, for %s", w.Left, w.Right, w.Cell, given)
}
