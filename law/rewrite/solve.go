package rewrite

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Solver finds what the size variables, axis runs and attribute variables of a
// law stand for, from equations between attributes and shapes of the law and
// those of what is matched, which it calls actual. Sizes that are solved for
// may be any sizes: numbers in a network, polynomials in another law. The
// variables of a law are numbers in here, so names of the actual sizes may be
// the law's own without harm.
//
// Equations are first collected, and may be taken back ([Solver.Mark]); Solve
// then works on all of them. An equation with one unknown is solved for it,
// where the quotient is a polynomial; others wait until it is one of these. A
// Solver is used again and again and allocates nothing for actual sizes that
// are constants.
type Solver struct {
	known
	law    *Law
	values []valueEq // sizes and shapes; variables are bound at once
	shapes []shapeEq
	trail  []int32 // attribute variables in the order of binding

	// The work that is left.
	dimWork   []dimEq
	shapeWork []partEq
	dimNext   []dimEq
	shapeNext []partEq
	moved     bool // something was learned since the flag was cleared
}

type valueEq struct {
	law    *value
	actual graph.Value
}

type shapeEq struct {
	law    *shape
	actual graph.Shape
}

type dimEq struct {
	law    *poly
	actual graph.Dim
}

// partEq is what is left of an equation of shapes.
type partEq struct {
	law    []item
	actual graph.Shape
}

// NewSolver returns a solver for the variables of a law, with no equations.
func (l *Law) NewSolver() *Solver {
	s := &Solver{law: l}
	s.init(&l.numbering, len(l.Attrs))
	return s
}

// Reset drops all equations.
func (s *Solver) Reset() { s.Undo(Mark{}) }

// Mark is a point to go back to.
type Mark struct{ values, shapes, trail int }

// Mark returns the point to which [Solver.Undo] goes back.
func (s *Solver) Mark() Mark { return Mark{len(s.values), len(s.shapes), len(s.trail)} }

// Undo drops the equations that were added since the mark.
func (s *Solver) Undo(m Mark) {
	s.values, s.shapes = s.values[:m.values], s.shapes[:m.shapes]
	for _, at := range s.trail[m.trail:] {
		s.attrs[at] = graph.Value{}
	}
	s.trail = s.trail[:m.trail]
}

// Node adds the equations of a pattern node's attributes; false if they cannot
// hold.
func (s *Solver) Node(n *Node, attrs graph.Attrs) bool {
	if len(attrs) != len(n.attrs) {
		return false
	}
	for i := range attrs {
		if !s.value(&n.attrs[i], attrs[i]) {
			return false
		}
	}
	return true
}

// Var adds the equation of the shape that is given of a direction's variable;
// false if it cannot hold.
func (s *Solver) Var(d *Direction, v int, actual graph.Shape) bool {
	return s.shape(d.given[v], actual)
}

// value requires an attribute of the law to be an actual one; false if that
// cannot be.
func (s *Solver) value(v *value, actual graph.Value) bool {
	switch v.kind {
	case literal:
		return v.lit == actual
	case variable:
		if old := s.attrs[v.at]; old.Kind() != graph.KindNone {
			return old == actual
		}
		if !law.InSort(actual, s.law.Attrs[v.at].Sort) {
			return false
		}
		s.attrs[v.at] = actual
		s.trail = append(s.trail, v.at)
		return true
	case perm:
		if !law.InSort(actual, graph.SortPerm) {
			return false
		}
		// The inverse of a variable tells the variable.
		if f := v.perm[0]; len(v.perm) == 1 && f.inverse && s.attrs[f.at].Kind() == graph.KindNone {
			x, ok := graph.PermInverse(actual)
			if !ok {
				return false
			}
			s.attrs[f.at] = x
			s.trail = append(s.trail, f.at)
			return true
		}
	case place:
		if !law.InSort(actual, "axis") {
			return false
		}
	case size:
		if actual.Kind() != graph.KindDim {
			return false
		}
	case axes:
		if actual.Kind() != graph.KindShape {
			return false
		}
	}
	s.values = append(s.values, valueEq{v, actual})
	return true
}

// shape requires a shape of the law to be an actual one; false if that cannot
// be.
func (s *Solver) shape(sh *shape, actual graph.Shape) bool {
	if !sh.runs && len(sh.items) != len(actual) {
		return false
	}
	s.shapes = append(s.shapes, shapeEq{sh, actual})
	return true
}

// start puts all equations to work, and binds what stands alone.
func (s *Solver) start() bool {
	s.forget()
	s.dimWork, s.shapeWork = s.dimWork[:0], s.shapeWork[:0]
	for i := range s.values {
		e := &s.values[i]
		switch e.law.kind {
		case perm:
			if p, ok := s.product(e.law.perm); !ok || p != e.actual {
				return false
			}
			continue
		case place:
			// q[axis] is what is matched: axis is what q's inverse takes that to.
			p, ok := s.product(e.law.perm)
			if ok {
				p, ok = graph.PermInverse(p)
			}
			axis, isAxis := graph.PermAt(p, e.actual)
			d, known := axis.Dim()
			if !ok || !isAxis || !known || !s.later(&e.law.size, d) {
				return false
			}
			continue
		}
		if d, ok := e.actual.Dim(); ok {
			if !s.later(&e.law.size, d) {
				return false
			}
		} else if a, ok := e.actual.Shape(); ok && !s.laterShape(&e.law.shape, a) {
			return false
		}
	}
	for i := range s.shapes {
		if !s.laterShape(s.shapes[i].law, s.shapes[i].actual) {
			return false
		}
	}
	return true
}

// later adds an equation of sizes to the work; a variable by itself is bound.
func (s *Solver) later(p *poly, actual graph.Dim) bool {
	if p.bare < 0 {
		s.dimWork = append(s.dimWork, dimEq{p, actual})
		return true
	}
	return s.bindDim(p.bare, actual)
}

func (s *Solver) bindDim(v int32, d graph.Dim) bool {
	if s.dimOK[v] {
		return s.dims[v] == d
	}
	s.dims[v], s.dimOK[v], s.moved = d, true, true
	return true
}

func (s *Solver) laterShape(sh *shape, actual graph.Shape) bool {
	if sh.runs {
		s.shapeWork = append(s.shapeWork, partEq{sh.items, actual})
		return true
	}
	if len(sh.items) != len(actual) {
		return false
	}
	for i := range actual {
		if actual[i].AxisRun != "" || !s.later(&sh.items[i].size, actual[i].Dim) {
			return false
		}
	}
	return true
}

// propagate works until nothing more can be learned; false on a contradiction.
func (s *Solver) propagate() bool {
	for s.moved = true; s.moved; {
		s.moved = false
		shapes := s.shapeWork
		s.shapeWork, s.shapeNext = s.shapeNext[:0], shapes
		for _, e := range shapes {
			if !s.stepShape(e) {
				return false
			}
		}
		dims := s.dimWork
		s.dimWork, s.dimNext = s.dimNext[:0], dims
		for _, e := range dims {
			if !s.stepDim(e) {
				return false
			}
		}
	}
	return true
}

// solved says whether no equation is left.
func (s *Solver) solved() bool { return len(s.dimWork) == 0 && len(s.shapeWork) == 0 }

// stepShape takes off what it can from both ends; false on a contradiction.
func (s *Solver) stepShape(e partEq) bool {
	p, a := e.law, e.actual
	for progress := true; progress && len(p) > 0; {
		progress = false
		for _, back := range [2]bool{false, true} {
			if len(p) == 0 {
				break
			}
			took, ok := s.take(&p, &a, back)
			if !ok {
				return false
			}
			progress = progress || took
		}
		if len(p) == 1 && p[0].run >= 0 && !s.runOK[p[0].run] {
			return s.bindRun(p[0].run, a)
		}
	}
	if len(p) == 0 {
		return len(a) == 0
	}
	s.shapeWork = append(s.shapeWork, partEq{p, a})
	return true
}

// take removes the law's first (or last) item and what it stands for.
func (s *Solver) take(p *[]item, a *graph.Shape, back bool) (took, ok bool) {
	at, end := 0, 0
	if back {
		at, end = len(*p)-1, len(*a)-1
	}
	it := &(*p)[at]
	if it.run < 0 {
		if len(*a) == 0 || (*a)[end].AxisRun != "" || !s.later(&it.size, (*a)[end].Dim) {
			return false, false
		}
		s.moved = true
		*p, *a = drop(*p, 1, back), drop(*a, 1, back)
		return true, true
	}
	if s.runOK[it.run] {
		items := s.runs[it.run]
		n := len(items)
		if n > len(*a) || !cut(*a, n, back).Equal(items) {
			return false, false
		}
		*p, *a = drop(*p, 1, back), drop(*a, n, back)
		return true, true
	}
	if s.lenOK[it.run] {
		for n := 0; n <= len(*a); n++ {
			if cut(*a, n, back).Rank() == s.lens[it.run] {
				if !s.bindRun(it.run, cut(*a, n, back)) {
					return false, false
				}
				*p, *a = drop(*p, 1, back), drop(*a, n, back)
				return true, true
			}
		}
		return false, false
	}
	return false, true
}

// cut is the first (or last) n items.
func cut(s graph.Shape, n int, back bool) graph.Shape {
	if back {
		return s[len(s)-n:]
	}
	return s[:n:n]
}

func drop[S ~[]E, E any](s S, n int, back bool) S {
	if back {
		return s[:len(s)-n]
	}
	return s[n:]
}

func (s *Solver) bindRun(run int32, items graph.Shape) bool {
	rank := items.Rank()
	if s.lenOK[run] && rank != s.lens[run] {
		return false
	}
	s.runs[run], s.runOK[run] = items[:len(items):len(items)], true
	s.lens[run], s.lenOK[run] = rank, true
	s.moved = true
	return true
}

// stepDim solves for the one unknown if there is just one.
func (s *Solver) stepDim(e dimEq) bool {
	if e.law.bare >= 0 {
		return s.bindDim(e.law.bare, e.actual)
	}
	coef, unknown, rest, ok := s.reduce(e)
	if !ok {
		s.dimWork = append(s.dimWork, e)
		return true
	}
	if unknown < 0 || coef == graph.Int(0) {
		return rest == graph.Int(0)
	}
	q, ok := rest.Quo(coef)
	if !ok {
		return false
	}
	if int(unknown) < len(s.dims) {
		return s.bindDim(unknown, q)
	}
	run := int(unknown) - len(s.dims)
	s.lens[run], s.lenOK[run], s.moved = q, true, true
	return true
}

// reduce puts in what is known: then the equation is coef*unknown == rest, or
// 0 == rest if no unknown is left, which is -1 then. It reports false if it is
// not of this form, since there are several unknowns, or one in a function.
func (s *Solver) reduce(e dimEq) (coef graph.Dim, unknown int32, rest graph.Dim, ok bool) {
	rest, unknown = e.actual.Sub(graph.Int(e.law.c)), -1
	for i := range e.law.terms {
		t := &e.law.terms[i]
		m, u := graph.Int(t.coef), int32(-1)
		for _, slot := range t.slots {
			switch x, ok := s.slot(slot); {
			case ok:
				m = m.Mul(x)
			case u >= 0 || s.isFunc(slot):
				return coef, unknown, rest, false
			default:
				u = slot
			}
		}
		switch {
		case u < 0:
			rest = rest.Sub(m)
		case unknown >= 0 && unknown != u:
			return coef, unknown, rest, false
		default:
			unknown = u
			coef = coef.Add(m)
		}
	}
	return coef, unknown, rest, true
}

// Substitution is the solution by names. It is made anew each time.
func (s *Solver) Substitution() *graph.Substitution {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	for i, ok := range s.dimOK {
		if ok {
			b.Dims[s.n.dims[i]] = s.dims[i]
		}
	}
	for i, ok := range s.runOK {
		if ok {
			b.Runs[s.n.runs[i]] = s.runs[i]
		}
	}
	for i, v := range s.attrs {
		if v.Kind() != graph.KindNone {
			b.Attrs[s.law.Attrs[i].Name] = v
		}
	}
	return b
}
