package sums

import (
	"context"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
)

// maxQueries bounds the questions to Z3 for one case. No law that we know takes
// more than 60.
const maxQueries = 2000

// solver answers questions about linear integer conditions over one space,
// under hypotheses that are asserted once. A question that Z3 does not answer
// within its limit counts as answered no: nothing is concluded from it.
type solver struct {
	ctx     context.Context
	z       *z3.Context
	s       *z3.Solver
	space   *graph.Space
	vars    []z3.Term       // by graph.Sym
	funcs   map[string]int  // number of a function, by name
	bools   map[condKey]int // number of a condition that is not linear
	known   int             // facts of the space that are asserted
	queries int
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

// learn asserts the facts that are new in the space.
func (s *solver) learn() {
	fs := s.space.Unifier()
	for ; s.known < len(fs); s.known++ {
		f := fs[s.known]
		any := make([]z3.Term, len(f.Any))
		for i, g := range f.Any {
			any[i] = s.guard(g)
		}
		t := any[0]
		if len(any) > 1 {
			t = s.z.Or(any...)
		}
		if len(f.If) > 0 {
			t = s.z.Implies(s.all(f.If), t)
		}
		s.fail(s.s.Assert(t))
	}
}

// assume adds a hypothesis.
func (s *solver) assume(t z3.Term) { s.fail(s.s.Assert(t)) }

// unsat reports whether the hypotheses contradict the formulas.
func (s *solver) unsat(ts ...z3.Term) bool {
	if s.err != nil {
		return false
	}
	s.learn()
	s.fail(s.s.Push())
	for _, t := range ts {
		s.fail(s.s.Assert(t))
	}
	if s.err != nil {
		return false
	}
	if s.queries++; s.queries > maxQueries {
		s.fail(errTooLarge)
	}
	st, err := s.s.Check(s.ctx)
	s.fail(err)
	s.fail(s.ctx.Err())
	s.fail(s.s.Pop())
	return s.err == nil && st == z3.Unsat
}

// impossible reports whether the guards contradict one another or the
// hypotheses.
func (s *solver) impossible(gs []graph.Guard) bool {
	if _, ok := normalize(gs); !ok {
		return true
	}
	return s.unsat(s.all(gs))
}

// implied reports whether g follows from ctx and the hypotheses.
func (s *solver) implied(ctx []graph.Guard, g graph.Guard) bool {
	if n, ok := g.E.Const(); ok {
		return n == 0 || !g.Eq && n > 0
	}
	for _, h := range ctx {
		if h.E.SameTerms(g.E) {
			d := g.E.Sub(h.E).Constant()
			if d == 0 && (h.Eq || !g.Eq) || d > 0 && !g.Eq {
				return true
			}
		}
	}
	return s.unsat(s.all(ctx), s.z.Not(s.guard(g)))
}

// not are guards whose disjunction is the negation of g.
func not(g graph.Guard) []graph.Guard {
	less := graph.Guard{E: g.E.Scale(-1).AddInt(-1)}
	if !g.Eq {
		return []graph.Guard{less}
	}
	return []graph.Guard{less, {E: g.E.AddInt(-1)}}
}

func join(a []graph.Guard, b ...graph.Guard) []graph.Guard {
	return append(a[:len(a):len(a)], b...)
}
