package sums

import "github.com/taso-go/taso/graph"

// line is a row: at least 0, or 0. It is given (a row of the question, a guard of a
// case, or something known) or a sum of one or two others, tightened.
type line struct {
	c     int64    // the constant; the rest are the terms of dir, or
	dir   int32    // noDirection, or
	neg   bool     // their opposites
	given bool     // as a guard is
	cut   bool     // tightening changed more than the sum
	of    [2]int32 // those it is the sum of; noLine. Of one that is given, its number
	by    [2]int64 // factors
}

const noLine = -1

func (l *line) signed(k int64) int64 {
	if l.neg {
		return -k
	}
	return k
}

func (l *line) side() int {
	if l.neg {
		return 1
	}
	return 0
}

// fact is a row in an elimination: plus is at least 0; of an equation minus is its
// opposite, at least 0 too; else noLine.
type fact struct{ plus, minus int32 }

// rows are the lines of a question, and those of one elimination of its unknowns
// behind them, which are taken back when it is done. What it takes up stays for the
// next question.
type rows struct {
	dirs  directions
	lines []line
	set   rowSet
	work  scratch
}

// forget takes back all but so many lines and directions.
func (s *rows) forget(lines, dirs int) {
	s.lines = s.lines[:lines]
	s.dirs.forget(dirs)
}

// put adds a line of which the terms, from at on, are the last ones.
func (s *rows) put(l line, at int) int32 {
	l.dir, l.neg = s.dirs.number(at)
	s.lines = append(s.lines, l)
	return int32(len(s.lines) - 1)
}

// sum is j*a + k*b, tightened.
func (s *rows) sum(a int32, j int64, b int32, k int64) int32 {
	x, y := &s.lines[a], &s.lines[b]
	at := len(s.dirs.terms)
	s.dirs.merge(s.dirs.of(x.dir), x.signed(j), s.dirs.of(y.dir), y.signed(k))
	l := line{c: plus(times(x.c, j), times(y.c, k)), of: [2]int32{a, b}, by: [2]int64{j, k}}
	l.cut = s.tighten(at, &l.c)
	return s.put(l, at)
}

// alone is k*a, tightened.
func (s *rows) alone(a int32, k int64) int32 {
	x := &s.lines[a]
	at := len(s.dirs.terms)
	s.dirs.merge(s.dirs.of(x.dir), x.signed(k), nil, 0)
	l := line{c: times(x.c, k), of: [2]int32{a, noLine}, by: [2]int64{k, 0}}
	l.cut = s.tighten(at, &l.c)
	return s.put(l, at)
}

// tighten divides the terms from at on by the divisor that they have in common, and
// rounds the constant down, as meaning.Tighten does; it reports whether there is one.
func (s *rows) tighten(at int, c *int64) bool {
	ts := s.dirs.terms[at:]
	n := int64(0)
	for _, t := range ts {
		if n = graph.GCD(n, t.k); n == 1 {
			return false
		}
	}
	if n <= 1 {
		return false
	}
	for i := range ts {
		ts[i].k /= n
	}
	*c = graph.FloorDiv(*c, n)
	return true
}

// give adds a guard, by its number among those given; unknowns that are fixed have
// their values. f is what it says in an elimination, raw the line that it is itself.
func (s *rows) give(g graph.Guard, number int, fixed *assignment) (f fact, raw int32) {
	at := len(s.dirs.terms)
	l := line{c: g.E.Constant(), given: true, of: [2]int32{int32(number), noLine}}
	for i := range g.E.Len() {
		v, k := g.E.Term(i)
		if j := fixed.find(v); j >= 0 {
			l.c = plus(l.c, times(k, fixed.of[j].n))
		} else {
			s.dirs.terms = append(s.dirs.terms, term{v, k})
		}
	}
	raw = s.put(l, at)
	f = fact{raw, noLine}
	if g.Eq {
		f.minus = s.opposite(raw)
	}
	if n := int64(0); s.lines[raw].dir != noDirection {
		for _, t := range s.dirs.of(s.lines[raw].dir) {
			n = graph.GCD(n, t.k)
		}
		if n > 1 {
			f.plus = s.alone(raw, 1)
			if g.Eq {
				f.minus = s.alone(f.minus, 1)
			}
		}
	}
	return f, raw
}

// opposite is the other line of an equation.
func (s *rows) opposite(a int32) int32 {
	l := s.lines[a]
	s.lines = append(s.lines, line{c: times(l.c, -1), dir: l.dir, neg: !l.neg && l.dir != noDirection, of: [2]int32{a, noLine}, by: [2]int64{-1, 0}})
	return int32(len(s.lines) - 1)
}

// coef is the coefficient of v in a line.
func (s *rows) coef(l int32, v graph.Sym) int64 {
	x := &s.lines[l]
	return x.signed(coef(s.dirs.of(x.dir), v))
}
