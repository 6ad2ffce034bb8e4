package smt

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// maxRun bounds the axes that an axis run stands for when laws are instantiated
// at ranks.
const maxRun = 5

// permutations are those by which laws transpose, and their inverses, by their numbers of
// axes, in the order in which they are met.
func permutations(laws []*law.Law) map[int][]graph.Value {
	out := map[int][]graph.Value{}
	for _, l := range laws {
		l.EachTerm(func(u *law.Term) {
			if u.Op == nil {
				return
			}
			op, attrs := u.Op, u.Attrs
			for one, own, _ := op.Member(attrs); one != nil; one, own, _ = op.Member(attrs) {
				op, attrs = one, own
			}
			for i, p := range op.Params {
				if p.Sort != graph.SortPerm || !attrs[i].IsPermutation() {
					continue
				}
				back, _ := graph.PermInverse(attrs[i])
				for _, v := range []graph.Value{attrs[i], back} {
					t, _ := v.Tuple()
					if !slices.Contains(out[len(t)], v) {
						out[len(t)] = append(out[len(t)], v)
					}
				}
			}
		})
	}
	return out
}

// atPerms instantiates the permutation variables of a law without axis runs at some
// permutations, in every way.
func atPerms(l *law.Law, perms map[int][]graph.Value) []*law.Law {
	ranks, err := law.PermRanks(l)
	if err != nil || len(ranks) == 0 {
		return []*law.Law{l}
	}
	names := slices.Sorted(maps.Keys(ranks))
	var out []*law.Law
	b := &graph.Substitution{Attrs: map[string]graph.Value{}}
	var rec func(i int)
	rec = func(i int) {
		if i == len(names) {
			out = append(out, l.Subst(b))
			return
		}
		n, _ := ranks[names[i]].Const()
		for _, p := range perms[int(n)] {
			b.Attrs[names[i]] = p
			rec(i + 1)
		}
	}
	rec(0)
	return out
}

// atRanks instantiates the axis runs of a law in every way that gives all its
// terms one of the ranks, runs with few axes first, and its permutation variables at
// permutations that are given.
func atRanks(l *law.Law, ranks map[int]bool, perms map[int][]graph.Value) []*law.Law {
	_, names := law.Variables(l)
	slices.Sort(names)
	var out []*law.Law
	b := &graph.Substitution{Runs: map[string]graph.Shape{}}
	var rec func(i int)
	rec = func(i int) {
		if i == len(names) {
			for _, m := range atPerms(l.Subst(b), perms) {
				ty, err := m.Types()
				if err != nil {
					continue
				}
				other := false
				for _, s := range ty.Shape {
					other = other || !ranks[len(s)]
				}
				if !other {
					out = append(out, m)
				}
			}
			return
		}
		s := graph.Shape{}
		for n := 0; n <= maxRun; n++ {
			b.Runs[names[i]] = slices.Clone(s)
			rec(i + 1)
			s = append(s, graph.Axis(graph.Var(fmt.Sprintf("%s_%d", names[i], n))))
		}
	}
	rec(0)
	return out
}

// quantify asserts a law without axis runs: for each output and each direction
// that is usable on its own, one formula. It returns how many.
func (e *encoder) quantify(l *law.Law) (int, error) {
	compiled, err := rewrite.Compile(l)
	if err != nil {
		return 0, err
	}
	n := 0
	shapes := l.VarShapes()
	m := *l
	m.LHS, m.RHS = make([]*law.Term, len(l.LHS)), make([]*law.Term, len(l.RHS))
	var needs []graph.Need
	for i := range l.LHS {
		var err error
		if m.LHS[i], err = unsplit(l.LHS[i], shapes, &needs); err != nil {
			return n, err
		}
		if m.RHS[i], err = unsplit(l.RHS[i], shapes, &needs); err != nil {
			return n, err
		}
	}
	for _, d := range compiled.Directions {
		if len(d.Outputs) > 1 || d.Bare || d.Guess {
			continue
		}
		i, j := d.Outputs[0], 0
		s := [2]*law.Term{m.LHS[i], m.RHS[i]}
		if d.Backward {
			s[0], s[1], j = s[1], s[0], 1
		}
		ok, err := e.direction(compiled, &m, fmt.Sprintf("%s.%d.%d", l.Name, i, j), s[0], s[1], needs)
		if err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

// direction asserts: where the pattern occurs, with arguments of the given
// shapes and under the law's conditions, it equals other, given that the law's
// outputs are defined where it has several. It reports false where that cannot
// be said in Z3's terms. Splits of l are slices, with the needs that come with it.
func (e *encoder) direction(compiled *rewrite.Law, l *law.Law, id string, pattern, other *law.Term, needs []graph.Need) (bool, error) {
	c := e.c
	sc := newScope()
	var bound, guard []z3.Term
	bind := func(name string, s z3.Sort) z3.Term {
		x := c.Const("b "+name, s)
		bound = append(bound, x)
		return x
	}
	for _, g := range l.Given {
		switch {
		case g.Sort == "":
			r := len(g.Shape)
			x := bind(g.Name, e.tensor(r))
			sc.vars[g.Name], sc.shape[g.Name] = x, g.Shape
			guard = append(guard, e.def(r, x))
		case law.IsFuncSort(g.Sort):
			f := bind(g.Name, e.fnSort())
			sc.fns[g.Name] = f
			if g.Sort == law.SortZero1 {
				guard = append(guard, e.zero(f))
			}
		default:
			a := bind(g.Name, e.attrSort(g.Sort))
			sc.attrs[g.Name] = a
			if g.Sort == graph.SortSame {
				guard = append(guard, e.same(a))
			}
		}
	}
	// An Int argument of the pattern is a bound variable of its own, since a
	// pattern cannot hold arithmetic: what it must be is an equation. So is what
	// the axes of the tensors must be.
	var sizes, unknowns []graph.Dim
	equal := func(x z3.Term, d graph.Dim) {
		name := fmt.Sprintf("@%d", len(sizes))
		sc.dims[name] = x
		sizes, unknowns = append(sizes, d), append(unknowns, graph.Var(name))
	}
	for _, g := range l.Given {
		for i, it := range g.Shape {
			equal(e.dim(len(g.Shape), i, sc.vars[g.Name]), it.Dim)
		}
	}
	axes := len(sizes)
	lhs, _, err := e.term(sc, pattern, func(d graph.Dim) (z3.Term, error) {
		x := bind(fmt.Sprint(len(bound)), c.Int())
		equal(x, d)
		return x, nil
	})
	if err != nil {
		return false, err
	}
	dims, conds, err := compiled.Define(sizes, unknowns)
	if err != nil {
		return false, nil
	}
	for _, v := range slices.Sorted(maps.Keys(dims)) {
		y, err := e.size(sc, dims[v])
		if err != nil {
			return false, nil
		}
		sc.dims[v] = y
		// An axis of a defined tensor is at least 1 as it is.
		if !slices.Contains(unknowns[:axes], dims[v]) {
			guard = append(guard, c.Le(c.IntVal(1), y))
		}
	}
	for _, i := range conds {
		x, err := e.size(sc, unknowns[i])
		if err != nil {
			return false, nil
		}
		y, err := e.size(sc, sizes[i])
		if err != nil {
			return false, nil
		}
		if !x.Equal(y) {
			guard = append(guard, c.Eq(x, y))
		}
	}
	for _, w := range l.Where {
		p, err := e.pred(sc, w)
		if err != nil {
			return false, nil
		}
		guard = append(guard, p)
	}
	for _, n := range needs {
		a, err := e.size(sc, n.Left)
		if err != nil {
			return false, nil
		}
		b, err := e.size(sc, n.Right)
		if err != nil {
			return false, nil
		}
		if n.Rel == "divides" {
			guard = append(guard, e.divides(a, b))
		} else {
			guard = append(guard, c.Le(a, b))
		}
	}
	rhs, _, err := e.term(sc, other, nil)
	if err != nil {
		return false, nil
	}
	// A law of several outputs speaks of all of a side together.
	switch {
	case l.OneWay:
		t, err := e.defined(sc, l.LHS)
		if err != nil {
			return false, nil
		}
		guard = append(guard, t)
	case len(l.LHS) > 1:
		left, err := e.defined(sc, l.LHS)
		if err != nil {
			return false, nil
		}
		right, err := e.defined(sc, l.RHS)
		if err != nil {
			return false, nil
		}
		guard = append(guard, c.Or(left, right))
	}
	body := c.Eq(lhs, rhs)
	if len(guard) > 0 {
		body = c.Implies(c.And(guard...), body)
	}
	if len(bound) == 0 {
		e.fact(body)
		return true, nil
	}
	q := c.ForAll(z3.Quantifier{ID: id, Bound: bound, Patterns: [][]z3.Term{{lhs}}, Body: body})
	e.fact(q)
	return true, q.Err()
}

// defined says that all of these terms are defined.
func (e *encoder) defined(sc *scope, ts []*law.Term) (z3.Term, error) {
	out := make([]z3.Term, len(ts))
	for i, t := range ts {
		x, rank, err := e.term(sc, t, nil)
		if err != nil {
			return x, err
		}
		out[i] = e.def(rank, x)
	}
	return e.c.And(out...), nil
}

// pred is a condition on sizes.
func (e *encoder) pred(sc *scope, p law.Pred) (z3.Term, error) {
	c := e.c
	l, err := e.size(sc, p.Left)
	if err != nil {
		return l, err
	}
	r, err := e.size(sc, p.Right)
	if err != nil {
		return r, err
	}
	if p.Mod != nil {
		m, err := e.size(sc, *p.Mod)
		if err != nil {
			return m, err
		}
		l = c.Mod(l, m)
	}
	switch p.Rel {
	case "==":
		return c.Eq(l, r), nil
	case "!=":
		return c.Not(c.Eq(l, r)), nil
	case "<":
		return c.Lt(l, r), nil
	case "<=":
		return c.Le(l, r), nil
	case ">":
		return c.Lt(r, l), nil
	case ">=":
		return c.Le(r, l), nil
	}
	return l, fmt.Errorf("relation %q", p.Rel)
}
