package sums

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// model is what is left of rows whose unknowns were eliminated: a contradiction, or
// a solution.
type model struct {
	end    *line // without unknowns, and below 0
	stuck  bool  // there were too many rows
	values map[graph.Sym]int64
	fixed  map[graph.Sym]int64 // unknowns that have values without rows
	// half: the unknown between has no integer value where the others have theirs; it
	// is more than floor and less than floor+1.
	half    bool
	between graph.Sym
	floor   int64
}

// sym is the value of an unknown; one that no row has is 1.
func (m *model) sym(v graph.Sym) int64 {
	if n, ok := m.values[v]; ok {
		return n
	}
	if n, ok := m.fixed[v]; ok {
		return n
	}
	return 1
}

func (m *model) isFixed(v graph.Sym) bool {
	_, ok := m.fixed[v]
	return ok
}

// all are the values of all unknowns that have one.
func (m *model) all() map[graph.Sym]int64 {
	out := maps.Clone(m.fixed)
	if out == nil {
		return m.values
	}
	maps.Copy(out, m.values)
	return out
}

func (m *model) value(e graph.Index) int64 {
	n := graph.IndexInt(e.Constant())
	for i := range e.Len() {
		v, k := e.Term(i)
		n = n.AddScaled(graph.IndexInt(m.sym(v)), k)
	}
	return n.Constant()
}

func (m *model) holds(g graph.Guard) bool {
	n := m.value(g.E)
	return n == 0 || n > 0 && !g.Eq
}

// near reports whether e has an unknown of the rows, of which there may be none.
func (m *model) near(e graph.Index) bool {
	if len(m.values) == 0 && len(m.fixed) == 0 {
		return true
	}
	for i := range e.Len() {
		v, _ := e.Term(i)
		if _, ok := m.values[v]; ok || m.isFixed(v) {
			return true
		}
	}
	return false
}

// functions are the unknowns of the rows, and those in arguments of functions, that
// are functions, in order.
func (m *model) functions(s *graph.Space) []graph.Sym {
	var out []graph.Sym
	for _, vs := range []map[graph.Sym]int64{m.values, m.fixed} {
		for v := range vs {
			if _, _, ok := s.App(v); ok {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// step is the elimination of an unknown: by an equation, or of bounds.
type step struct {
	v      graph.Sym
	is     graph.Index // by an equation
	bounds []fact
}

// tightened is a sum of rows, tightened; nil of one that says nothing.
func tightened(parts ...part) *line {
	var e graph.Index
	for _, p := range parts {
		e = e.AddScaled(p.l.e, p.k)
	}
	t := meaning.Tighten(e)
	return &line{e: t, of: parts, cut: !t.Equal(e)}
}

// eliminate eliminates all unknowns.
func (s *linear) eliminate(fs []fact) *model {
	m := &model{values: map[graph.Sym]int64{}, fixed: s.fixed}
	rows := &rowSet{at: map[string]int{}}
	for _, f := range fs {
		for i := range f.e.Len() {
			v, _ := f.e.Term(i)
			m.values[v] = 0
		}
		rows.add(f)
	}
	var steps []step
	for rows.end == nil {
		v, by, ok := rows.next()
		if !ok {
			break
		}
		st := step{v: v}
		all := rows
		rows = &rowSet{at: map[string]int{}}
		if by >= 0 {
			f := all.fs[by]
			k := f.e.Coef(v)
			st.is = f.e.AddScaled(v.Index(), -k).Scale(-k)
			for i, g := range all.fs {
				if i == by {
					continue
				}
				rows.add(g.without(f, v, k))
			}
		} else {
			var low, high []bound
			for _, f := range all.fs {
				c := f.e.Coef(v)
				if c == 0 {
					rows.add(f)
					continue
				}
				st.bounds = append(st.bounds, f)
				for _, l := range f.lines() {
					if c := l.e.Coef(v); c > 0 {
						low = append(low, bound{l, c})
					} else {
						high = append(high, bound{l, -c})
					}
				}
			}
			for _, l := range low {
				for _, h := range high {
					g := graph.GCD(l.k, h.k)
					rows.add(fact{plus: tightened(part{l.l, h.k / g}, part{h.l, l.k / g})})
				}
			}
		}
		steps = append(steps, st)
		if len(rows.fs) > maxRows {
			m.stuck = true
			return m
		}
	}
	if m.end = rows.end; m.end != nil {
		return m
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if m.half = !m.solve(steps[i]); m.half {
			return m
		}
	}
	return m
}

type bound struct {
	l *line
	k int64
}

// lines are the rows that f says are at least 0.
func (f fact) lines() []*line {
	if f.minus != nil {
		return []*line{f.plus, f.minus}
	}
	return []*line{f.plus}
}

// without is f with v put in from the equation by, in which it has the coefficient k,
// 1 or -1.
func (f fact) without(by fact, v graph.Sym, k int64) fact {
	put := func(l *line) *line {
		c := l.e.Coef(v)
		if c == 0 {
			return l
		}
		// l - c*k*by has no v.
		if n := -c * k; n > 0 {
			return tightened(part{l, 1}, part{by.plus, n})
		} else {
			return tightened(part{l, 1}, part{by.minus, -n})
		}
	}
	g := fact{plus: put(f.plus)}
	if f.minus != nil {
		g.minus = put(f.minus)
	}
	return g
}

// solve gives an unknown a value, those of its bounds having theirs.
func (m *model) solve(st step) bool {
	if st.bounds == nil {
		m.values[st.v] = m.value(st.is)
		return true
	}
	var lo, hi int64
	var low, high bool
	for _, f := range st.bounds {
		for _, l := range f.lines() {
			c := l.e.Coef(st.v)
			rest := m.value(l.e.AddScaled(st.v.Index(), -c))
			if c > 0 {
				if n := -graph.FloorDiv(rest, c); !low || n > lo {
					lo, low = n, true
				}
			} else if n := graph.FloorDiv(rest, -c); !high || n < hi {
				hi, high = n, true
			}
		}
	}
	switch {
	case low && high && lo > hi:
		m.between, m.floor = st.v, hi
		return false
	case low:
		m.values[st.v] = lo
	case high:
		m.values[st.v] = hi
	default:
		m.values[st.v] = 1
	}
	return true
}

// rowSet is a set of rows with unknowns, of those that differ in their constants only
// the strongest.
type rowSet struct {
	fs  []fact
	at  map[string]int // by terms
	end *line          // a row without unknowns that is below 0
}

// add adds a row. Two rows that meet are an equation; two that miss each other, or a
// row that is below 0, are the end.
func (s *rowSet) add(f fact) {
	if s.end != nil {
		return
	}
	f.e = f.plus.e
	if f.minus != nil && !f.minus.e.Equal(f.plus.e.Scale(-1)) {
		// Tightening left a gap.
		s.add(fact{plus: f.minus})
		f.minus = nil
		if s.end != nil {
			return
		}
	}
	if n, ok := f.e.Const(); ok {
		switch {
		case n < 0:
			s.end = f.plus
		case n > 0 && f.minus != nil:
			s.end = f.minus
		}
		return
	}
	if t := meaning.Tighten(f.e); !t.Equal(f.e) {
		plus := tightened(part{f.plus, 1})
		g := fact{plus: plus}
		if f.minus != nil {
			g.minus = tightened(part{f.minus, 1})
		}
		s.add(g)
		return
	}
	if i, ok := s.at[termsKey(f.e)]; ok {
		o := s.fs[i]
		d := f.e.Constant() - o.e.Constant()
		switch {
		case o.minus != nil && d < 0:
			s.end = tightened(part{o.minus, 1}, part{f.plus, 1}) // f - o = d
		case o.minus != nil && f.minus != nil && d > 0:
			s.end = tightened(part{o.plus, 1}, part{f.minus, 1}) // o - f = -d
		case o.minus != nil:
		case f.minus != nil && d > 0:
			s.end = tightened(part{o.plus, 1}, part{f.minus, 1})
		case f.minus != nil || d < 0:
			s.fs[i] = f
			s.meet(i)
		}
		return
	}
	if i, ok := s.at[termsKey(f.e.Scale(-1))]; ok && s.fs[i].minus != nil {
		// An equation the other way around.
		if f.minus != nil {
			f = fact{plus: f.minus, minus: f.plus}
			s.add(f)
			return
		}
		if d := f.e.Constant() + s.fs[i].e.Constant(); d < 0 {
			s.end = tightened(part{s.fs[i].plus, 1}, part{f.plus, 1})
		}
		return
	}
	s.at[termsKey(f.e)] = len(s.fs)
	s.fs = append(s.fs, f)
	s.meet(len(s.fs) - 1)
}

// meet looks at row i and the one in the opposite direction.
func (s *rowSet) meet(i int) {
	f := s.fs[i]
	j, ok := s.at[termsKey(f.e.Scale(-1))]
	if !ok {
		return
	}
	o := s.fs[j]
	d := f.e.Constant() + o.e.Constant()
	switch {
	case d < 0:
		s.end = tightened(part{f.plus, 1}, part{o.plus, 1})
	case f.minus != nil || d == 0:
		if f.minus == nil {
			f.minus = o.plus
		}
		s.fs[i] = f
		// The other one is said by this.
		delete(s.at, termsKey(o.e))
		last := len(s.fs) - 1
		if j != last {
			s.fs[j] = s.fs[last]
			s.at[termsKey(s.fs[j].e)] = j
		}
		s.fs = s.fs[:last]
	}
}

// next is the unknown to eliminate: one that an equation gives, by that with the
// fewest unknowns, else one that makes the fewest rows; by is -1 then.
func (s *rowSet) next() (v graph.Sym, by int, ok bool) {
	by = -1
	for i, f := range s.fs {
		if f.minus == nil || by >= 0 && f.e.Len() >= s.fs[by].e.Len() {
			continue
		}
		for j := range f.e.Len() {
			if w, k := f.e.Term(j); k == 1 || k == -1 {
				v, by = w, i
				break
			}
		}
	}
	if by >= 0 {
		return v, by, true
	}
	type count struct{ low, high, odd int }
	counts := map[graph.Sym]*count{}
	var order []graph.Sym
	for _, f := range s.fs {
		for j := range f.e.Len() {
			w, k := f.e.Term(j)
			c := counts[w]
			if c == nil {
				c = &count{}
				counts[w] = c
				order = append(order, w)
			}
			if k > 0 || f.minus != nil {
				c.low++
			}
			if k < 0 || f.minus != nil {
				c.high++
			}
			if k > 1 || k < -1 {
				c.odd++
			}
		}
	}
	best := 0
	for _, w := range order {
		c := counts[w]
		cost := 4*(c.low*c.high-c.low-c.high) + c.odd
		if !ok || cost < best || cost == best && w < v {
			v, best, ok = w, cost, true
		}
	}
	return v, -1, ok
}
