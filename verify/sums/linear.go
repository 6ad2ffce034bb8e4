package sums

import (
	"cmp"
	"slices"
	"strconv"

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

// line is a row: at least 0, or 0. It is given (a row of the question, a guard of a
// case, or something known) or a sum of others, tightened.
type line struct {
	e     graph.Index
	given bool
	ref   int64 // of what is known; 0: it is a row
	of    []part
	cut   bool // tightening changed more than the sum
}

type part struct {
	l *line
	k int64
}

// fact is a row in an elimination: plus is e >= 0; of an equation minus is -e >= 0.
type fact struct {
	e           graph.Index
	plus, minus *line
}

// linear refutes one question of an engine, in so many eliminations at most.
type linear struct {
	e            *meaning.Engine
	nodes, limit int
	// fixed are values that unknowns have: then nothing is refuted, but a solution
	// may be found.
	fixed map[graph.Sym]int64
	// solution is one of the question and of all that is known of its unknowns; nil
	// if there is none, or if it was not found.
	solution map[graph.Sym]int64
}

// proof is a refutation: an end, a line without unknowns that is below 0, or a clause
// with a proof for each of its guards, each of them a line.
type proof struct {
	end   *line
	kind  int64 // meaning.Branch, Same or Cut
	args  []int64
	lits  []*line
	cases []*proof
}

// Refute looks for a refutation of the guards under what e knows, in the form that
// meaning.Check reads; nil if it finds none.
func Refute(e *meaning.Engine, gs []graph.Guard) (tokens []int64) {
	return (&linear{e: e, limit: maxNodes}).question(gs)
}

func (s *linear) question(gs []graph.Guard) (tokens []int64) {
	defer func() {
		if r := recover(); r != nil {
			if r != graph.ErrTooLarge {
				panic(r)
			}
			tokens, s.solution = nil, nil
		}
	}()
	number := map[*line]int64{}
	var fs []fact
	for i, g := range gs {
		l := &line{e: s.put(g.E), given: true}
		number[l] = int64(i)
		fs = append(fs, of(l, g.Eq))
	}
	p := s.refute(fs, maxDepth)
	if p == nil || s.fixed != nil {
		return nil
	}
	return p.write(nil, number, int64(len(gs)))
}

// put is e with the values of what is fixed.
func (s *linear) put(e graph.Index) graph.Index {
	if s.fixed == nil {
		return e
	}
	out := e
	for i := range e.Len() {
		v, k := e.Term(i)
		if n, ok := s.fixed[v]; ok {
			out = out.AddScaled(v.Index(), -k).AddScaled(graph.IndexInt(n), k)
		}
	}
	return out
}

func of(l *line, eq bool) fact {
	f := fact{e: l.e, plus: l}
	if eq {
		f.minus = &line{e: l.e.Scale(-1), of: []part{{l, -1}}}
	}
	return f
}

// refute shows that there is no solution, or returns nil.
func (s *linear) refute(fs []fact, depth int) *proof {
	for range maxRounds {
		if s.nodes++; s.nodes > s.limit {
			return nil
		}
		m := s.eliminate(fs)
		if m.end != nil {
			return &proof{end: m.end}
		}
		if m.stuck {
			return nil
		}
		if m.half {
			return s.cut(fs, m, depth)
		}
		more := s.broken(fs, m)
		if len(more) == 0 {
			return s.branch(fs, m, depth)
		}
		fs = append(fs[:len(fs):len(fs)], more...)
	}
	return nil
}

// uses are the given rows without a number that a proof ends in.
func (p *proof) uses(l *line) bool {
	if p.end != nil {
		return p.end.uses(l, map[*line]bool{})
	}
	return slices.ContainsFunc(p.cases, func(c *proof) bool { return c.uses(l) })
}

func (l *line) uses(m *line, seen map[*line]bool) bool {
	if l == m {
		return true
	}
	if seen[l] {
		return false
	}
	seen[l] = true
	return slices.ContainsFunc(l.of, func(p part) bool { return p.l.uses(m, seen) })
}

// split refutes each case of a clause, or the whole without it.
func (s *linear) split(fs []fact, depth int, kind int64, args []int64, c meaning.Clause) *proof {
	if depth == 0 {
		return nil
	}
	p := &proof{kind: kind, args: args}
	for _, g := range c {
		l := &line{e: s.put(g.E), given: true}
		q := s.refute(append(fs[:len(fs):len(fs)], of(l, g.Eq)), depth-1)
		if q == nil {
			return nil
		}
		if !q.uses(l) {
			return q
		}
		p.lits, p.cases = append(p.lits, l), append(p.cases, q)
	}
	return p
}

// cut splits by an unknown that is between two integers.
func (s *linear) cut(fs []fact, m *model, depth int) *proof {
	e := m.between.Index().AddInt(-1 - m.floor)
	args := []int64{1, int64(m.between), 1, -1 - m.floor}
	return s.split(fs, depth, meaning.Cut, args, meaning.Clause{{E: e}, {E: e.Scale(-1).AddInt(-1)}})
}

// broken are the rows, of what is known and mentions unknowns of fs, that a solution
// breaks.
func (s *linear) broken(fs []fact, m *model) []fact {
	var out []fact
	see := func(ref int64, g graph.Guard) {
		if m.near(g.E) && !m.holds(g) {
			out = append(out, of(&line{e: s.put(g.E), given: true, ref: ref}, g.Eq))
		}
	}
	for i, c := range s.e.Assumed() {
		if len(c) == 1 {
			see(int64(-1-2*i), c[0])
		}
	}
	for i, f := range s.e.Space.Unifier() {
		if len(f.If) == 0 && len(f.Any) == 1 {
			see(int64(-2-2*i), f.Any[0])
		}
	}
	return out
}

// branch splits by a clause that a solution breaks.
func (s *linear) branch(fs []fact, m *model, depth int) *proof {
	var best meaning.Clause
	var kind int64
	var args []int64
	see := func(k int64, c meaning.Clause, a ...int64) {
		if (best == nil || len(c) < len(best)) && !slices.ContainsFunc(c, m.holds) && slices.ContainsFunc(c, func(g graph.Guard) bool { return m.near(g.E) }) {
			best, kind, args = c, k, a
		}
	}
	known := func(ref int64) {
		if c, err := s.e.Literals(ref); err == nil && len(c) > 1 {
			see(meaning.Branch, c, ref)
		}
	}
	for i := range s.e.Assumed() {
		known(int64(-1 - 2*i))
	}
	for i := range s.e.Space.Unifier() {
		known(int64(-2 - 2*i))
	}
	vs := m.functions(s.e.Space)
	for i, v := range vs {
		for _, w := range vs[:i] {
			if m.sym(v) != m.sym(w) && !(m.isFixed(v) && m.isFixed(w)) {
				if c, err := s.e.Congruence(w, v); err == nil {
					see(meaning.Same, c, int64(w), int64(v))
				}
			}
		}
	}
	if best == nil {
		s.solution = m.all()
		return nil
	}
	if depth == 0 {
		return nil
	}
	return s.split(fs, depth, kind, args, best)
}

// write appends a proof; number are the rows so far, of which there are n.
func (p *proof) write(out []int64, number map[*line]int64, n int64) []int64 {
	if p.end == nil {
		out = append(append(out, p.kind), p.args...)
		for i, l := range p.lits {
			number[l] = n
			out = p.cases[i].write(out, number, n+1)
			delete(number, l)
		}
		return out
	}
	memo := map[*line]map[*line]int64{}
	mine := map[*line]int64{}
	var sum func(l *line) map[*line]int64
	// derive makes a row of a line and returns the sum that it is of others before.
	derive := func(l *line) {
		parts := map[*line]int64{}
		for _, q := range l.of {
			for b, k := range sum(q.l) {
				parts[b] += k * q.k
			}
		}
		type term struct{ ref, k int64 }
		var ts []term
		for b, k := range parts {
			if k == 0 {
				continue
			}
			ref := b.ref
			if ref == 0 {
				var ok bool
				if ref, ok = number[b]; !ok {
					ref = mine[b]
				}
			}
			ts = append(ts, term{ref, k})
		}
		slices.SortFunc(ts, func(a, b term) int { return cmp.Compare(b.ref, a.ref) })
		all := int64(0)
		for _, t := range ts {
			all = graph.GCD(all, t.k)
		}
		out = append(out, meaning.Derive, int64(len(ts)))
		for _, t := range ts {
			out = append(out, t.ref, t.k/all)
		}
	}
	sum = func(l *line) map[*line]int64 {
		if got, ok := memo[l]; ok {
			return got
		}
		got := map[*line]int64{}
		switch {
		case l.given:
			got[l] = 1
		case l.cut:
			derive(l)
			mine[l] = n
			n++
			got[l] = 1
		default:
			for _, q := range l.of {
				for b, k := range sum(q.l) {
					got[b] += k * q.k
				}
			}
		}
		memo[l] = got
		return got
	}
	if p.end.given {
		ref := p.end.ref
		if ref == 0 {
			ref = number[p.end]
		}
		return append(out, meaning.Derive, 1, ref, 1)
	}
	derive(p.end)
	return out
}

func termsKey(e graph.Index) string {
	b := make([]byte, 0, 32)
	for i := range e.Len() {
		v, k := e.Term(i)
		b = strconv.AppendInt(b, k, 10)
		b = append(b, '$')
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return string(b)
}
