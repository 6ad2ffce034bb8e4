package rules

import (
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Match finds out how special is a use of general: what stands for general's
// variables so that its two sides become special's, in either orientation and
// with the outputs in any order. Inputs of commutative operators may be
// exchanged; sizes and attributes are bound consistently, shapes agree, and
// general's conditions must hold or stand among special's own. Both laws must
// have types. Match is sound and not complete: it solves sizes one unknown at
// a time and refuses where that does not determine them.
func Match(general, special *law.Law) (in *law.Instance, ok bool) {
	return match(general, special, false)
}

// match is Match; exact: inputs of commutative operators are not exchanged.
func match(general, special *law.Law, exact bool) (in *law.Instance, ok bool) {
	return newTarget(special).match(general, exact)
}

// target is a law that others are matched against, with what is needed of it
// each time.
type target struct {
	law    *law.Law
	typing *law.Typing // found when first needed
	failed bool        // it has no types
	keys   map[*law.Term]string
}

func newTarget(l *law.Law) *target { return &target{law: l} }

func (x *target) types() (*law.Typing, bool) {
	if x.typing == nil && !x.failed {
		ty, err := x.law.Types()
		x.typing, x.failed = ty, err != nil
	}
	return x.typing, !x.failed
}

func (x *target) match(general *law.Law, exact bool) (in *law.Instance, ok bool) {
	special := x.law
	if len(general.LHS) != len(special.LHS) {
		return nil, false
	}
	m := &matcher{g: general, s: special, target: x, exact: exact, gShapes: general.VarShapes()}
	for flip := 0; flip < 2; flip++ {
		if flip == 1 && general.OneWay && special.OneWay {
			break
		}
		left, right := special.LHS, special.RHS
		if flip == 1 {
			left, right = right, left
		}
		found := false
		permutations(len(left), func(perm []int) bool {
			var work []goal
			for i, j := range perm {
				work = append(work, goal{general.LHS[i], left[j]}, goal{general.RHS[i], right[j]})
			}
			m.reset()
			found = m.solve(work)
			return !found
		})
		if found {
			return m.found, true
		}
	}
	return nil, false
}

// Instance reports whether special is a use of general, see Match.
func Instance(general, special *law.Law) bool {
	_, ok := Match(general, special)
	return ok
}

// maxOutputs bounds the orders of outputs that are tried.
const maxOutputs = 5

// permutations calls f for the orders of n things until it returns false; for
// more than maxOutputs only for the given order.
func permutations(n int, f func([]int) bool) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	if n > maxOutputs {
		f(perm)
		return
	}
	var rec func(k int) bool
	rec = func(k int) bool {
		if k == n {
			return f(perm)
		}
		for i := k; i < n; i++ {
			perm[k], perm[i] = perm[i], perm[k]
			if !rec(k + 1) {
				return false
			}
			perm[k], perm[i] = perm[i], perm[k]
		}
		return true
	}
	rec(0)
}

// goal: the pattern must become the term.
type goal struct{ pattern, term *law.Term }

// matcher is the state of one Match. Bindings of tensors, functions and
// attributes are made on the way down and undone when a branch fails; shapes
// and sizes are equations that are solved at the end.
type matcher struct {
	g, s    *law.Law
	exact   bool
	gShapes map[string]graph.Shape

	tensors map[string]*law.Term
	fns     map[string]string
	attrs   map[string]graph.Value
	trail   []func()
	dims    [][2]graph.Dim   // pattern, value
	shapes  [][2]graph.Shape // pattern, value
	target  *target
	found   *law.Instance
}

func (m *matcher) reset() {
	m.tensors, m.fns, m.attrs = map[string]*law.Term{}, map[string]string{}, map[string]graph.Value{}
	m.trail, m.dims, m.shapes = nil, nil, nil
}

func (m *matcher) key(t *law.Term) string {
	if m.exact {
		return t.String()
	}
	if k, ok := m.target.keys[t]; ok {
		return k
	}
	if m.target.keys == nil {
		m.target.keys = map[*law.Term]string{}
	}
	k := Key(t)
	m.target.keys[t] = k
	return k
}

// Key is the term's text with the inputs of commutative operators in order:
// terms that differ in such orders only have equal keys.
func Key(t *law.Term) string {
	return t.Rewrite(func(u *law.Term) *law.Term {
		if u.Op != nil && u.Op.Commutative && len(u.Args) == 2 && u.Args[0].String() > u.Args[1].String() {
			u.Args[0], u.Args[1] = u.Args[1], u.Args[0]
		}
		return u
	}).String()
}

// solve works off the goals, trying both orders of commutative inputs.
func (m *matcher) solve(work []goal) bool {
	if len(work) == 0 {
		return m.finish()
	}
	w, rest := work[0], work[1:]
	p, t := w.pattern, w.term
	mark, nd, ns := len(m.trail), len(m.dims), len(m.shapes)
	undo := func() bool {
		for i := len(m.trail) - 1; i >= mark; i-- {
			m.trail[i]()
		}
		m.trail, m.dims, m.shapes = m.trail[:mark], m.dims[:nd], m.shapes[:ns]
		return false
	}
	if p.IsVar() {
		if old, ok := m.tensors[p.Var]; ok {
			return m.key(old) == m.key(t) && m.solve(rest)
		}
		m.tensors[p.Var] = t
		m.trail = append(m.trail, func() { delete(m.tensors, p.Var) })
		return m.solve(rest) || undo()
	}
	if t.IsVar() || p.Out != t.Out {
		return false
	}
	if p.Fn != "" {
		name, ok := m.function(p.Fn, t)
		if !ok {
			return false
		}
		if old, bound := m.fns[p.Fn]; bound && old != name {
			return false
		} else if !bound {
			m.fns[p.Fn] = name
			m.trail = append(m.trail, func() { delete(m.fns, p.Fn) })
		}
		return m.solve(append([]goal{{p.Args[0], t.Args[0]}}, rest...)) || undo()
	}
	if t.Op != p.Op {
		return false
	}
	for i := range p.Attrs {
		if !m.attr(p.Attrs[i], t.Attrs[i], p.Op.Params[i].Sort) {
			return undo()
		}
	}
	next := make([]goal, 0, len(p.Args)+len(rest))
	for i := range p.Args {
		next = append(next, goal{p.Args[i], t.Args[i]})
	}
	if m.solve(append(next, rest...)) {
		return true
	}
	if !m.exact && p.Op.Commutative && len(p.Args) == 2 && m.key(t.Args[0]) != m.key(t.Args[1]) {
		next = append(next[:0:0], goal{p.Args[0], t.Args[1]}, goal{p.Args[1], t.Args[0]})
		if m.solve(append(next, rest...)) {
			return true
		}
	}
	return undo()
}

// function is the name that stands for the function variable f at t.
func (m *matcher) function(f string, t *law.Term) (string, bool) {
	b, ok := m.g.Find(f)
	if !ok {
		return "", false
	}
	if t.Fn != "" {
		c, ok := m.s.Find(t.Fn)
		return t.Fn, ok && (b.Sort == law.SortPointwise1 || c.Sort == b.Sort)
	}
	if !t.Op.IsFunction() {
		return "", false
	}
	return graph.FunctionName(t.Op, t.Attrs),
		b.Sort == law.SortPointwise1 || b.Sort == law.SortZero1 && t.Op.KeepsZero(t.Attrs)
}

// attr matches an attribute value.
func (m *matcher) attr(p, v graph.Value, sort string) bool {
	if name, varSort, ok := p.Var(); ok {
		if old, ok := m.attrs[name]; ok {
			return old == v
		}
		if !fits(v, varSort) {
			return false
		}
		m.attrs[name] = v
		m.trail = append(m.trail, func() { delete(m.attrs, name) })
		return true
	}
	switch p.Kind() {
	case graph.KindDim:
		d, _ := p.Dim()
		e, ok := v.Dim()
		if ok {
			m.dims = append(m.dims, [2]graph.Dim{d, e})
		}
		return ok
	case graph.KindShape:
		s, _ := p.Shape()
		u, ok := v.Shape()
		if ok {
			m.shapes = append(m.shapes, [2]graph.Shape{s, u})
		}
		return ok
	}
	return p == v
}

// fits reports whether v is a value of an attribute variable's sort.
func fits(v graph.Value, sort string) bool {
	if _, s, ok := v.Var(); ok {
		return s == sort || sort == graph.SortPadding && s == graph.SortSame
	}
	if sort == graph.SortSame {
		n, ok := v.Name()
		return ok && (n == graph.SameUpper || n == graph.SameLower)
	}
	return true
}

// finish solves for runs and sizes and tests the conditions.
func (m *matcher) finish() bool {
	ty, ok := m.target.types()
	if !ok {
		return false
	}
	shapes := append([][2]graph.Shape(nil), m.shapes...)
	names := make([]string, 0, len(m.tensors))
	for n := range m.tensors {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		s, ok := m.gShapes[n]
		have, typed := ty.Shape[m.tensors[n]]
		if !ok || !typed {
			return false
		}
		shapes = append(shapes, [2]graph.Shape{s, have})
	}
	eq := &equations{attrs: m.attrs, runs: map[string]graph.Shape{}, dims: m.dims}
	if !eq.solveRuns(shapes, func() bool { return m.conditions(eq) }) {
		return false
	}
	m.found = &law.Instance{Law: m.g.Name, Tensors: m.tensors, Dims: eq.found.Dims, Runs: eq.found.Runs, Attrs: m.attrs, Fns: m.fns}
	return true
}

// conditions tests general's where clause under the solution.
func (m *matcher) conditions(eq *equations) bool {
	b := eq.found
	for _, p := range m.g.Where {
		if holds, decided := p.Holds(b); decided {
			if !holds {
				return false
			}
			continue
		}
		q := law.Pred{Left: p.Left.Subst(b), Rel: p.Rel, Right: p.Right.Subst(b)}
		if p.Mod != nil {
			d := p.Mod.Subst(b)
			q.Mod = &d
		}
		stated := false
		for _, w := range m.s.Where {
			stated = stated || w.String() == q.String()
		}
		if !stated && (q.Mod != nil || q.Rel != "<=" ||
			!follows(graph.Need{Left: q.Left, Rel: "<=", Right: q.Right}, m.given(), m.s.Where)) {
			return false
		}
	}
	return true
}

// given are the inequalities that hold wherever special's sides are defined.
func (m *matcher) given() []graph.Need {
	ty := m.target.typing
	return append(append([]graph.Need(nil), ty.LeftNeeds...), ty.RightNeeds...)
}

// equations between shapes and sizes of two laws.
type equations struct {
	attrs map[string]graph.Value
	runs  map[string]graph.Shape
	dims  [][2]graph.Dim
	found *graph.Binding
}

// solveRuns binds the runs of the pattern shapes, trying all lengths where one
// shape has several unknown runs, then solves the sizes; then must accept.
func (e *equations) solveRuns(shapes [][2]graph.Shape, then func() bool) bool {
	// The shape with the fewest unknown runs is the most determined.
	best, fewest := -1, 0
	for i, s := range shapes {
		n := 0
		for _, it := range s[0] {
			if _, ok := e.runs[it.Run]; it.Run != "" && !ok {
				n++
			}
		}
		if n > 0 && (best < 0 || n < fewest) {
			best, fewest = i, n
		}
	}
	if best < 0 {
		return e.solveDims(shapes) && then()
	}
	pattern, value := shapes[best][0], shapes[best][1]
	at := 0
	for _, it := range pattern {
		if it.Run == "" {
			if at >= len(value) || value[at].Run != "" {
				return false
			}
			at++
			continue
		}
		if s, ok := e.runs[it.Run]; ok {
			at += len(s)
			continue
		}
		for n := 0; at+n <= len(value); n++ {
			e.runs[it.Run] = value[at : at+n : at+n]
			if e.solveRuns(shapes, then) {
				return true
			}
		}
		delete(e.runs, it.Run)
		return false
	}
	return false
}

// solveDims solves for the sizes, all runs being known.
func (e *equations) solveDims(shapes [][2]graph.Shape) bool {
	b := &graph.Binding{Dims: map[string]graph.Dim{}, Runs: e.runs, Attrs: e.attrs}
	todo := make([][2]graph.Dim, 0, len(e.dims)+4*len(shapes))
	todo = append(todo, e.dims...)
	for _, s := range shapes {
		at := 0
		for _, it := range s[0] {
			if it.Run != "" {
				for _, r := range e.runs[it.Run] {
					if at >= len(s[1]) || s[1][at] != r {
						return false
					}
					at++
				}
				continue
			}
			if at >= len(s[1]) || s[1][at].Run != "" {
				return false
			}
			todo = append(todo, [2]graph.Dim{it.Dim, s[1][at].Dim})
			at++
		}
		if at != len(s[1]) {
			return false
		}
	}
	for again := true; again; {
		again = false
		for _, q := range todo {
			v, ok := soleUnknown(q[0], func(n string) bool { _, ok := b.Dims[n]; return ok })
			if !ok {
				continue
			}
			x, ok := linear(q[0], q[1], v, b)
			if !ok {
				continue
			}
			// A size is at least 1.
			if !x.Sub(graph.Int(1)).NonNegative() {
				return false
			}
			b.Dims[v], again = x, true
		}
	}
	for _, q := range todo {
		if q[0].Subst(b) != q[1] {
			return false
		}
	}
	e.found = b
	return true
}

// linear solves pattern == value for v, which must have coefficient 1 or -1
// once the known sizes are put in.
func linear(pattern, value graph.Dim, v string, b *graph.Binding) (graph.Dim, bool) {
	// The unknown is put in as 0 and as 1 to find offset and coefficient; the
	// pattern's names are not the value's, so both are free of v.
	at := func(n int64) graph.Dim {
		c := &graph.Binding{Dims: make(map[string]graph.Dim, len(b.Dims)+1), Runs: b.Runs, Attrs: b.Attrs}
		for k, d := range b.Dims {
			c.Dims[k] = d
		}
		c.Dims[v] = graph.Int(n)
		return pattern.Subst(c)
	}
	zero := at(0)
	coef, isConst := at(1).Sub(zero).Const()
	if !isConst {
		return quotient(value.Sub(zero), at(1).Sub(zero))
	}
	switch coef {
	case 1:
		return value.Sub(zero), true
	case -1:
		return zero.Sub(value), true
	}
	rest := value.Sub(zero)
	n, ok := rest.Const()
	if !ok || coef == 0 || n%coef != 0 {
		return graph.Dim{}, false
	}
	return graph.Int(n / coef), true
}

// quotient is a / b if that is a size of a simple form: a size variable times
// b, or a constant times b.
func quotient(a, b graph.Dim) (graph.Dim, bool) {
	if a == b {
		return graph.Int(1), true
	}
	var candidates []graph.Dim
	terms, _ := a.Terms()
	for _, t := range terms {
		candidates = append(candidates, graph.Int(t.Coef))
		for _, x := range t.Atoms {
			if x.Kind == graph.AtomVar {
				candidates = append(candidates, graph.Var(x.Name), graph.Var(x.Name).Scale(t.Coef))
			}
		}
	}
	for _, c := range candidates {
		if c.Mul(b) == a {
			return c, true
		}
	}
	return graph.Dim{}, false
}
