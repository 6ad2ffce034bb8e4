package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// memory keeps what was found of the questions of one engine: answers, and solutions.
// Most questions have a solution, many the same one: where an earlier solution, with
// values for the unknowns that it has none of, is one of the question, there is no
// refutation, and it need not be looked for.
type memory struct {
	e         *meaning.Engine
	answers   map[string][]int64 // a refutation, or nil
	last      [][]string         // keys of answers, by the largest number of an unknown in a question
	solutions []solution         // the one that was of use last comes first
	work      int                // eliminations
	linear    linear
}

// solution has values for unknowns that meet all that is known of these.
type solution struct {
	last   graph.Sym
	values *assignment
}

const (
	maxSolutions = 8 // that are remembered
	fewNodes     = 4 // eliminations to make an earlier solution one of a question
)

// refute is Refute for an engine that was asked before.
func (m *memory) refute(e *meaning.Engine, gs []graph.Guard) []int64 {
	if m.e != e {
		*m = memory{e: e, answers: map[string][]int64{}, work: m.work, last: m.last[:0], linear: m.linear}
	}
	key := make([]byte, 0, 64)
	key = append(key, byte(len(e.Assumed())), byte(len(e.Assumed())>>8))
	for _, g := range gs {
		if g.Eq {
			key = append(key, '=')
		}
		key = append(g.E.AppendKey(key), ';')
	}
	if tokens, ok := m.answers[string(key)]; ok {
		return tokens
	}
	var tokens []int64
	if !m.solved(gs) {
		s := &m.linear
		tokens = s.question(e, gs, nil, maxNodes)
		m.work += s.nodes
		if s.solved {
			m.remember((*assignment)(nil).with(&s.model.values))
		}
	}
	last := graph.Sym(0)
	for _, g := range gs {
		last = max(last, largest(g.E))
	}
	for len(m.last) <= int(last) {
		m.last = append(m.last, nil)
	}
	m.last[last] = append(m.last[last], string(key))
	m.answers[string(key)] = tokens
	return tokens
}

func largest(e graph.Index) graph.Sym {
	if n := e.Len(); n > 0 {
		v, _ := e.Term(n - 1)
		return v
	}
	return 0
}

// solved reports whether an earlier solution can be made one of the question.
func (m *memory) solved(gs []graph.Guard) bool {
	for i, sol := range m.solutions {
		s := &m.linear
		s.question(m.e, gs, sol.values, fewNodes)
		m.work += s.nodes
		if s.solved {
			m.solutions = slices.Insert(slices.Delete(m.solutions, i, i+1), 0, sol)
			if len(s.model.values.of) > 0 {
				m.remember(sol.values.with(&s.model.values))
			}
			return true
		}
	}
	return false
}

func (m *memory) remember(values *assignment) {
	s := solution{values: values}
	for _, x := range values.of {
		s.last = max(s.last, x.v)
	}
	m.solutions = slices.Insert(m.solutions, 0, s)
	m.solutions = m.solutions[:min(len(m.solutions), maxSolutions)]
}

// forget leaves out what is about unknowns that are no more.
func (m *memory) forget() {
	if m.e == nil {
		return
	}
	for n := len(m.last) - 1; n > 0 && !m.e.Space.Has(graph.Sym(n)); n-- {
		for _, k := range m.last[n] {
			delete(m.answers, k)
		}
		m.last = m.last[:n]
	}
	m.solutions = slices.DeleteFunc(m.solutions, func(s solution) bool { return !m.e.Space.Has(s.last) })
}
