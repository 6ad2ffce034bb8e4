package general

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// mostPermForms bounds the forms that anyPerm proposes.
const mostPermForms = 32

// permNames are variables for permutations.
var permNames = []string{"x", "y"}

// anyPerm replaces the permutations of a law by variables, and axes that no operator of the law
// looks at by an axis run. A permutation may also be the inverse of another one, or two one after the
// other. It applies to laws over operators that do the same in whatever order the axes are.
func anyPerm(l *law.Law) []*law.Law {
	var out []*law.Law
	var path choices
	for range mostPermForms {
		b := &permBuilder{path: &path}
		if m, ok := b.law(l); ok {
			out = append(out, m)
		}
		if !path.next() {
			break
		}
	}
	return out
}

// choices walks through all ways to choose one of some, several times.
type choices struct {
	taken, of []int
	depth     int
}

// one chooses one of n.
func (c *choices) one(n int) int {
	if c.depth == len(c.taken) {
		c.taken, c.of = append(c.taken, 0), append(c.of, n)
	}
	c.depth++
	return c.taken[c.depth-1]
}

// next goes to the next way; false: there is none.
func (c *choices) next() bool {
	n := c.depth
	c.depth = 0
	for c.taken, c.of = c.taken[:n], c.of[:n]; n > 0; n-- {
		if c.taken[n-1]++; c.taken[n-1] < c.of[n-1] {
			c.taken, c.of = c.taken[:n], c.of[:n]
			return true
		}
	}
	return false
}

// permBuilder states a law with permutation variables, in one of the ways of path.
type permBuilder struct {
	path  *choices
	rank  int
	axes  []int64 // that operators look at, before anything is transposed
	axis  func(int64) graph.Dim
	names []string      // of variables, in use
	known []graph.Value // what they are in the law
}

// law is not ok if this way leads to no law.
func (b *permBuilder) law(l *law.Law) (m *law.Law, ok bool) {
	b.rank = -1
	var shapes []graph.Shape
	for _, d := range l.Given {
		if d.Sort != "" || len(d.Shape) == 0 {
			continue
		}
		if d.Shape.HasAxisRun() || b.rank >= 0 && len(d.Shape) != b.rank {
			return nil, false
		}
		b.rank = len(d.Shape)
		shapes = append(shapes, d.Shape)
	}
	if b.rank < 2 {
		return nil, false
	}
	// The axes that are looked at are found first, then they are numbered.
	for _, t := range l.Outputs() {
		if _, ok := b.term(l, t); !ok {
			return nil, false
		}
	}
	if slices.Sort(b.axes); len(b.names) == 0 || len(b.axes) > 2 {
		return nil, false
	}
	for i := range b.rank {
		for _, s := range shapes {
			if s[i] != shapes[0][i] && !slices.Contains(b.axes, int64(i)) {
				return nil, false
			}
		}
	}
	shape, axis := around(b.axes, b.rank)
	b.axis, b.names, b.known, b.path.depth = axis, nil, nil, 0
	c := *l
	m = &c
	m.Given, m.LHS, m.RHS = nil, nil, nil
	for _, t := range l.LHS {
		x, _ := b.term(l, t)
		m.LHS = append(m.LHS, x.term)
	}
	for _, t := range l.RHS {
		x, _ := b.term(l, t)
		m.RHS = append(m.RHS, x.term)
	}
	for _, name := range b.names {
		m.Given = append(m.Given, law.Declaration{Name: name, Sort: graph.SortPerm})
	}
	for _, d := range l.Given {
		if d.Sort == "" && len(d.Shape) > 0 {
			d.Shape = shape(d.Shape)
		}
		m.Given = append(m.Given, d)
	}
	return m, true
}

// turned is a term of a law with variables. Axis i of it is axis perm[i] of what is not transposed,
// which was literal[i] in the law. A scalar has neither.
type turned struct {
	term          *law.Term
	perm, literal graph.Value
	scalar        bool
}

// identity is the order of axes that are not transposed.
func identity(rank int) graph.Value {
	t := make([]int64, rank)
	for i := range t {
		t[i] = int64(i)
	}
	return graph.TupleValue(t...)
}

// term states a term; it is not ok if its operators depend on the order of axes, or join tensors of
// different orders.
func (b *permBuilder) term(l *law.Law, t *law.Term) (turned, bool) {
	if t.IsVar() {
		d, _ := l.Find(t.Var)
		return turned{t, graph.Value{}, identity(b.rank), len(d.Shape) == 0}, true
	}
	x := turned{scalar: true}
	u := *t
	u.Args = nil
	for _, a := range t.Args {
		y, ok := b.term(l, a)
		if !ok || !y.scalar && !x.scalar && (y.perm != x.perm || y.literal != x.literal) {
			return x, false
		}
		u.Args = append(u.Args, y.term)
		if !y.scalar {
			x = y
		}
	}
	x.term = &u
	if x.scalar || t.Op == nil || t.Op.Pointwise || t.Op.Elementwise {
		return x, t.Op == nil || t.Op.Pointwise || t.Op.Elementwise
	}
	u.Attrs = slices.Clone(t.Attrs)
	if t.Op == op.Transpose {
		by := t.Attrs[0]
		if len(t.Attrs) != 1 || !by.IsPermutation() || by.HasPerm() {
			return x, false
		}
		options := b.options(by)
		if len(options) == 0 {
			return x, false
		}
		u.Attrs[0] = options[b.path.one(len(options))]
		if name, _, _ := u.Attrs[0].Var(); len(b.names) < len(permNames) && name == permNames[len(b.names)] {
			b.names, b.known = append(b.names, name), append(b.known, by)
		}
		var ok bool
		if x.literal, ok = graph.PermAfter(x.literal, by); !ok {
			return x, false
		}
		if x.perm == (graph.Value{}) {
			x.perm = u.Attrs[0]
		} else if x.perm, ok = graph.PermAfter(x.perm, u.Attrs[0]); !ok {
			return x, false
		}
		if w := x.perm.PermVars(); len(w) == 0 {
			x.perm = graph.Value{}
		}
		return x, true
	}
	i := axisOf(t.Op)
	if i < 0 {
		return x, false
	}
	was, ok := graph.PermAt(x.literal, t.Attrs[i])
	if !ok {
		return x, false
	}
	n := lit(was)
	if !slices.Contains(b.axes, n) {
		b.axes = append(b.axes, n)
	}
	if b.axis == nil {
		return x, true
	}
	u.Attrs[i] = graph.DimValue(b.axis(n))
	if x.perm != (graph.Value{}) {
		back, ok := graph.PermInverse(x.perm)
		if !ok {
			return x, false
		}
		u.Attrs[i], ok = graph.PermAt(back, u.Attrs[i])
		return x, ok
	}
	return x, true
}

// options lists what may stand for a permutation: a new variable, or what is made of others.
func (b *permBuilder) options(by graph.Value) []graph.Value {
	var out []graph.Value
	if len(b.names) < len(permNames) {
		out = append(out, graph.VarValue(permNames[len(b.names)], graph.SortPerm))
	}
	for i, name := range b.names {
		v := graph.VarValue(name, graph.SortPerm)
		if b.known[i] == by {
			out = append(out, v)
		}
		if back, ok := graph.PermInverse(b.known[i]); ok && back == by {
			inverse, _ := graph.PermInverse(v)
			out = append(out, inverse)
		}
		for k, other := range b.names {
			if both, ok := graph.PermAfter(b.known[i], b.known[k]); ok && both == by {
				after, _ := graph.PermAfter(v, graph.VarValue(other, graph.SortPerm))
				out = append(out, after)
			}
		}
	}
	return out
}
