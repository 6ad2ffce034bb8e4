package eval

import (
	"slices"
	"strings"
)

// eachOf is the operator that one of each member of families applies, by name.
func eachOf(op string) (one string, ok bool) { return strings.CutPrefix(op, "each_") }

// eachShapes is the shapes of the outputs of an operator on each member of families.
func eachShapes(one string, a attrs, in [][]int64) ([][]int64, error) {
	over := a["over"].Shape
	if err := sizesAtLeastOne(over); err != nil {
		return nil, err
	}
	members := make([][]int64, len(in))
	for i, s := range in {
		if len(s) < len(over) || !slices.Equal(s[:len(over)], over) {
			return nil, undef("%s of %v, a family of %v", one, s, over)
		}
		members[i] = s[len(over):]
	}
	out, err := shapesOf(one, a, members)
	if err != nil {
		return nil, err
	}
	all := make([][]int64, len(out))
	for i, s := range out {
		all[i] = slices.Concat(over, s)
	}
	return all, nil
}

// layoutShape is the shape that an operator between tensors and meshes gives; not ok if
// it is no such operator.
func layoutShape(op string, a attrs, x []int64) (out []int64, ok bool, err error) {
	axis, on := a["axis"].N, a["on"].N
	switch op { // names for others
	case "pipeline":
		return layoutShape("partition", a, x)
	case "batch":
		return layoutShape("combine", a, x)
	case "allreduce", "reducescatter", "allgather", "alltoall":
		return collectiveShape(op, a, x)
	}
	makes := op == "partition" || op == "replicate" || op == "lift"
	ends := op == "combine" || op == "reduce" || op == "drop" || op == "halo"
	switch {
	case !makes && !ends:
		return nil, false, nil
	case makes && on < 1:
		return nil, true, undef("%s on %d", op, on)
	case ends && len(x) == 0:
		return nil, true, undef("%s of a scalar", op)
	}
	member := x
	if ends {
		member = x[1:]
	}
	moves := op == "partition" || op == "combine" || op == "halo"
	if moves && (axis < 0 || axis >= int64(len(member))) {
		return nil, true, undef("axis %d of %v", axis, member)
	}
	switch op {
	case "partition":
		if x[axis]%on != 0 {
			return nil, true, undef("%d parts of %d", on, x[axis])
		}
		return append([]int64{on}, with(x, int(axis), x[axis]/on)...), true, nil
	case "replicate", "lift":
		return append([]int64{on}, x...), true, nil
	case "reduce", "drop":
		return member, true, nil
	case "combine":
		n, err := mul(x[0], member[axis])
		if err != nil {
			return nil, true, err
		}
		return with(member, int(axis), n), true, nil
	}
	before, after, n := a["before"].N, a["after"].N, member[axis]
	if before < 0 || after < 0 || before > n || after > n {
		return nil, true, undef("%d and %d neighbours of %d", before, after, n)
	}
	return with(x, int(axis)+1, before+n+after), true, nil
}

// collectiveShape is the shape that a collective gives.
func collectiveShape(op string, a attrs, x []int64) (out []int64, ok bool, err error) {
	if len(x) == 0 {
		return nil, true, undef("%s of a scalar", op)
	}
	g, out := x[0], x
	join, cut := a["concat"].N, a["split"].N
	if op != "alltoall" {
		join, cut = a["axis"].N, a["axis"].N
	}
	within := func(axis int64) bool { return axis >= 0 && axis+1 < int64(len(x)) }
	if op == "allgather" || op == "alltoall" {
		if !within(join) {
			return nil, true, undef("axis %d of %v", join, x[1:])
		}
		n, err := mul(g, out[join+1])
		if err != nil {
			return nil, true, err
		}
		out = with(out, int(join)+1, n)
	}
	if op == "reducescatter" || op == "alltoall" {
		if !within(cut) || out[cut+1]%g != 0 {
			return nil, true, undef("%d parts along axis %d of %v", g, cut, out[1:])
		}
		out = with(out, int(cut)+1, out[cut+1]/g)
	}
	return out, true, nil
}

// collective is a cell of one: idx is that of a member and of its place there.
func (m *machine[V]) collective(n *node, idx []int64) V {
	from, g := slices.Clone(idx), n.shape[0]
	join, cut := int(n.a["concat"].N), int(n.a["split"].N)
	if n.op != "alltoall" {
		join, cut = int(n.a["axis"].N), int(n.a["axis"].N)
	}
	if n.op == "reducescatter" || n.op == "alltoall" {
		from[1+cut] += idx[0] * n.shape[1+cut]
	}
	if n.op == "allgather" || n.op == "alltoall" {
		size := n.args[0].shape[1+join]
		from[0], from[1+join] = from[1+join]/size, from[1+join]%size
		return m.at(n.args[0], from)
	}
	sum := m.f.Int(0)
	for d := range g {
		from[0] = d
		sum = m.f.Add(sum, m.at(n.args[0], slices.Clone(from)))
	}
	return sum
}

// member is one member of a family, as a node whose cells are not remembered.
const member = "a member"

// eachMember is a cell of an operator on each member of families.
func (m *machine[V]) eachMember(one string, n *node, idx []int64) V {
	k := len(n.a["over"].Shape)
	of := &node{op: one, a: n.a, out: n.out, shape: n.shape[k:]}
	for _, x := range n.args {
		of.args = append(of.args, &node{op: member, a: attrs{"at": {Tuple: idx[:k]}}, args: []*node{x}, shape: x.shape[k:]})
	}
	return m.compute(of, idx[k:])
}

// layout is a cell of an operator between tensors and meshes; not ok of any other.
func (m *machine[V]) layout(n *node, idx []int64) (v V, ok bool) {
	arg := func(d int64, at []int64) V { return m.at(n.args[0], append([]int64{d}, at...)) }
	axis := int(n.a["axis"].N)
	zero := m.f.Int(0)
	switch n.op {
	case "allreduce", "reducescatter", "allgather", "alltoall":
		return m.collective(n, idx), true
	case "partition", "pipeline":
		return m.at(n.args[0], with(idx[1:], axis, idx[0]*n.shape[1+axis]+idx[1+axis])), true
	case "combine", "batch":
		size := n.args[0].shape[1+axis]
		return arg(idx[axis]/size, with(idx, axis, idx[axis]%size)), true
	case "replicate":
		return m.at(n.args[0], idx[1:]), true
	case "lift":
		if idx[0] > 0 {
			return zero, true
		}
		return m.at(n.args[0], idx[1:]), true
	case "drop":
		return arg(0, idx), true
	case "reduce":
		sum := zero
		m.each(n.args[0].shape[:1], func(d []int64) { sum = m.f.Add(sum, arg(d[0], idx)) })
		return sum, true
	case "halo":
		size, d, at := n.args[0].shape[1+axis], idx[0], idx[1+axis]-n.a["before"].N
		switch {
		case at < 0:
			d, at = d-1, at+size
		case at >= size:
			d, at = d+1, at-size
		}
		if d < 0 || d >= n.args[0].shape[0] {
			return zero, true
		}
		return arg(d, with(idx[1:], axis, at)), true
	}
	return zero, false
}
