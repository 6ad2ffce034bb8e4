package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// PermRanks is the number of axes that each permutation variable of a law permutes, a
// formula of the lengths of runs: the variable stands for the permutations of so many axes
// and for no others. It is an error if a variable transposes nothing, or tensors of several
// numbers of axes, or one of which that is not known.
func PermRanks(l *Law) (map[string]graph.Dim, error) {
	if !l.HasPerms() {
		return nil, nil
	}
	r := &ranker{vars: l.VarShapes(), rank: map[*Term]*graph.Dim{}, shape: map[*Term]graph.Shape{}, of: map[string]graph.Dim{}}
	var err error
	for _, t := range l.Outputs() {
		t.WalkNew(func(u *Term) bool { _, ok := r.rank[u]; return ok || err != nil }, func(u *Term) {
			if err != nil {
				return
			}
			var d graph.Dim
			if d, err = r.node(u); err != nil {
				err = fmt.Errorf("law %s: %s: %w", l.Name, u.Brief(), err)
			}
			r.rank[u] = &d
		})
	}
	if err != nil {
		return nil, err
	}
	for _, d := range l.Given {
		if _, ok := r.of[d.Name]; d.Sort == graph.SortPerm && !ok {
			return nil, fmt.Errorf("law %s: nothing is transposed by %s", l.Name, d.Name)
		}
	}
	return r.of, nil
}

type ranker struct {
	vars  map[string]graph.Shape
	rank  map[*Term]*graph.Dim
	shape map[*Term]graph.Shape // of terms in which the order of axes is known
	f     graph.Unifier
	of    map[string]graph.Dim
}

// node is the number of axes of a term whose arguments have theirs.
func (r *ranker) node(t *Term) (rank graph.Dim, err error) {
	known := true
	for _, a := range t.Args {
		_, ok := r.shape[a]
		known = known && ok
	}
	for _, v := range t.Attrs {
		known = known && !v.HasPerm()
	}
	if known {
		s, err := TypeOf(&r.f, t, r.vars, r.shape)
		return s.Rank(), err
	}
	if len(t.Args) == 0 {
		return rank, fmt.Errorf("%w", ErrOrder)
	}
	rank = *r.rank[t.Args[0]]
	if t.Fn != "" {
		return rank, nil
	}
	if perm, mesh, ok := transposition(t); ok {
		n := rank.Sub(mesh.Rank())
		for _, p := range perm.PermVars() {
			name, _, _ := p.Var.Var()
			if old, ok := r.of[name]; ok && old != n {
				return rank, fmt.Errorf("%s permutes %s axes elsewhere, here %s", name, old, n)
			}
			r.of[name] = n
		}
		return rank, nil
	}
	op := t.Op
	for one, attrs := op, t.Attrs; one != nil; one, attrs, _ = one.Member(attrs) {
		op = one
	}
	switch {
	case op.ParamIndex("perm") >= 0: // in an order that is known
		return rank, nil
	case op.Turning() == 0:
		return rank, fmt.Errorf("%w: that may matter to %s", ErrOrder, op.Name)
	case op.Layout == graph.LayoutMakes:
		return rank.Add(graph.Int(1)), nil
	case op.Layout == graph.LayoutEnds:
		return rank.Sub(graph.Int(1)), nil
	}
	return rank, nil
}
