package audit

import (
	"context"
	"slices"
	"strings"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// sumsOf asks the engine for all sizes. Rules are about the true relu and
// maximum.
func sumsOf(ctx context.Context, goals []*law.Law, workers int) ([]sums.Result, error) {
	return sums.ProveAll(ctx, goals, sums.Config{Ordered: true}, workers)
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

// ordered is a law said to be one of the true relu and maximum.
func ordered(l *law.Law) *law.Law {
	if l.HasTag(law.TagOrdered) {
		return l
	}
	m := *l
	m.Tags = append(slices.Clone(l.Tags), law.TagOrdered)
	return &m
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
	if w.Reason != "" { // the axioms were asked
		w.Reason = "not derived from the axioms; "
	}
	w.Reason += "both sides are equal sums"
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

// meaning is a law, perhaps one of the true relu and maximum only, with a proof from
// what its operators compute; without one if none was found.
type meaning struct {
	law   *law.Law
	proof *law.Proof
}

// meant looks for a proof, from what operators compute, of what was shown by sums: that
// is its certificate. A law that needs the order of numbers is then said to be one of
// the true relu and maximum.
func (d *decider) meant(ctx context.Context, w *Direction, x *shown) error {
	m, ok := d.meanings[x.law]
	if !ok {
		var err error
		if m, err = meaningOf(ctx, x.law); err != nil {
			return err
		}
		if d.meanings == nil {
			d.meanings = map[*law.Law]meaning{}
		}
		d.meanings[x.law] = m
	}
	if m.proof != nil {
		x.law, x.proof, w.Certificate = m.law, m.proof, true
	}
	return nil
}

func meaningOf(ctx context.Context, l *law.Law) (meaning, error) {
	for {
		p, err := sums.Certify(ctx, l)
		if p != nil || err != nil {
			return meaning{l, &law.Proof{Meaning: p}}, err
		}
		if l.HasTag(law.TagOrdered) {
			return meaning{}, nil
		}
		l = ordered(l)
	}
}
