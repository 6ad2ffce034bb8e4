package sums

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// What follows finds refutations, as meaning.Check verifies them: that some guards,
// with what an engine knows, have no integer solution. Rows are eliminated by
// Fourier and Motzkin's method, each new row being tightened over the integers; from
// what is left a solution is read off. A condition that the solution breaks becomes a
// row, or is split into its cases, and so on until there is no solution, or one that
// breaks nothing. What is not found within the limits is not refuted.

// Limits of one refutation.
const (
	maxRows   = 300 // in an elimination
	maxDepth  = 24  // cases within cases
	maxNodes  = 400 // eliminations
	maxRounds = 60  // rows that are added to one case, at a time
)

// linear refutes questions of an engine, one after another, each in so many
// eliminations at most.
type linear struct {
	e            *meaning.Engine
	nodes, limit int
	rows         rows
	given        []given // of the case that is looked at: the question, and what was added
	facts        []fact  // what is given says
	model        model   // of the last elimination
	// solved: model is a solution of the question and of all that is known of its
	// unknowns. It is not, if there is none or if it was not found.
	solved bool
}

// given is a guard that a case has as a row.
type given struct {
	raw         int32
	ref         int64 // of what is known; 0: it is a row
	node        *node // once a proof names it
	lines, dirs int   // before it
}

// Refute looks for a refutation of the guards under what e knows, in the form that
// meaning.Check reads; nil if it finds none.
func Refute(e *meaning.Engine, gs []graph.Guard) (tokens []int64) {
	return (&linear{}).question(e, gs, nil, maxNodes)
}

// question looks for a refutation. Where unknowns are fixed, they have these values:
// then nothing is refuted, but a solution may be found.
func (s *linear) question(e *meaning.Engine, gs []graph.Guard, fixed *assignment, limit int) (tokens []int64) {
	defer func() {
		if r := recover(); r != nil {
			if r != graph.ErrTooLarge {
				panic(r)
			}
			tokens, s.solved = nil, false
		}
	}()
	s.e, s.nodes, s.limit, s.solved, s.model.fixed = e, 0, limit, false, fixed
	s.keep(0)
	if fixed != nil {
		for _, g := range gs {
			if fixed.breaks(g) {
				s.nodes++ // it would end at once
				return nil
			}
		}
	}
	for _, g := range gs {
		s.give(g, 0)
	}
	p := s.refute(maxDepth)
	if p == nil || fixed != nil {
		return nil
	}
	number := map[*node]int64{}
	for i, g := range s.given {
		if g.node != nil {
			number[g.node] = int64(i)
		}
	}
	return p.write(nil, number, int64(len(gs)))
}

// give adds a guard to the case; ref is what is known, or 0.
func (s *linear) give(g graph.Guard, ref int64) {
	l := given{ref: ref, lines: len(s.rows.lines), dirs: len(s.rows.dirs.all)}
	var f fact
	f, l.raw = s.rows.give(g, len(s.given), s.model.fixed)
	s.given, s.facts = append(s.given, l), append(s.facts, f)
}

// keep takes what is given away from the case, but for the first n.
func (s *linear) keep(n int) {
	if n < len(s.given) {
		s.rows.forget(s.given[n].lines, s.given[n].dirs)
		s.given, s.facts = s.given[:n], s.facts[:n]
	}
}

// refute shows that the case has no solution, or returns nil. What it adds to the case
// it takes away.
func (s *linear) refute(depth int) *proof {
	defer s.keep(len(s.given))
	for range maxRounds {
		if s.nodes++; s.nodes > s.limit {
			return nil
		}
		m := &s.model
		lines, dirs := len(s.rows.lines), len(s.rows.dirs.all)
		s.rows.eliminate(s.facts, m)
		var end *node
		if m.end != noLine {
			end = s.node(m.end, map[int32]*node{})
		}
		s.rows.forget(lines, dirs)
		switch {
		case end != nil:
			return &proof{end: end}
		case m.stuck:
			return nil
		case m.half:
			return s.split(depth, meaning.Cut, []int64{1, int64(m.between), 1, -1 - m.floor}, m.cases())
		}
		if !s.broken() {
			return s.branch(depth)
		}
	}
	return nil
}

// split refutes each case of a clause, or the whole without it.
func (s *linear) split(depth int, kind int64, args []int64, c meaning.Clause) *proof {
	if depth == 0 {
		return nil
	}
	p := &proof{kind: kind, args: args}
	n := len(s.given)
	for _, g := range c {
		s.give(g, 0)
		l := s.node(s.given[n].raw, nil)
		q := s.refute(depth - 1)
		s.keep(n)
		if q == nil || !q.uses(l) {
			return q
		}
		p.lits, p.cases = append(p.lits, l), append(p.cases, q)
	}
	return p
}

// broken adds the rows, of what is known and mentions unknowns of the case, that a
// solution breaks; it reports whether there are any.
func (s *linear) broken() bool {
	n := len(s.given)
	for i, c := range s.e.Assumed() {
		if len(c) == 1 && s.model.near(c[0].E) && !s.model.holds(c[0]) {
			s.give(c[0], int64(-1-2*i))
		}
	}
	for i, f := range s.e.Space.Unifier() {
		if len(f.If) == 0 && len(f.Any) == 1 && s.model.near(f.Any[0].E) && !s.model.holds(f.Any[0]) {
			s.give(f.Any[0], int64(-2-2*i))
		}
	}
	return len(s.given) > n
}

// branch splits by a clause that a solution breaks, one of the shortest.
func (s *linear) branch(depth int) *proof {
	m, space := &s.model, s.e.Space
	best, kind := 0, int64(0)
	var args []int64
	see := func(ref int64, f graph.Fact) {
		if n := guards(f); n > 1 && (best == 0 || n < best) && m.breaks(f) {
			best, kind, args = n, meaning.Branch, []int64{ref}
		}
	}
	for i, c := range s.e.Assumed() {
		see(int64(-1-2*i), graph.Fact{Any: c})
	}
	for i, f := range space.Unifier() {
		see(int64(-2-2*i), f)
	}
	vs := m.functions(space)
	for i, v := range vs {
		for _, w := range vs[:i] {
			if !m.apart(space, v, w) || m.fixed.find(v) >= 0 && m.fixed.find(w) >= 0 {
				continue
			}
			if c, err := s.e.Congruence(w, v); err == nil && (best == 0 || len(c) < best) {
				best, kind, args = len(c), meaning.Same, []int64{int64(w), int64(v)}
			}
		}
	}
	var c meaning.Clause
	var err error
	switch {
	case best == 0:
		s.solved = true
		return nil
	case kind == meaning.Branch:
		c, err = s.e.Literals(args[0])
	default:
		c, err = s.e.Congruence(graph.Sym(args[0]), graph.Sym(args[1]))
	}
	if err != nil {
		return nil
	}
	return s.split(depth, kind, args, c)
}
