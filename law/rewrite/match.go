package rewrite

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Host is a graph in which laws are matched: a network, a store of terms, the
// terms of another law. T names a tensor; equal tensors are to have equal names,
// or else they are not taken for equal.
type Host[T comparable] interface {
	// Node is the application that t is an output of: an operator with its
	// attributes, or the function variable fn if op is nil; of an input both are
	// empty. The caller does not write to what it gets; it stays as it is while
	// targets are built.
	Node(t T) (op *graph.Op, attrs graph.Attrs, fn string, args []T, out int)
	// Shape is the shape of t; the caller does not write to it.
	Shape(t T) graph.Shape
}

// FnSorts is a host with function variables of its own.
type FnSorts interface {
	// FnSort is the sort of a function variable, "" if there is no such one.
	FnSort(name string) string
}

// Definite is a host whose tensors may be undefined, or which has none such. A host
// without this method gets no use of a law for which a tensor has to be defined
// ([Direction.MustBe]).
type Definite[T comparable] interface {
	// Defined reports whether t is defined wherever what is matched is.
	Defined(t T) bool
}

// Fn is what a function variable of a law stands for: an operator with values
// for its parameters, or a function variable of the host.
type Fn struct {
	Op    *graph.Op
	Attrs graph.Attrs
	Name  string
}

// String is the function as terms write it.
func (f Fn) String() string {
	if f.Op != nil {
		return graph.FunctionName(f.Op, f.Attrs)
	}
	return f.Name
}

// Is reports whether f is op with these attributes.
func (f Fn) Is(op *graph.Op, attrs graph.Attrs) bool {
	return f.Op != nil && f.Op == op && f.Attrs.Equal(attrs)
}

func (f Fn) equal(g Fn) bool { return f.Op == g.Op && f.Name == g.Name && f.Attrs.Equal(g.Attrs) }

// Match is a use of a law that was found. It is valid during the call that it is
// given to.
type Match[T comparable] struct {
	Direction *Direction
	// Roots are the tensors that were matched, Vars what the direction's
	// variables stand for.
	Roots, Vars []T
	// Fns is what the law's function variables stand for.
	Fns []Fn
	// Conds are what has to hold besides, the law's premise among it, of sizes that
	// are no constants. Where all are, there are none.
	Conds []Cond

	m *Matcher[T]
	s *Solver
}

// Substitution gives the values of the law's sizes, runs and attribute variables.
func (m *Match[T]) Substitution() *graph.Substitution { return m.s.Substitution() }

// Matcher finds uses of laws in one host. It keeps its memory, so that matching
// allocates nothing where sizes are constants. It serves one search at a time.
type Matcher[T comparable] struct {
	// Exact: operands of commutative operators are not exchanged.
	Exact bool

	host    Host[T]
	sorts   FnSorts
	defined Definite[T]
	solvers map[*Law]*Solver
	found   Match[T]
	isVar   []bool // by variable: it stands for something
	isFn    []bool
	todos   []todo[T]
	yield   func(*Match[T]) bool
	accept  func(*Solver) bool
	over    bool
	built   []T
	args    []T
	attrs   graph.Attrs
}

// NewMatcher returns a matcher for a host.
func NewMatcher[T comparable](h Host[T]) *Matcher[T] {
	m := &Matcher[T]{host: h, solvers: map[*Law]*Solver{}}
	m.sorts, _ = h.(FnSorts)
	m.defined, _ = h.(Definite[T])
	m.found.m = m
	m.accept = m.offer // made once, so that matching makes no closure
	return m
}

// todo is a (pattern, tensor) pair still to match, and the index of the next
// one (0: none).
type todo[T comparable] struct {
	ref  int32
	next int32
	t    T
}

// Match yields every use of a direction whose roots are these tensors, trying
// operands of commutative operators in both orders, until yield returns false.
// There are as many roots as the direction has outputs. Two uses that differ in
// nothing but the order of operands are both yielded. It reports false if yield
// did.
func (m *Matcher[T]) Match(d *Direction, roots []T, yield func(*Match[T]) bool) bool {
	if len(d.Roots) != len(roots) {
		return true
	}
	// Most patterns fail at their first operator.
	for i, ref := range d.Roots {
		if ref >= 0 && d.Nodes[ref].Op != nil {
			if op, _, _, _, out := m.host.Node(roots[i]); op != d.Nodes[ref].Op || out != d.Nodes[ref].Out {
				return true
			}
		}
	}
	s := m.solvers[d.Law]
	if s == nil {
		s = d.Law.NewSolver()
		m.solvers[d.Law] = s
	}
	s.Reset()
	f := &m.found
	f.Direction, f.s, f.Roots = d, s, roots
	f.Vars, m.isVar = cleared(f.Vars, len(d.Vars)), cleared(m.isVar, len(d.Vars))
	f.Fns, m.isFn = cleared(f.Fns, len(d.Law.Fns)), cleared(m.isFn, len(d.Law.Fns))
	m.yield, m.over = yield, false
	m.todos = append(m.todos[:0], todo[T]{})
	q := int32(0)
	for i := len(roots) - 1; i >= 0; i-- {
		q = m.push(d.Roots[i], roots[i], q)
	}
	m.step(q)
	m.yield = nil
	return !m.over
}

func cleared[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n, 2*n+8)
	}
	s = s[:n]
	clear(s)
	return s
}

// push adds a pair in front of a list and returns the list's index.
func (m *Matcher[T]) push(ref int32, t T, next int32) int32 {
	m.todos = append(m.todos, todo[T]{ref, next, t})
	return int32(len(m.todos) - 1)
}

// step works off a list of pairs; m.over says that the search has ended.
func (m *Matcher[T]) step(q int32) {
	f := &m.found
	if q == 0 {
		m.finish(f)
		return
	}
	ref, t, next := m.todos[q].ref, m.todos[q].t, m.todos[q].next
	if ref < 0 {
		v := ^ref
		if m.isVar[v] {
			if f.Vars[v] == t {
				m.step(next)
			}
			return
		}
		f.Vars[v], m.isVar[v] = t, true
		m.step(next)
		m.isVar[v] = false
		return
	}
	n := &f.Direction.Nodes[ref]
	op, attrs, fn, args, out := m.host.Node(t)
	if n.Op == nil {
		g, ok := m.function(op, attrs, fn, f.Direction.Law.Fns[n.Fn].Sort)
		if !ok || len(args) != len(n.Kids) || m.isFn[n.Fn] && !f.Fns[n.Fn].equal(g) {
			return
		}
		had := m.isFn[n.Fn]
		f.Fns[n.Fn], m.isFn[n.Fn] = g, true
		todos := len(m.todos)
		m.step(m.push(n.Kids[0], args[0], next))
		m.todos, m.isFn[n.Fn] = m.todos[:todos], had
		return
	}
	if op != n.Op || out != n.Out || len(args) != len(n.Kids) {
		return
	}
	mark, todos := f.s.Mark(), len(m.todos)
	if !f.s.Node(n, attrs) {
		f.s.Undo(mark)
		return
	}
	q = next
	for i := len(args) - 1; i >= 0; i-- {
		q = m.push(n.Kids[i], args[i], q)
	}
	m.step(q)
	if !m.over && !m.Exact && n.Op.Commutative && len(args) == 2 && args[0] != args[1] {
		m.todos = m.todos[:todos]
		m.step(m.push(n.Kids[0], args[1], m.push(n.Kids[1], args[0], next)))
	}
	m.todos = m.todos[:todos]
	f.s.Undo(mark)
}

// function is the function that a node applies, if it may stand for a function
// variable of a sort.
func (m *Matcher[T]) function(op *graph.Op, attrs graph.Attrs, fn, sort string) (Fn, bool) {
	switch {
	case op != nil && op.IsFunction():
		return Fn{Op: op, Attrs: attrs}, sort != law.SortZero1 || op.KeepsZero(attrs)
	case fn != "" && m.sorts != nil:
		s := m.sorts.FnSort(fn)
		return Fn{Name: fn}, s == sort || s != "" && sort == law.SortPointwise1
	}
	return Fn{}, false
}

// finish adds the shapes of the variables and solves.
func (m *Matcher[T]) finish(f *Match[T]) {
	s := f.s
	mark := s.Mark()
	for i := range f.Vars {
		if f.Direction.MustBe[i] && (m.defined == nil || !m.defined.Defined(f.Vars[i])) {
			s.Undo(mark)
			return
		}
		if !s.Var(f.Direction, i, m.host.Shape(f.Vars[i])) {
			s.Undo(mark)
			return
		}
	}
	s.Solve(f.Direction.Guess, m.accept)
	f.s = s
	s.Undo(mark)
}

// offer yields what the solver accepts.
func (m *Matcher[T]) offer(s *Solver) bool {
	conds, premise, ok := s.Accept()
	if !ok {
		return true
	}
	m.found.Conds, m.found.s = append(conds, premise...), s
	m.over = !m.yield(&m.found)
	return !m.over
}
