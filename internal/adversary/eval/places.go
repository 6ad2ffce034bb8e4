package eval

import "slices"

// within says of a side whether all places at which its gathers read are in their
// tables. A cell that has no value, or that depends on too many others, tells nothing:
// then known is false.
func (m *machine[V]) within(outs []*node) (yes, known bool) {
	yes, known = true, true
	seen := map[int]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n.id] {
			return
		}
		seen[n.id] = true
		for _, a := range n.args {
			visit(a)
		}
		one, each := eachOf(n.op)
		if !each {
			one = n.op
		}
		if !known {
			return
		}
		axis := len(n.a["over"].Shape) + int(n.a["axis"].N)
		var places *node
		var size int64
		switch one {
		case "gather":
			places, size = n.args[1], n.args[0].shape[axis]
		case "scatteradd":
			places, size = n.args[1], n.shape[axis]
		case "pick":
			places, size = n.args[2], n.a["n"].N
		default:
			return
		}
		m.each(places.shape, func(at []int64) {
			v := m.at(places, slices.Clone(at))
			if m.err != nil || m.f.IsBad(v) {
				known = false
				return
			}
			k, ok := m.f.Integer(v)
			yes = yes && ok && k >= -size && k < size
		})
	}
	for _, n := range outs {
		visit(n)
	}
	if m.err != nil {
		m.err, known = nil, false
	}
	return yes, known
}

// places compares which sides read within their tables; false if that tells nothing.
func (m *machine[V]) places(left, right []*node) (o Outcome, ok bool) {
	work := m.work
	defer func() {
		if !ok {
			m.work = work // what is compared now gets all of it
		}
	}()
	l, knownLeft := m.within(left)
	r, knownRight := m.within(right)
	switch {
	case !knownLeft || !knownRight || l && r:
		return o, false
	case l:
		return Outcome{Kind: LeftOnly, ByValues: true, Detail: "right side: a gather reads at a place outside its table"}, true
	case r:
		return Outcome{Kind: RightOnly, ByValues: true, Detail: "left side: a gather reads at a place outside its table"}, true
	}
	return Outcome{Kind: Undefined, ByValues: true}, true
}
