package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
)

// Session proves goals one after another, as EGraph does, from laws that may
// become more in between. Each law is compiled once. A session serves one
// goroutine.
//
// It answers which of many rules are derivable: in order of size, each rule is
// a goal first, and becomes a law if it is not derived.
type Session struct {
	cfg EGraph
	w   egraphWorker
}

// NewSession returns a session with these laws, of distinct names. Nil rounds
// mean DefaultRounds.
func NewSession(rounds []tensor.Limits, laws ...*law.Law) (*Session, error) {
	s := &Session{cfg: EGraph{Rounds: rounds}}
	s.w = egraphWorker{cfg: &s.cfg, laws: map[string]*law.Law{}}
	for _, l := range laws {
		if err := s.Add(l); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add makes a law usable for the goals to come. The error says that its name is
// taken, or that the law is ill-formed; the session stays as it was.
func (s *Session) Add(l *law.Law) error {
	if s.w.laws[l.Name] != nil {
		return fmt.Errorf("law %s: the name is used twice", l.Name)
	}
	s.cfg.Laws = append(s.cfg.Laws, l)
	if err := s.w.setUp(); err != nil {
		s.cfg.Laws = s.cfg.Laws[:len(s.cfg.Laws)-1]
		return err
	}
	s.w.laws[l.Name] = l
	return nil
}

// Prove decides a goal from the laws so far. The error is one of EGraph.Prove.
func (s *Session) Prove(ctx context.Context, goal *law.Law) (Verdict, error) {
	v, err := s.w.prove(ctx, goal)
	if err != nil {
		return v, fmt.Errorf("goal %s: %w", goal.Name, err)
	}
	return v, nil
}

// ProveWithout decides a goal from the laws so far but those of these names. The verdict
// is that of a session which was given the others, in their order.
func (s *Session) ProveWithout(ctx context.Context, goal *law.Law, names map[string]bool) (Verdict, error) {
	if err := s.w.setUp(); err != nil {
		return Verdict{}, err
	}
	all := s.w.rules
	s.w.rules = slices.DeleteFunc(slices.Clone(all), func(r *tensor.Rule) bool { return names[r.Law.Name] })
	defer func() { s.w.rules = all }()
	return s.Prove(ctx, goal)
}

// Derive says whether a goal follows from laws. For many goals use EGraph or
// Session, which compile the laws once.
func Derive(ctx context.Context, goal *law.Law, from []*law.Law, rounds []tensor.Limits) (Verdict, error) {
	s, err := NewSession(rounds, from...)
	if err != nil {
		return Verdict{}, err
	}
	return s.Prove(ctx, goal)
}
