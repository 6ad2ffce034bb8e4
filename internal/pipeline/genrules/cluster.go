package genrules

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// Cluster does parts of a run in other processes: it has graphs found and questions about
// laws answered. The files of a run do not depend on it. Workers make what they answer
// from with enumerate.NewWorker and NewSolver.
type Cluster interface {
	enumerate.Remote
	// Solve answers questions, in their order.
	Solve(ctx context.Context, questions []Question) ([]Answer, error)
}

// Question is what may be asked about a law.
type Question struct {
	Law    string `json:"law"`    // law.Format
	Rounds int    `json:"rounds"` // how many of verify.DefaultRounds the prover is given
}

// Answer says whether a law is proved from the axioms and lemmas, and how.
type Answer struct {
	Forward  bool          `json:"forward"` // see theory.Proof
	Backward bool          `json:"backward"`
	Reason   string        `json:"reason,omitempty"` // why it is not proved
	Stop     tensor.Stop   `json:"stop,omitempty"`
	Engine   string        `json:"engine,omitempty"`
	Proof    *law.CertRule `json:"proof,omitempty"` // nil: it is not proved
}

// Solver answers questions as a run would. It serves any number of goroutines.
type Solver struct{ t *theory.Theory }

// NewSolver proves the lemmas that matter to operators, or a preset, as Options.Ops names
// them.
func NewSolver(ctx context.Context, ops []string) (*Solver, error) {
	u, err := enumerate.New(ops)
	if err != nil {
		return nil, err
	}
	t, err := theory.Load(ctx, u.Ops(), nil)
	if err != nil {
		return nil, err
	}
	return &Solver{t}, nil
}

// Solve answers a question. The error says what is wrong with it, or that ctx ended.
func (s *Solver) Solve(ctx context.Context, q Question) (Answer, error) {
	l, err := law.ParseLaw(q.Law)
	if err != nil {
		return Answer{}, fmt.Errorf("question: %w", err)
	}
	if q.Rounds < 1 || q.Rounds > len(verify.DefaultRounds) {
		return Answer{}, fmt.Errorf("question: %d rounds, there are 1 to %d", q.Rounds, len(verify.DefaultRounds))
	}
	ps, err := s.t.Decide(ctx, []*law.Law{l}, theory.Options{Rounds: verify.DefaultRounds[:q.Rounds], Workers: 1})
	if err != nil {
		return Answer{}, err
	}
	p := ps[0]
	a := Answer{Forward: p.Forward, Backward: p.Backward, Reason: p.Verdict.Reason, Stop: p.Verdict.Stop, Engine: p.Verdict.Engine}
	if p.Verdict.Status == verify.Proved {
		e := law.NewCertRule(l.Name, l, p.Verdict.Proof)
		a.Proof = &e
	}
	return a, ctx.Err()
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

// derive proves goals from the axioms and lemmas, here or elsewhere.
func (j *judge) derive(ctx context.Context, goals []*law.Law, rounds []tensor.Limits, done func()) ([]theory.Proof, error) {
	if j.opt.Cluster == nil || len(goals) == 0 {
		return j.Decide(ctx, goals, theory.Options{Rounds: rounds, Workers: j.opt.Workers, Done: done})
	}
	// Equal goals are decided once.
	at := map[string]int{}
	var ask []Question
	which := make([]int, len(goals))
	for i, g := range goals {
		text := law.Format(g)
		k, ok := at[text]
		if !ok {
			k = len(ask)
			at[text], ask = k, append(ask, Question{Law: text, Rounds: len(rounds)})
		}
		which[i] = k
	}
	answers, err := j.opt.Cluster.Solve(ctx, ask)
	if err != nil {
		return nil, err
	}
	if len(answers) != len(ask) {
		return nil, fmt.Errorf("%d answers to %d questions", len(answers), len(ask))
	}
	out := make([]theory.Proof, len(goals))
	for i, k := range which {
		if out[i], err = j.read(goals[i], &answers[k]); err != nil {
			return nil, fmt.Errorf("answer about %s: %w", goals[i].Name, err)
		}
		done()
	}
	return out, nil
}
