package genrules

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
)

// judge decides candidates and keeps what it found.
type judge struct {
	*theory.Theory
	opt *Options

	proved    map[string]*rules.Rule // by id
	unproved  map[string]*Unproved   // by law text
	order     []string               // of unproved, as met
	basisLaws []*law.Law             // see basis
	failed    map[string]failure     // goals the prover could not decide, by law text
	prover    prove.Prover
}

// newJudge loads the axioms and lemmas, as far as they matter to ops, if anything is proved from
// them.
func newJudge(ctx context.Context, ops []*graph.Op, opt *Options) (*judge, error) {
	j := &judge{opt: opt, Theory: &theory.Theory{}, proved: map[string]*rules.Rule{},
		unproved: map[string]*Unproved{}, failed: map[string]failure{}}
	if !opt.AxiomsOnly && !opt.Quantified {
		return j, nil
	}
	stage := opt.Progress.Stage("lemmas", int64(len(axioms.ByKind(law.Lemma))))
	defer stage.Done()
	var err error
	j.Theory, err = theory.Load(ctx, ops, func() { stage.Add(1) })
	return j, err
}

// put keeps a proved rule, at the smallest level at which it was found, and without the
// tag ordered if it was proved without.
func (j *judge) put(r *rules.Rule, c *enumerate.Candidate) {
	r.Level, r.Conditional = c.Level, c.Conditional
	old := j.proved[r.ID()]
	if old != nil && old.Level <= r.Level {
		if !old.Law.HasTag(law.TagOrdered) || r.Law.HasTag(law.TagOrdered) {
			return
		}
		r.Level = old.Level // it says more
	}
	j.proved[r.ID()] = r
}

// failure is a goal that was not proved in so many rounds.
type failure struct {
	Reason string `json:"reason"`
	Rounds int    `json:"rounds"`
}

// decide proves goals; what failed once is tried again in more rounds only. A goal
// that was proved in a one-way form only is replaced by that form.
func (j *judge) decide(ctx context.Context, goals []*law.Law, rounds []tensor.Limits, done func()) ([]verify.Verdict, error) {
	verdicts := make([]verify.Verdict, len(goals))
	var open []*law.Law
	var at []int
	for i, g := range goals {
		if f, ok := j.failed[law.Format(g)]; ok && f.Rounds >= len(rounds) {
			verdicts[i] = verify.Verdict{Reason: f.Reason}
			continue
		}
		open, at = append(open, g), append(at, i)
	}
	ps, err := j.derived(ctx, open, rounds, done)
	if err != nil {
		return nil, err
	}
	for k, p := range ps {
		i := at[k]
		verdicts[i] = p.Verdict
		if p.Verdict.Status == verify.Proved {
			goals[i] = p.Law()
		} else {
			j.failed[law.Format(goals[i])] = failure{p.Verdict.Reason, len(rounds)}
		}
	}
	return verdicts, ctx.Err()
}

// keep makes a rule of a proved law. A rule is in canonical form, so where that
// differs from the goal the proof is made again for the form that is written.
func (j *judge) keep(ctx context.Context, l *law.Law, v verify.Verdict, c *enumerate.Candidate) (bool, error) {
	r, err := rules.New(l)
	if err != nil {
		return false, fmt.Errorf("proved law has no types: %w", err)
	}
	if law.ID(r.Law) != r.ID() {
		return false, nil
	}
	if _, err := check.Rule(r.Law, v.Proof, j.ByName); err != nil {
		vs, err := j.decide(ctx, []*law.Law{r.Law}, verify.DefaultRounds, func() {})
		if err != nil {
			return false, err
		}
		if v = vs[0]; v.Status != verify.Proved {
			return false, nil
		}
		if _, err := check.Rule(r.Law, v.Proof, j.ByName); err != nil {
			return false, nil
		}
	}
	r.Status, r.Proof, r.Engine = rules.Proved, v.Proof, v.Engine
	j.put(r, c)
	return true, nil
}

// open lists what is not a rule, as met. A law is tried twice that agrees for the true
// relu and maximum and not for any: it is one, and not open if it is proved with the tag.
func (j *judge) open() []*Unproved {
	var out []*Unproved
	at := map[string]int{}
	for _, text := range j.order {
		u := j.unproved[text]
		i, twice := at[u.ID]
		switch {
		case u.ID == "":
			out = append(out, u)
		case j.proved[u.ID] != nil:
		case !twice:
			at[u.ID] = len(out)
			out = append(out, u)
		case out[i].Status != law.RefutedWord:
			out[i] = u
		}
	}
	return out
}

// note records what is not a rule, once.
func (j *judge) note(u *Unproved) {
	if j.unproved[u.Law] == nil {
		j.unproved[u.Law] = u
		j.order = append(j.order, u.Law)
	}
}
