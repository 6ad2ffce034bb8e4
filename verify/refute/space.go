package refute

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// space is the assignments of sizes, runs and attributes to the variables of a
// law.
type space struct {
	law   *law.Law
	sizes []string
	runs  []string
	attrs []binding
	// limit is the number of values that each variable usually has: sizes, runs,
	// attributes. Search beyond that may give it more, see reach.
	limit []int
	lens  [][]int        // of axis runs
	shape [][]axis       // of the tensors given, in order
	where []condition    // of the law
	loose []int          // size variables of no tensor given
	maxOf int            // elements that a tensor may have
	now   *law.Valuation // of the point looked at
}

type binding struct {
	name   string
	values []graph.Value
}

// point picks a value for each variable, by its index: a size is the index and
// one, and values of other variables are ordered plain ones first.
type point []int

func (p point) key() string {
	b := make([]byte, 0, len(p))
	for _, v := range p {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return string(b)
}

var attrChoices = map[string][]graph.Value{
	graph.SortStride: {graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(2, 1),
		graph.TupleValue(1, 3), graph.TupleValue(3, 3)},
	graph.SortPadding: {graph.NameValue(graph.Valid), graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower),
		graph.TupleValue(1, 1, 1, 1), graph.TupleValue(0, 1, 1, 0), graph.TupleValue(0, 1, 2, 0)},
	graph.SortSame:   {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)},
	graph.SortAct:    {graph.NameValue("none"), graph.NameValue("relu")},
	graph.SortNumber: {graph.NumberValue(0.5), graph.NumberValue(0), graph.NumberValue(-1.5)},
	graph.SortBorder: {graph.NameValue("counted"), graph.NameValue("excluded")},
}

// runChoices are the sizes of an axis run, by their sum.
var runChoices = [][]int{{}, {1}, {2}, {3}, {1, 2}, {2, 1}, {2, 3}, {2, 1, 2}}

func newSpace(l *law.Law, opts Options) (*space, error) {
	s := &space{law: l, maxOf: opts.Cells}
	// Variables are numbered as they are met: names decide nothing, but for those
	// that are first met in a sum or a product.
	atom := func(a graph.Atom) {
		switch {
		case a.Kind == graph.AtomVar && !slices.Contains(s.sizes, a.Name):
			s.sizes = append(s.sizes, a.Name)
		case a.Kind == graph.AtomRun && !slices.Contains(s.runs, a.Name):
			s.runs = append(s.runs, a.Name)
		}
	}
	for _, b := range l.Given {
		for _, it := range b.Shape {
			if n, ok := it.Dim.IsVar(); ok && it.Run == "" {
				atom(graph.Atom{Kind: graph.AtomVar, Name: n})
			}
		}
	}
	for _, b := range l.Given {
		b.Shape.Walk(atom)
		if b.Sort == "" || law.IsFuncSort(b.Sort) {
			continue
		}
		vs := attrChoices[b.Sort]
		if vs == nil {
			return nil, fmt.Errorf("variable %s: no values of sort %s are known", b.Name, b.Sort)
		}
		s.attrs = append(s.attrs, binding{b.Name, vs})
	}
	given := len(s.sizes)
	for _, w := range l.Where {
		w.Left.Walk(atom)
		w.Right.Walk(atom)
		if w.Mod != nil {
			w.Mod.Walk(atom)
		}
	}
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				v.Walk(atom)
			}
		})
	}
	for i := range s.sizes {
		s.limit = append(s.limit, opts.MaxSize)
		if i >= given {
			s.loose = append(s.loose, i)
		}
	}
	for _, r := range runChoices {
		if len(r) <= max(opts.MaxRun, 0) {
			s.lens = append(s.lens, r)
		}
	}
	for range s.runs {
		s.limit = append(s.limit, len(s.lens))
	}
	if opts.MaxRun > 0 {
		s.lens = append(s.lens, longRuns...)
	}
	for i := range s.attrs {
		b := &s.attrs[i]
		s.limit = append(s.limit, len(b.values))
		if sort, ok := l.Find(b.name); ok {
			b.values = slices.Concat(b.values, farAttrs[sort.Sort])
		}
	}
	for _, b := range l.Given {
		if b.Sort == "" {
			s.shape = append(s.shape, s.axes(b.Shape))
		}
	}
	for _, w := range l.Where {
		c := condition{left: s.poly(w.Left), right: s.poly(w.Right), rel: w.Rel}
		if w.Mod != nil {
			m := s.poly(*w.Mod)
			c.mod = &m
		}
		s.where = append(s.where, c)
	}
	return s, nil
}

// valuation spells a point out. Function variables stand for random functions.
func (s *space) valuation(p point) *law.Valuation {
	a := newValuation()
	s.assign(a, p)
	return a
}

// at is the valuation of a point, until the next call.
func (s *space) at(p point) *law.Valuation {
	if s.now == nil {
		s.now = newValuation()
	}
	s.assign(s.now, p)
	return s.now
}

func newValuation() *law.Valuation {
	return &law.Valuation{Binding: graph.Binding{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
		Attrs: map[string]graph.Value{}}, Fns: map[string]string{}}
}

func (s *space) assign(a *law.Valuation, p point) {
	for i, n := range s.sizes {
		a.Dims[n] = graph.Int(int64(p[i] + 1))
	}
	for i, n := range s.runs {
		a.Runs[n] = graph.Sizes(s.lens[p[len(s.sizes)+i]]...)
	}
	for i, b := range s.attrs {
		a.Attrs[b.name] = b.values[p[len(s.sizes)+len(s.runs)+i]]
	}
}

// poly is a size as a polynomial over the variables of a point; whole is what
// it is read from, used where it holds functions of sizes.
type poly struct {
	constant int64
	terms    []monomial
	whole    *graph.Dim
}

type monomial struct {
	coef int64
	vars []int // variables of a point, size variables or runs
}

func (s *space) poly(d graph.Dim) poly {
	ts, c := d.Terms()
	p := poly{constant: c}
	for _, t := range ts {
		m := monomial{coef: t.Coef}
		for _, a := range t.Atoms {
			switch a.Kind {
			case graph.AtomVar:
				m.vars = append(m.vars, slices.Index(s.sizes, a.Name))
			case graph.AtomRun:
				m.vars = append(m.vars, len(s.sizes)+slices.Index(s.runs, a.Name))
			default:
				return poly{whole: &d}
			}
		}
		p.terms = append(p.terms, m)
	}
	return p
}

// variable is the number of a size variable or a run among those of a point, or
// -1.
func (s *space) variable(a graph.Atom) int {
	switch a.Kind {
	case graph.AtomVar:
		return slices.Index(s.sizes, a.Name)
	case graph.AtomRun:
		if i := slices.Index(s.runs, a.Name); i >= 0 {
			return len(s.sizes) + i
		}
	}
	return -1
}

// value is a polynomial at a point; ok is false where it is not a number.
func (s *space) value(q *poly, at point) (n int64, ok bool) {
	if q.whole != nil {
		n, err := q.whole.Eval(&s.at(at).Binding)
		return n, err == nil
	}
	n = q.constant
	for _, t := range q.terms {
		m := t.coef
		for _, v := range t.vars {
			if v < len(s.sizes) {
				m *= int64(at[v] + 1)
			} else {
				m *= int64(len(s.lens[at[v]]))
			}
		}
		n += m
	}
	return n, true
}

// axis is an axis of a tensor given, or an axis run if run >= 0.
type axis struct {
	size poly
	run  int // variable of a point
}

func (s *space) axes(sh graph.Shape) []axis {
	out := make([]axis, len(sh))
	for i, it := range sh {
		if it.Run != "" {
			out[i].run = len(s.sizes) + slices.Index(s.runs, it.Run)
		} else {
			out[i] = axis{size: s.poly(it.Dim), run: -1}
		}
	}
	return out
}

// condition is a condition of a law.
type condition struct {
	left, right poly
	mod         *poly
	rel         string
}

func (s *space) holds(c *condition, at point) bool {
	l, ok1 := s.value(&c.left, at)
	r, ok2 := s.value(&c.right, at)
	if !ok1 || !ok2 {
		return false
	}
	if c.mod != nil {
		m, ok := s.value(c.mod, at)
		if !ok || m <= 0 {
			return false
		}
		l = ((l % m) + m) % m
	}
	switch c.rel {
	case "==":
		return l == r
	case "!=":
		return l != r
	case "<":
		return l < r
	case "<=":
		return l <= r
	case ">":
		return l > r
	case ">=":
		return l >= r
	}
	return false
}

// instance is the sizes of the tensors given, in order; ok is false where the
// conditions do not hold or a tensor is too large to be evaluated.
func (s *space) instance(at point) (sizes [][]int, ok bool) {
	sizes, ok = s.shapes(at)
	return sizes, ok && !slices.ContainsFunc(sizes, func(sh []int) bool { return instance.TooLarge(sh, s.maxOf) })
}

// shapes is instance for tensors of any number of elements.
func (s *space) shapes(at point) (sizes [][]int, ok bool) {
	for i := range s.where {
		if !s.holds(&s.where[i], at) {
			return nil, false
		}
	}
	for _, sh := range s.shape {
		out := make([]int, 0, len(sh))
		for i := range sh {
			if sh[i].run >= 0 {
				out = append(out, s.lens[at[sh[i].run]]...)
				continue
			}
			n, ok := s.value(&sh[i].size, at)
			if !ok || n < 1 || n > instance.MaxAxis {
				return nil, false
			}
			out = append(out, int(n))
		}
		sizes = append(sizes, out)
	}
	return sizes, true
}

// weight is the sum of all sizes: those of the axes of the tensors given, and
// size variables that are in none of them.
func (s *space) weight(at point) int {
	sum := 0
	for _, sh := range s.shape {
		for i := range sh {
			if sh[i].run >= 0 {
				for _, n := range s.lens[at[sh[i].run]] {
					sum += n
				}
			} else if n, ok := s.value(&sh[i].size, at); ok {
				sum += int(n)
			}
		}
	}
	for _, i := range s.loose {
		sum += at[i] + 1
	}
	return sum
}

// odd is how far the attributes are from plain.
func (s *space) odd(at point) int {
	sum := 0
	for _, v := range at[len(s.sizes)+len(s.runs):] {
		sum += v
	}
	return sum
}

// less orders points: by weight, by attributes, by index.
func (s *space) less(p, q point) bool {
	if a, b := s.weight(p), s.weight(q); a != b {
		return a < b
	}
	if a, b := s.odd(p), s.odd(q); a != b {
		return a < b
	}
	return slices.Compare(p, q) < 0
}
