package audit

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/refute"
)

// maxTried bounds the special forms of a rule that a proof is looked for, and again those
// that ask more beside a way to pad.
const maxTried = 24

// narrow looks for conditions under which refuted laws hold.
func (d *decider) narrow(ctx context.Context, ns []*decision) error {
	type search struct {
		n      *decision
		next   func() (special, bool)
		tried  int  // proofs
		open   bool // the law leaves a way to pad open
		padded bool // the proofs are of those that ask more beside a way to pad
	}
	var open []*search
	for _, n := range ns {
		if n.way[0].Verdict == Refuted || n.way[1].Verdict == Refuted {
			next, stop := iter.Pull(specials(n.law))
			defer stop()
			padding := slices.ContainsFunc(n.law.Given, func(g law.Declaration) bool { return g.Sort == graph.SortPadding })
			open = append(open, &search{n: n, next: next, open: padding})
		}
	}
	stage := d.opt.Progress.Stage("conditions", int64(len(open)))
	defer stage.Done()
	for len(open) > 0 {
		// The next special form of each that is not refuted at once.
		next := make([]*special, len(open))
		err := d.each(ctx, len(open), func(i int) error {
			s := open[i]
			for next[i] == nil {
				c, ok := s.next()
				if !ok {
					return nil
				}
				if c.padded && !s.padded {
					s.tried, s.padded = 0, true
				}
				if s.tried >= maxTried {
					if s.padded || !s.open {
						return nil
					}
					continue
				}
				if s.n.broken(c.law) {
					continue
				}
				w, err := refute.Find(ctx, c.law, refute.Options{Minimize: -1, Reach: -1, Seed: d.opt.Seed})
				if err != nil {
					return err
				}
				if w == nil {
					next[i] = &c
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
				open[i].tried++
				goals, at = append(goals, c.law), append(at, i)
			}
		}
		done := make([]bool, len(open))
		err = d.each(ctx, len(goals), func(j int) error {
			start := time.Now()
			c, err := shows(ctx, goals[j])
			if i := at[j]; c.Proved() && err == nil {
				done[i] = true
				return open[i].n.conditional(ctx, next[i], c, time.Since(start).Seconds()*1000)
			}
			return err
		})
		if err != nil {
			return err
		}
		var rest []*search
		for i, s := range open {
			if !done[i] && next[i] != nil {
				rest = append(rest, s)
				continue
			}
			stage.Add(1)
		}
		open = rest
	}
	return nil
}

// broken reports that what refutes each refuted direction of n refutes that
// direction of a special form too.
func (n *decision) broken(special *law.Law) bool {
	for k, w := range n.way {
		if w.Verdict == Refuted &&
			(w.Counterexample == nil || !w.Counterexample.Witness.Refutes(law.OneDirection(special, k == 1))) {
			return false
		}
	}
	return true
}

// conditional records that a refuted law holds in a special form, and in which
// directions.
func (n *decision) conditional(ctx context.Context, c *special, p prove.Certificate, ms float64) error {
	special := &decision{law: c.law}
	special.proved(p, 0)
	for k := range n.way {
		w := &n.way[k]
		if w.Verdict != Refuted {
			continue
		}
		if special.shown[k] == nil {
			if err := special.whereDefined(ctx, k); err != nil {
				return err
			}
		}
		x := special.way[k]
		if x.Verdict == Unknown {
			continue
		}
		w.Verdict, w.Engine, w.Certificate = Conditional, x.Engine, x.Certificate
		w.Sizes, w.Defined, w.Condition, n.shown[k] = x.Sizes, x.Defined, c.condition, special.shown[k]
		if x.Condition != "" {
			w.Condition += ", " + x.Condition
		}
		w.Millis += ms
	}
	return nil
}
