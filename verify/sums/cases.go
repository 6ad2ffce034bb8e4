package sums

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
)

// kase is one case of a law: values for some of its variables, in words too.
type kase struct {
	bind     graph.Substitution
	explicit []string // padding variables that are four unknown pads
	words    []string
}

func (k kase) with(word string) kase {
	c := kase{explicit: append([]string{}, k.explicit...), words: append(append([]string{}, k.words...), word)}
	c.bind.Dims, c.bind.Runs, c.bind.Attrs = map[string]graph.Dim{}, k.bind.Runs, map[string]graph.Value{}
	for n, d := range k.bind.Dims {
		c.bind.Dims[n] = d
	}
	for n, v := range k.bind.Attrs {
		c.bind.Attrs[n] = v
	}
	return c
}

func (k kase) String() string {
	if len(k.words) == 0 {
		return "in general"
	}
	return "with " + strings.Join(k.words, ", ")
}

// run decides one law.
type run struct {
	p       *Prover
	l       *law.Law
	ordered bool
	res     *Result
	names   map[string]bool // of the sizes of the law; see axes
}

// cases decides the cases of a law's axis runs, all together.
func (r *run) cases(ctx context.Context) (_ answer, err error) {
	defer graph.CatchTooLarge(&err)
	ks, byRank := r.runCases()
	all := start()
	for _, k := range ks {
		a, err := r.prove(ctx, k)
		if err != nil {
			return a, err
		}
		if all.and(a); !all.equal.shown {
			break
		}
	}
	if byRank {
		all.within(axesLimit)
		if len(ks) == 0 {
			all.reason = fmt.Sprintf("there are too many axis runs, or no tensors of at most %d axes have the given shapes", r.p.cfg.MaxRank)
		}
	}
	return all, nil
}

// prove decides a case, in general where that is possible; else by the values
// of a variable that was left open.
func (r *run) prove(ctx context.Context, k kase) (answer, error) {
	a, open, err := r.attempt(ctx, k)
	if err != nil {
		return a, err
	}
	if a.equal.shown && a.forward.shown && (a.backward.shown || r.l.OneWay) {
		return a, nil
	}
	next, ok := choose(open)
	if !ok {
		r.need(a)
		return a, nil
	}
	if r.res.Cases >= r.p.cfg.MaxCases {
		a.reason = strings.TrimPrefix(a.reason+fmt.Sprintf("; more than %d cases", r.p.cfg.MaxCases), "; ")
		r.need(a)
		return a, nil
	}
	all := start()
	for _, v := range r.values(k, next) {
		b, err := r.prove(ctx, v)
		if err != nil {
			return b, err
		}
		if all.and(b); !all.equal.shown && !a.equal.shown {
			return all, nil
		}
	}
	limit, err := r.limitOf(ctx, k, next)
	if err != nil {
		return a, err
	}
	all.within(limit)
	return a.or(all), nil
}

// limitOf is the limit of the values that are tried of a variable: none if
// these are all that the conditions of the law permit.
func (r *run) limitOf(ctx context.Context, k kase, o graph.Open) (limit, error) {
	switch o.Sort {
	case graph.SortSame, graph.SortBorder, graph.SortPadding:
		return 0, nil
	case graph.SortStride:
		return strideLimit, nil
	}
	g := r.given(ctx, k)
	defer g.close()
	more := graph.Guard{E: g.space.Size(graph.Var(o.Name)).AddInt(-1 - r.p.cfg.MaxGroups)}
	if g.unsat(g.guard(more)) {
		return 0, g.err
	}
	return groupsLimit, g.err
}

// maxNeeds bounds the conditions that a result lists for a direction.
const maxNeeds = 12

// need notes what a case could not show of the directions.
func (r *run) need(a answer) {
	add := func(to *[]string, more []string) {
		for _, n := range more {
			if !slices.Contains(*to, n) && len(*to) < maxNeeds {
				*to = append(*to, n)
			}
		}
	}
	add(&r.res.ForwardNeeds, a.forwardNeeds)
	add(&r.res.BackwardNeeds, a.backwardNeeds)
}

// kinds are the kinds of variables in the order in which they are tried by
// value, those with few values first.
var kinds = []string{graph.SortSame, graph.SortBorder, "int", graph.SortPadding, graph.SortStride}

func choose(open []graph.Open) (graph.Open, bool) {
	for _, k := range kinds {
		for _, o := range open {
			if o.Sort == k {
				return o, true
			}
		}
	}
	return graph.Open{}, false
}

// values are the cases of a variable.
func (r *run) values(k kase, o graph.Open) []kase {
	var out []kase
	attr := func(v graph.Value) {
		c := k.with(o.Name + "=" + v.String())
		c.bind.Attrs[o.Name] = v
		out = append(out, c)
	}
	name := func(s string) { attr(graph.NameValue(s)) }
	switch o.Sort {
	case graph.SortSame:
		name(graph.SameUpper)
		name(graph.SameLower)
	case graph.SortBorder:
		name("counted")
		name("excluded")
	case graph.SortPadding:
		name(graph.SameUpper)
		name(graph.SameLower)
		name(graph.Valid)
		c := k.with(o.Name + " explicit")
		c.explicit = append(c.explicit, o.Name)
		out = append(out, c)
	case graph.SortStride:
		for h := int64(1); h <= r.p.cfg.MaxStride; h++ {
			for w := int64(1); w <= r.p.cfg.MaxStride; w++ {
				attr(graph.TupleValue(h, w))
			}
		}
	default:
		for n := int64(1); n <= r.p.cfg.MaxGroups; n++ {
			c := k.with(fmt.Sprintf("%s=%d", o.Name, n))
			c.bind.Dims[o.Name] = graph.Int(n)
			out = append(out, c)
		}
	}
	return out
}

// given is the start of a case: a solver that assumes what the law gives, sizes
// of at least 1 and its conditions.
type given struct {
	*solver
	vars  map[string]graph.Shape
	zero  map[string]bool // function variables with f(0) = 0
	close func()
}

func (r *run) given(ctx context.Context, k kase) given {
	space := &graph.Space{}
	for _, name := range k.explicit {
		space.Explicit(name)
	}
	s := &solver{ctx: ctx, z: r.p.z, s: r.p.s, space: space}
	g := given{solver: s, vars: map[string]graph.Shape{}, zero: map[string]bool{}, close: func() {
		r.res.Queries += s.queries
		_ = r.p.s.Pop()
	}}
	s.fail(r.p.s.Push())
	for _, b := range r.l.Given {
		if b.Sort != "" {
			g.zero[b.Name] = b.Sort == law.SortZero1
			continue
		}
		shape := b.Shape.Subst(&k.bind)
		g.vars[b.Name] = shape
		for _, it := range shape {
			s.assume(s.guard(graph.Guard{E: space.Size(it.Dim).AddInt(-1)}))
		}
	}
	for _, p := range r.l.Where {
		if t, ok := s.pred(p, &k.bind); ok {
			s.assume(t)
		}
	}
	return g
}

// attempt decides a case as it stands, and lists the variables it left open.
func (r *run) attempt(ctx context.Context, k kase) (answer, []graph.Open, error) {
	r.res.Cases++
	g := r.given(ctx, k)
	defer g.close()
	if len(r.l.Where) > 0 && g.unsat() {
		return start(), nil, g.err // defined nowhere
	}
	typed := func(ts []*law.Term) (*side, error) {
		out := make([]*law.Term, len(ts))
		for i, t := range ts {
			out[i] = t.Subst(nil, nil, &k.bind)
		}
		return g.newSide(out, g.vars, g.zero)
	}
	left, err := typed(r.l.LHS)
	var right *side
	if err == nil {
		right, err = typed(r.l.RHS)
	}
	if err != nil {
		return answer{reason: err.Error()}, nil, g.err
	}
	a := r.decide(g.solver, left, right)
	if !a.equal.shown && len(k.words) > 0 {
		a.reason += " " + k.String()
	}
	return a, g.space.Open(), g.err
}

// decide compares the two sides of a case.
func (r *run) decide(s *solver, left, right *side) answer {
	var a answer
	lc, rc := s.conds(left), s.conds(right)
	a.forward.shown, a.forwardNeeds = s.follow(left, right)
	a.backward.shown, a.backwardNeeds = s.follow(right, left)
	for _, t := range append(lc, rc...) {
		s.assume(t)
	}
	a.defined = !s.unsat()
	b := &builder{solver: s, ordered: r.ordered}
	if len(left.outs) != len(right.outs) {
		a.reason = fmt.Sprintf("%d outputs and %d", len(left.outs), len(right.outs))
		return a
	}
	for i, t := range left.outs {
		u := right.outs[i]
		if a.reason = b.sameOutput(left, right, t, u); a.reason != "" {
			return a
		}
	}
	a.equal.shown = s.err == nil
	return a
}

// sameOutput says why an output differs, or "".
func (b *builder) sameOutput(left, right *side, t, u *law.Term) string {
	x, y := left.shapes[t], right.shapes[u]
	if len(x) != len(y) {
		return fmt.Sprintf("shapes %s and %s differ", x, y)
	}
	var ctx []graph.Guard
	at := make([]graph.Index, len(x))
	for i := range x {
		n, m := b.space.Size(x[i].Dim), b.space.Size(y[i].Dim)
		if !b.implied(nil, graph.GuardEq(n, m)) {
			return fmt.Sprintf("shapes %s and %s differ", x, y)
		}
		at[i] = b.space.Var(fmt.Sprintf("i%d", i)).Index()
		ctx = append(ctx, graph.Guard{E: at[i]}, graph.GuardLt(at[i], n))
	}
	l, err := b.entry(left, t, at, ctx)
	if err != nil {
		return err.Error()
	}
	r, err := b.entry(right, u, at, ctx)
	if err != nil {
		return err.Error()
	}
	return b.equal(ctx, l, r)
}

// conds are the conditions of a side as formulas.
func (s *solver) conds(l *side) []z3.Term {
	out := make([]z3.Term, len(l.conds))
	for i, c := range l.conds {
		out[i] = s.cond(c)
	}
	return out
}

// follow reports whether m is defined wherever l is; if not, under which
// conditions it would be.
func (s *solver) follow(l, m *side) (bool, []string) {
	given := map[condKey]bool{}
	for _, c := range l.conds {
		given[c.key()] = true
	}
	var open []cond
	var fails []z3.Term
	for _, c := range m.conds {
		if !given[c.key()] {
			open = append(open, c)
			fails = append(fails, s.z.Not(s.cond(c)))
		}
	}
	have := s.conds(l)
	if len(fails) == 0 || s.unsat(append(have, s.z.Or(fails...))...) {
		return true, nil
	}
	var needs []string
	for i, c := range open {
		if len(open) == 1 || !s.unsat(append(have[:len(have):len(have)], fails[i])...) {
			needs = append(needs, s.words(c))
		}
	}
	return false, needs
}

// words is a condition as people write it: "kh <= h+2".
func (s *solver) words(c cond) string {
	switch {
	case c.need != (graph.Need{}):
		return c.need.String()
	case c.pad != "":
		return fmt.Sprintf("the pads of %s are smaller than %s", c.pad, s.space.String(c.g.E))
	case c.mod > 0:
		return fmt.Sprintf("%d divides %s", c.mod, s.space.String(c.g.E))
	}
	var less, more graph.Index
	for i := 0; i < c.g.E.Len(); i++ {
		if v, k := c.g.E.Term(i); k > 0 {
			more = more.AddScaled(v.Index(), k)
		} else {
			less = less.AddScaled(v.Index(), -k)
		}
	}
	if n := c.g.E.Constant(); n > 0 {
		more = more.AddInt(n)
	} else {
		less = less.AddInt(-n)
	}
	return s.space.String(less) + " <= " + s.space.String(more)
}

// pred is a condition of the law as a formula; not ok of one that is not linear.
func (s *solver) pred(p law.Pred, b *graph.Substitution) (z3.Term, bool) {
	l, r := s.index(s.space.Size(p.Left.Subst(b))), s.index(s.space.Size(p.Right.Subst(b)))
	if p.Mod != nil {
		m, ok := p.Mod.Subst(b).Const()
		if !ok || m < 1 {
			return z3.Term{}, false
		}
		l = s.z.Mod(l, s.z.IntVal(m))
	}
	switch p.Rel {
	case "==":
		return s.z.Eq(l, r), true
	case "!=":
		return s.z.Not(s.z.Eq(l, r)), true
	case "<":
		return s.z.Lt(l, r), true
	case "<=":
		return s.z.Le(l, r), true
	case ">":
		return s.z.Lt(r, l), true
	case ">=":
		return s.z.Le(r, l), true
	}
	return z3.Term{}, false
}
