package genrules

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// judge decides candidates and keeps what it found.
type judge struct {
	opt    *Options
	laws   []*law.Law // axioms and proved lemmas
	byName check.Laws
	lemmas []*rules.Lemma

	proved    map[string]*rules.Rule    // by id
	bases     map[string]bool           // ids of proved laws that only prune
	unproved  map[string]*Unproved      // by law text
	order     []string                  // of unproved, as met
	basisLaws []*law.Law                // see basis
	failed    map[string]verify.Verdict // goals the prover could not decide, by law text
}

// newJudge proves the lemmas from the axioms.
func newJudge(ctx context.Context, opt *Options) (*judge, error) {
	j := &judge{opt: opt, byName: check.Laws{}, proved: map[string]*rules.Rule{}, bases: map[string]bool{},
		unproved: map[string]*Unproved{}, failed: map[string]verify.Verdict{}}
	for _, l := range axioms.ByKind(law.Axiom) {
		j.laws = append(j.laws, l)
		j.byName[l.Name] = l
	}
	lemmas := axioms.ByKind(law.Lemma)
	stage := opt.Progress.Stage("lemmas", int64(len(lemmas)))
	defer stage.Done()
	for _, l := range lemmas {
		v, err := verify.Derive(ctx, l, j.laws, verify.LemmaRounds)
		if err != nil {
			return nil, fmt.Errorf("lemma %s: %w", l.Name, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stage.Add(1)
		if v.Status != verify.Proved {
			return nil, fmt.Errorf("lemma %s does not follow from the axioms before it: %s", l.Name, v.Reason)
		}
		if _, err := check.Rule(l, v.Proof, j.byName); err != nil {
			return nil, fmt.Errorf("lemma %s: the checker does not accept its proof: %w", l.Name, err)
		}
		j.lemmas = append(j.lemmas, &rules.Lemma{Law: l, Proof: v.Proof})
		j.laws = append(j.laws, l)
		j.byName[l.Name] = l
	}
	return j, nil
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
	// What is not proved in its most general form may be in the form it was
	// found in, or in a less general one.
	for round := 0; ; round++ {
		var again []int
		var narrow []*law.Law
		for i, c := range cands {
			switch {
			case verdicts[i].Status == verify.Proved:
			case round%2 == 0:
				if law.Format(c.Law) != law.Format(c.Base) {
					again, narrow = append(again, i), append(narrow, c.Base)
				}
			case !many && c.Narrow():
				again, narrow = append(again, i), append(narrow, c.Law)
			}
		}
		if len(again) == 0 && round%2 == 1 {
			break
		}
		vs, err := j.decide(ctx, narrow, rounds, func() {})
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
		if err := j.refute(ctx, first[i], reasons[i], many); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// decide proves goals: e-graph, then Z3 on the instances, then the checker.
func (j *judge) decide(ctx context.Context, goals []*law.Law, rounds []tensor.Limits, done func()) ([]verify.Verdict, error) {
	if len(goals) == 0 {
		return nil, nil
	}
	// Candidates narrowed to the same law are decided once.
	texts := make([]string, len(goals))
	var fresh []*law.Law
	at := map[string]int{}
	for i, g := range goals {
		texts[i] = law.Format(g)
		if _, ok := j.failed[texts[i]]; ok {
			continue
		}
		if _, ok := at[texts[i]]; !ok {
			at[texts[i]] = len(fresh)
			fresh = append(fresh, g)
		}
	}
	eg := &verify.EGraph{Laws: j.laws, Rounds: rounds, Workers: j.opt.Workers}
	found, err := eg.Prove(ctx, fresh)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	verdicts := make([]verify.Verdict, len(goals))
	for i, text := range texts {
		if v, ok := j.failed[text]; ok {
			verdicts[i] = v
			continue
		}
		verdicts[i] = found[at[text]]
		if verdicts[i].Status != verify.Proved {
			j.failed[text] = verdicts[i]
		}
	}
	workers := j.opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := 0; w < min(workers, len(goals)); w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			g := verify.NewGrounder(j.laws, verify.GroundOptions{})
			defer g.Close()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(goals) || ctx.Err() != nil {
					return
				}
				if verdicts[i].Status == verify.Proved {
					goals[i], verdicts[i] = j.confirm(ctx, g, goals[i], verdicts[i])
				}
				done()
			}
		}()
	}
	wg.Wait()
	return verdicts, ctx.Err()
}

// confirm has a proof minimized and decided by Z3 and checked by the checker.
// A proof that either rejects is no proof. An equation whose sides are not
// defined for the same sizes comes back as the one-way law that the checker
// accepts.
func (j *judge) confirm(ctx context.Context, g *verify.Grounder, goal *law.Law, v verify.Verdict) (*law.Law, verify.Verdict) {
	z := g.Ground(ctx, goal, v.Proof)
	if z.Status != verify.Proved {
		return goal, verify.Verdict{Status: verify.Unknown, Engine: v.Engine,
			Reason: "the e-graph's proof does not convince Z3: " + z.Reason}
	}
	v.Proof = z.Proof
	_, err := check.Rule(goal, v.Proof, j.byName)
	if err == nil {
		return goal, v
	}
	forward, backward := *goal, *goal
	forward.OneWay, backward.OneWay = true, true
	backward.LHS, backward.RHS = goal.RHS, goal.LHS
	for _, l := range []*law.Law{&forward, &backward} {
		if _, err := check.Rule(l, v.Proof, j.byName); err == nil {
			return l, v
		}
	}
	return goal, verify.Verdict{Status: verify.Unknown, Engine: v.Engine,
		Reason: "the checker does not accept the proof: " + err.Error()}
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
	if _, err := check.Rule(r.Law, v.Proof, j.byName); err != nil {
		vs, err := j.decide(ctx, []*law.Law{r.Law}, verify.DefaultRounds, func() {})
		if err != nil {
			return false, err
		}
		if v = vs[0]; v.Status != verify.Proved {
			return false, nil
		}
		if _, err := check.Rule(r.Law, v.Proof, j.byName); err != nil {
			return false, nil
		}
	}
	r.Status, r.Proof, r.Engine = rules.Proved, v.Proof, v.Engine
	r.Level, r.Conditional = c.Level, c.Conditional
	if old := j.proved[r.ID()]; old == nil || old.Level > r.Level {
		j.proved[r.ID()] = r
	}
	return true, nil
}

// refute records a candidate that was not proved, with a counterexample if one
// is found.
func (j *judge) refute(ctx context.Context, l *law.Law, reason string, brief bool) error {
	text := law.Format(l)
	if j.unproved[text] != nil {
		return nil
	}
	u := &Unproved{Law: text, Status: "unknown", Reason: reason}
	bindings := 600
	if brief {
		bindings = 40
	}
	w, err := verify.Refute(ctx, l, verify.RefuteOptions{Bindings: bindings, Seed: j.opt.Seed})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && w != nil {
		u.Status, u.Reason, u.Witness = "refuted", w.String(), w
	}
	j.unproved[text] = u
	j.order = append(j.order, text)
	return nil
}
