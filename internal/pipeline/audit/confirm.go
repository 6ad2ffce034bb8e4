package audit

import (
	"context"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/rules/broadcast"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
	"github.com/taso-go/taso/verify/refute"
)

// A counterexample is found in a law, and printed for a rule in a reading. What the law
// fixes, the reading may derive: the groups of a convolution from the channels of its
// operands, the shape of a sum from both. So a rule is written out anew at the sizes that
// were found, by what the reading says, and evaluated there. Only what refutes it then is
// printed, as that law and what its evaluation gave.

// unconfirmed is the reason of a direction whose counterexample is none in its reading.
const unconfirmed = "internal error: the counterexample does not refute the rule under these semantics"

// noneWithout is the reason of a conditional direction without a counterexample.
const noneWithout = "no counterexample without the condition was found"

// confirm replaces the counterexample of a direction by one that was evaluated in the
// reading of the question; without one nothing is refuted.
func (d *decider) confirm(ctx context.Context, q *question, k int, w *Direction) error {
	found := w.Counterexample
	if found == nil {
		return nil
	}
	told := w.Reason == summary(found.Witness)
	c, err := d.inReading(ctx, q, k, found)
	if err != nil {
		return err
	}
	w.Counterexample = c
	switch {
	case c != nil && told:
		w.Reason = summary(c.Witness)
	case c != nil:
	case w.Verdict == Refuted:
		*w = Direction{Verdict: Unknown, Reason: unconfirmed, Millis: w.Millis}
	case told:
		w.Reason = noneWithout
	case !strings.Contains(w.Reason, noneWithout):
		w.Reason = strings.TrimPrefix(w.Reason+"; "+noneWithout, "; ")
	}
	return nil
}

// inReading is a counterexample to a direction of a question's rule: the one that was found
// for a law, or else another one at sizes that this law has; nil if there is none.
func (d *decider) inReading(ctx context.Context, q *question, k int, found *Counterexample) (*Counterexample, error) {
	if q.claim.rule == nil || q.claim.reading.AnyDegree {
		if _, err := found.Replay(); err != nil {
			return nil, nil
		}
		return found, nil
	}
	shapes := map[string][]int{}
	for _, t := range found.Witness.Inputs {
		shapes[t.Term] = t.Shape
	}
	if m := q.at(k, shapes, found.Witness.Attrs); m != nil {
		w, err := found.Witness.Given().Replay(m)
		if err != nil { // the values tell nothing there, or there are none
			w, err = refute.Find(ctx, m, refute.Options{Bindings: 1, Minimize: -1, Reach: -1, Seed: d.opt.Seed})
		}
		if err != nil {
			return nil, err
		}
		if c := replayed(m, w); c != nil {
			return c, nil
		}
	}
	return d.another(ctx, q, k)
}

// another looks for a counterexample to a direction of a question's rule, by evaluating
// nothing but the rule in its reading; its laws only say which sizes to try.
func (d *decider) another(ctx context.Context, q *question, k int) (*Counterexample, error) {
	tried := q.claim.way[k].general
	if tried == nil {
		tried = law.OneDirection(q.claim.law, k == 1)
	}
	c, err := d.through(ctx, q, k, tried, refute.Options{Seed: d.opt.Seed})
	if c != nil || err != nil || !q.sem.Broadcast || !elementwise(q.claim.law) {
		return c, err
	}
	_, bad := broadcast.Each(law.OneDirection(q.claim.law, k == 1), patterns, func(p broadcast.Pattern) bool {
		if p.Axes > 0 {
			c, err = d.through(ctx, q, k, p.Plain, refute.Options{Bindings: fewBindings, Seed: d.opt.Seed})
		}
		return c == nil && err == nil
	})
	if bad != nil { // there are no patterns of a law without types
		return nil, err
	}
	return c, err
}

// through looks for a counterexample at the sizes that a law has.
func (d *decider) through(ctx context.Context, q *question, k int, l *law.Law, opt refute.Options) (*Counterexample, error) {
	m, w, err := refute.Through(ctx, l, opt, func(v *instance.Valuation, sizes [][]int) *law.Law {
		at, attrs := map[string][]int{}, map[string]string{}
		for _, g := range l.Given {
			if g.Sort == "" {
				at[g.Name], sizes = sizes[0], sizes[1:]
			}
		}
		for name, a := range v.Attrs {
			attrs[name] = a.String()
		}
		return q.at(k, at, attrs)
	})
	if err != nil {
		return nil, err
	}
	return replayed(m, w), nil
}

// replayed is a counterexample that was evaluated again from its text; nil if there is none.
func replayed(l *law.Law, w *refute.Witness) *Counterexample {
	if w == nil {
		return nil
	}
	c := newCounterexample(l, w)
	if _, err := c.Replay(); err != nil {
		return nil
	}
	return c
}

// at is a direction of the question's rule written out at shapes of its inputs, as its
// reading understands it there; nil where its source is not defined, or it cannot be
// written out. attrs may say what the reading leaves open.
func (q *question) at(k int, shapes map[string][]int, attrs map[string]string) *law.Law {
	reading := q.claim.reading
	for name, open := range map[string]*string{"q": &reading.Same, "e": &reading.Border} {
		if *open == taso.AnySame || *open == taso.AnyBorder {
			if *open = attrs[name]; *open == "" {
				*open = map[string]string{"q": graph.SameUpper, "e": "counted"}[name]
			}
		}
	}
	r := q.claim.rule
	if k == 1 {
		r = turned(r)
	}
	m, err := taso.At(r, reading, taso.Point{Shapes: shapes, Broadcast: q.sem.Broadcast})
	if err != nil {
		return nil
	}
	m.Name = anyName
	if q.sem.Broadcast {
		// An error says what evaluating the law shows.
		m, _ = broadcast.Explicit(m, broadcast.Options{})
	}
	return m
}

// turned is a rule with its sides exchanged.
func turned(r *tasopb.Rule) *tasopb.Rule {
	out := &tasopb.Rule{SrcOps: r.DstOps, DstOps: r.SrcOps, Mapped: slices.Clone(r.Mapped)}
	for i, m := range out.Mapped {
		out.Mapped[i] = tasopb.MapOutput{SrcOpID: m.DstOpID, SrcTsID: m.DstTsID, DstOpID: m.SrcOpID, DstTsID: m.SrcTsID}
	}
	return out
}
