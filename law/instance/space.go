package instance

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Space is the values that the variables of a law are given in turn: size
// variables count from 1, axis runs and attributes have lists, plain values first.
// It is not for use by several goroutines.
type Space struct {
	Law   *law.Law
	Sizes []string
	Runs  []string
	Lens  [][]int // the sizes of an axis run
	Attrs []Attr
	Where []Condition // of the law
	Given [][]Axis    // shapes of the tensors given, in order

	ranks []*Poly    // of attributes that are permutations: of how many axes
	now   *Valuation // of the point looked at
}

// Attr is an attribute variable with its values. Those of a permutation are numbers: of
// how many axes it is depends on the axis runs.
type Attr struct {
	Name   string
	Values []graph.Value
}

// Point picks a value for each variable of a space, by its index: sizes, of which
// the index is one less, then axis runs, then attributes.
type Point []int

// NewSpace numbers the variables of a law; sizes are its size variables, in an
// order of the caller's. A variable of sort mesh counts as a size.
func NewSpace(l *law.Law, sizes []string, lens [][]int, values map[string][]graph.Value) *Space {
	s := &Space{Law: l, Sizes: slices.Clone(sizes), Lens: lens}
	_, s.Runs = law.Variables(l)
	for _, b := range l.Given {
		switch {
		case b.Sort == law.SortMesh:
			s.Sizes = append(s.Sizes, b.Name)
		case b.Sort != "" && !law.IsFuncSort(b.Sort):
			vs := values[b.Sort]
			if b.Sort == graph.SortPerm {
				vs = perms()
			}
			s.Attrs = append(s.Attrs, Attr{b.Name, vs})
		}
	}
	for _, b := range l.Given {
		if b.Sort == "" {
			s.Given = append(s.Given, s.axes(b.Shape))
		}
	}
	for _, w := range l.Where {
		c := Condition{Left: s.Poly(w.Left), Right: s.Poly(w.Right), Rel: w.Rel}
		if w.Mod != nil {
			m := s.Poly(*w.Mod)
			c.Mod = &m
		}
		s.Where = append(s.Where, c)
	}
	s.permRanks()
	return s
}

// Len is the number of variables.
func (s *Space) Len() int { return len(s.Sizes) + len(s.Runs) + len(s.Attrs) }

// First is the index of the first attribute.
func (s *Space) First() int { return len(s.Sizes) + len(s.Runs) }

// Valuation spells a point out. Function variables stand for functions of which
// nothing is known.
func (s *Space) Valuation(p Point) *Valuation {
	v := NewValuation()
	v.any(s.Law)
	s.assign(v, p)
	return v
}

// At is the valuation of a point, until the next call.
func (s *Space) At(p Point) *Valuation {
	if s.now == nil {
		s.now = NewValuation()
		s.now.any(s.Law)
	}
	s.assign(s.now, p)
	return s.now
}

func (s *Space) assign(v *Valuation, p Point) {
	for i, n := range s.Sizes {
		v.Dims[n] = graph.Int(int64(p[i] + 1))
	}
	for i, n := range s.Runs {
		v.Runs[n] = graph.Sizes(s.Lens[p[len(s.Sizes)+i]]...)
	}
	for i, a := range s.Attrs {
		v.Attrs[a.Name], _ = s.attr(i, p)
	}
}

// Poly is a size as a polynomial over the variables of a point; whole is what it
// is read from, used where it holds functions of sizes.
type Poly struct {
	constant int64
	terms    []monomial
	whole    *graph.Dim
}

type monomial struct {
	coef int64
	vars []int // size variables or runs
}

// Poly compiles a size.
func (s *Space) Poly(d graph.Dim) Poly {
	ts, c := d.Terms()
	p := Poly{constant: c}
	for _, t := range ts {
		m := monomial{coef: t.Coef}
		for _, a := range t.Atoms {
			i := s.variable(a)
			if i < 0 {
				return Poly{whole: &d}
			}
			m.vars = append(m.vars, i)
		}
		p.terms = append(p.terms, m)
	}
	return p
}

// variable is the number of a size variable or a run, or -1.
func (s *Space) variable(a graph.Atom) int {
	switch a.Kind {
	case graph.AtomVar:
		return slices.Index(s.Sizes, a.Name)
	case graph.AtomAxisRun:
		if i := slices.Index(s.Runs, a.Name); i >= 0 {
			return len(s.Sizes) + i
		}
	}
	return -1
}

// each calls f for the variables that a size mentions.
func (s *Space) each(p *Poly, f func(i int)) {
	if p.whole == nil {
		for _, t := range p.terms {
			for _, i := range t.vars {
				f(i)
			}
		}
		return
	}
	p.whole.Walk(func(a graph.Atom) {
		if i := s.variable(a); i >= 0 {
			f(i)
		}
		for _, v := range a.Args {
			name, _, ok := v.Var()
			if i := slices.IndexFunc(s.Attrs, func(a Attr) bool { return a.Name == name }); ok && i >= 0 {
				f(s.First() + i)
			}
		}
	})
}

// Value is a size at a point; ok is false where it is not a number.
func (s *Space) Value(q *Poly, at Point) (n int64, ok bool) {
	if q.whole != nil {
		n, err := q.whole.Eval(&s.At(at).Substitution)
		return n, err == nil
	}
	n = q.constant
	for _, t := range q.terms {
		m := t.coef
		for _, v := range t.vars {
			if v < len(s.Sizes) {
				m *= int64(at[v] + 1)
			} else {
				m *= int64(len(s.Lens[at[v]]))
			}
		}
		n += m
	}
	return n, true
}

// Axis is an axis of a tensor given, or an axis run.
type Axis struct {
	size Poly
	run  int // the variable, or -1
}

func (s *Space) axes(sh graph.Shape) []Axis {
	out := make([]Axis, len(sh))
	for i, it := range sh {
		if it.AxisRun != "" {
			out[i].run = len(s.Sizes) + slices.Index(s.Runs, it.AxisRun)
		} else {
			out[i] = Axis{size: s.Poly(it.Dim), run: -1}
		}
	}
	return out
}

// Shape is the sizes of a tensor given at a point; ok is false where one is below
// 1 or above MaxAxis.
func (s *Space) Shape(sh []Axis, at Point) (sizes []int, ok bool) {
	out := make([]int, 0, len(sh))
	for i := range sh {
		if sh[i].run >= 0 {
			out = append(out, s.Lens[at[sh[i].run]]...)
			continue
		}
		n, ok := s.Value(&sh[i].size, at)
		if !ok || n < 1 || n > MaxAxis {
			return nil, false
		}
		out = append(out, int(n))
	}
	return out, true
}

// Shapes is the sizes of the tensors given, in order; ok is false where a condition
// of the law does not hold or a size is out of range.
func (s *Space) Shapes(at Point) (sizes [][]int, ok bool) {
	for i := range s.Where {
		if !s.Holds(&s.Where[i], at) {
			return nil, false
		}
	}
	for _, sh := range s.Given {
		x, ok := s.Shape(sh, at)
		if !ok {
			return nil, false
		}
		sizes = append(sizes, x)
	}
	return sizes, true
}

// Sum is the sum of the sizes of the tensors given at a point.
func (s *Space) Sum(at Point) int {
	sum := 0
	for _, sh := range s.Given {
		for i := range sh {
			if sh[i].run >= 0 {
				for _, n := range s.Lens[at[sh[i].run]] {
					sum += n
				}
			} else if n, ok := s.Value(&sh[i].size, at); ok {
				sum += int(n)
			}
		}
	}
	return sum
}

// Condition is a condition on sizes: that of a law, or one like it.
type Condition struct {
	Left, Right Poly
	Mod         *Poly
	Rel         string
}

// Need is the condition that n holds, or that it does not.
func (s *Space) Need(n graph.Need, holds bool) Condition {
	if n.Rel == "divides" {
		m := s.Poly(n.Left)
		c := Condition{Left: s.Poly(n.Right), Mod: &m, Rel: "==", Right: Poly{}}
		if !holds {
			c.Rel = "!="
		}
		return c
	}
	c := Condition{Left: s.Poly(n.Left), Right: s.Poly(n.Right), Rel: "<="}
	if !holds {
		c.Rel = ">"
	}
	return c
}

// Each calls f for the variables that a condition mentions.
func (s *Space) Each(c *Condition, f func(i int)) {
	s.each(&c.Left, f)
	s.each(&c.Right, f)
	if c.Mod != nil {
		s.each(c.Mod, f)
	}
}

// Holds evaluates a condition. A remainder is that of division rounding down; by a
// number that is not positive there is none.
func (s *Space) Holds(c *Condition, at Point) bool {
	l, ok1 := s.Value(&c.Left, at)
	r, ok2 := s.Value(&c.Right, at)
	if !ok1 || !ok2 {
		return false
	}
	if c.Mod != nil {
		m, ok := s.Value(c.Mod, at)
		if !ok || m <= 0 {
			return false
		}
		l = ((l % m) + m) % m
	}
	switch c.Rel {
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
