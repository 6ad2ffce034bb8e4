package rewrite

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// complete says whether all size variables and runs have values.
func (s *Solver) complete() bool {
	return !slices.Contains(s.dimOK, false) && !slices.Contains(s.runOK, false)
}

// positive says whether a size variable may stand for d. sure: d is at least 1 for
// all sizes, or an axis of a shape that was matched, which is at least 1 wherever
// that tensor is defined. Not ok: d never is.
func (s *Solver) positive(d graph.Dim) (sure, ok bool) {
	if n, isConst := d.Const(); isConst {
		return n >= 1, n >= 1
	}
	if d.Sub(graph.Int(1)).NonNegative() {
		return true, true
	}
	if d.Neg().NonNegative() {
		return false, false
	}
	for _, e := range s.shapes {
		for _, it := range e.actual {
			if it.AxisRun == "" && it.Dim == d {
				return true, true
			}
		}
	}
	return false, true
}

// Accept checks all that a solution has to satisfy, the equations that were
// solved once more among them: every variable has a value, sizes are at least 1,
// the law's conditions hold, and so does its premise, under which its equations
// stand where tensors may be undefined (cond.go; that tensors have to be defined,
// [Direction.MustBe] says). What cannot be decided since it depends on the actual
// sizes is in conds and premise; it is for the caller to know. Of actual sizes that
// are constants nothing is left open.
func (s *Solver) Accept() (conds, premise []Cond, ok bool) {
	if conds, ok = s.accept(); !ok || len(s.law.premise) == 0 {
		return conds, nil, ok
	}
	b := s.Substitution()
	for _, c := range s.law.premise {
		left, ok := c.Subst(b)
		if !ok {
			return nil, nil, false
		}
		premise = append(premise, left...)
	}
	return conds, premise, true
}

func (s *Solver) accept() (conds []Cond, ok bool) {
	if !s.complete() {
		return nil, false
	}
	for _, v := range s.attrs {
		if v.Kind() == graph.KindNone {
			return nil, false
		}
	}
	for _, d := range s.dims {
		if conds, ok = s.checkSize(d, conds); !ok {
			return nil, false
		}
	}
	for _, run := range s.runs {
		for _, it := range run {
			if it.AxisRun != "" {
				continue
			}
			if conds, ok = s.checkSize(it.Dim, conds); !ok {
				return nil, false
			}
		}
	}
	for i := range s.values {
		if !s.isValue(s.values[i].law, s.values[i].actual) {
			return nil, false
		}
	}
	for i := range s.shapes {
		if !s.isShape(s.shapes[i].law, s.shapes[i].actual) {
			return nil, false
		}
	}
	for i := range s.law.where {
		p := &s.law.where[i]
		q, ok := p.in(&s.known)
		if !ok {
			return nil, false
		}
		switch holds, decided := q.Decide(); {
		case !decided:
			conds = append(conds, CondOf(q))
		case !holds:
			return nil, false
		}
	}
	return conds, true
}

func (s *Solver) checkSize(d graph.Dim, conds []Cond) ([]Cond, bool) {
	sure, ok := s.positive(d)
	if ok && !sure {
		conds = append(conds, Cond{Least: []graph.Dim{d.Sub(graph.Int(1))}})
	}
	return conds, ok
}
