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
	"github.com/taso-go/taso/verify/refute"
	"github.com/taso-go/taso/verify/sums"
)

// judge decides candidates and keeps what it found.
type judge struct {
	*theory.Theory
	opt *Options

	proved    map[string]*rules.Rule // by id
	bases     map[string]bool        // ids of proved laws that only prune
	unproved  map[string]*Unproved   // by law text
	order     []string               // of unproved, as met
	basisLaws []*law.Law             // see basis
	failed    map[string]failure     // goals the prover could not decide, by law text
}

// newJudge proves the lemmas from the axioms, as far as they matter to ops; nil:
// all.
func newJudge(ctx context.Context, ops []*graph.Op, opt *Options) (*judge, error) {
	stage := opt.Progress.Stage("lemmas", int64(len(axioms.ByKind(law.Lemma))))
	defer stage.Done()
	t, err := theory.Load(ctx, ops, func() { stage.Add(1) })
	if err != nil {
		return nil, err
	}
	return &judge{opt: opt, Theory: t, proved: map[string]*rules.Rule{}, bases: map[string]bool{},
		unproved: map[string]*Unproved{}, failed: map[string]failure{}}, nil
}

// prove is the enumerator's callback.
func (j *judge) prove(ctx context.Context, cands []*enumerate.Candidate) error {
	stage := j.opt.Progress.Stage("prove", int64(len(cands)))
	defer stage.Done()
	goals := make([]*law.Law, len(cands))
	for i, c := range cands {
		goals[i] = c.Law
	}
	// Of a large level there are many candidates, most of them about constants
	// used as images, and each counts little.
	many := len(cands) > 0 && cands[0].Level >= deriveFrom
	rounds := verify.DefaultRounds
	if many {
		rounds = rounds[:3]
	}
	verdicts, err := j.decide(ctx, goals, rounds, func() { stage.Add(1) })
	if err != nil {
		return err
	}
	reasons := make([]string, len(cands))
	first := append([]*law.Law(nil), goals...)
	for i := range cands {
		reasons[i] = verdicts[i].Reason
	}
	// What is not proved in its most general form may be in the form it was found in,
	// or in the next less general one: with few nodes or not at all.
	few := rounds[:min(len(rounds), fewRounds)]
	for round := range 3 {
		var again []int
		var narrow []*law.Law
		for i, c := range cands {
			switch {
			case verdicts[i].Status == verify.Proved:
			case round != 1:
				if law.Format(c.Law) != law.Format(c.Base) {
					again, narrow = append(again, i), append(narrow, c.Base)
				}
			case !many && c.Narrow():
				again, narrow = append(again, i), append(narrow, c.Law)
			}
		}
		vs, err := j.decide(ctx, narrow, few, func() {})
		if err != nil {
			return err
		}
		for k, i := range again {
			if vs[k].Status == verify.Proved {
				goals[i], verdicts[i] = narrow[k], vs[k]
			}
		}
	}
	for i, c := range cands {
		if verdicts[i].Status == verify.Proved {
			ok, err := j.keep(ctx, goals[i], verdicts[i], c)
			if err != nil {
				return err
			}
			if c.Proved = ok; ok {
				continue
			}
			reasons[i] = "no canonical form whose proof the checker accepts"
		}
		refuted, err := j.refute(ctx, first[i], many)
		if err != nil {
			return err
		}
		if refuted == nil && j.opt.Meaning {
			if c.Proved, err = j.meant(ctx, c); err != nil {
				return err
			}
			if c.Proved {
				continue
			}
		}
		j.note(unproved(first[i], reasons[i], refuted))
	}
	return ctx.Err()
}

// meant keeps a candidate that is proved from what its operators compute, in the form
// that it has by now, which may be less general than its first, or in the one in which it
// was found.
func (j *judge) meant(ctx context.Context, c *enumerate.Candidate) (bool, error) {
	forms := []*law.Law{c.Law}
	if law.Format(c.Law) != law.Format(c.Base) {
		forms = append(forms, c.Base)
	}
	for _, l := range forms {
		r, err := rules.New(l)
		if err != nil || law.ID(r.Law) != r.ID() {
			continue
		}
		p, err := sums.Certify(ctx, r.Law)
		if err != nil {
			return false, err
		}
		if p == nil {
			continue
		}
		r.Proof = &law.Proof{Meaning: p}
		if _, err := check.Rule(r.Law, r.Proof, j.ByName); err != nil {
			continue
		}
		r.Status, r.Engine = rules.Proved, "sums"
		j.put(r, c)
		return true, nil
	}
	return false, nil
}

// put keeps a proved rule, at the smallest level at which it was found.
func (j *judge) put(r *rules.Rule, c *enumerate.Candidate) {
	r.Level, r.Conditional = c.Level, c.Conditional
	if old := j.proved[r.ID()]; old == nil || old.Level > r.Level {
		j.proved[r.ID()] = r
	}
}

// fewRounds is how many of verify.DefaultRounds a less general form is given: where
// the most general form of a candidate has no proof, none was found in the last
// round, which takes most of the time.
const fewRounds = 4

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
	ps, err := j.Decide(ctx, open, theory.Options{Rounds: rounds, Workers: j.opt.Workers, Done: done})
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

// refute looks for a counterexample to a candidate that was not proved; nil if none is
// found, or if the law is noted already.
func (j *judge) refute(ctx context.Context, l *law.Law, brief bool) (*refute.Witness, error) {
	if j.unproved[law.Format(l)] != nil {
		return nil, nil
	}
	bindings := 600
	if brief {
		bindings = 40
	}
	w, err := refute.Find(ctx, l, refute.Options{Bindings: bindings, Seed: j.opt.Seed})
	if err != nil {
		return nil, ctx.Err()
	}
	return w, nil
}

// unproved is what is noted of a candidate that is not a rule.
func unproved(l *law.Law, reason string, w *refute.Witness) *Unproved {
	if w != nil {
		return &Unproved{Law: law.Format(l), Status: law.RefutedWord, Reason: w.String(), Witness: w}
	}
	return &Unproved{Law: law.Format(l), Status: law.UnknownWord, Reason: reason}
}

// note records what is not a rule, once.
func (j *judge) note(u *Unproved) {
	if j.unproved[u.Law] == nil {
		j.unproved[u.Law] = u
		j.order = append(j.order, u.Law)
	}
}
