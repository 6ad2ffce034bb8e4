package smt

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// GroundOptions configures a [Grounder]. The zero value is a good default.
type GroundOptions struct {
	// Steps bounds Z3's work on one check, in Z3's own steps, so that the
	// answer does not depend on the machine; 0: 20 million, about ten seconds.
	Steps uint32
	// KeepAll leaves the proof as it is instead of minimizing it.
	KeepAll bool
	// Life is the number of goals after which the context, which only grows,
	// is replaced; 0: 1000.
	Life int
}

// Grounder decides with Z3 whether a goal follows from law instances by
// congruence: each instance is a ground equation over an uninterpreted sort,
// an operator with its attributes is an uninterpreted function, and the
// negated goal must be inconsistent with them. What is left of the instances
// when every one that can be left out is gone (from the last to the first, so
// the result depends on nothing else) is the certificate.
//
// It says nothing about the conditions of the laws: that the instances are
// instances is what engine and certificate checker answer for. One goroutine
// at a time may use it.
type Grounder struct {
	laws map[string]*law.Law
	opts GroundOptions

	ctx    *z3.Context
	solver *z3.Solver
	sort   z3.Sort
	labels []string
	uses   int
}

// NewGrounder makes a grounder whose instances are of the given laws.
func NewGrounder(laws []*law.Law, opts GroundOptions) *Grounder {
	if opts.Steps == 0 {
		opts.Steps = 20e6
	}
	if opts.Life == 0 {
		opts.Life = 1000
	}
	g := &Grounder{laws: map[string]*law.Law{}, opts: opts}
	for _, l := range laws {
		g.laws[l.Name] = l
	}
	return g
}

// Close frees Z3's memory. The grounder can be used afterwards.
func (g *Grounder) Close() error {
	if g.ctx == nil {
		return nil
	}
	c := g.ctx
	g.ctx, g.solver = nil, nil
	return c.Close()
}

func (g *Grounder) ready() error {
	if g.ctx != nil && g.uses < g.opts.Life {
		return nil
	}
	if err := g.Close(); err != nil {
		return err
	}
	c, err := z3.NewContext(z3.Config{})
	if err != nil {
		return err
	}
	s, err := c.NewSolver(z3.SolverConfig{RLimit: g.opts.Steps})
	if err != nil {
		return errors.Join(err, c.Close())
	}
	g.ctx, g.solver, g.sort, g.uses = c, s, c.Uninterpreted("T"), 0
	return nil
}

// Ground decides one goal. Proved carries the minimized proof, in the order of
// the instances given; instances that occur twice count once. Whatever goes
// wrong, in Z3 too, is Unknown with the reason.
func (g *Grounder) Ground(ctx context.Context, goal *law.Law, p *law.Proof) verify.Verdict {
	start := time.Now()
	v := verify.Verdict{Engine: "z3-ground"}
	core, err := g.ground(ctx, goal, p)
	v.Seconds = time.Since(start).Seconds()
	if err != nil {
		v.Reason = err.Error()
		if ctx.Err() != nil {
			v.Stop = tensor.StopDeadline
		}
		return v
	}
	v.Status, v.Proof = verify.Proved, core
	return v
}

func (g *Grounder) ground(ctx context.Context, goal *law.Law, p *law.Proof) (core *law.Proof, err error) {
	if len(goal.LHS) != len(goal.RHS) || len(goal.LHS) == 0 {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(goal.LHS), len(goal.RHS))
	}
	if err := g.ready(); err != nil {
		return nil, err
	}
	g.uses++
	b := &groundTerms{g: g, vars: goal.VarShapes(), terms: map[int]z3.Term{}, shapes: map[*law.Term]graph.Shape{}}
	if err := g.solver.Push(); err != nil {
		return nil, err
	}
	defer func() {
		if e := g.solver.Pop(); e != nil {
			g.Close()
			core, err = nil, errors.Join(err, e)
		}
	}()
	at := map[string]int{} // label to instance
	seen := map[string]bool{}
	for i := range p.Instances {
		in := &p.Instances[i]
		l, ok := g.laws[in.Law]
		if !ok {
			return nil, fmt.Errorf("instance %d: there is no law %q", i+1, in.Law)
		}
		eq, text, err := b.equations(in.Sides(l))
		if err != nil {
			return nil, fmt.Errorf("instance %d of %s: %w", i+1, in.Law, err)
		}
		if seen[text] {
			continue
		}
		seen[text] = true
		if len(at) == len(g.labels) {
			g.labels = append(g.labels, strconv.Itoa(len(at)))
		}
		label := g.labels[len(at)]
		at[label] = i
		if err := g.solver.AssertTracked(label, eq); err != nil {
			return nil, err
		}
	}
	eq, _, err := b.equations(goal.LHS, goal.RHS)
	if err != nil {
		return nil, err
	}
	if err := g.solver.Assert(g.ctx.Not(eq)); err != nil {
		return nil, err
	}
	var labels []string
	if g.opts.KeepAll {
		st, err := g.solver.Check(ctx)
		if err != nil {
			return nil, err
		}
		if st != z3.Unsat {
			return nil, fmt.Errorf("z3 answers %s %s", st, g.solver.ReasonUnknown())
		}
		labels = g.solver.Labels()
	} else {
		c, err := z3.CoreMinimize(ctx, g.solver, nil)
		if errors.Is(err, z3.ErrNotUnsat) {
			return nil, errors.New("the instances do not make the sides equal")
		}
		if err != nil {
			return nil, err
		}
		labels = c.Labels
	}
	core = &law.Proof{}
	for _, l := range labels {
		core.Instances = append(core.Instances, p.Instances[at[l]])
	}
	return core, nil
}

// groundTerms turns the terms of one goal into terms of Z3.
type groundTerms struct {
	g      *Grounder
	vars   map[string]graph.Shape
	nodes  law.Nodes
	terms  map[int]z3.Term
	shapes map[*law.Term]graph.Shape
}

// equations is the conjunction of the outputs' equations, and a text that is
// the same for the same equations.
func (b *groundTerms) equations(lhs, rhs []*law.Term) (z3.Term, string, error) {
	parts := make([]z3.Term, len(lhs))
	texts := make([]string, len(lhs))
	for i := range lhs {
		l, err := b.term(lhs[i])
		if err != nil {
			return z3.Term{}, "", err
		}
		r, err := b.term(rhs[i])
		if err != nil {
			return z3.Term{}, "", err
		}
		parts[i] = b.g.ctx.Eq(l, r)
		x, y := b.nodes.Of(lhs[i]), b.nodes.Of(rhs[i])
		texts[i] = fmt.Sprint(min(x, y), " == ", max(x, y))
	}
	if len(parts) == 1 {
		return parts[0], texts[0], nil
	}
	return b.g.ctx.And(parts...), strings.Join(texts, ", "), nil
}

func (b *groundTerms) term(t *law.Term) (z3.Term, error) {
	k := b.nodes.Of(t)
	if z, ok := b.terms[k]; ok {
		return z, nil
	}
	args := make([]z3.Term, len(t.Args))
	domain := make([]z3.Sort, len(t.Args))
	for i, a := range t.Args {
		z, err := b.term(a)
		if err != nil {
			return z, err
		}
		args[i], domain[i] = z, b.g.sort
	}
	head, err := b.head(t)
	if err != nil {
		return z3.Term{}, err
	}
	z := b.g.ctx.Func(head, domain, b.g.sort).Apply(args...)
	b.terms[k] = z
	return z, z.Err()
}

// head names the function that t applies; a split is the slice it stands for.
func (b *groundTerms) head(t *law.Term) (string, error) {
	switch {
	case t.IsVar():
		return "var " + t.Var, nil
	case t.Fn != "":
		return "fn " + t.Fn, nil
	}
	op, attrs, out := t.Op, t.Attrs, t.Out
	if op.Expand != nil {
		in := make([]graph.Shape, len(t.Args))
		for i, a := range t.Args {
			var f graph.Unifier
			s, err := law.TypeOf(&f, a, b.vars, b.shapes)
			if err != nil {
				return "", err
			}
			in[i] = s
		}
		p, n, err := op.Primitive(attrs, in, out)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t, err)
		}
		op, attrs, out = p.Op, p.Attrs, n
	}
	var s strings.Builder
	s.WriteString(op.Name)
	for _, v := range attrs {
		fmt.Fprintf(&s, " %d:%s", v.Kind(), v)
	}
	if op.Out > 1 {
		fmt.Fprintf(&s, ".%d", out)
	}
	return s.String(), nil
}
