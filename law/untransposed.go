package law

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
)

// HasPerms reports whether permutation variables are among those of the law.
func (l *Law) HasPerms() bool {
	for _, d := range l.Given {
		if d.Sort == graph.SortPerm {
			return true
		}
	}
	return false
}

// Untransposed is a law without permutation variables that says the same as l: both sides
// of l are both sides of it, transposed by one permutation. So l is true if and only if it
// is. A law that has no permutation variables is returned as it is. The error says where
// this cannot be seen.
//
// Transposes are moved outwards. A term is kept as a term without permutation variables and
// the product of variables by which that is transposed, from a number of axes of a mesh
// in front, which stay, on. A transpose makes the product longer, and one with its inverse
// cancels. An operator that does the same whatever order the axes are in ([graph.Op.Turns])
// may be applied before its operands are transposed, if all are by one product p; where it
// has an axis i, that is axis p[i] of what is not yet transposed, and has to be an axis of
// which nothing more need be known. Where both sides come out with one product, they are
// equal if and only if they are before: a permutation of entries can be undone.
//
//	transpose[perm=q](concat[axis=#A](X, Y))                 concat[axis=#A](X, Y), by q
//	concat[axis=at(inverse(q), #A)](transpose[perm=q](X),    concat[axis=#A](X, Y), by q
//	                                transpose[perm=q](Y))    as q[inverse(q)[#A]] = #A
func Untransposed(l *Law) (*Law, error) {
	if !l.HasPerms() {
		return l, nil
	}
	u := &untransposer{done: map[*Term]turned{}}
	m := *l
	m.Given = nil
	for _, d := range l.Given {
		if d.Sort != graph.SortPerm {
			m.Given = append(m.Given, d)
		}
	}
	var err error
	if m.LHS, m.RHS, err = u.sides(l); err != nil {
		return nil, fmt.Errorf("law %s: %w: %w", l.Name, ErrOrder, err)
	}
	if _, err = PermRanks(l); err != nil {
		return nil, err
	}
	if err = u.families(&m); err != nil {
		return nil, fmt.Errorf("law %s: %w", l.Name, err)
	}
	return &m, nil
}

// ErrOrder says that it is not seen that both sides of a law have their axes in one order.
var ErrOrder = errors.New("axes in an order that is not known")

// turned is a term that is transposed by a product of permutation variables, but for the
// axes of a mesh in front. by is no value, and mesh nil, where nothing is transposed.
type turned struct {
	t    *Term
	by   graph.Value
	mesh graph.Shape
}

func (x turned) plain() bool { return x.by == graph.Value{} }

func (x turned) same(y turned) bool { return x.by == y.by && x.mesh.Equal(y.mesh) }

type untransposer struct {
	done map[*Term]turned
	uses []turned // what is transposed behind the axes of a mesh
}

func (u *untransposer) sides(l *Law) (left, right []*Term, err error) {
	if len(l.LHS) != len(l.RHS) {
		return nil, nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	for i := range l.LHS {
		x, err := u.term(l.LHS[i])
		if err != nil {
			return nil, nil, err
		}
		y, err := u.term(l.RHS[i])
		if err != nil {
			return nil, nil, err
		}
		if !x.same(y) {
			return nil, nil, fmt.Errorf("the left side is %s, the right side %s", x, y)
		}
		left, right = append(left, x.t), append(right, y.t)
	}
	return left, right, nil
}

// String is for messages.
func (x turned) String() string {
	switch {
	case x.plain():
		return "not transposed"
	case len(x.mesh) == 0:
		return "transposed by " + x.by.String()
	}
	return fmt.Sprintf("transposed by %s behind %s", x.by, x.mesh)
}

func (u *untransposer) term(t *Term) (turned, error) {
	var err error
	known := func(v *Term) bool { _, ok := u.done[v]; return ok || err != nil }
	t.WalkNew(known, func(v *Term) {
		if err != nil {
			return
		}
		var x turned
		if x, err = u.node(v); err != nil {
			err = fmt.Errorf("%s: %w", v.Brief(), err)
		}
		u.done[v] = x
	})
	return u.done[t], err
}

// node is a term whose arguments are done.
func (u *untransposer) node(t *Term) (turned, error) {
	out := turned{t: t}
	if t.Var != "" {
		return out, nil
	}
	v := *t
	v.Args = make([]*Term, len(t.Args))
	moved := 0 // operands that are transposed
	for i, a := range t.Args {
		x := u.done[a]
		if v.Args[i] = x.t; !x.plain() {
			moved++
		}
	}
	open := false // some attribute speaks of permutations that are not known
	for _, a := range t.Attrs {
		open = open || a.HasPerm()
	}
	if moved == 0 && !open {
		if sameTerms(v.Args, t.Args) {
			return out, nil
		}
		out.t = &v
		return out, nil
	}
	if t.Fn != "" {
		out = u.done[t.Args[0]]
		out.t = &v
		return out, nil
	}
	first := turned{}
	if len(t.Args) > 0 {
		first = u.done[t.Args[0]]
	}
	if perm, over, ok := transposition(t); ok {
		return u.transposed(first, perm, over)
	}
	k := t.Op.Turning()
	if k == 0 || t.Op.Expand != nil {
		return out, errors.New("an operator to which the order of axes matters, of tensors in an order that is not known")
	}
	for i := range t.Args {
		if x := u.done[t.Args[i]]; i < k && !x.same(first) || i >= k && !x.plain() {
			return out, fmt.Errorf("operand %d is %s, operand 0 %s", i, x, first)
		}
	}
	var err error
	if v.Attrs, out.mesh, err = across(t.Op, t.Attrs, first.mesh, first.by); err != nil {
		return out, err
	}
	out.t, out.by = &v, first.by
	return out, nil
}

func sameTerms(a, b []*Term) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// transposition reads a transpose by permutations that are not known, behind the axes of a
// mesh.
func transposition(t *Term) (perm graph.Value, mesh graph.Shape, ok bool) {
	op, attrs := t.Op, t.Attrs
	if one, own, over := op.Member(attrs); one != nil {
		op, attrs, mesh = one, own, over
	}
	i := op.ParamIndex("perm")
	if i < 0 || op.Params[i].Sort != graph.SortPerm || !attrs[i].HasPerm() {
		return graph.Value{}, nil, false
	}
	return attrs[i], mesh, true
}

// transposed is x transposed once more.
func (u *untransposer) transposed(x turned, perm graph.Value, mesh graph.Shape) (turned, error) {
	if !x.plain() && !x.mesh.Equal(mesh) {
		return x, fmt.Errorf("%s is %s", x.t.Brief(), x)
	}
	if x.mesh = mesh; len(mesh) > 0 {
		u.uses = append(u.uses, x)
	}
	by := perm
	if !x.plain() {
		var ok bool
		if by, ok = graph.PermAfter(x.by, perm); !ok {
			return x, fmt.Errorf("%s after %s", x.by, perm)
		}
	}
	if x.by = by; len(by.PermVars()) == 0 {
		x.by, x.mesh = graph.Value{}, nil
	}
	return x, nil
}

// across is an operator, of operands transposed behind the axes of a mesh, applied before
// that: its attributes then, and the axes of meshes in front of its result.
func across(op *graph.Op, attrs graph.Attrs, mesh graph.Shape, by graph.Value) (graph.Attrs, graph.Shape, error) {
	if one, own, over := op.Member(attrs); one != nil {
		if len(mesh) < len(over) || !mesh[:len(over)].Equal(over) {
			return nil, nil, fmt.Errorf("operands transposed behind %s, of families over %s", mesh, over)
		}
		own, rest, err := across(one, own, mesh[len(over):], by)
		return append(attrs[:1:1], own...), append(over.Clone(), rest...), err
	}
	switch op.Layout {
	case graph.LayoutMakes:
		on, _ := attrs[op.ParamIndex("on")].Dim()
		mesh = append(graph.ShapeOf(on), mesh...)
	case graph.LayoutEnds:
		if len(mesh) == 0 || mesh[0].AxisRun != "" {
			return nil, nil, errors.New("the axis of the mesh is transposed with the others")
		}
		mesh = mesh[1:]
	case graph.LayoutKeeps:
		return nil, nil, errors.New("members exchange what is transposed")
	}
	own := len(mesh)
	if op.Layout == graph.LayoutMakes {
		own--
	}
	out := append(graph.Attrs{}, attrs...)
	for i, p := range op.Params {
		if p.Sort != "axis" {
			if attrs[i].HasPerm() {
				return nil, nil, fmt.Errorf("attribute %s=%s", p.Name, attrs[i])
			}
			continue
		}
		axis, ok := graph.PermAt(by, attrs[i])
		if _, known := axis.Dim(); !ok || !known || own > 0 {
			return nil, nil, fmt.Errorf("which axis of its operands axis %s is, they being transposed by %s, is not known", attrs[i], by)
		}
		out[i] = axis
	}
	return out, mesh, nil
}

// families requires of what is transposed behind the axes of a mesh that it has these in
// front, given a law over the terms that are not transposed.
func (u *untransposer) families(m *Law) error {
	vars := m.VarShapes()
	memo := map[*Term]graph.Shape{}
	var f graph.Unifier
	for _, x := range u.uses {
		s, err := TypeOf(&f, x.t, vars, memo)
		if err != nil {
			return err
		}
		if n := len(x.mesh); len(s) < n || !s[:n].Equal(x.mesh) {
			return fmt.Errorf("%s of shape %s is no family over %s", x.t.Brief(), s, x.mesh)
		}
	}
	return nil
}
