package parallel

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// CheckRoles derives the roles of a graph that somebody else laid out ([Laid]) from what
// its operators compute. A role is derived where the equation between members and the
// tensor that they stand for holds, see package documentation. The error names a node
// whose members are something else than the layout says. Nodes of which nothing could be
// derived are returned by name.
func (l *Laying) CheckRoles(ctx context.Context) (open []string, err error) {
	c := &roleChecker{prover: prover{known: map[string]Role{}}, shown: map[string]bool{}}
	for id := range l.g.Nodes() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all := true
		for k := range l.g.NumOut(id) {
			for j := range l.Layout(id.Out(k)) {
				ok, err := c.role(ctx, l, id, k, j)
				if err != nil {
					return nil, fmt.Errorf("node %s: %w", l.g.Name(id), err)
				}
				all = all && ok
			}
		}
		if !all {
			open = append(open, l.g.Name(id))
		}
	}
	return open, nil
}

type roleChecker struct {
	prover
	shown map[string]bool // by question and role
}

// role derives the role along the mesh axis at place j of result k of a node; false: it is
// neither shown nor refuted.
func (c *roleChecker) role(ctx context.Context, l *Laying, id graph.NodeID, k, j int) (bool, error) {
	o := l.g.Op(id)
	if o == nil {
		return false, nil
	}
	says := l.Layout(id.Out(k))[j]
	one, attrs, over := o.Member(l.g.Attrs(id))
	if one == nil {
		one, attrs = o, l.g.Attrs(id)
	}
	in := l.g.Operands(id)
	if one.Layout != graph.LayoutNone {
		return l.passesOn(one, attrs, in[0], len(over), says)
	}
	q := question{op: one, attrs: attrs, out: k, size: l.degrees[says.Axis], uniform: make([]bool, len(in))}
	copies := true
	for _, t := range in {
		r, ok := roleAlong(l.Layout(t), says.Axis)
		if !ok || r.Kind == Unknown {
			return false, nil
		}
		copies = copies && r.Kind == Copy
		q.roles, q.sizes = append(q.roles, r), append(q.sizes, l.g.Sizes(t)[len(l.Mesh(t)):])
	}
	switch ok, err := c.holds(ctx, q, says.Role, copies); {
	case ok || err != nil:
		return ok, err
	case says.Role.Kind == Unknown || len(in) == 0:
		return false, nil
	}
	is, err := c.prover.role(ctx, q)
	if err != nil || is.Kind == Unknown {
		return false, err
	}
	return false, fmt.Errorf("along mesh axis %d its results are told to be: %s; they are: %s", says.Axis, says.Role, is)
}

// holds reports whether results are shown to be r.
func (c *roleChecker) holds(ctx context.Context, q question, r Role, copies bool) (bool, error) {
	if r.Kind == Copy {
		return copies, nil // the same is computed of the same
	}
	if r.Kind == Unknown || r.Before+r.After > 0 { // only the operator halo adds places of neighbours
		return false, nil
	}
	key := fmt.Sprintf("%s -> %s", q.key(), r)
	if ok, known := c.shown[key]; known {
		return ok, nil
	}
	sp := &spreading{op: q.op, member: q.attrs, sizes: q.sizes, in: q.roles, degree: q.size}
	ok := false
	if ranks, fits := sp.ranks(); fits && q.out < len(ranks) && (r.Kind != Shard || r.Axis < ranks[q.out]) {
		for _, sp.whole = range q.wholeAttrs() {
			var err error
			if ok, err = sp.holds(ctx, q.out, r); err != nil {
				return false, err
			} else if ok {
				break
			}
		}
	}
	c.shown[key] = ok
	return ok, nil
}

// passesOn reports whether a layout operator is shown to make members of the given role
// along one mesh axis: along its own, [Laid] compares the role with the operator; along
// another one it leaves the role as it is. Parts of an axis that is put together from
// larger or smaller parts are not followed.
func (l *Laying) passesOn(o *graph.Op, attrs graph.Attrs, t graph.Tensor, at int, says Spread) (bool, error) {
	if o.Layout == graph.LayoutKeeps {
		return false, nil
	}
	was, ok := roleAlong(l.Layout(t), says.Axis)
	if !ok {
		return true, nil // the axis that it makes
	}
	if says.Role.Kind == Unknown || was.Kind == Unknown {
		return false, nil
	}
	axis := -1 // of a member, along which it cuts or joins
	if o == op.Partition || o == op.Combine {
		n, err := intAttr(o, attrs, "axis")
		if err != nil {
			return false, err
		}
		inner := len(l.Mesh(t)) - at
		if o == op.Combine {
			inner--
		}
		if axis = n - inner; axis < 0 {
			return false, nil // a mesh axis
		}
	}
	same := o == op.Combine && was.Kind == Shard && was.Axis == axis
	switch {
	case same:
		return false, nil
	case was == says.Role:
		return true, nil
	}
	return false, fmt.Errorf("along mesh axis %d its results are told to be: %s; its operand is: %s", says.Axis, says.Role, was)
}
