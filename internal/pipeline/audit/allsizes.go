package audit

import (
	"context"
	"strings"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/sums"
)

// sumsOf asks the engine for all sizes. Rules are about the true relu and
// maximum.
func sumsOf(ctx context.Context, goals []*law.Law, workers int) ([]sums.Result, error) {
	return sums.ProveAll(ctx, goals, sums.Config{Ordered: true}, workers)
}

// unbounded asks the engine for all sizes where there is no certificate and no counterexample
// was found: it also says up to which limit a law holds, and what a target needs.
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
	rs, err := sumsOf(ctx, goals, d.opt.Workers)
	if err != nil {
		return err
	}
	for i, n := range open {
		for k := range n.way {
			if w := &n.way[k]; w.Verdict == Unknown {
				w.Millis += rs[i].Seconds * 1000
				if err := d.bySums(ctx, n, k, rs[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// defines says whether the target of a direction was shown to be defined wherever
// its source is, for all sizes, and if not, up to which limit; "" if at none.
func defines(r sums.Result, backward bool) (all bool, limit string) {
	if backward && r.Backward || !backward && r.Forward {
		return true, ""
	}
	if u := r.UpTo; u != nil && (backward && u.Backward || !backward && u.Forward) {
		limit = u.String()
	}
	return false, limit
}

// bySums records what the engine for all sizes found of a direction. What it
// tried by value it has not proved.
func (d *decider) bySums(ctx context.Context, n *decision, k int, r sums.Result) error {
	w := &n.way[k]
	if !r.Equal && (r.UpTo == nil || !r.UpTo.Equal) {
		w.Reason = strings.TrimSpace(w.Reason + "; for all sizes: " + r.Reason)
		return nil
	}
	w.Engine, w.Sizes, w.Defined = engineSums, allSizes, sourceThere
	w.Reason = "both sides are equal sums"
	defined, limit := defines(r, k == 1)
	if !r.Equal {
		w.Verdict, w.Sizes, w.Condition = UpTo, r.UpTo.String(), r.UpTo.String()
		w.Reason += " up to this limit; unknown beyond it"
		if !defined && limit == "" {
			w.Defined = bothThere
			w.Condition += ", " + bothDefined
		}
		return nil
	}
	if defined {
		x := &shown{law: n.law, backward: k == 1}
		if both, _ := defines(r, k == 0); !n.law.OneWay && !both {
			x = &shown{law: law.OneDirection(n.law, k == 1)}
		}
		w.Verdict, n.shown[k] = Proved, x
		return d.meant(ctx, w, x)
	}
	w.Verdict, w.Condition, w.Defined = Conditional, bothDefined, bothThere
	if limit != "" {
		w.Reason += "; both are defined wherever the source is, up to " + limit
	}
	if l, words := targetDefined(n.law, k == 1); l != nil {
		rs, err := sumsOf(ctx, []*law.Law{l}, 1)
		if err != nil {
			return err
		}
		if rs[0].Proved {
			w.Condition, w.Defined, n.shown[k] = words, sourceThere, &shown{law: l}
			if err := d.meant(ctx, w, n.shown[k]); err != nil {
				return err
			}
		}
	}
	var err error
	w.Counterexample, err = d.undefined(ctx, n.law, k == 1)
	return err
}

// meant looks for a proof of what was shown by sums, with more effort: that is its
// certificate. A law that needs the order of numbers is then said to be one of the true relu
// and maximum.
func (d *decider) meant(ctx context.Context, w *Direction, x *shown) error {
	cs, err := prove.Shared.CertifyAll(ctx, []*law.Law{x.law}, prove.Thorough, 1)
	if err == nil && cs[0].Proved() {
		x.law, x.proof, w.Certificate = cs[0].Law, cs[0].Proof, true
	}
	return err
}
