package enumerate

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Matching proved rules against the terms of a store, in the case.

// rewrite is one direction of a rule, compiled.
type rewrite struct {
	from, to    *pat
	nvars       int
	shapes      []vshape // of the variables, in the order of matching
	ndims       int
	nattrs      int
	where       []cpred
	conditional bool
}

type pat struct {
	op    *graph.Op
	v     int // variable number, if op is nil
	out   int
	attrs []pattr
	args  []*pat
}

// pattr is an attribute of a pattern: a literal, an attribute variable, or a
// size expression.
type pattr struct {
	kind byte // 'l', 'a', 'd'
	lit  graph.Value
	id   uint32 // of lit
	v    int
	poly cpoly
}

type vshape struct {
	v     int
	sizes []cpoly
}

// cpoly is a polynomial over numbered variables.
type cpoly struct {
	c     int64
	terms []cterm
	bare  int // the variable if the polynomial is just that, else -1
}

type cterm struct {
	coef int64
	vars []int
}

type cpred struct {
	left, right cpoly
	mod         *cpoly
	rel         string
}

func (p *cpoly) eval(d []int64) (int64, bool) {
	n := p.c
	for _, t := range p.terms {
		m := t.coef
		for _, v := range t.vars {
			if d[v] == 0 {
				return 0, false
			}
			m *= d[v]
		}
		n += m
	}
	return n, true
}

// solve binds the one unbound variable of p so that p = want.
func (p *cpoly) solve(d []int64, want int64) (done, ok bool) {
	rest, coef, unknown := p.c, int64(0), -1
	for _, t := range p.terms {
		m, u := t.coef, -1
		for _, v := range t.vars {
			if d[v] == 0 {
				if u >= 0 {
					return false, true
				}
				u = v
				continue
			}
			m *= d[v]
		}
		switch {
		case u < 0:
			rest += m
		case unknown >= 0 && unknown != u:
			return false, true
		default:
			unknown = u
			coef += m
		}
	}
	if unknown < 0 {
		return true, rest == want
	}
	if coef == 0 || (want-rest)%coef != 0 || (want-rest)/coef < 1 {
		return true, false
	}
	d[unknown] = (want - rest) / coef
	return true, true
}

type compiler struct {
	vars, dims, attrs map[string]int
	bad               bool
}

func (c *compiler) index(m map[string]int, name string) int {
	i, ok := m[name]
	if !ok {
		i = len(m)
		m[name] = i
	}
	return i
}

func (c *compiler) poly(d graph.Dim) cpoly {
	terms, k := d.Terms()
	p := cpoly{c: k, bare: -1}
	for _, t := range terms {
		ct := cterm{coef: t.Coef}
		for _, a := range t.Atoms {
			if a.Kind != graph.AtomVar {
				c.bad = true
				continue
			}
			ct.vars = append(ct.vars, c.index(c.dims, a.Name))
		}
		p.terms = append(p.terms, ct)
	}
	if k == 0 && len(p.terms) == 1 && p.terms[0].coef == 1 && len(p.terms[0].vars) == 1 {
		p.bare = p.terms[0].vars[0]
	}
	return p
}

func (c *compiler) pat(t *law.Term) *pat {
	if t.IsVar() {
		return &pat{v: c.index(c.vars, t.Var)}
	}
	if t.Op == nil {
		c.bad = true
		return &pat{}
	}
	p := &pat{op: t.Op, out: t.Out}
	for _, v := range t.Attrs {
		switch v.Kind() {
		case graph.KindVar:
			name, _, _ := v.Var()
			p.attrs = append(p.attrs, pattr{kind: 'a', v: c.index(c.attrs, name)})
		case graph.KindDim:
			d, _ := v.Dim()
			if _, ok := d.Const(); ok {
				p.attrs = append(p.attrs, pattr{kind: 'l', lit: v})
			} else {
				p.attrs = append(p.attrs, pattr{kind: 'd', poly: c.poly(d)})
			}
		case graph.KindShape:
			// one[shape=...]: its shape is matched like a variable's.
			s, _ := v.Shape()
			if _, ok := s.Concrete(); !ok {
				c.bad = true
			}
			p.attrs = append(p.attrs, pattr{kind: 'l', lit: v})
		default:
			p.attrs = append(p.attrs, pattr{kind: 'l', lit: v})
		}
	}
	for i := range p.attrs {
		if p.attrs[i].kind == 'l' {
			p.attrs[i].id = valueID(p.attrs[i].lit)
		}
	}
	for _, a := range t.Args {
		p.args = append(p.args, c.pat(a))
	}
	return p
}

// compileRewrites makes the usable directions of a one-output law without axis
// runs or function variables.
func compileRewrites(l *law.Law, conditional bool) []*rewrite {
	if len(l.LHS) != 1 {
		return nil
	}
	var out []*rewrite
	for dir := 0; dir < 2; dir++ {
		from, to := l.LHS[0], l.RHS[0]
		if dir == 1 {
			from, to = to, from
		}
		if from.IsVar() {
			continue
		}
		c := &compiler{vars: map[string]int{}, dims: map[string]int{}, attrs: map[string]int{}}
		r := &rewrite{conditional: conditional}
		r.from = c.pat(from)
		nv, na := len(c.vars), len(c.attrs)
		r.to = c.pat(to)
		if len(c.vars) > nv || len(c.attrs) > na {
			continue // the target has a variable of its own
		}
		for _, b := range l.Given {
			v, ok := c.vars[b.Name]
			if b.Sort != "" || !ok {
				continue
			}
			if b.Shape.HasRun() {
				c.bad = true
				break
			}
			vs := vshape{v: v}
			for _, it := range b.Shape {
				vs.sizes = append(vs.sizes, c.poly(it.Dim))
			}
			r.shapes = append(r.shapes, vs)
		}
		for _, p := range l.Where {
			cp := cpred{left: c.poly(p.Left), right: c.poly(p.Right), rel: p.Rel}
			if p.Mod != nil {
				m := c.poly(*p.Mod)
				cp.mod = &m
			}
			r.where = append(r.where, cp)
		}
		if c.bad {
			continue
		}
		r.nvars, r.ndims, r.nattrs = len(c.vars), len(c.dims), len(c.attrs)
		out = append(out, r)
	}
	return out
}

// matcher holds the bindings of one match; it is reused.
type matcher struct {
	s     *store
	r     *rewrite
	vars  []tid
	dims  []int64
	attrs []uint32 // identities of values, 0: not bound
	later []laterDim
	open  []laterDim
	todos []todo
}

type laterDim struct {
	poly *cpoly
	want int64
}

func (m *matcher) reset(r *rewrite) {
	m.r = r
	m.vars = cleared(m.vars, r.nvars)
	m.dims = cleared(m.dims, r.ndims)
	m.attrs = cleared(m.attrs, r.nattrs)
	m.later = m.later[:0]
}

func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n+8)
	}
	s = s[:n]
	clear(s)
	return s
}

// todo is a (pattern, tensor) pair still to match, and the index of the next
// one (0: none).
type todo struct {
	p    *pat
	t    tid
	next int32
}

// push adds a pair in front of a list and returns the list's index.
func (m *matcher) push(p *pat, t tid, next int32) int32 {
	m.todos = append(m.todos, todo{p, t, next})
	return int32(len(m.todos) - 1)
}

// run matches a rule against a term and calls yield for every way in which it
// fits, until yield returns true.
func (m *matcher) run(r *rewrite, t tid, yield func() bool) bool {
	m.reset(r)
	m.todos = append(m.todos[:0], todo{})
	return m.match(m.push(r.from, t, 0), yield)
}

func (m *matcher) match(q int32, yield func() bool) bool {
	if q == 0 {
		return m.finish() && yield()
	}
	p, t, next := m.todos[q].p, m.todos[q].t, m.todos[q].next
	if p.op == nil {
		if old := m.vars[p.v]; old != 0 {
			return old == t && m.match(next, yield)
		}
		m.vars[p.v] = t
		if m.match(next, yield) {
			return true
		}
		m.vars[p.v] = 0
		return false
	}
	tt := &m.s.tensors[t]
	if tt.app == 0 || int(tt.out) != p.out {
		return false
	}
	a := m.s.apps[tt.app]
	in := &m.s.insts[a.inst]
	if in.op != p.op {
		return false
	}
	later, todos := len(m.later), len(m.todos)
	var bound [8]int
	nb := 0
	ok := true
	for i := range p.attrs {
		pa := &p.attrs[i]
		switch pa.kind {
		case 'l':
			ok = pa.id == in.ids[i]
		case 'a':
			if old := m.attrs[pa.v]; old != 0 {
				ok = old == in.ids[i]
			} else {
				m.attrs[pa.v] = in.ids[i]
				bound[nb] = pa.v
				nb++
			}
		case 'd':
			m.later = append(m.later, laterDim{&pa.poly, in.nums[i]})
		}
		if !ok {
			break
		}
	}
	if ok {
		switch len(p.args) {
		case 0:
			ok = m.match(next, yield)
		case 1:
			ok = m.match(m.push(p.args[0], a.a, next), yield)
		default:
			ok = m.match(m.push(p.args[0], a.a, m.push(p.args[1], a.b, next)), yield)
			if !ok && p.op.Commutative && a.a != a.b {
				ok = m.match(m.push(p.args[0], a.b, m.push(p.args[1], a.a, next)), yield)
			}
		}
	}
	if !ok {
		for _, v := range bound[:nb] {
			m.attrs[v] = 0
		}
		m.later, m.todos = m.later[:later], m.todos[:todos]
	}
	return ok
}

// finish binds sizes from the variables' shapes and checks all conditions.
func (m *matcher) finish() bool {
	for i := range m.dims {
		m.dims[i] = 0
	}
	open := m.open[:0]
	for i := range m.r.shapes {
		vs := &m.r.shapes[i]
		t := m.vars[vs.v]
		if t == 0 {
			continue // occurs in the target only after compile: cannot be
		}
		sizes := m.s.sizes(t)
		if len(sizes) != len(vs.sizes) {
			return false
		}
		for j := range sizes {
			p, n := &vs.sizes[j], int64(sizes[j])
			if p.bare >= 0 {
				if old := m.dims[p.bare]; old != 0 && old != n {
					return false
				}
				m.dims[p.bare] = n
				continue
			}
			open = append(open, laterDim{p, n})
		}
	}
	open = append(open, m.later...)
	m.open = open
	for len(open) > 0 {
		rest := open[:0]
		for _, l := range open {
			done, ok := l.poly.solve(m.dims, l.want)
			if !ok {
				return false
			}
			if !done {
				rest = append(rest, l)
			}
		}
		if len(rest) == len(open) {
			return false
		}
		open = rest
	}
	for i := range m.r.where {
		if !m.r.where[i].holds(m.dims) {
			return false
		}
	}
	return true
}

func (p *cpred) holds(d []int64) bool {
	l, ok1 := p.left.eval(d)
	r, ok2 := p.right.eval(d)
	if !ok1 || !ok2 {
		return false
	}
	if p.mod != nil {
		k, ok := p.mod.eval(d)
		if !ok || k < 1 {
			return false
		}
		l %= k
	}
	switch p.rel {
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
	}
	return l >= r
}

// build makes the target in the store; 0 if it does not fit.
func (m *matcher) build(p *pat) tid {
	if p.op == nil {
		return m.vars[p.v]
	}
	var args [2]tid
	for i, a := range p.args {
		if args[i] = m.build(a); args[i] == 0 {
			return 0
		}
	}
	key := instKey{op: p.op}
	for i := range p.attrs {
		pa := &p.attrs[i]
		switch pa.kind {
		case 'l':
			key.attrs[i] = pa.id
		case 'a':
			key.attrs[i] = m.attrs[pa.v]
		case 'd':
			n, ok := pa.poly.eval(m.dims)
			if !ok || n < 0 || n >= int64(len(m.s.numbers)) {
				return 0
			}
			key.attrs[i] = m.s.number(n)
		}
	}
	in, ok := m.s.instFor(key, len(p.attrs))
	if !ok {
		return 0
	}
	a, b := args[0], args[1]
	if p.op.Commutative && m.s.less(b, a) {
		a, b = b, a
	}
	id := m.s.apply(in, a, b)
	if id == noApp || p.out >= len(m.s.apps[id].plan.outs) {
		return 0
	}
	return m.s.apps[id].outs[p.out]
}

// maxAttrs is the most attributes an operator has.
const maxAttrs = 6

// instKey identifies an operator instance by its attributes' identities.
type instKey struct {
	op    *graph.Op
	attrs [maxAttrs]uint32
}

// number is the identity of a number as an attribute.
func (s *store) number(n int64) uint32 {
	if s.numbers[n] == 0 {
		s.numbers[n] = valueID(graph.IntValue(n))
	}
	return s.numbers[n]
}

// instFor finds or makes an operator instance, also one that the universe does
// not have.
func (s *store) instFor(key instKey, attrs int) (uint16, bool) {
	if i, ok := s.instOf[key]; ok {
		return i, true
	}
	if len(s.insts) >= 1<<15 {
		return 0, false
	}
	list := make(graph.Attrs, attrs)
	for i := range list {
		list[i] = valueOf(key.attrs[i])
	}
	i := uint16(len(s.insts))
	s.insts = append(s.insts, newInst(key.op, list))
	s.instOf[key] = i
	return i, true
}
