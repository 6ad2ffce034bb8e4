package rewrite

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// maxGuesses bounds the solutions that are looked at where some are guessed.
const maxGuesses = 16

// Solve yields the solver with the variables' values, once if the equations
// determine them. Where they do not and guess is set, it yields once for each
// way to say which axes a run stands for, and to cut a size that has to be a+b
// into two parts made of its own terms, up to a bound. It stops when yield
// returns false. What is yielded is to be checked with [Solver.Accept].
func (s *Solver) Solve(guess bool, yield func(*Solver) bool) {
	if !s.start() || !s.propagate() {
		return
	}
	if s.solved() {
		yield(s)
		return
	}
	if !guess {
		return
	}
	n := 0
	s.guess(guessAll, func(t *Solver) bool {
		n++
		return yield(t) && n < maxGuesses
	})
}

// guesses says what may be guessed.
type guesses uint8

const (
	guessRuns guesses = iota // which axes a run stands for
	guessAll                 // and how a size is a sum of two
)

func (s *Solver) guess(what guesses, yield func(*Solver) bool) bool {
	if s.solved() {
		return yield(s)
	}
	if len(s.shapeWork) > 0 {
		e := s.shapeWork[0]
		run := e.law[0].run // all before it was taken off
		for n := range e.actual {
			t := s.clone()
			if t.bindRun(run, e.actual[:n]) && t.propagate() && !t.guess(what, yield) {
				return false
			}
		}
		return true
	}
	for _, e := range s.dimWork {
		a, ok := s.cutVar(e)
		if !ok || what != guessAll {
			continue
		}
		for _, part := range parts(e.actual) {
			t := s.clone()
			t.dims[a], t.dimOK[a] = part, true
			if t.propagate() && !t.guess(what, yield) {
				return false
			}
		}
		return true
	}
	return true
}

// cutVar says whether e is a + b = c with a and b not known, and returns a.
func (s *Solver) cutVar(e dimEq) (int32, bool) {
	rest := graph.Int(e.law.c)
	var open []int32
	for _, t := range e.law.terms {
		m, ok := graph.Int(t.coef), true
		for _, slot := range t.slots {
			x, isKnown := s.slot(slot)
			m, ok = m.Mul(x), ok && isKnown
		}
		switch {
		case ok:
			rest = rest.Add(m)
		case t.coef != 1 || len(t.slots) != 1 || int(t.slots[0]) >= len(s.dims):
			return 0, false
		default:
			open = append(open, t.slots[0])
		}
	}
	if len(open) != 2 || rest != graph.Int(0) {
		return 0, false
	}
	return open[0], true
}

// parts lists the sums of some, not all, of the terms of a size. A coefficient
// of two or three counts as that many terms; of a size with more than four
// terms, only the first four are moved about.
func parts(d graph.Dim) []graph.Dim {
	terms, c := d.Terms()
	var pieces []graph.Dim
	for _, t := range terms {
		if t.Coef < 1 {
			return nil
		}
		for i := int64(0); i < t.Coef && i < 4; i++ {
			one := graph.Term{Coef: 1, Atoms: t.Atoms}
			if i == 3 {
				one.Coef = t.Coef - 3
			}
			pieces = append(pieces, one.Dim())
		}
	}
	if c != 0 {
		pieces = append(pieces, graph.Int(c))
	}
	if len(pieces) > 4 {
		pieces = pieces[:4]
	}
	seen := map[graph.Dim]bool{}
	var out []graph.Dim
	for set := 1; set < 1<<len(pieces); set++ {
		sum := graph.Int(0)
		for i, p := range pieces {
			if set>>i&1 == 1 {
				sum = sum.Add(p)
			}
		}
		if sum != d && !seen[sum] {
			seen[sum] = true
			out = append(out, sum)
		}
	}
	return out
}

func (s *Solver) clone() *Solver {
	t := *s
	t.dims, t.dimOK = slices.Clone(s.dims), slices.Clone(s.dimOK)
	t.runs, t.runOK = slices.Clone(s.runs), slices.Clone(s.runOK)
	t.lens, t.lenOK = slices.Clone(s.lens), slices.Clone(s.lenOK)
	t.attrs = slices.Clone(s.attrs)
	t.dimWork, t.shapeWork = slices.Clone(s.dimWork), slices.Clone(s.shapeWork)
	t.dimNext, t.shapeNext = nil, nil
	return &t
}
