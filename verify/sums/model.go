package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// model is what is left of rows whose unknowns were eliminated: a contradiction, or
// a solution.
type model struct {
	end    int32 // the line without unknowns that is below 0; noLine
	stuck  bool  // there were too many rows
	values assignment
	fixed  *assignment // unknowns that have values without rows
	// half: the unknown between has no integer value where the others have theirs; it
	// is more than floor and less than floor+1.
	half    bool
	between graph.Sym
	floor   int64
}

// sym is the value of an unknown; one that no row has is 1.
func (m *model) sym(v graph.Sym) int64 {
	if i := m.values.find(v); i >= 0 {
		return m.values.of[i].n
	}
	if i := m.fixed.find(v); i >= 0 {
		return m.fixed.of[i].n
	}
	return 1
}

func (m *model) value(e graph.Index) int64 {
	n := e.Constant()
	for i := range e.Len() {
		v, k := e.Term(i)
		n = plus(n, times(k, m.sym(v)))
	}
	return n
}

func (m *model) holds(g graph.Guard) bool {
	n := m.value(g.E)
	return n == 0 || n > 0 && !g.Eq
}

// anyHolds reports whether one of the guards holds.
func (m *model) anyHolds(gs []graph.Guard) bool { return slices.ContainsFunc(gs, m.holds) }

// near reports whether e has an unknown of the rows, of which there may be none.
func (m *model) near(e graph.Index) bool {
	if m.values.empty() && m.fixed.empty() {
		return true
	}
	for i := range e.Len() {
		if v, _ := e.Term(i); m.values.find(v) >= 0 || m.fixed.find(v) >= 0 {
			return true
		}
	}
	return false
}

func (m *model) anyNear(gs []graph.Guard) bool {
	return slices.ContainsFunc(gs, func(g graph.Guard) bool { return m.near(g.E) })
}

// guards counts those of a fact as a clause.
func guards(f graph.Fact) int {
	n := len(f.Any)
	for _, g := range f.If {
		if n++; g.Eq {
			n++ // less, or more
		}
	}
	return n
}

// breaks reports whether a fact is one that the model breaks, and mentions its
// unknowns.
func (m *model) breaks(f graph.Fact) bool {
	for _, g := range f.If {
		if !m.holds(g) {
			return false
		}
	}
	return !m.anyHolds(f.Any) && (m.anyNear(f.If) || m.anyNear(f.Any))
}

// apart reports whether two values of one function differ though all their arguments
// are the same.
func (m *model) apart(s *graph.Space, v, w graph.Sym) bool {
	if m.sym(v) == m.sym(w) {
		return false
	}
	f, x, ok := s.App(v)
	g, y, also := s.App(w)
	if !ok || !also || f != g || len(x) != len(y) {
		return false
	}
	for i := range x {
		if m.value(x[i]) != m.value(y[i]) {
			return false
		}
	}
	return true
}

// functions are the unknowns of the rows, and those that are fixed, that are functions,
// in order.
func (m *model) functions(s *graph.Space) []graph.Sym {
	var out []graph.Sym
	for _, a := range []*assignment{&m.values, m.fixed} {
		if a == nil {
			continue
		}
		for _, x := range a.of {
			if _, _, ok := s.App(x.v); ok {
				out = append(out, x.v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// rest is the value of a row but for that of v, and the coefficient of v.
func (m *model) rest(s *rows, l int32, v graph.Sym) (n, k int64) {
	x := &s.lines[l]
	n = x.c
	for _, t := range s.dirs.of(x.dir) {
		c := x.signed(t.k)
		if t.v == v {
			k = c
		} else {
			n = plus(n, times(c, m.sym(t.v)))
		}
	}
	return n, k
}

// solve gives an unknown a value, those of its bounds having theirs.
func (m *model) solve(s *rows, st step) bool {
	if st.by != noLine {
		n, k := m.rest(s, st.by, st.v)
		m.values.set(st.v, times(n, -k)) // k is 1 or -1
		return true
	}
	var lo, hi int64
	var low, high bool
	for _, l := range st.bounds {
		if n, k := m.rest(s, l, st.v); k > 0 {
			if n := -graph.FloorDiv(n, k); !low || n > lo {
				lo, low = n, true
			}
		} else if n := graph.FloorDiv(n, -k); !high || n < hi {
			hi, high = n, true
		}
	}
	switch {
	case low && high && lo > hi:
		m.between, m.floor = st.v, hi
		return false
	case low:
		m.values.set(st.v, lo)
	case high:
		m.values.set(st.v, hi)
	default:
		m.values.set(st.v, 1)
	}
	return true
}

// cases are the two of which one holds of an unknown that is between integers.
func (m *model) cases() meaning.Clause {
	e := m.between.Index().AddInt(-1 - m.floor)
	return meaning.Clause{{E: e}, {E: e.Scale(-1).AddInt(-1)}}
}
