package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// space is the assignments of sizes, runs and attributes to the variables of a
// law.
type space struct {
	law   *law.Law
	sizes []string
	runs  []string
	attrs []binding
	limit []int // number of values of each variable: sizes, runs, attributes
	lens  [][]int
	shape [][]axis    // of the tensors given, in order
	where []condition // of the law
	loose []int       // size variables of no tensor given
	maxOf int         // elements that a tensor may have
	now   *assignment // of the point looked at
}

type binding struct {
	name   string
	values []graph.Value
}

// point picks a value for each variable, by its index: a size is the index and
// one, and values of other variables are ordered plain ones first.
type point []int

func (p point) key() string {
	b := make([]byte, len(p))
	for i, v := range p {
		b[i] = byte(v)
	}
	return string(b)
}

// assignment gives values to the variables of a law, tensors excepted.
type assignment struct {
	Dims  map[string]graph.Dim
	Runs  map[string]graph.Shape
	Attrs map[string]graph.Value
	fns   map[string]string // an operator's name, or "" for a random function
	key   uint64            // of the random functions
}

func (a *assignment) binding() *graph.Binding {
	return &graph.Binding{Dims: a.Dims, Runs: a.Runs, Attrs: a.Attrs}
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

// maxSizes keeps a size in a byte of a point's key.
const maxSizes = 200

func newSpace(l *law.Law, opts RefuteOptions) (*space, error) {
	s := &space{law: l, maxOf: opts.Cells}
	sizes, runs := map[string]bool{}, map[string]bool{}
	atom := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			sizes[a.Name] = true
		case graph.AtomRun:
			runs[a.Name] = true
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
	given := map[string]bool{}
	for n := range sizes {
		given[n] = true
	}
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
	s.sizes, s.runs = sorted(sizes), sorted(runs)
	for i, n := range s.sizes {
		s.limit = append(s.limit, min(opts.MaxSize, maxSizes))
		if !given[n] {
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
	for _, b := range s.attrs {
		s.limit = append(s.limit, len(b.values))
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

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// assignment spells a point out.
func (s *space) assignment(p point) *assignment {
	a := newAssignment()
	s.assign(a, p)
	return a
}

// at is the assignment of a point, until the next call.
func (s *space) at(p point) *assignment {
	if s.now == nil {
		s.now = newAssignment()
	}
	s.assign(s.now, p)
	return s.now
}

func newAssignment() *assignment {
	return &assignment{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
		Attrs: map[string]graph.Value{}, fns: map[string]string{}}
}

func (s *space) assign(a *assignment, p point) {
	for i, n := range s.sizes {
		a.Dims[n] = graph.Int(int64(p[i] + 1))
	}
	for i, n := range s.runs {
		a.Runs[n] = graph.Sizes(s.lens[p[len(s.sizes)+i]]...)
	}
	for i, b := range s.attrs {
		a.Attrs[b.name] = b.values[p[len(s.sizes)+len(s.runs)+i]]
	}
	for _, b := range s.law.Given {
		if law.IsFuncSort(b.Sort) {
			a.fns[b.Name] = ""
		}
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

// value is a polynomial at a point; ok is false where it is not a number.
func (s *space) value(q *poly, at point) (n int64, ok bool) {
	if q.whole != nil {
		n, err := q.whole.Eval(s.at(at).binding())
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
// conditions do not hold or a tensor is too large.
func (s *space) instance(at point) (sizes [][]int, ok bool) {
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
			if !ok || n < 1 || n > int64(s.maxOf) {
				return nil, false
			}
			out = append(out, int(n))
		}
		if tooLarge(out, s.maxOf) {
			return nil, false
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

// maxPlain bounds the assignments of attributes that are tried.
const maxPlain = 512

// plainAttrs lists assignments of the attributes, plain ones first.
func (s *space) plainAttrs() [][]int {
	limit := s.limit[len(s.sizes)+len(s.runs):]
	out := [][]int{make([]int, len(limit))}
	for i, n := range limit {
		for _, q := range slices.Clone(out) {
			for v := 1; v < n && len(out) < maxPlain; v++ {
				r := slices.Clone(q)
				r[i] = v
				out = append(out, r)
			}
		}
	}
	sum := func(q []int) (n int) {
		for _, v := range q {
			n += v
		}
		return n
	}
	slices.SortFunc(out, func(a, b []int) int {
		if c := sum(a) - sum(b); c != 0 {
			return c
		}
		return slices.Compare(a, b)
	})
	return out
}

// smaller calls f with points less than at, in order of weight and then of
// attributes, of which it takes those listed, until f returns false.
func (s *space) smaller(at point, attrs [][]int, f func(point) bool) {
	n := len(s.sizes) + len(s.runs)
	q := make(point, len(at))
	var level []point
	var rec func(i, weight int)
	rec = func(i, weight int) {
		if i == n {
			if s.weight(q) == weight {
				level = append(level, slices.Clone(q))
			}
			return
		}
		for v := range s.limit[i] {
			if q[i] = v; s.weight(q) > weight {
				break // a larger value never weighs less
			}
			rec(i+1, weight)
		}
		q[i] = 0
	}
	last := s.weight(at)
	for weight := s.weight(q); weight <= last; weight++ {
		level = level[:0]
		rec(0, weight)
		for _, as := range attrs {
			for _, p := range level {
				copy(p[n:], as)
				if weight == last && !s.less(p, at) {
					continue
				}
				if !f(p) {
					return
				}
			}
		}
	}
}

// random is a generator for one purpose.
func random(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

const (
	drawCells = 300 // elements that a draw's tensors have together, if possible
	drawTries = 100
)

// draw picks a point at random, the n-th; ok is false if none was found that
// meets the conditions. The first is the smallest, the next ones are small.
func (s *space) draw(rng *rand.Rand, n int) (point, bool) {
	at := make(point, len(s.limit))
	for try := range drawTries {
		for i, lim := range s.limit {
			switch {
			case n == 0 && try == 0:
				at[i] = 0
			case i < len(s.sizes):
				at[i] = drawSize(rng, n+try, lim)
			default:
				at[i] = rng.IntN(lim)
			}
		}
		ins, ok := s.instance(at)
		if !ok {
			continue
		}
		cells := 0
		for _, sizes := range ins {
			cells += graph.NumElements(sizes)
		}
		if cells <= drawCells || try > drawTries*3/4 {
			return at, true
		}
	}
	return at, false
}

// drawSize is a size less one: of draws by turns from few sizes, from all with
// small ones more often, and from those that are not 1.
func drawSize(rng *rand.Rand, n, limit int) int {
	switch n % 4 {
	case 0:
		return rng.IntN(min(2, limit))
	case 1:
		return rng.IntN(min(3, limit))
	case 2:
		return min(rng.IntN(limit), rng.IntN(limit))
	}
	if limit < 3 || rng.IntN(6) == 0 {
		return 0
	}
	return 1 + rng.IntN(min(3, limit-1))
}
