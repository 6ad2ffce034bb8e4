package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
)

// Z3 decides the same ground equations by Z3 instead of the closure of this
// package: an uninterpreted sort, and a function for each operator with its
// attributes and output. That the instances are instances, and that the rule gives
// what they assume, is checked as [Rule] does. One goroutine at a time may use it.
type Z3 struct {
	ctx  *z3.Context
	s    *z3.Solver
	uses int
}

// contextLife is the number of rules after which a context, which only grows,
// is replaced.
const contextLife = 1000

// Rule asks whether the instances of p make the sides of l equal. A proof from what
// operators compute has none.
func (z *Z3) Rule(ctx context.Context, l *law.Law, p *law.Proof, use Laws) (err error) {
	if p.Meaning != nil {
		return errors.New("z3: a proof from what operators compute has no instances of laws")
	}
	c, err := load(l, p, use)
	if err != nil {
		return err
	}
	if _, _, err := c.directions(l); err != nil {
		return err
	}
	if z.ctx == nil || z.uses >= contextLife {
		if err := z.restart(); err != nil {
			return err
		}
	}
	z.uses++
	sort := z.ctx.Uninterpreted("T")
	nodes := make([]z3.Term, len(c.t.nodes))
	for i, n := range c.t.nodes {
		args := make([]z3.Term, len(n.args))
		domain := make([]z3.Sort, len(n.args))
		for j, a := range n.args {
			args[j], domain[j] = nodes[a], sort
		}
		nodes[i] = z.ctx.Func(fmt.Sprint("f", n.head), domain, sort).Apply(args...)
	}
	if err := z.s.Push(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.s.Pop()) }()
	for _, e := range c.equations {
		if err := z.s.Assert(z.ctx.Eq(nodes[e[0]], nodes[e[1]])); err != nil {
			return err
		}
	}
	var differ []z3.Term
	for i := range c.left {
		differ = append(differ, z.ctx.Not(z.ctx.Eq(nodes[c.left[i]], nodes[c.right[i]])))
	}
	if err := z.s.Assert(z.ctx.Or(differ...)); err != nil {
		return err
	}
	st, err := z.s.Check(ctx)
	switch {
	case err != nil:
		return err
	case st == z3.Sat:
		return errors.New("z3: the instances do not make the sides equal")
	case st != z3.Unsat:
		return fmt.Errorf("z3: unknown: %s", z.s.ReasonUnknown())
	}
	return nil
}

func (z *Z3) restart() error {
	if err := z.Close(); err != nil {
		return err
	}
	c, err := z3.NewContext(z3.Config{})
	if err != nil {
		return err
	}
	s, err := c.NewSolver(z3.SolverConfig{})
	if err != nil {
		return errors.Join(err, c.Close())
	}
	z.ctx, z.s, z.uses = c, s, 0
	return nil
}

// Close frees Z3's memory; the zero Z3 may be closed.
func (z *Z3) Close() error {
	if z.ctx == nil {
		return nil
	}
	c := z.ctx
	z.ctx, z.s = nil, nil
	return c.Close()
}
