package tensor

import (
	"strings"

	"github.com/taso-go/taso/graph"
)

// A law's variables are marked while it is matched, so that they cannot be
// taken for the goal's variables of the same name.
const mark = "?"

func marked(name string) bool { return strings.HasPrefix(name, mark) }

// solver finds what the variables of a law stand for, from equations between
// sizes and shapes of the law (pattern) and of the goal (actual). Equations
// that cannot be solved yet wait for others.
type solver struct {
	b      graph.Binding        // by marked name
	runLen map[string]graph.Dim // lengths of runs whose items are not known yet
	dims   []dimEq
	shapes []shapeEq
	moved  bool // something was learned since the flag was cleared
}

type dimEq struct{ pattern, actual graph.Dim }

type shapeEq struct{ pattern, actual graph.Shape }

func newSolver() *solver {
	return &solver{
		b: graph.Binding{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
			Attrs: map[string]graph.Value{}},
		runLen: map[string]graph.Dim{},
	}
}

// value requires an attribute of the law to be the goal's; false if it cannot.
func (s *solver) value(pattern, actual graph.Value) bool {
	if name, sort, ok := pattern.Var(); ok && marked(name) {
		if old, bound := s.b.Attrs[name]; bound {
			return old == actual
		}
		if !InSort(actual, sort) {
			return false
		}
		s.b.Attrs[name] = actual
		return true
	}
	if p, ok := pattern.Dim(); ok {
		a, ok := actual.Dim()
		s.dims = append(s.dims, dimEq{p, a})
		return ok
	}
	if p, ok := pattern.Shape(); ok {
		a, ok := actual.Shape()
		s.shapes = append(s.shapes, shapeEq{p, a})
		return ok
	}
	return pattern == actual
}

// InSort says whether an attribute value, or a variable of the goal, is of a
// sort of attribute variables.
func InSort(v graph.Value, sort string) bool {
	if _, s, ok := v.Var(); ok {
		return s == sort || s == graph.SortSame && sort == graph.SortPadding
	}
	tuple, isTuple := v.Tuple()
	name, isName := v.Name()
	same := isName && (name == graph.SameUpper || name == graph.SameLower)
	switch sort {
	case graph.SortStride:
		return isTuple && len(tuple) == 2 && tuple[0] >= 1 && tuple[1] >= 1
	case graph.SortSame:
		return same
	case graph.SortPadding:
		return same || isName && name == graph.Valid || isTuple && len(tuple) == 4
	case graph.SortAct:
		return isName && (name == "none" || graph.IsActivation(name))
	case graph.SortNumber:
		return v.Kind() == graph.KindNumber
	case graph.SortBorder:
		return isName && (name == "counted" || name == "excluded")
	}
	return false
}

// solved says whether no equation is left.
func (s *solver) solved() bool { return len(s.dims) == 0 && len(s.shapes) == 0 }

// propagate works until nothing more can be learned; false on a contradiction.
func (s *solver) propagate() bool {
	for s.moved = true; s.moved; {
		s.moved = false
		shapes := s.shapes
		s.shapes = nil
		for _, e := range shapes {
			if !s.stepShape(e) {
				return false
			}
		}
		dims := s.dims
		s.dims = nil
		for _, e := range dims {
			if !s.stepDim(e) {
				return false
			}
		}
	}
	return true
}

// stepShape takes off what it can from both ends; false on a contradiction.
func (s *solver) stepShape(e shapeEq) bool {
	p, a := e.pattern, e.actual
	progress := true
	for progress && len(p) > 0 {
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
		if len(p) == 1 && p[0].Run != "" && marked(p[0].Run) {
			if _, bound := s.b.Runs[p[0].Run]; !bound {
				return s.bindRun(p[0].Run, a)
			}
		}
	}
	if len(p) == 0 {
		return len(a) == 0
	}
	s.shapes = append(s.shapes, shapeEq{p, a})
	return true
}

// take removes the first (or last) pattern item and what it stands for.
func (s *solver) take(p, a *graph.Shape, back bool) (took, ok bool) {
	it := end(*p, back)
	if it.Run == "" {
		if len(*a) == 0 || end(*a, back).Run != "" {
			return false, false
		}
		s.dims = append(s.dims, dimEq{it.Dim, end(*a, back).Dim})
		s.moved = true
		*p, *a = drop(*p, 1, back), drop(*a, 1, back)
		return true, true
	}
	if items, bound := s.b.Runs[it.Run]; bound {
		n := len(items)
		if n > len(*a) || !cut(*a, n, back).Equal(items) {
			return false, false
		}
		*p, *a = drop(*p, 1, back), drop(*a, n, back)
		return true, true
	}
	if !marked(it.Run) {
		return false, false // laws have no runs but their own
	}
	if want, known := s.runLen[it.Run]; known {
		for n := 0; n <= len(*a); n++ {
			if cut(*a, n, back).Rank() == want {
				if !s.bindRun(it.Run, cut(*a, n, back)) {
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

func end(s graph.Shape, back bool) graph.Item {
	if back {
		return s[len(s)-1]
	}
	return s[0]
}

// cut is the first (or last) n items.
func cut(s graph.Shape, n int, back bool) graph.Shape {
	if back {
		return s[len(s)-n:]
	}
	return s[:n]
}

func drop(s graph.Shape, n int, back bool) graph.Shape {
	if back {
		return s[:len(s)-n]
	}
	return s[n:]
}

func (s *solver) bindRun(run string, items graph.Shape) bool {
	if want, known := s.runLen[run]; known && items.Rank() != want {
		return false
	}
	s.b.Runs[run] = items.Clone()
	s.moved = true
	return true
}

// stepDim solves for the one unknown if there is just one.
func (s *solver) stepDim(e dimEq) bool {
	if name, ok := e.pattern.IsVar(); ok && marked(name) { // nearly always
		d, bound := s.b.Dims[name]
		if !bound {
			s.b.Dims[name] = e.actual
			s.moved = true
		}
		return !bound || d == e.actual
	}
	p := s.subst(e.pattern)
	if p == e.actual {
		return true
	}
	rest := e.actual
	var unknown graph.Term
	n := 0
	terms, c := p.Terms()
	rest = rest.Sub(graph.Int(c))
	for _, t := range terms {
		if termUnknown(t) {
			unknown = t
			n++
			continue
		}
		rest = rest.Sub(termDim(t))
	}
	switch {
	case n == 0:
		return false
	case n > 1:
		s.dims = append(s.dims, dimEq{p, e.actual})
		return true
	}
	var x *graph.Atom
	divisor := graph.Term{Coef: unknown.Coef}
	for i := range unknown.Atoms {
		a := &unknown.Atoms[i]
		switch {
		case !atomUnknown(*a):
			divisor.Atoms = append(divisor.Atoms, *a)
		case x == nil && a.Kind != graph.AtomFunc:
			x = a
		default: // a product of unknowns, or an unknown inside a function
			s.dims = append(s.dims, dimEq{p, e.actual})
			return true
		}
	}
	q, ok := divide(rest, divisor)
	if !ok {
		return false
	}
	if x.Kind == graph.AtomRun {
		s.runLen[x.Name] = q
	} else {
		s.b.Dims[x.Name] = q
	}
	s.moved = true
	return true
}

// subst replaces what is known in a size of the law.
func (s *solver) subst(d graph.Dim) graph.Dim {
	d = substDim(d, &s.b)
	if len(s.runLen) == 0 {
		return d
	}
	terms, c := d.Terms()
	out := graph.Int(c)
	for _, t := range terms {
		m := graph.Int(t.Coef)
		for _, a := range t.Atoms {
			x := atomDim(a)
			if n, ok := s.runLen[a.Name]; ok && a.Kind == graph.AtomRun {
				x = n
			}
			m = m.Mul(x)
		}
		out = out.Add(m)
	}
	return out
}

// substDim is d.Subst(b), short for the sizes that laws are mostly made of.
func substDim(d graph.Dim, b *graph.Binding) graph.Dim {
	if _, ok := d.Const(); ok {
		return d
	}
	if name, ok := d.IsVar(); ok {
		if x, bound := b.Dims[name]; bound {
			return x
		}
		return d
	}
	return d.Subst(b)
}

// isInstance says whether a law's shape, instantiated, is s.
func isInstance(law graph.Shape, b *graph.Binding, s graph.Shape) bool {
	for _, it := range law {
		items := b.Runs[it.Run]
		if it.Run == "" {
			if len(s) == 0 || s[0].Run != "" || substDim(it.Dim, b) != s[0].Dim {
				return false
			}
			s = s[1:]
			continue
		}
		if len(items) > len(s) || !s[:len(items)].Equal(items) {
			return false
		}
		s = s[len(items):]
	}
	return len(s) == 0
}

// isValue says whether a law's attribute, instantiated, is v.
func isValue(law graph.Value, b *graph.Binding, v graph.Value) bool {
	if d, ok := law.Dim(); ok {
		x, isDim := v.Dim()
		return isDim && substDim(d, b) == x
	}
	return law.Subst(b) == v
}

func atomDim(a graph.Atom) graph.Dim {
	switch a.Kind {
	case graph.AtomVar:
		return graph.Var(a.Name)
	case graph.AtomRun:
		return graph.RunLen(a.Name)
	}
	return graph.Func(a.Name, a.Args...)
}

func termDim(t graph.Term) graph.Dim {
	d := graph.Int(t.Coef)
	for _, a := range t.Atoms {
		d = d.Mul(atomDim(a))
	}
	return d
}

func atomUnknown(a graph.Atom) bool {
	if a.Kind != graph.AtomFunc {
		return marked(a.Name)
	}
	for _, v := range a.Args {
		if valueUnknown(v) {
			return true
		}
	}
	return false
}

func termUnknown(t graph.Term) bool {
	for _, a := range t.Atoms {
		if atomUnknown(a) {
			return true
		}
	}
	return false
}

// valueUnknown says whether a law's variable occurs in v.
func valueUnknown(v graph.Value) bool {
	if name, _, ok := v.Var(); ok {
		return marked(name)
	}
	if d, ok := v.Dim(); ok {
		return dimUnknown(d)
	}
	s, _ := v.Shape()
	return shapeUnknown(s)
}

func dimUnknown(d graph.Dim) bool {
	terms, _ := d.Terms()
	for _, t := range terms {
		if termUnknown(t) {
			return true
		}
	}
	return false
}

func shapeUnknown(s graph.Shape) bool {
	for _, it := range s {
		if it.Run != "" && marked(it.Run) || it.Run == "" && dimUnknown(it.Dim) {
			return true
		}
	}
	return false
}

// divide is d / t where that is a polynomial.
func divide(d graph.Dim, t graph.Term) (graph.Dim, bool) {
	if t.Coef == 0 {
		return graph.Dim{}, false
	}
	terms, c := d.Terms()
	if c%t.Coef != 0 || c != 0 && len(t.Atoms) > 0 {
		return graph.Dim{}, false
	}
	out := graph.Int(c / t.Coef)
	for _, m := range terms {
		if m.Coef%t.Coef != 0 {
			return graph.Dim{}, false
		}
		rest, ok := without(m.Atoms, t.Atoms)
		if !ok {
			return graph.Dim{}, false
		}
		out = out.Add(termDim(graph.Term{Coef: m.Coef / t.Coef, Atoms: rest}))
	}
	return out, true
}

// without removes each atom of b once from a.
func without(a, b []graph.Atom) ([]graph.Atom, bool) {
	rest := append([]graph.Atom(nil), a...)
next:
	for _, want := range b {
		for i := range rest {
			if atomDim(rest[i]) == atomDim(want) {
				rest = append(rest[:i], rest[i+1:]...)
				continue next
			}
		}
		return nil, false
	}
	return rest, true
}
