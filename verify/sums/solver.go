package sums

import (
	"context"
	"math/big"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/verify/meaning"
)

// maxQueries bounds the questions to Z3 for one case. After half as many for all cases of a
// law, no other case is tried: no law of the rule sets in the documentation takes 1500.
const maxQueries = 4000

// maxUnanswered bounds the questions of one case that Z3 leaves unanswered: each takes as long as
// thousands of others.
const maxUnanswered = 24

// solver answers questions about linear integer conditions by Z3. A question that
// Z3 does not answer within its limit counts as answered no: nothing is concluded
// from it. It is for one engine.
type solver struct {
	ctx     context.Context
	z       *z3.Context
	s       *z3.Solver
	space   *graph.Space
	vars    []z3.Term      // by graph.Sym
	funcs   map[string]int // number of a function, by name
	facts   int            // facts of the space that are asserted
	assumed int            // conditions that are asserted
	queries int
	unknown int // queries without an answer
	equal   equations
	err     error // the first failure of Z3, or the end of ctx
}

func (s *solver) fail(err error) {
	if s.err == nil && err != nil {
		s.err = err
	}
}

func (s *solver) sym(v graph.Sym) z3.Term {
	for len(s.vars) <= int(v) {
		s.vars = append(s.vars, z3.Term{})
	}
	if s.vars[v] != (z3.Term{}) {
		return s.vars[v]
	}
	name, args, fn := s.space.App(v)
	var t z3.Term
	if !fn {
		t = s.z.Const("v"+strconv.Itoa(int(v)), s.z.Int())
	} else {
		in := make([]z3.Term, len(args))
		sorts := make([]z3.Sort, len(args))
		for i, a := range args {
			in[i], sorts[i] = s.index(a), s.z.Int()
		}
		t = s.z.Func("f"+strconv.Itoa(number(&s.funcs, name)), sorts, s.z.Int()).Apply(in...)
	}
	s.vars[v] = t
	return t
}

// number numbers things as they come: what Z3 knows by a name has one that no
// law can choose.
func number[K comparable](m *map[K]int, k K) int {
	n, ok := (*m)[k]
	if !ok {
		if *m == nil {
			*m = map[K]int{}
		}
		n = len(*m)
		(*m)[k] = n
	}
	return n
}

func (s *solver) index(e graph.Index) z3.Term {
	parts := make([]z3.Term, 0, e.Len()+1)
	for i := 0; i < e.Len(); i++ {
		v, k := e.Term(i)
		if k == 1 {
			parts = append(parts, s.sym(v))
		} else {
			parts = append(parts, s.z.Mul(s.z.IntVal(k), s.sym(v)))
		}
	}
	if c := e.Constant(); c != 0 || len(parts) == 0 {
		parts = append(parts, s.z.IntVal(c))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return s.z.Add(parts...)
}

func (s *solver) guard(g graph.Guard) z3.Term {
	if g.Eq {
		return s.z.Eq(s.index(g.E), s.z.IntVal(0))
	}
	return s.z.Le(s.z.IntVal(0), s.index(g.E))
}

func (s *solver) all(gs []graph.Guard) z3.Term {
	ts := make([]z3.Term, len(gs))
	for i, g := range gs {
		ts[i] = s.guard(g)
	}
	return s.z.And(ts...)
}

// learn asserts what e knows and the solver does not.
func (s *solver) learn(e *meaning.Engine) {
	s.space = e.Space
	for _, c := range e.Assumed()[s.assumed:] {
		s.fail(s.s.Assert(s.any(c)))
		s.assumed++
	}
	for _, f := range e.Space.Unifier()[s.facts:] {
		t := s.any(f.Any)
		if len(f.If) > 0 {
			t = s.z.Implies(s.all(f.If), t)
		}
		s.fail(s.s.Assert(t))
		s.facts++
	}
}

func (s *solver) any(gs []graph.Guard) z3.Term {
	if len(gs) == 1 {
		return s.guard(gs[0])
	}
	ts := make([]z3.Term, len(gs))
	for i, g := range gs {
		ts[i] = s.guard(g)
	}
	return s.z.Or(ts...)
}

// unsat reports whether what e knows contradicts the formulas.
func (s *solver) unsat(e *meaning.Engine, ts func() []z3.Term) bool {
	if s.err != nil {
		return false
	}
	s.learn(e)
	s.fail(s.s.Push())
	for _, t := range ts() {
		s.fail(s.s.Assert(t))
	}
	if s.err == nil {
		if s.queries++; s.queries > maxQueries {
			s.fail(meaning.ErrTooLarge)
		}
		st, err := s.s.Check(s.ctx)
		s.fail(err)
		s.fail(s.ctx.Err())
		s.fail(s.s.Pop())
		if s.err == nil && st == z3.Unknown {
			if s.unknown++; s.unknown > maxUnanswered {
				s.fail(meaning.ErrTooLarge)
			}
		}
		if s.err == nil {
			return st == z3.Unsat
		}
	}
	e.Stop(s.err)
	return false
}

func (s *solver) impossible(e *meaning.Engine, gs []graph.Guard) bool {
	return s.unsat(e, func() []z3.Term { return []z3.Term{s.all(gs)} })
}

// cancels asks whether the numbers of the parts add up to 0 wherever ctx holds: one
// question.
func (s *solver) cancels(e *meaning.Engine, ctx []graph.Guard, parts []meaning.Member) bool {
	scale := big.NewInt(1)
	for _, p := range parts {
		d := p.Num.Denom()
		common := new(big.Int).GCD(nil, nil, scale, d)
		scale.Mul(scale, new(big.Int).Quo(d, common))
	}
	return s.unsat(e, func() []z3.Term {
		var sum []z3.Term
		for _, p := range parts {
			n := new(big.Int).Mul(p.Num.Num(), new(big.Int).Quo(scale, p.Num.Denom()))
			sum = append(sum, s.z.Ite(s.all(p.Dom), s.z.BigInt(n.String()), s.z.IntVal(0)))
		}
		return []z3.Term{s.all(ctx), s.z.Not(s.z.Eq(s.z.Add(sum...), s.z.IntVal(0)))}
	})
}
