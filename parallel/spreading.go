package parallel

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// spreading is an operator with what its operands' members are.
type spreading struct {
	op            *graph.Op
	whole, member graph.Attrs // where it is applied to what members stand for, and to members
	sizes         [][]int     // of the operands' members
	in            []Role
	degree        int
	apart         bool // sizes of shards are variables of their own
	divided       bool // a member has its part of the groups
	multiple      int  // if not 0: sizes that are multiples of it are written as such
}

// ranks are those of the results; false: the members do not have the operator's shapes.
func (q *spreading) ranks() (out []int, ok bool) {
	results, ok := resultsOf(q.op, q.member, q.sizes)
	for _, x := range results {
		out = append(out, len(x))
	}
	return out, ok
}

// resultsOf are the shapes of an operator's results; false: it has none for such operands.
func resultsOf(o *graph.Op, attrs graph.Attrs, sizes [][]int) ([]graph.Shape, bool) {
	shapes := make([]graph.Shape, len(sizes))
	for i, x := range sizes {
		shapes[i] = graph.Sizes(x...)
	}
	var f graph.Unifier
	out, err := o.InferShapes(&f, attrs, shapes)
	return out, err == nil
}

// joins reports whether members of a result, which have the sizes of a member, can be those of what
// they stand for in a role. If not no law says so: its sides are of different shapes.
func joins(member, whole graph.Shape, r Role, degree int) bool {
	a, ok := member.Concrete()
	b, also := whole.Concrete()
	if !ok || !also {
		return true // that is for laws to say
	}
	if r.Kind == Shard && r.Axis < len(a) {
		a[r.Axis] *= degree
	}
	return slices.Equal(a, b)
}

// lifted is an operator on each of g members; one that is applied to members of families
// already is so over one axis more.
func lifted(o *graph.Op, attrs graph.Attrs, g graph.Dim) (*graph.Op, graph.Attrs) {
	if one, own, over := o.Member(attrs); one != nil {
		return o, append(graph.Attrs{graph.ShapeValue(append(graph.ShapeOf(g), over...))}, own...)
	}
	each := o.Each()
	if each == nil || each == o {
		return each, attrs
	}
	return each, append(graph.Attrs{graph.ShapeValue(graph.ShapeOf(g))}, attrs...)
}

// positions is the operand that holds places in another one, -1: none.
func (q *spreading) positions() int {
	if q.op.Places == nil {
		return -1
	}
	shapes := make([]graph.Shape, len(q.sizes))
	for i, x := range q.sizes {
		shapes[i] = graph.Sizes(x...)
	}
	i, _, err := q.op.Places(q.member, shapes)
	if err != nil {
		return -1
	}
	return i
}

// literal is the largest size that stays a number in a general law: one that may be that
// of a window or of a group of channels, or 1, at which shapes are told from others.
func (q *spreading) literal() int {
	for _, p := range q.op.Params {
		if p.Sort == graph.SortPadding {
			return small
		}
	}
	return 1
}

// has reports whether an operand has an axis of a size.
func (q *spreading) has(n int) bool {
	return slices.ContainsFunc(q.sizes, func(x []int) bool { return slices.Contains(x, n) })
}

// law is the statement that the members of a result are r. The variables are families
// whose members are shards or sums, and tensors of which the members are copies. In a
// general one sizes are variables, the values of which are returned. It is nil where no
// members are r, or the operator is not applied to members.
func (q *spreading) law(out int, r Role, general bool) (*law.Law, map[string]graph.Dim) {
	return q.stated(out, r, func(int) bool { return !general }, !general)
}

// stated is the law with variables for sizes but those that stay, and for the degree
// unless it does.
func (q *spreading) stated(out int, r Role, stays func(int) bool, degree bool) (*law.Law, map[string]graph.Dim) {
	g, dims := graph.Int(int64(q.degree)), map[string]graph.Dim{}
	if !degree {
		dims[degreeName] = g
		g = graph.Var(degreeName)
	}
	names, literal := map[int]string{}, q.literal() // in the order in which they occur, whatever the sizes are
	named := func(n int) graph.Dim {
		if names[n] == "" {
			names[n] = fmt.Sprintf("n%d", len(names))
			dims[names[n]] = graph.Int(int64(n))
		}
		return graph.Var(names[n])
	}
	var size func(n int) graph.Dim
	size = func(n int) graph.Dim {
		if n <= literal || stays(n) {
			return graph.Int(int64(n))
		}
		k := q.multiple
		if k < 2 || n%k != 0 {
			return named(n)
		}
		if m := n / k; q.has(m) { // channels, and those of a group
			return graph.Int(int64(k)).Mul(size(m))
		}
		return graph.Int(int64(k)).Mul(named(n / k))
	}
	parts := map[int]string{}
	part := func(n int) graph.Dim { // of a shard, however small: no window is as large by that
		if parts[n] == "" {
			parts[n] = fmt.Sprintf("p%d", len(parts))
			dims[parts[n]] = graph.Int(int64(n))
		}
		return graph.Var(parts[n])
	}
	own, all := q.member, q.whole
	if q.divided {
		m, is := max(1, groups(q.op, own)), graph.Int(1)
		if m > 1 {
			is, dims["m"] = graph.Var("m"), graph.Int(int64(m))
		}
		own, all = replaced(q.op, own, m, is), replaced(q.op, all, m*q.degree, g.Mul(is))
		part = func(n int) graph.Dim {
			if n%m != 0 {
				return size(n)
			}
			return is.Mul(size(n / m))
		}
	}
	front := 0
	if one, _, over := q.op.Member(own); one != nil { // over what they are families is any size too
		front = len(over)
		var mesh graph.Shape
		for _, it := range over {
			n, _ := it.Dim.Const()
			mesh = append(mesh, graph.ShapeOf(size(int(n)))...)
		}
		own = append(graph.Attrs{graph.ShapeValue(mesh)}, own[1:]...)
		all = append(graph.Attrs{graph.ShapeValue(mesh)}, all[1:]...)
	}
	each, attrs := lifted(q.op, own, g)
	if each == nil {
		return nil, nil
	}
	l := &law.Law{Kind: law.Lemma, Name: "spread", Tags: []string{"parallel"}}
	var members, wholes []*law.Term
	var owns []graph.Shape // of members
	for i, x := range q.sizes {
		v, role := law.V(variable(i)), q.in[i]
		family := role.Kind == Shard || role.Kind == Sum
		var shape graph.Shape
		if family {
			shape = graph.ShapeOf(g)
		}
		for k, n := range x {
			if role.Kind == Shard && role.Axis == k {
				n -= role.Before + role.After
			}
			d, blocks := graph.Dim{}, 1
			if role.Kind == Shard && role.Axis == k && role.Blocks > 0 {
				blocks = role.Blocks
			}
			if n /= blocks; (q.apart || q.divided) && role.Kind == Shard && role.Axis == k && n > 1 {
				d = part(n)
			} else {
				d = size(n)
			}
			shape = append(shape, graph.ShapeOf(graph.Int(int64(blocks)).Mul(d))...)
		}
		l.Given = append(l.Given, law.Declaration{Name: v.Var, Shape: shape})
		owned := shape
		if family {
			owned = shape[1:]
		}
		owns = append(owns, owned)
		end, err := joined(role, g, owned, front)
		if err != nil {
			return nil, nil
		}
		begin, _, err := made(role, graph.DimValue(g))
		if err != nil && (!family || role.Blocks == 0 || i == q.positions()) {
			return nil, nil
		}
		switch {
		case i == q.positions() && role.Kind == Shard:
			// Positions are dealt out: where they are within the table is said of all of them.
			shape = shape[1:].Clone()
			if d := shape[role.Axis].Dim; shape[role.Axis].AxisRun == "" {
				shape = shape.With(role.Axis, g.Mul(d))
			}
			l.Given[len(l.Given)-1].Shape = shape
			members, wholes = append(members, begin(v)), append(wholes, v)
		case !family:
			members, wholes = append(members, begin(v)), append(wholes, v)
		case role.Before+role.After > 0:
			beside := law.Apply(op.Halo, graph.Attrs{number(role.Axis), number(role.Before), number(role.After)}, v)
			members, wholes = append(members, beside), append(wholes, end(v))
		default:
			members, wholes = append(members, v), append(wholes, end(v))
		}
	}
	left, right := law.Apply(each, attrs, members...).Output(out), law.Apply(q.op, all, wholes...).Output(out)
	if r.Kind == Copy || r.Kind == First {
		begin, _, err := made(r, graph.DimValue(g))
		if err != nil {
			return nil, nil
		}
		right = begin(right)
	} else {
		var shape graph.Shape
		if r.Blocks > 0 {
			var f graph.Unifier
			shapes, err := q.op.InferShapes(&f, own, owns)
			if err != nil || r.Axis >= len(shapes[out]) {
				return nil, nil
			}
			shape = shapes[out]
		}
		end, err := joined(r, g, shape, front)
		if err != nil {
			return nil, nil
		}
		left = end(left)
	}
	l.LHS, l.RHS = []*law.Term{left}, []*law.Term{right}
	return l, dims
}
