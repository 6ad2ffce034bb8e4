package genrules

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/refute"
)

// Question is what may be asked about a law: one of the fields after Law says what.
type Question struct {
	Law string `json:"law"` // law.Format
	// Rounds: is it proved from the axioms and lemmas (theory.DecideByTag), with as many of
	// verify.DefaultRounds?
	Rounds int `json:"rounds,omitempty"`
	// Meaning: is it proved from what its operators compute, with so much work
	// (prove.Show)?
	Meaning int `json:"meaning,omitempty"`
	// Bindings: is it refuted by one of so many, chosen by Seed?
	Bindings int    `json:"bindings,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
}

// Answer is what was found of a law.
type Answer struct {
	// To Rounds.
	Forward  bool          `json:"forward,omitempty"` // see theory.Proof
	Backward bool          `json:"backward,omitempty"`
	Reason   string        `json:"reason,omitempty"` // why it is not proved
	Stop     tensor.Stop   `json:"stop,omitempty"`
	Engine   string        `json:"engine,omitempty"`
	Proof    *law.CertRule `json:"proof,omitempty"` // nil: it is not proved

	Meaning []int64         `json:"meaning,omitempty"` // the proof, nil: there is none
	Shown   string          `json:"shown,omitempty"`   // law.Format of the law that it proves
	Witness *refute.Witness `json:"witness,omitempty"` // nil: none was found
}

// Solver answers questions as a run does. It serves any number of goroutines.
type Solver struct {
	t      *theory.Theory
	prover prove.Prover
}

// NewSolver loads the axioms and lemmas that matter to operators, or a preset, as
// Options.Ops names them.
func NewSolver(ctx context.Context, ops []string) (*Solver, error) {
	u, err := enumerate.New(ops)
	if err != nil {
		return nil, err
	}
	t, err := theory.Load(ctx, u.Ops(), nil)
	if err != nil {
		return nil, err
	}
	return &Solver{t: t}, nil
}

// Solve answers a question. The error says what is wrong with it, or that ctx ended.
func (s *Solver) Solve(ctx context.Context, q Question) (a Answer, err error) {
	l, err := law.ParseLaw(q.Law)
	if err != nil {
		return a, fmt.Errorf("question: %w", err)
	}
	switch {
	case q.Rounds > 0 && q.Rounds <= len(verify.DefaultRounds):
		ps, err := s.t.DecideByTag(ctx, []*law.Law{l}, theory.Options{Rounds: verify.DefaultRounds[:q.Rounds], Workers: 1})
		if err != nil {
			return a, err
		}
		v := ps[0].Verdict
		a = Answer{Forward: ps[0].Forward, Backward: ps[0].Backward, Reason: v.Reason, Stop: v.Stop, Engine: v.Engine}
		if v.Status == verify.Proved {
			e := law.NewCertRule(l.Name, l, v.Proof)
			a.Proof = &e
		}
	case q.Meaning > 0:
		var shown *rules.Rule
		if shown, a.Meaning, err = certified(ctx, &s.prover, l, prove.Effort(q.Meaning)); shown != nil {
			a.Shown = law.Format(shown.Law)
		}
	case q.Bindings > 0:
		a.Witness, err = counterexample(ctx, l, q.Bindings, q.Seed)
	default:
		err = errors.New("question: nothing is asked, or for rounds that there are not")
	}
	return a, errors.Join(err, ctx.Err())
}

// canonical is a law as a rule, if it has types and the rule's name is that of its text.
func canonical(l *law.Law) (*rules.Rule, error) {
	r, err := rules.New(l)
	if err == nil && law.ID(r.Law) != r.ID() {
		err = errors.New("the law has no canonical form")
	}
	return r, err
}

// certified is what can be shown of a law from what its operators compute ([prove.Prover.Show]), as a
// rule, and the proof; nil if that is nothing.
func certified(ctx context.Context, by *prove.Prover, l *law.Law, effort prove.Effort) (*rules.Rule, []int64, error) {
	for {
		r, err := canonical(l)
		if err != nil {
			return nil, nil, nil
		}
		c, err := by.Show(ctx, r.Law, effort)
		if err != nil || !c.Proved() {
			return nil, nil, err
		}
		if c.Law.OneWay == r.Law.OneWay {
			if c.Law != r.Law { // it is about the true relu and maximum
				r, err = canonical(c.Law)
			}
			return r, c.Proof.Meaning, err
		}
		l = c.Law // its canonical form may be another
	}
}

// counterexample looks for one, with a few bindings among usual ones only; nil: none is found.
func counterexample(ctx context.Context, l *law.Law, bindings int, seed uint64) (*refute.Witness, error) {
	opt := refute.Options{Bindings: bindings, Seed: seed}
	if bindings <= fewBindings {
		opt.Reach = -1
	}
	w, err := refute.Find(ctx, l, opt)
	if err != nil {
		return nil, ctx.Err()
	}
	return w, nil
}
