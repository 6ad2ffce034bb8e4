package parallel

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// told checks the roles that somebody tells of a node's results, as far as operators show
// them: what makes members makes them in one role, what ends them ends those of one, and
// members are copies only if they are computed from copies. Whether what is computed of parts is
// parts or sums is for laws to say.
func (l *Laying) told(id graph.NodeID) error {
	g, o := l.g, l.g.Op(id)
	if o == nil {
		return nil
	}
	one, attrs, over := o.Member(g.Attrs(id))
	if one == nil {
		one, attrs = o, g.Attrs(id)
	}
	in := g.Operands(id)
	made := -1 // the mesh axis that the node makes, or ends
	if one.Layout == graph.LayoutMakes || one.Layout == graph.LayoutEnds {
		many := id.Out(0)
		if one.Layout == graph.LayoutEnds {
			many = in[0]
		}
		at := len(over)
		role, inner := l.Layout(many)[at].Role, len(l.Mesh(many))-at-1
		made = l.Mesh(many)[at]
		if err := fits(one, attrs, role, inner, l.degrees[made]); err != nil {
			return err
		}
	}
	for k := range g.NumOut(id) {
		for _, s := range l.Layout(id.Out(k)) {
			if s.Role.Kind != Copy || s.Axis == made {
				continue
			}
			if i := slices.IndexFunc(in, func(t graph.Tensor) bool { r, ok := roleAlong(l.Layout(t), s.Axis); return !ok || r.Kind != Copy }); i >= 0 {
				return fmt.Errorf("along mesh axis %d its results are told to be copies, operand %d is %s", s.Axis, i, l.Layout(in[i]).text())
			}
		}
	}
	return nil
}

// fits compares the role of members with the operator that makes or ends them; inner is how
// many mesh axes are behind theirs.
func fits(o *graph.Op, attrs graph.Attrs, r Role, inner, degree int) error {
	ok := degree == 1 // the member is the tensor
	switch o {
	case op.Partition, op.Combine:
		axis, err := intAttr(o, attrs, "axis")
		if err != nil {
			return err
		}
		if axis < inner { // parts of a mesh axis
			ok = ok || r.Kind == Unknown
			break
		}
		ok = ok || r.Kind == Shard && r.Axis == axis-inner && r.Blocks+r.Before+r.After == 0
	case op.Replicate:
		ok = ok || r.Kind == Copy
	case op.Drop:
		ok = ok || r.Kind == Copy || r.Kind == First
	case op.Lift, op.Reduce:
		ok = ok || r.Kind == First || r.Kind == Sum
	}
	if !ok {
		return fmt.Errorf("%s of members that are told to be: %s", o.Name, r)
	}
	return nil
}

// roleAlong is the role along a mesh axis.
func roleAlong(l Layout, axis int) (Role, bool) {
	for _, s := range l {
		if s.Axis == axis {
			return s.Role, true
		}
	}
	return Role{}, false
}

func (l Layout) text() (s string) {
	for i, x := range l {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%d %s", x.Axis, x.Role)
	}
	return s
}
