package sums

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

// Config says how hard to try. The zero Config is the usual one.
type Config struct {
	// Steps bounds Z3's work on one question, in Z3's own steps, so that the
	// answer does not depend on the machine; 0: 300,000.
	Steps uint32
	// MaxStride and MaxGroups are the largest stride along an axis, and the
	// largest number of groups, that are tried where a variable stride or
	// number of groups has to be tried by value; 0: 3. MaxRank is the same for
	// the axes of a tensor; 0: 5.
	MaxStride, MaxGroups int64
	MaxRank              int
	// MaxCases bounds the cases of one law; 0: 2000.
	MaxCases int
	// Ordered takes relu and max to be the true ones in every law, not only in
	// those tagged so.
	Ordered bool
	// Life is the number of laws after which Z3's context, which only grows,
	// is replaced; 0: 200.
	Life int
}

func (c Config) set() Config {
	def := func(p *int64, n int64) {
		if *p == 0 {
			*p = n
		}
	}
	def(&c.MaxStride, 3)
	def(&c.MaxGroups, 3)
	if c.Steps == 0 {
		c.Steps = 300_000
	}
	if c.MaxRank == 0 {
		c.MaxRank = 5
	}
	if c.MaxCases == 0 {
		c.MaxCases = 2000
	}
	if c.Life == 0 {
		c.Life = 200
	}
	return c
}

// Result is what is known of a law after Prove. Its four answers speak of all
// sizes, strides, padding, numbers of groups and numbers of axes; what was shown
// of some of them only is in UpTo, and is no proof.
type Result struct {
	// Proved: Equal, and each direction in which the law is used is defined
	// wherever its source is: Forward, and Backward unless the law is OneWay.
	Proved bool
	// Equal: wherever both sides are defined they have one shape and equal
	// entries.
	Equal bool
	// Forward: the right side is defined wherever the left one is, and equal.
	// Backward: the left side is wherever the right one is.
	Forward, Backward bool
	// UpTo says what the cases that were tried by value show beyond that; nil
	// if nothing.
	UpTo *UpTo
	// ForwardNeeds are conditions under which Forward would hold, where it does
	// not: what the right side needs and the left one does not. BackwardNeeds
	// are the same for Backward. There are at most twelve; they are in words,
	// such as "kh <= h", and may come from different cases.
	ForwardNeeds, BackwardNeeds []string
	// Reason says why the law is not proved: what was not matched.
	Reason string
	// Cases and Queries count the cases and the questions to Z3.
	Cases, Queries int
	Seconds        float64
}

// String is the result in one line.
func (r Result) String() string {
	if r.Proved {
		return "proved for all sizes"
	}
	return "unknown: " + r.Reason
}

// Prover decides laws, one after another. It is not safe for concurrent use.
type Prover struct {
	cfg  Config
	z    *z3.Context
	s    *z3.Solver
	laws int
}

// New makes a prover. It fails where Z3 does.
func New(cfg Config) (*Prover, error) {
	p := &Prover{cfg: cfg.set()}
	return p, p.renew()
}

func (p *Prover) renew() error {
	if err := p.Close(); err != nil {
		return err
	}
	var err error
	if p.z, err = z3.NewContext(z3.Config{}); err != nil {
		return fmt.Errorf("sums: %w", err)
	}
	p.laws = 0
	if p.s, err = p.z.NewSolver(p.solverConfig()); err != nil {
		return fmt.Errorf("sums: %w", err)
	}
	return nil
}

func (p *Prover) solverConfig() z3.SolverConfig { return z3.SolverConfig{RLimit: p.cfg.Steps} }

// Close frees what the prover holds.
func (p *Prover) Close() error {
	if p.z == nil {
		return nil
	}
	z := p.z
	p.z, p.s = nil, nil
	return z.Close()
}

// Prove decides a law. The error is that of Z3; when ctx ends, the law is not
// proved and the reason says so.
func (p *Prover) Prove(ctx context.Context, l *law.Law) (Result, error) {
	start := time.Now()
	res := Result{}
	if p.z == nil || p.laws >= p.cfg.Life {
		if err := p.renew(); err != nil {
			return res, err
		}
	}
	p.laws++
	l, err := law.Untransposed(l)
	if err != nil {
		res.Reason = err.Error()
		return res, nil
	}
	r := &run{p: p, l: l, ordered: p.cfg.Ordered || l.HasTag(law.TagOrdered), res: &res}
	all, err := r.cases(ctx)
	if err != nil {
		res.Seconds = time.Since(start).Seconds()
		switch {
		case ctx.Err() != nil:
			res.Reason = ctx.Err().Error()
			return res, nil
		case errors.Is(err, meaning.ErrTooLarge):
			res.Reason = err.Error()
			return res, nil
		case errors.Is(err, graph.ErrTooLarge):
			res.Reason = err.Error()
			return res, p.renew()
		}
		// Z3 may be left in the middle of something.
		return res, fmt.Errorf("sums: law %s: %w", l.Name, errors.Join(err, p.renew()))
	}
	all.conclude(&res, l.OneWay, p.cfg)
	res.Seconds = time.Since(start).Seconds()
	return res, nil
}
