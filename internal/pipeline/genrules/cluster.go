package genrules

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/refute"
)

// Cluster does parts of a run in other processes: it has graphs found and compared and
// questions about laws answered. The files of a run do not depend on it. Workers make what
// they answer from with enumerate.NewWorker, enumerate.NewComparer, NewDeriver and
// NewSolver.
type Cluster interface {
	enumerate.Remote
	// Basis tells from which laws the pairs of the levels to come are derived.
	Basis(laws []*law.Law)
	// Solve answers questions, in their order.
	Solve(ctx context.Context, questions []Question) ([]Answer, error)
}

// fewQuestions is how many are answered here, since asking others takes longer.
const fewQuestions = 16

// here says whether so many questions are answered in this process.
func (j *judge) here(questions int) bool { return j.opt.Cluster == nil || questions <= fewQuestions }

// derived proves goals from the axioms and lemmas.
func (j *judge) derived(ctx context.Context, goals []*law.Law, rounds []tensor.Limits, done func()) ([]theory.Proof, error) {
	if j.here(len(goals)) {
		return j.DecideByTag(ctx, goals, theory.Options{Rounds: rounds, Workers: j.opt.Workers, Done: done})
	}
	out := make([]theory.Proof, len(goals))
	err := j.ask(ctx, goals, Question{Rounds: len(rounds)}, func(i int, a *Answer) (err error) {
		out[i], err = j.read(goals[i], a)
		done()
		return err
	})
	return out, err
}

// meant are laws as rules with proofs from what their operators compute; nil where so much
// work finds none.
func (j *judge) meant(ctx context.Context, goals []*law.Law, effort prove.Effort, done func()) ([]*rules.Rule, error) {
	found := make([]*rules.Rule, len(goals))
	take := func(i int, r *rules.Rule, p []int64) {
		r.Proof = &law.Proof{Meaning: p}
		if _, err := check.Rule(r.Law, r.Proof, j.ByName); err == nil {
			r.Status, r.Engine = rules.Proved, "sums"
			found[i] = r
		}
	}
	if !j.here(len(goals)) {
		return found, j.ask(ctx, goals, Question{Meaning: int(effort)}, func(i int, a *Answer) error {
			if done(); a.Meaning == nil {
				return nil
			}
			shown, err := law.ParseLaw(a.Shown)
			if err != nil {
				return err
			}
			r, err := canonical(shown)
			if err != nil || !isAnswer(r.Law, goals[i]) {
				return fmt.Errorf("the proof of %s is about another law: %s", law.ID(goals[i]), law.Format(shown))
			}
			take(i, r, a.Meaning)
			return nil
		})
	}
	return found, parallel.Each(ctx, j.opt.Workers, len(goals), func(_, i int) error {
		defer done()
		r, p, err := certified(ctx, &j.prover, goals[i], effort)
		if p != nil && err == nil {
			take(i, r, p)
		}
		return err
	})
}

// isAnswer reports whether a law in canonical form is a goal, or one direction of it. It may have
// the tag ordered where the goal has not.
func isAnswer(shown, goal *law.Law) bool {
	for _, l := range []*law.Law{goal, law.OneDirection(goal, false), law.OneDirection(goal, true)} {
		if r, err := canonical(l); err == nil && r.ID() == shown.Name && (shown.HasTag(law.TagOrdered) || !goal.HasTag(law.TagOrdered)) {
			return true
		}
	}
	return false
}

// refuted are counterexamples to laws; nil where none is found. Those of others are
// evaluated again, and what is none ends the run: who sends one may also have kept silent
// about others.
func (j *judge) refuted(ctx context.Context, goals []*law.Law, bindings int) ([]*refute.Witness, error) {
	found := make([]*refute.Witness, len(goals))
	if !j.here(len(goals)) {
		return found, j.ask(ctx, goals, Question{Bindings: bindings, Seed: j.opt.Seed}, func(i int, a *Answer) error {
			if a.Witness == nil {
				return nil
			}
			// What is told of the sides is as evaluated here.
			w, err := a.Witness.Replay(goals[i])
			found[i] = w
			return err
		})
	}
	return found, parallel.Each(ctx, j.opt.Workers, len(goals), func(_, i int) (err error) {
		found[i], err = counterexample(ctx, goals[i], bindings, j.opt.Seed)
		return err
	})
}

// ask asks the same about each of the laws, once where they are the same, and calls take
// with the number of each law and the answer.
func (j *judge) ask(ctx context.Context, laws []*law.Law, what Question, take func(i int, a *Answer) error) error {
	at := map[string]int{}
	var list []Question
	which := make([]int, len(laws))
	for i, l := range laws {
		text := law.Format(l)
		k, ok := at[text]
		if !ok {
			k = len(list)
			what.Law = text
			at[text], list = k, append(list, what)
		}
		which[i] = k
	}
	answers, err := j.opt.Cluster.Solve(ctx, list)
	if err != nil {
		return err
	}
	if len(answers) != len(list) {
		return fmt.Errorf("%d answers to %d questions", len(answers), len(list))
	}
	for i, k := range which {
		if err := take(i, &answers[k]); err != nil {
			return fmt.Errorf("answer about %s: %w", laws[i].Name, err)
		}
	}
	return nil
}

// read is the answer as if the goal had been decided here. Its proof was checked by the
// worker, and is checked again before it becomes that of a rule.
func (j *judge) read(goal *law.Law, a *Answer) (theory.Proof, error) {
	p := theory.Proof{Goal: goal, Forward: a.Forward, Backward: a.Backward,
		Verdict: verify.Verdict{Reason: a.Reason, Stop: a.Stop, Engine: a.Engine}}
	if a.Proof == nil {
		return p, nil
	}
	of, proof, err := a.Proof.Decode(func(name string) (*law.Law, bool) { l, ok := j.ByName[name]; return l, ok })
	if err != nil {
		return p, err
	}
	if law.Format(of) != law.Format(goal) {
		return p, errors.New("it is about another law")
	}
	p.Verdict.Status, p.Verdict.Proof = verify.Proved, proof
	return p, nil
}
