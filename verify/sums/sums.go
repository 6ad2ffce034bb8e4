package sums

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
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

// Result is what is known of a law after Prove.
type Result struct {
	// Proved: Equal, and each direction in which the law is used is defined
	// wherever its source is: Forward, and Backward unless the law is OneWay.
	Proved bool
	// Equal: wherever both sides are defined they have one shape and equal
	// entries, for all sizes.
	Equal bool
	// Forward: the right side is defined wherever the left one is. Backward:
	// the left side is wherever the right one is.
	Forward, Backward bool
	// ForwardNeeds are conditions under which Forward would hold, where it does
	// not: what the right side needs and the left one does not. BackwardNeeds
	// are the same for Backward. There are at most twelve; they are in words,
	// such as "kh <= h", and may come from different cases.
	ForwardNeeds, BackwardNeeds []string
	// Scope says for which values of the variables this was shown, "all" or
	// what was tried by value: "strides to 3".
	Scope string
	// Reason says why the law is not proved: what was not matched.
	Reason string
	// Cases and Queries count the cases and the questions to Z3.
	Cases, Queries int
	Seconds        float64
}

// String is the result in one line.
func (r Result) String() string {
	if r.Proved {
		return fmt.Sprintf("proved (scope: %s)", r.Scope)
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
	if p.s, err = p.z.NewSimpleSolver(p.solverConfig()); err != nil {
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
	r := &run{p: p, l: l, ordered: p.cfg.Ordered || l.HasTag(law.TagOrdered), res: &res, limited: map[string]bool{}}
	all := answer{equal: true, forward: true, backward: true}
	cases := r.runCases()
	if len(cases) == 0 {
		all = answer{reason: fmt.Sprintf("no tensors of at most %d axes have the given shapes", p.cfg.MaxRank)}
	}
	for _, k := range cases {
		a, err := r.prove(ctx, k)
		if err != nil {
			res.Seconds = time.Since(start).Seconds()
			switch {
			case ctx.Err() != nil:
				res.Reason = ctx.Err().Error()
				return res, nil
			case errors.Is(err, errTooLarge):
				res.Reason = err.Error()
				return res, nil
			}
			// Z3 may be left in the middle of something.
			return res, fmt.Errorf("sums: law %s: %w", l.Name, errors.Join(err, p.renew()))
		}
		all.forward = all.forward && a.forward
		all.backward = all.backward && a.backward
		all.defined = all.defined || a.defined
		if !a.equal {
			all.equal, all.reason = false, a.reason
			break
		}
	}
	res.Equal, res.Forward, res.Backward = all.equal, all.equal && all.forward, all.equal && all.backward
	if all.forward {
		res.ForwardNeeds = nil
	}
	if all.backward {
		res.BackwardNeeds = nil
	}
	res.Proved = res.Equal && res.Forward && (res.Backward || l.OneWay) && all.defined
	switch {
	case res.Proved:
	case !all.equal:
		res.Reason = all.reason
	case !all.defined:
		res.Equal, res.Forward, res.Backward = false, false, false
		res.Reason = "the left side is never defined"
	case !res.Forward:
		res.Reason = "the left side may be defined where the right one is not" + unless(res.ForwardNeeds)
	default:
		res.Reason = "the right side may be defined where the left one is not" + unless(res.BackwardNeeds)
	}
	res.Scope = r.scope()
	res.Seconds = time.Since(start).Seconds()
	return res, nil
}

func unless(needs []string) string {
	if len(needs) == 0 {
		return ""
	}
	return ", unless " + strings.Join(needs, " and ")
}

// scope says what was tried by value.
func (r *run) scope() string {
	var parts []string
	for kind := range r.limited {
		switch kind {
		case graph.SortStride:
			parts = append(parts, fmt.Sprintf("strides to %d", r.p.cfg.MaxStride))
		case "int":
			parts = append(parts, fmt.Sprintf("groups to %d", r.p.cfg.MaxGroups))
		case "rank":
			parts = append(parts, fmt.Sprintf("tensors of at most %d axes", r.p.cfg.MaxRank))
		}
	}
	if len(parts) == 0 {
		return "all"
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
