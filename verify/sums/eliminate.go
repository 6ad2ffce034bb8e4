package sums

import "github.com/taso-go/taso/graph"

// step is the elimination of an unknown: by an equation, or of bounds.
type step struct {
	v      graph.Sym
	by     int32 // a line of the equation; noLine
	bounds []int32
}

// scratch is room for one step of an elimination.
type scratch struct {
	counts    []count
	low, high []bound
	bounds    []int32
	steps     []step
	old       []fact
}

// eliminate eliminates all unknowns of facts; what it derived stays until it is taken
// back.
func (s *rows) eliminate(fs []fact, m *model) {
	*m = model{end: noLine, values: m.values, fixed: m.fixed}
	m.values.reset()
	s.clear()
	s.work.bounds = s.work.bounds[:0]
	steps := s.work.steps[:0]
	defer func() { s.work.steps = steps }()
	for _, f := range fs {
		for _, t := range s.dirs.of(s.lines[f.plus].dir) {
			m.values.set(t.v, 0)
		}
		s.add(f)
	}
	for s.set.end == noLine {
		v, by, ok := s.next(&m.values)
		if !ok {
			break
		}
		st := step{v: v, by: noLine}
		if by >= 0 {
			st.by = s.set.fs[by].plus
			s.replace(v, by)
		} else {
			var low, high []bound
			low, high, st.bounds = s.remove(v)
			for _, l := range low {
				for _, h := range high {
					g := graph.GCD(l.k, h.k)
					s.add(fact{s.sum(l.l, h.k/g, h.l, l.k/g), noLine})
				}
			}
		}
		steps = append(steps, st)
		if len(s.set.fs) > maxRows {
			m.stuck = true
			return
		}
	}
	if m.end = s.set.end; m.end != noLine {
		return
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if m.half = !m.solve(s, steps[i]); m.half {
			return
		}
	}
}

// replace puts v in from the equation that is fact i.
func (s *rows) replace(v graph.Sym, i int) {
	old := append(s.work.old[:0], s.set.fs...)
	s.work.old = old
	for _, f := range old {
		l := &s.lines[f.plus]
		s.dirs.all[l.dir].rows[l.side()] = 0
	}
	s.set.fs = s.set.fs[:0]
	by := old[i]
	k := s.coef(by.plus, v)
	for j, f := range old {
		if j == i {
			continue
		}
		// f - c*k*by has no v.
		if n := times(-s.coef(f.plus, v), k); n != 0 {
			f.plus = s.without(f.plus, by, n)
			if f.minus != noLine {
				f.minus = s.without(f.minus, by, -n)
			}
		}
		s.add(f)
	}
}

// without is the line l and n times the equation by.
func (s *rows) without(l int32, by fact, n int64) int32 {
	if n > 0 {
		return s.sum(l, 1, by.plus, n)
	}
	return s.sum(l, 1, by.minus, -n)
}
