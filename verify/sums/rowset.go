package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// rowSet is a set of facts with unknowns, of those that differ in their constants only
// the strongest. Directions say where a fact is.
type rowSet struct {
	fs  []fact
	end int32 // a line without unknowns that is below 0; noLine
}

// clear leaves no facts.
func (s *rows) clear() {
	for i := range s.dirs.all {
		s.dirs.all[i].rows = [2]int32{}
	}
	s.set.fs, s.set.end = s.set.fs[:0], noLine
}

// stop ends an elimination by a sum of two lines that is below 0.
func (s *rows) stop(a, b int32) { s.set.end = s.sum(a, 1, b, 1) }

// add adds a row. Two rows that meet are an equation; two that miss each other, or a
// row that is below 0, are the end.
func (s *rows) add(f fact) {
	set := &s.set
	if set.end != noLine {
		return
	}
	if f.minus != noLine && s.lines[f.minus].c != -s.lines[f.plus].c {
		// Tightening left a gap.
		s.add(fact{f.minus, noLine})
		if f.minus = noLine; set.end != noLine {
			return
		}
	}
	l := &s.lines[f.plus]
	if l.dir == noDirection {
		switch {
		case l.c < 0:
			set.end = f.plus
		case l.c > 0 && f.minus != noLine:
			set.end = f.minus
		}
		return
	}
	d := &s.dirs.all[l.dir]
	if i := d.rows[l.side()] - 1; i >= 0 {
		o := set.fs[i]
		less := plus(l.c, -s.lines[o.plus].c)
		switch {
		case o.minus != noLine && less < 0:
			s.stop(o.minus, f.plus) // f - o = less
		case o.minus != noLine && f.minus != noLine && less > 0:
			s.stop(o.plus, f.minus) // o - f = -less
		case o.minus != noLine:
		case f.minus != noLine && less > 0:
			s.stop(o.plus, f.minus)
		case f.minus != noLine || less < 0:
			set.fs[i] = f
			s.meet(i)
		}
		return
	}
	if i := d.rows[1-l.side()] - 1; i >= 0 && set.fs[i].minus != noLine {
		// An equation the other way around.
		if f.minus != noLine {
			s.add(fact{f.minus, f.plus})
		} else if plus(l.c, s.lines[set.fs[i].plus].c) < 0 {
			s.stop(set.fs[i].plus, f.plus)
		}
		return
	}
	set.fs = append(set.fs, f)
	d.rows[l.side()] = int32(len(set.fs))
	s.meet(int32(len(set.fs) - 1))
}

// meet looks at fact i and the one in the opposite direction.
func (s *rows) meet(i int32) {
	set := &s.set
	f := set.fs[i]
	l := &s.lines[f.plus]
	at := &s.dirs.all[l.dir].rows[1-l.side()]
	j := *at - 1
	if j < 0 {
		return
	}
	o := set.fs[j]
	d := plus(l.c, s.lines[o.plus].c)
	switch {
	case d < 0:
		s.stop(f.plus, o.plus)
	case f.minus != noLine || d == 0:
		if f.minus == noLine {
			f.minus = o.plus
		}
		set.fs[i] = f
		// The other one is said by this.
		*at = 0
		last := len(set.fs) - 1
		if int(j) != last {
			s.place(set.fs[last], j)
		}
		set.fs = set.fs[:last]
	}
}

// place puts a fact that is in the set at another place.
func (s *rows) place(f fact, i int32) {
	s.set.fs[i] = f
	l := &s.lines[f.plus]
	s.dirs.all[l.dir].rows[l.side()] = i + 1
}

// next is the unknown to eliminate: one that an equation gives, by that with the
// fewest unknowns, else one that makes the fewest rows; by is -1 then. unknowns are
// all that there are.
func (s *rows) next(unknowns *assignment) (v graph.Sym, by int, ok bool) {
	by = -1
	least := int32(0)
	for i, f := range s.set.fs {
		if f.minus == noLine {
			continue
		}
		d := s.lines[f.plus].dir
		if n := s.dirs.all[d].n; by < 0 || n < least {
			for _, t := range s.dirs.of(d) {
				if t.k == 1 || t.k == -1 {
					v, by, least = t.v, i, n
					break
				}
			}
		}
	}
	if by >= 0 {
		return v, by, true
	}
	counts := s.work.counts[:0]
	counts = append(counts, make([]count, len(unknowns.of))...)
	s.work.counts = counts
	for _, f := range s.set.fs {
		l := &s.lines[f.plus]
		for _, t := range s.dirs.of(l.dir) {
			c := &counts[unknowns.at[t.v]]
			k := l.signed(t.k)
			if k > 0 || f.minus != noLine {
				c.low++
			}
			if k < 0 || f.minus != noLine {
				c.high++
			}
			if k > 1 || k < -1 {
				c.odd++
			}
		}
	}
	best := int32(0)
	for i, c := range counts {
		if c.low+c.high == 0 {
			continue
		}
		w := unknowns.of[i].v
		cost := 4*(c.low*c.high-c.low-c.high) + c.odd
		if !ok || cost < best || cost == best && w < v {
			v, best, ok = w, cost, true
		}
	}
	return v, -1, ok
}

// count counts the bounds of an unknown, and those with coefficients other than 1 and -1.
type count struct{ low, high, odd int32 }

// bound is a line with the size of the coefficient of an unknown.
type bound struct {
	l int32
	k int64
}

// remove takes the facts with v out of the set: its bounds from below and from above,
// and the lines of both as they come.
func (s *rows) remove(v graph.Sym) (low, high []bound, lines []int32) {
	low, high = s.work.low[:0], s.work.high[:0]
	from := len(s.work.bounds)
	kept := int32(0)
	for i, f := range s.set.fs {
		c := s.coef(f.plus, v)
		if c == 0 {
			if int(kept) != i {
				s.place(f, kept)
			}
			kept++
			continue
		}
		l := &s.lines[f.plus]
		s.dirs.all[l.dir].rows[l.side()] = 0
		for _, x := range [2]int32{f.plus, f.minus} {
			if x == noLine {
				break
			}
			if s.work.bounds = append(s.work.bounds, x); c > 0 {
				low = append(low, bound{x, c})
			} else {
				high = append(high, bound{x, -c})
			}
			c = -c
		}
	}
	s.set.fs = s.set.fs[:kept]
	s.work.low, s.work.high = low, high
	return low, high, slices.Clip(s.work.bounds[from:])
}
