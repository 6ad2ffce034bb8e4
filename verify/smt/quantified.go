package smt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// Quantified is engine (a), the way of TASO's paper done well: all laws are
// quantified formulas, asserted once; each goal is pushed, decided by E-matching
// alone and popped again. Unlike the paper's, the laws carry their shapes: a
// law applies only to tensors that are defined and of the given shapes, so that
// a proof is one for typed tensors.
//
// Laws with axis runs are instantiated at the ranks of the goals, and those with
// permutation variables at the permutations in the goals and their inverses; goals with
// axis runs are Unknown. Proofs of this engine carry no instances.
type Quantified struct {
	// Laws that may be used.
	Laws []*law.Law
	// Steps bounds Z3's work on one check, in Z3's own steps, so that the
	// answer does not depend on the machine; 0: 3 million, about a second.
	Steps uint32
	// Timeout bounds the wall time of one check; 0: ten seconds. It is a guard
	// against a Z3 that does not count; Steps should end the check first.
	Timeout time.Duration
	// Life is the number of goals after which Z3's context, which only grows,
	// is replaced; 0: 1000.
	Life int
}

// Name is "z3-quantified".
func (p *Quantified) Name() string { return "z3-quantified" }

// Prove decides each goal in turn. The error is that of laws that Z3 does not
// take.
func (p *Quantified) Prove(ctx context.Context, goals []*law.Law) ([]verify.Verdict, error) {
	out := make([]verify.Verdict, len(goals))
	ranks, perms := map[int]bool{}, permutations(goals)
	for i, g := range goals {
		out[i].Engine = p.Name()
		ty, err := g.Types()
		if err == nil {
			for _, s := range ty.Shape {
				if s.HasAxisRun() {
					err = errAxisRuns
				}
			}
		}
		if err != nil {
			out[i].Reason = err.Error()
			continue
		}
		for _, s := range ty.Shape {
			ranks[len(s)] = true
		}
	}
	life := p.Life
	if life == 0 {
		life = 1000
	}
	for from := 0; from < len(goals); from += life {
		to := min(from+life, len(goals))
		if err := p.batch(ctx, goals[from:to], out[from:to], ranks, perms); err != nil {
			return nil, fmt.Errorf("prover %s: %w", p.Name(), err)
		}
	}
	return out, nil
}

// batch decides goals in one context; those that have a reason already are not
// tried.
func (p *Quantified) batch(ctx context.Context, goals []*law.Law, out []verify.Verdict, ranks map[int]bool, perms map[int][]graph.Value) (err error) {
	c, err := z3.NewContext(z3.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	cfg := z3.SolverConfig{EMatchingOnly: true, RLimit: p.Steps, Timeout: p.Timeout,
		Params: []z3.Param{{Name: "smt.arith.nl", Value: false}}}
	if cfg.RLimit == 0 {
		cfg.RLimit = 3e6
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Second
	}
	s, err := c.NewSolver(cfg)
	if err != nil {
		return err
	}
	e := newEncoder(c)
	for _, l := range p.Laws {
		for _, m := range atRanks(l, ranks, perms) {
			// An axiom that has no sizes at these ranks is not assumed there.
			if _, err := e.quantify(m); err != nil && !errors.Is(err, graph.ErrTooLarge) {
				return fmt.Errorf("law %s: %w", l.Name, err)
			}
		}
	}
	// What goals need of operators and literals is asserted before the first
	// push, for all of them.
	queries := make([]*query, len(goals))
	for i, g := range goals {
		if out[i].Reason != "" {
			continue
		}
		if queries[i], err = e.goal(g); err != nil {
			out[i].Reason = err.Error()
		}
	}
	if e.hard != nil {
		return e.hard
	}
	for _, f := range e.facts {
		if err := s.Assert(f); err != nil {
			return err
		}
	}
	for i, q := range queries {
		if q != nil {
			if err := q.decide(ctx, s, &out[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// query is an encoded goal.
type query struct {
	given   []z3.Term // sizes, conditions, shapes of the tensors
	assume  [][]z3.Term
	negated z3.Term
}

// goal encodes a goal: its variables are constants. The sides must be equal if
// the left one is defined, and for a goal written ==, if the right one is.
// Where definedness follows from the sizes nothing need be assumed, and one
// check shows both.
func (e *encoder) goal(l *law.Law) (*query, error) {
	c := e.c
	q := &query{}
	sc := newScope()
	size := func(a graph.Atom) {
		if a.Kind == graph.AtomVar && sc.dims[a.Name].Err() != nil {
			x := c.Const("size "+a.Name, c.Int())
			sc.dims[a.Name] = x
			q.given = append(q.given, c.Le(c.IntVal(1), x))
		}
	}
	sizes := func(t *law.Term) {
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				v.Walk(size)
			}
		})
	}
	for i := range l.LHS {
		sizes(l.LHS[i])
		sizes(l.RHS[i])
	}
	for _, w := range l.Where {
		for _, d := range []graph.Dim{w.Left, w.Right} {
			d.Walk(size)
		}
		if w.Mod != nil {
			w.Mod.Walk(size)
		}
	}
	for _, g := range l.Given {
		g.Shape.Walk(size)
		switch {
		case g.Sort == "":
			r := len(g.Shape)
			x := c.Const("tensor "+g.Name, e.tensor(r))
			sc.vars[g.Name], sc.shape[g.Name] = x, g.Shape
		case law.IsFuncSort(g.Sort):
			f := c.Const("function "+g.Name, e.fnSort())
			sc.fns[g.Name] = f
			if g.Sort == law.SortZero1 {
				q.given = append(q.given, e.zero(f))
			}
		default:
			a := c.Const("attribute "+g.Name, e.attrSort(g.Sort))
			sc.attrs[g.Name] = a
			if g.Sort == graph.SortSame {
				q.given = append(q.given, e.same(a))
			}
		}
	}
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		r, x := len(g.Shape), sc.vars[g.Name]
		q.given = append(q.given, e.def(r, x))
		for i, it := range g.Shape {
			d, err := e.size(sc, it.Dim)
			if err != nil {
				return nil, err
			}
			q.given = append(q.given, c.Eq(e.dim(r, i, x), d))
		}
	}
	for _, w := range l.Where {
		p, err := e.pred(sc, w)
		if err != nil {
			return nil, err
		}
		q.given = append(q.given, p)
	}
	ty, err := l.Types()
	if err != nil {
		return nil, err
	}
	shapes := l.VarShapes()
	var eqs []z3.Term
	var defs [2][]z3.Term
	var splits [2][]graph.Need
	for i := range l.LHS {
		var pair [2]z3.Term
		for side, t := range [2]*law.Term{l.LHS[i], l.RHS[i]} {
			u, err := unsplit(t, shapes, &splits[side])
			if err != nil {
				return nil, err
			}
			x, rank, err := e.term(sc, u, nil)
			if err != nil {
				return nil, err
			}
			pair[side] = x
			defs[side] = append(defs[side], e.def(rank, x))
		}
		eqs = append(eqs, c.Eq(pair[0], pair[1]))
	}
	// What only the splits of a side ask for is part of its being defined: one
	// direction assumes it of its own side and must show it of the other.
	for side := range splits {
		for _, n := range splits[side] {
			a, err := e.size(sc, n.Left)
			if err != nil {
				return nil, err
			}
			b, err := e.size(sc, n.Right)
			if err != nil {
				return nil, err
			}
			defs[side] = append(defs[side], c.Le(a, b))
			eqs = append(eqs, c.Le(a, b))
		}
	}
	q.assume = [][]z3.Term{defs[0]}
	if !l.OneWay && len(ty.LeftNeeds)+len(ty.RightNeeds)+hidden(l, ty) > 0 {
		q.assume = append(q.assume, defs[1])
	}
	q.negated = c.Not(c.And(eqs...))
	return q, q.negated.Err()
}

// hidden counts the terms whose definedness depends on a padding variable,
// which no condition on sizes tells.
func hidden(l *law.Law, ty *law.Typing) int {
	n := 0
	for t := range ty.Shape {
		if t.Op == nil {
			continue
		}
		if i := t.Op.ParamIndex("pad"); i >= 0 && t.Attrs[i].Kind() == graph.KindVar {
			n++
		}
	}
	return n
}

// decide checks one goal in a scope of its own. The error is that of a solver
// that can no longer be used.
func (q *query) decide(ctx context.Context, s *z3.Solver, v *verify.Verdict) error {
	start := time.Now()
	defer func() { v.Seconds = time.Since(start).Seconds() }()
	before := instances(s)
	for _, assume := range q.assume {
		status, why, err := q.check(ctx, s, assume)
		switch {
		case err != nil:
			return err
		case status == z3.Unsat:
			continue
		case status == z3.Sat:
			v.Reason = "does not follow from the laws at these ranks"
		default:
			v.Reason, v.Stop = "z3: "+why, tensor.Stop(why)
			if ctx.Err() != nil {
				v.Stop = tensor.StopDeadline
			}
		}
		v.Nodes = instances(s) - before
		return nil
	}
	v.Nodes = instances(s) - before
	v.Status = verify.Proved
	return nil
}

func (q *query) check(ctx context.Context, s *z3.Solver, assume []z3.Term) (st z3.Status, why string, err error) {
	if err := s.Push(); err != nil {
		return st, "", err
	}
	defer func() { err = errors.Join(err, s.Pop()) }()
	for _, ts := range [][]z3.Term{q.given, assume, {q.negated}} {
		for _, t := range ts {
			if err := s.Assert(t); err != nil {
				return st, "", err
			}
		}
	}
	st, err = s.Check(ctx)
	return st, s.ReasonUnknown(), err
}

// instances is the number of quantifier instances so far.
func instances(s *z3.Solver) int {
	m, err := s.Statistics()
	if err != nil {
		return 0
	}
	return int(m["quant instantiations"])
}
