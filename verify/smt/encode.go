package smt

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// encoder turns typed terms into Z3's language. The picture it draws:
//
//	T0, T1, ...       tensors of that rank, among them one that is undefined
//	def(x)            x is not the undefined one
//	dim_i(x)          the size of axis i, an Int; at least 1 if def(x)
//	op(attrs, xs)     a function for each operator, axis or permutation, and rank
//	apply(f, x)       a pointwise function applied to a tensor; relu is one
//	win_i, strided_i  the size functions of windows
//	step_i            what a stride or dilation is along axis i
//	fits_i(p, k)      pads p are smaller than a kernel of k cells
//
// Every operator comes with one formula: its result is defined exactly if its
// arguments are and its conditions hold, and then its sizes are such and such.
// The formula is read off the operator's shape inference. In this picture a law
// is: if the tensors are defined and have the given sizes, both sides are the
// same, both undefined perhaps.
type encoder struct {
	c        *z3.Context
	declared map[string]bool
	facts    []z3.Term // of symbols met since they were last taken
	// hard is the first thing that could not be encoded.
	hard error
}

func newEncoder(c *z3.Context) *encoder { return &encoder{c: c, declared: map[string]bool{}} }

// once reports whether name is new.
func (e *encoder) once(name string) bool {
	if e.declared[name] {
		return false
	}
	e.declared[name] = true
	return true
}

func (e *encoder) fact(t z3.Term) { e.facts = append(e.facts, t) }

func (e *encoder) tensor(rank int) z3.Sort { return e.c.Uninterpreted(fmt.Sprintf("T%d", rank)) }
func (e *encoder) fnSort() z3.Sort         { return e.c.Uninterpreted("fn") }

// attrSort is the sort of attribute values; same is a part of padding.
func (e *encoder) attrSort(sort string) z3.Sort {
	if sort == graph.SortSame {
		sort = graph.SortPadding
	}
	return e.c.Uninterpreted(sort)
}

func (e *encoder) def(rank int, x z3.Term) z3.Term {
	d := e.c.Func("def", []z3.Sort{e.tensor(rank)}, e.c.Bool())
	if e.once(fmt.Sprintf("def%d", rank)) {
		y := e.c.Const("y", e.tensor(rank))
		for i := range rank {
			at := e.dim(rank, i, y)
			e.fact(e.c.ForAll(z3.Quantifier{ID: "size", Bound: []z3.Term{y}, Patterns: [][]z3.Term{{at}},
				Body: e.c.Implies(d.Apply(y), e.c.Le(e.c.IntVal(1), at))}))
		}
	}
	return d.Apply(x)
}

func (e *encoder) dim(rank, axis int, x z3.Term) z3.Term {
	return e.c.Func(fmt.Sprintf("dim_%d", axis), []z3.Sort{e.tensor(rank)}, e.c.Int()).Apply(x)
}

func (e *encoder) zero(f z3.Term) z3.Term {
	return e.c.Func("zero", []z3.Sort{e.fnSort()}, e.c.Bool()).Apply(f)
}

func (e *encoder) same(p z3.Term) z3.Term {
	return e.c.Func("same", []z3.Sort{e.attrSort(graph.SortPadding)}, e.c.Bool()).Apply(p)
}

func (e *encoder) fits(axis int, p, k z3.Term) z3.Term {
	return e.c.Func(fmt.Sprintf("fits_%d", axis), []z3.Sort{e.attrSort(graph.SortPadding), e.c.Int()}, e.c.Bool()).Apply(p, k)
}

func (e *encoder) divides(k, d z3.Term) z3.Term {
	f := e.c.Func("divides", []z3.Sort{e.c.Int(), e.c.Int()}, e.c.Bool())
	if e.once("divides") {
		x, y := e.c.Const("x", e.c.Int()), e.c.Const("y", e.c.Int())
		e.fact(e.c.ForAll(z3.Quantifier{ID: "divides", Bound: []z3.Term{x, y}, Patterns: [][]z3.Term{{f.Apply(x, y)}},
			Body: e.c.Implies(e.c.Or(e.c.Eq(x, e.c.IntVal(1)), e.c.Eq(x, y)), f.Apply(x, y))}))
	}
	return f.Apply(k, d)
}

// windowFn is win_i or strided_i, with what is known of all of them.
func (e *encoder) windowFn(name string, axis int) z3.Func {
	c := e.c
	st, pd := e.attrSort(graph.SortStride), e.attrSort(graph.SortPadding)
	win := c.Func(fmt.Sprintf("win_%d", axis), []z3.Sort{c.Int(), c.Int(), st, pd}, c.Int())
	strided := c.Func(fmt.Sprintf("strided_%d", axis), []z3.Sort{c.Int(), st}, c.Int())
	if e.once(fmt.Sprintf("window%d", axis)) {
		h, k, s, p := c.Const("h", c.Int()), c.Const("k", c.Int()), c.Const("s", st), c.Const("p", pd)
		w, t, one := win.Apply(h, k, s, p), strided.Apply(h, s), c.IntVal(1)
		e.fact(c.ForAll(z3.Quantifier{ID: "window", Bound: []z3.Term{h, k, s, p}, Patterns: [][]z3.Term{{w}},
			Body: c.And(
				c.Implies(e.same(p), c.Eq(w, t)),
				c.Implies(c.And(c.Eq(k, one), c.Le(one, h), e.fits(axis, p, k)), c.Le(one, w)))}))
		e.fact(c.ForAll(z3.Quantifier{ID: "strided", Bound: []z3.Term{h, s}, Patterns: [][]z3.Term{{t}},
			Body: c.Implies(c.Le(one, h), c.Le(one, t))}))
	}
	if name == "strided" {
		return strided
	}
	return win
}

// stepFn is step_i: at least 1, and what it is of literals ([encoder.literal]).
func (e *encoder) stepFn(axis int) z3.Func {
	c, st := e.c, e.attrSort(graph.SortStride)
	step := c.Func(fmt.Sprintf("step_%d", axis), []z3.Sort{st}, c.Int())
	if e.once(fmt.Sprintf("step%d", axis)) {
		s := c.Const("s", st)
		n := step.Apply(s)
		e.fact(c.ForAll(z3.Quantifier{ID: "step", Bound: []z3.Term{s}, Patterns: [][]z3.Term{{n}}, Body: c.Le(c.IntVal(1), n)}))
	}
	return step
}

// scope gives Z3 terms to the variables of a law or goal.
type scope struct {
	dims  map[string]z3.Term
	attrs map[string]z3.Term
	fns   map[string]z3.Term
	vars  map[string]z3.Term
	shape map[string]graph.Shape // of vars
}

func newScope() *scope {
	return &scope{dims: map[string]z3.Term{}, attrs: map[string]z3.Term{}, fns: map[string]z3.Term{},
		vars: map[string]z3.Term{}, shape: map[string]graph.Shape{}}
}

func (e *encoder) size(sc *scope, d graph.Dim) (z3.Term, error) {
	terms, k := d.Terms()
	var sum []z3.Term
	for _, m := range terms {
		var prod []z3.Term
		if m.Coef != 1 {
			prod = append(prod, e.c.IntVal(m.Coef))
		}
		for _, a := range m.Atoms {
			f, err := e.atom(sc, a)
			if err != nil {
				return f, err
			}
			prod = append(prod, f)
		}
		if len(prod) == 1 {
			sum = append(sum, prod[0])
		} else {
			sum = append(sum, e.c.Mul(prod...))
		}
	}
	if k != 0 || len(sum) == 0 {
		sum = append(sum, e.c.IntVal(k))
	}
	if len(sum) == 1 {
		return sum[0], nil
	}
	return e.c.Add(sum...), nil
}

func (e *encoder) atom(sc *scope, a graph.Atom) (z3.Term, error) {
	switch a.Kind {
	case graph.AtomVar:
		if t, ok := sc.dims[a.Name]; ok {
			return t, nil
		}
		return z3.Term{}, fmt.Errorf("size %s is not bound", a.Name)
	case graph.AtomAxisRun:
		return z3.Term{}, errAxisRuns
	}
	want := map[string]int{"window": 5, "strided": 3, "step": 2}[a.Name]
	if want == 0 || len(a.Args) != want {
		return z3.Term{}, fmt.Errorf("size function %s has no encoding", a.Name)
	}
	last, _ := a.Args[len(a.Args)-1].Dim()
	axis, _ := last.Const()
	if a.Name == "step" {
		s, err := e.value(sc, a.Args[0], graph.SortStride)
		if err != nil {
			return s, err
		}
		return e.stepFn(int(axis)).Apply(s), nil
	}
	var args []z3.Term
	for _, v := range a.Args[:len(a.Args)-1] {
		sort := graph.SortStride
		if len(args) == 3 {
			sort = graph.SortPadding
		}
		t, err := e.value(sc, v, sort)
		if err != nil {
			return t, err
		}
		args = append(args, t)
	}
	return e.windowFn(a.Name, int(axis)).Apply(args...), nil
}

// value is an attribute value as an argument.
func (e *encoder) value(sc *scope, v graph.Value, sort string) (z3.Term, error) {
	switch v.Kind() {
	case graph.KindDim:
		d, _ := v.Dim()
		return e.size(sc, d)
	case graph.KindVar:
		name, _, _ := v.Var()
		if t, ok := sc.attrs[name]; ok {
			return t, nil
		}
		return z3.Term{}, fmt.Errorf("attribute %s is not bound", name)
	case graph.KindName, graph.KindTuple, graph.KindNumber:
		return e.literal(v, sort), nil
	}
	return z3.Term{}, fmt.Errorf("attribute %s has no encoding", v)
}

// literal is the constant for an attribute value. What is known of it is asserted
// with it; of a padding and a stride together, see pairFacts.
func (e *encoder) literal(v graph.Value, sort string) z3.Term {
	c := e.c
	t := c.Const("lit "+v.String(), e.attrSort(sort))
	if steps, ok := v.Tuple(); ok && sort == graph.SortStride && len(steps) == 2 && e.once("lit "+v.String()) {
		for axis, n := range steps {
			e.fact(c.Eq(e.stepFn(axis).Apply(t), c.IntVal(n)))
		}
	}
	if sort != graph.SortPadding || !e.once("lit "+v.String()) {
		return t
	}
	k := c.Const("k", c.Int())
	for axis := range 2 {
		fits := e.fits(axis, t, k)
		holds := c.True()
		if ps, ok := v.Tuple(); ok && len(ps) == 4 {
			holds = c.And(c.Lt(c.IntVal(ps[axis]), k), c.Lt(c.IntVal(ps[axis+2]), k))
		}
		e.fact(c.ForAll(z3.Quantifier{ID: "fits", Bound: []z3.Term{k}, Patterns: [][]z3.Term{{fits}}, Body: c.Iff(fits, holds)}))
	}
	if n, _ := v.Name(); n == graph.SameUpper || n == graph.SameLower {
		e.fact(e.same(t))
	}
	return t
}

// pairFacts says what the size functions are at a literal stride and padding.
func (e *encoder) pairFacts(stride, pad graph.Value) {
	if stride.Kind() != graph.KindTuple || pad.Kind() == graph.KindVar || !e.once("pair "+stride.String()+pad.String()) {
		return
	}
	c := e.c
	sc := newScope()
	h, k := c.Const("h", c.Int()), c.Const("k", c.Int())
	sc.dims["h"], sc.dims["k"] = h, k
	s, p := e.literal(stride, graph.SortStride), e.literal(pad, graph.SortPadding)
	for axis := range 2 {
		out := graph.WindowOut(graph.Var("h"), graph.Var("k"), stride, pad, axis)
		val, err := e.size(sc, out)
		if err != nil {
			continue
		}
		if w := e.windowFn("window", axis).Apply(h, k, s, p); !w.Equal(val) {
			e.fact(c.ForAll(z3.Quantifier{ID: "window", Bound: []z3.Term{h, k}, Patterns: [][]z3.Term{{w}}, Body: c.Eq(w, val)}))
		}
		if st, _ := stride.Tuple(); len(st) == 2 && st[axis] == 1 {
			w := e.windowFn("strided", axis).Apply(h, s)
			e.fact(c.ForAll(z3.Quantifier{ID: "strided", Bound: []z3.Term{h}, Patterns: [][]z3.Term{{w}}, Body: c.Eq(w, h)}))
		}
	}
}

var errAxisRuns = errors.New("axis runs")

// term encodes a term without splits; its rank comes with it. intArg, if not
// nil, may replace an Int argument (a pattern cannot hold arithmetic).
func (e *encoder) term(sc *scope, t *law.Term, intArg func(graph.Dim) (z3.Term, error)) (z3.Term, int, error) {
	if intArg == nil {
		intArg = func(d graph.Dim) (z3.Term, error) { return e.size(sc, d) }
	}
	if t.IsVar() {
		x, ok := sc.vars[t.Var]
		if !ok {
			return x, 0, fmt.Errorf("tensor %s is not bound", t.Var)
		}
		return x, len(sc.shape[t.Var]), nil
	}
	args := make([]z3.Term, len(t.Args))
	ranks := make([]int, len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], ranks[i], err = e.term(sc, a, intArg); err != nil {
			return z3.Term{}, 0, err
		}
	}
	if t.Fn != "" || t.Op.IsFunction() {
		f, err := e.function(sc, t)
		if err != nil {
			return f, 0, err
		}
		return e.apply(ranks[0]).Apply(f, args[0]), ranks[0], nil
	}
	y, err := e.symbol(t.Op, t.Attrs, ranks)
	if err != nil {
		return z3.Term{}, 0, fmt.Errorf("%s: %w", t, err)
	}
	var in []z3.Term
	for i, p := range t.Op.Params {
		vs := []graph.Value{t.Attrs[i]}
		switch p.Sort {
		case "axis", "perm", "tuple", "flag", "dtype", "name":
			continue
		case "shape":
			s, _ := t.Attrs[i].Shape()
			vs = nil
			for _, it := range s {
				vs = append(vs, graph.DimValue(it.Dim))
			}
		}
		for _, v := range vs {
			var z z3.Term
			if d, ok := v.Dim(); ok {
				z, err = intArg(d)
			} else {
				z, err = e.value(sc, v, p.Sort)
			}
			if err != nil {
				return z, 0, fmt.Errorf("%s: %w", t, err)
			}
			in = append(in, z)
		}
	}
	if i, j := t.Op.ParamIndex("stride"), t.Op.ParamIndex("pad"); i >= 0 && j >= 0 {
		e.pairFacts(t.Attrs[i], t.Attrs[j])
	}
	return y.f.Apply(append(in, args...)...), y.rank, nil
}

// function is the function of one element that t applies: a variable, or an
// operator, which is a function of its parameters.
func (e *encoder) function(sc *scope, t *law.Term) (z3.Term, error) {
	if t.Fn != "" {
		f, ok := sc.fns[t.Fn]
		if !ok {
			return f, fmt.Errorf("function %s is not bound", t.Fn)
		}
		return f, nil
	}
	var args []z3.Term
	var sorts []z3.Sort
	for i, p := range t.Op.Params {
		z, err := e.value(sc, t.Attrs[i], p.Sort)
		if err != nil {
			return z, fmt.Errorf("%s: %w", t, err)
		}
		args, sorts = append(args, z), append(sorts, e.attrSort(p.Sort))
	}
	name := "op " + t.Op.Name
	f := e.c.Const(name, e.fnSort())
	if len(args) > 0 {
		f = e.c.Func(name, sorts, e.fnSort()).Apply(args...)
	}
	// Parameters for which zero is kept are numbers, see [graph.Op.KeepsZero].
	if t.Op.KeepsZero(t.Attrs) && e.once("op "+graph.FunctionName(t.Op, t.Attrs)) {
		e.fact(e.zero(f))
	}
	return f, nil
}

// apply is the application of pointwise functions to tensors of a rank.
func (e *encoder) apply(rank int) z3.Func {
	c := e.c
	f := c.Func("apply", []z3.Sort{e.fnSort(), e.tensor(rank)}, e.tensor(rank))
	if e.once(fmt.Sprintf("apply%d", rank)) {
		g, x := c.Const("g", e.fnSort()), c.Const("x", e.tensor(rank))
		y := f.Apply(g, x)
		eq := []z3.Term{c.Iff(e.def(rank, y), e.def(rank, x))}
		for i := range rank {
			eq = append(eq, c.Eq(e.dim(rank, i, y), e.dim(rank, i, x)))
		}
		e.fact(c.ForAll(z3.Quantifier{ID: "apply", Bound: []z3.Term{g, x}, Patterns: [][]z3.Term{{y}}, Body: c.And(eq...)}))
	}
	return f
}

// symbol is an operator at its literal attributes and ranks.
type symbol struct {
	f    z3.Func
	rank int
}

// symbol declares an operator's function and, the first time, asserts when its
// result is defined and what its sizes are.
func (e *encoder) symbol(op *graph.Op, attrs graph.Attrs, ranks []int) (symbol, error) {
	c := e.c
	var name strings.Builder
	name.WriteString(op.Name)
	sc := newScope()
	generic := make(graph.Attrs, len(attrs))
	var domain []z3.Sort
	var bound []z3.Term
	cancel := map[string]graph.Dim{}
	// An Int argument may be any integer, unlike a size: it is inferred with as
	// a difference of two sizes, of which no sign is known.
	integer := func() graph.Dim {
		n := fmt.Sprintf("i%d", len(bound))
		x := c.Const(n, c.Int())
		sc.dims[n] = x
		domain, bound = append(domain, c.Int()), append(bound, x)
		cancel[n+"+"] = graph.Var(n).Add(graph.Var(n + "-"))
		return graph.Var(n + "+").Sub(graph.Var(n + "-"))
	}
	for i, p := range op.Params {
		switch p.Sort {
		case "axis", "perm", "tuple", "flag", "dtype", "name":
			if d, ok := attrs[i].Dim(); ok {
				if _, ok := d.Const(); !ok {
					return symbol{}, errAxisRuns
				}
			}
			generic[i] = attrs[i]
			name.WriteString(" " + attrs[i].String())
		case "shape":
			s, ok := attrs[i].Shape()
			if !ok || s.HasAxisRun() {
				return symbol{}, errAxisRuns
			}
			g := make(graph.Shape, len(s))
			for j := range s {
				g[j] = graph.Axis(integer())
			}
			generic[i] = graph.ShapeValue(g)
			fmt.Fprintf(&name, " %d", len(s))
		default:
			if attrs[i].Kind() == graph.KindDim {
				generic[i] = graph.DimValue(integer())
				continue
			}
			n := fmt.Sprintf("a%d", i)
			x := c.Const(n, e.attrSort(p.Sort))
			sc.attrs[n] = x
			domain, bound = append(domain, e.attrSort(p.Sort)), append(bound, x)
			generic[i] = graph.VarValue(n, p.Sort)
		}
	}
	in := make([]graph.Shape, len(ranks))
	var conds []z3.Term
	for j, r := range ranks {
		x := c.Const(fmt.Sprintf("x%d", j), e.tensor(r))
		conds = append(conds, e.def(r, x))
		for i := range r {
			n := fmt.Sprintf("x%d_%d", j, i)
			in[j] = append(in[j], graph.Axis(graph.Var(n)))
			sc.dims[n] = e.dim(r, i, x)
		}
		domain, bound = append(domain, e.tensor(r)), append(bound, x)
	}
	facts := graph.Solver()
	outs, err := op.InferShapes(facts, generic, in)
	if err != nil {
		return symbol{}, err
	}
	if len(outs) != 1 {
		return symbol{}, fmt.Errorf("operator %s has %d outputs", op.Name, len(outs))
	}
	rank := len(outs[0])
	sym := symbol{c.Func(name.String(), domain, e.tensor(rank)), rank}
	key := fmt.Sprintf("op %s %v", name.String(), ranks)
	if !e.once(key) {
		return sym, nil
	}
	for _, v := range facts.Quotients() {
		sc.dims[v] = e.quotient(v, key, domain, bound)
	}
	size := func(d graph.Dim) z3.Term {
		t, err := e.size(sc, d.Subst(&graph.Substitution{Dims: cancel}))
		if err != nil && e.hard == nil {
			e.hard = fmt.Errorf("operator %s: %w", op.Name, err)
		}
		return t
	}
	// A difference is written, since the parts of an integer cancel in it.
	equal := func(a, b graph.Dim) z3.Term { return c.Eq(size(a.Sub(b)), c.IntVal(0)) }
	given := func(facts *graph.Unifier) (conds []z3.Term) {
		sol := facts.Solution()
		for _, v := range slices.Sorted(maps.Keys(sol.Dims)) {
			// The solver writes a size that must be a multiple of k as k times a new
			// variable, of which nothing else is known.
			if k, ok := multiple(v, sol.Dims[v]); ok {
				conds = append(conds, e.divides(size(k), size(graph.Var(v))))
				for i := range outs[0] {
					if outs[0][i].Dim == sol.Dims[v] {
						outs[0] = outs[0].With(i, graph.Var(v))
					}
				}
				continue
			}
			conds = append(conds, equal(graph.Var(v), sol.Dims[v]))
		}
		for _, p := range facts.Pending() {
			conds = append(conds, equal(p[0], p[1]))
		}
		for _, n := range facts.Needs {
			if n.Rel == "divides" {
				conds = append(conds, e.divides(size(n.Left), size(n.Right)))
			} else {
				conds = append(conds, c.Le(size(n.Left), size(n.Right)))
			}
		}
		return conds
	}
	to, told := shapeGiven(op, generic)
	if op.In == 1 && told {
		// The shape of the result is given, and inference may treat axes of size 1
		// in their own way: each choice of such axes is a case.
		var cases []z3.Term
		for ones := range 1 << len(in[0]) {
			x, conds := slices.Clone(in[0]), []z3.Term{}
			for i := range x {
				if ones&(1<<i) != 0 {
					conds = append(conds, equal(x[i].Dim, graph.Int(1)))
					x[i] = graph.Axis(graph.Int(1))
				}
			}
			facts := graph.Solver()
			if _, err := op.InferShapes(facts, generic, []graph.Shape{x}); err == nil {
				cases = append(cases, c.And(append(conds, given(facts)...)...))
			}
		}
		conds = append(conds, c.Or(cases...))
		outs[0] = to
	} else {
		conds = append(conds, given(facts)...)
	}
	if i := op.ParamIndex("pad"); i >= 0 {
		pad, err := e.value(sc, generic[i], graph.SortPadding)
		if err != nil {
			return sym, err
		}
		kernel, err := rewrite.Kernel(op, generic, in)
		if err != nil {
			return sym, err
		}
		for axis, k := range kernel {
			conds = append(conds, e.fits(axis, pad, size(k)))
		}
	}
	y := sym.f.Apply(bound...)
	eqs := make([]z3.Term, 0, rank)
	for i, it := range outs[0] {
		eqs = append(eqs, c.Eq(e.dim(rank, i, y), size(it.Dim)))
	}
	body := []z3.Term{c.Iff(e.def(rank, y), c.And(conds...))}
	if len(eqs) > 0 {
		body = append(body, c.Implies(e.def(rank, y), c.And(eqs...)))
	}
	all := c.And(body...)
	if len(bound) > 0 {
		all = c.ForAll(z3.Quantifier{ID: key, Bound: bound, Patterns: [][]z3.Term{{y}}, Body: all})
	}
	e.fact(all)
	return sym, nil
}

// multiple reports k where d is k times the variable that stands for v over k.
func multiple(v string, d graph.Dim) (graph.Dim, bool) {
	rest := graph.Var(v + "m")
	k := d.Subst(&graph.Substitution{Dims: map[string]graph.Dim{v + "m": graph.Int(1)}})
	return k, k != d && k.Mul(rest) == d
}

// unsplit replaces splits by slices and collects what only the splits ask for.
func unsplit(t *law.Term, vars map[string]graph.Shape, needs *[]graph.Need) (*law.Term, error) {
	shapes := map[*law.Term]graph.Shape{}
	var fail error
	if _, fail = law.TypeOf(&graph.Unifier{}, t, vars, shapes); fail != nil {
		return nil, fail
	}
	t.Walk(func(u *law.Term) {
		if u.Op == nil || u.Op.Expand == nil || fail != nil {
			return
		}
		in := make([]graph.Shape, len(u.Args))
		for i, a := range u.Args {
			in[i] = shapes[a]
		}
		var f graph.Unifier
		_, fail = u.Op.InferShapes(&f, u.Attrs, in)
		for _, n := range f.Needs {
			if !slices.Contains(*needs, n) {
				*needs = append(*needs, n)
			}
		}
	})
	if fail != nil {
		return nil, fail
	}
	return law.Primitive(t, shapes)
}
