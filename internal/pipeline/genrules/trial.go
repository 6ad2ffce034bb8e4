package genrules

import (
	"cmp"
	"context"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/refute"
)

// trial is a candidate on its way to a verdict.
type trial struct {
	form    enumerate.Candidate // the form that is tried
	first   *law.Law            // its most general form
	reason  string              // why that is not proved
	witness *refute.Witness

	narrowed bool // form is a less general one
	verdict  enumerate.Verdict
}

// trials are the candidates of a batch. Each is tried in its most general form, then
// in the form it was found in, then in the next less general ones, by what costs
// least first.
type trials struct {
	j      *judge
	ts     []*trial
	rounds []tensor.Limits
}

// fewRounds is how many of verify.DefaultRounds a form is given before other ways to
// prove it are tried: the last round takes nine tenths of the time, and where the most
// general form of a candidate has no proof, it found none for the others.
const fewRounds = 4

// prove decides a batch of candidates, in their order.
func (j *judge) prove(ctx context.Context, cands []enumerate.Candidate) ([]enumerate.Verdict, error) {
	b := &trials{j: j, rounds: verify.DefaultRounds}
	for _, c := range cands {
		b.ts = append(b.ts, &trial{form: c, first: c.Law})
	}
	stage := j.opt.Progress.Stage("prove", int64(len(cands)))
	defer stage.Done()
	few := b.rounds[:min(len(b.rounds), fewRounds)]
	first := func(t *trial) *law.Law {
		if t.witness != nil {
			return nil
		}
		return t.first
	}
	base := func(t *trial) *law.Law {
		if law.Format(t.form.Law) == law.Format(t.form.Base) {
			return nil
		}
		return t.form.Base
	}
	next := func(t *trial) *law.Law {
		if !t.narrowed {
			return nil
		}
		return t.form.Law
	}
	done := func() { stage.Add(1) }
	nothing := func() {}
	var err error
	step := func(what error) { err = cmp.Or(err, what) }
	// Most laws have a short proof. The search for another is long where there is none, and most
	// laws without one have a counterexample.
	step(b.try(ctx, first, few, prove.Glance, done))
	step(b.refute(ctx, fewBindings))
	switch {
	case !j.opt.AxiomsOnly:
		step(b.mean(ctx, first, prove.Search, nothing))
	case len(few) < len(b.rounds):
		step(b.derive(ctx, first, b.rounds, nothing))
	}
	step(b.try(ctx, base, few, prove.Search, nothing))
	for b.narrow() && err == nil {
		step(b.try(ctx, next, few, prove.Search, nothing))
		step(b.try(ctx, base, few, prove.Search, nothing))
	}
	step(b.refute(ctx, manyBindings))
	if err != nil {
		return nil, err
	}
	verdicts := make([]enumerate.Verdict, len(b.ts))
	for i, t := range b.ts {
		t.verdict.Form = t.form
		if verdicts[i] = t.verdict; t.verdict.Proved {
			continue
		}
		u := &Unproved{ID: law.ID(t.first), Law: law.Format(t.first), Status: law.UnknownWord, Reason: t.reason}
		if t.witness != nil {
			u.Status, u.Reason, u.Witness = law.RefutedWord, t.witness.String(), t.witness
		}
		j.note(u)
	}
	return verdicts, ctx.Err()
}

// Bounds of the search for a counterexample to one law.
const fewBindings, manyBindings = 8, 600

// ask lists the candidates that are not proved and have a form, and their forms.
func (b *trials) ask(form func(*trial) *law.Law) (open []*trial, goals []*law.Law) {
	for _, t := range b.ts {
		if t.verdict.Proved {
			continue
		}
		if l := form(t); l != nil {
			open, goals = append(open, t), append(goals, l)
		}
	}
	return open, goals
}

// narrow goes to the next less general form of what is not proved, one after the other as long as
// there are any.
func (b *trials) narrow() (some bool) {
	for _, t := range b.ts {
		if !t.verdict.Proved {
			t.form, t.narrowed = t.form.Narrow()
			some = some || t.narrowed
		}
	}
	return some
}

// try proves a form of the candidates from what their operators compute, with so much effort, or from
// the axioms and lemmas, in so many rounds, if these alone are to be used. done is called for each
// of them.
func (b *trials) try(ctx context.Context, form func(*trial) *law.Law, rounds []tensor.Limits, effort prove.Effort, done func()) error {
	if b.j.opt.AxiomsOnly {
		return b.derive(ctx, form, rounds, done)
	}
	return b.mean(ctx, form, effort, done)
}

// derive proves a form of the candidates from the axioms and lemmas.
func (b *trials) derive(ctx context.Context, form func(*trial) *law.Law, rounds []tensor.Limits, done func()) error {
	open, goals := b.ask(form)
	vs, err := b.j.decide(ctx, goals, rounds, done)
	if err != nil {
		return err
	}
	for i, t := range open {
		if vs[i].Status == verify.Proved {
			if t.verdict.Proved, err = b.j.keep(ctx, goals[i], vs[i], &t.form); err != nil {
				return err
			}
			t.verdict.Wide = law.Format(goals[i]) == law.Format(t.form.Law)
			vs[i].Reason = "no canonical form whose proof the checker accepts"
		}
		if t.reason == "" || len(rounds) > fewRounds {
			t.reason = vs[i].Reason
		}
	}
	return nil
}

// mean proves a form of the candidates from what their operators compute.
func (b *trials) mean(ctx context.Context, form func(*trial) *law.Law, effort prove.Effort, done func()) error {
	open, goals := b.ask(form)
	found, err := b.j.meant(ctx, goals, effort, done)
	if err != nil {
		return err
	}
	for i, t := range open {
		if found[i] != nil {
			b.j.put(found[i], &t.form)
			t.verdict.Ordered = found[i].Law.HasTag(law.TagOrdered)
			t.verdict.Wide = law.Format(goals[i]) == law.Format(t.form.Law)
			t.verdict.Proved = true
		} else {
			t.reason = cmp.Or(t.reason, "no proof from what the operators compute")
		}
	}
	return nil
}

// refute looks for counterexamples to the most general forms of what is not proved, but
// for those that are noted already.
func (b *trials) refute(ctx context.Context, bindings int) error {
	open, goals := b.ask(func(t *trial) *law.Law {
		if t.witness != nil || b.j.unproved[law.Format(t.first)] != nil {
			return nil
		}
		return t.first
	})
	found, err := b.j.refuted(ctx, goals, bindings)
	if err != nil {
		return err
	}
	for i, t := range open {
		t.witness = found[i]
	}
	return nil
}
