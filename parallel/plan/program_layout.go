package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/parallel"
)

// node adds what a node is.
func (m *programmer) node(id graph.NodeID) error {
	g := m.g
	if g.Op(id) == nil || m.settled[id] {
		for k := range g.NumOut(id) {
			t := id.Out(k)
			m.of[m.at(t)] = &value{given: true, bytes: m.memberBytes(t)}
		}
		return nil
	}
	kind := layout(g, id)
	if kind == graph.LayoutNone {
		return m.compute(id)
	}
	if kind == graph.LayoutKeeps {
		return fmt.Errorf("operator %s: what it sends is not modelled", g.Op(id).Name)
	}
	axis := ended(m.lay, id)
	if axis < 0 {
		return fmt.Errorf("operator %s: it makes and ends no axis", g.Op(id).Name)
	}
	x := m.of[m.at(g.Operands(id)[0])]
	switch {
	case axis == m.time:
		return m.inTime(id, x, kind == graph.LayoutMakes)
	case kind == graph.LayoutMakes:
		return m.makes(id, x, axis)
	}
	y := *x
	y.ends = append(slices.Clone(x.ends), axis)
	y.how = map[int]*graph.Op{}
	maps.Copy(y.how, x.how)
	y.how[axis] = member(g, id) // and not how it ended before it was made again
	y.along = maps.Clone(x.along)
	if a, ok := m.dealt(g.Operands(id)[0], axis); ok && member(g, id) == op.Combine {
		if y.along == nil {
			y.along = map[int]int{}
		}
		y.along[axis] = a
	}
	m.of[m.at(id.Out(0))] = &y
	return nil
}

// dealt is the axis of a tensor that a mesh axis deals out.
func (m *programmer) dealt(t graph.Tensor, axis int) (int, bool) {
	for _, s := range m.lay.Layout(t) {
		if s.Axis == axis {
			return s.Role.Axis, s.Role.Kind == parallel.Shard
		}
	}
	return 0, false
}

// mixes reports whether a layout operator deals out an axis along which members were put
// together and are not yet: then their order counts, and they are put together first.
func (m *programmer) mixes(id graph.NodeID, x *value, axis int) bool {
	a, ok := m.dealt(id.Out(0), axis)
	if !ok || member(m.g, id) != op.Partition || slices.Contains(x.ends, axis) && x.how[axis] != op.Drop {
		return false
	}
	for _, e := range x.ends {
		if b, ok := x.along[e]; ok && e != axis && x.how[e] == op.Combine && a == b && m.p.Mesh.Degrees[e] > 1 {
			return true
		}
	}
	return false
}

// inTime adds a layout operator along the axis in time: a micro-batch has its part of what
// is there, or all of it, and what they make is added up, or lies side by side.
func (m *programmer) inTime(id graph.NodeID, x *value, makes bool) error {
	y, how := *x, member(m.g, id)
	if makes {
		if how == op.Partition {
			y.bytes /= int64(m.micros)
		}
		m.of[m.at(id.Out(0))] = &y
		return nil
	}
	sum := m.of[turn{id.Out(0), 0}]
	if sum == nil {
		sum = &y
		sum.slots = nil
		m.of[turn{id.Out(0), 0}] = sum
	}
	switch how {
	case op.Combine:
		sum.slots = append(sum.slots, x.slots...)
		sum.bytes = x.bytes * int64(m.micros)
	case op.Reduce:
		s := slot{node: id, on: x.axes, class: m.class(id), reads: slices.Concat(sum.slots, x.slots), adds: true}
		var err error
		if s.time, err = m.mesh.accumulate(m.memberType(m.g.Operands(id)[0], nil, 1), 1); err != nil {
			return err
		}
		if m.micro == 0 {
			s.output = x.bytes
		}
		sum.slots = append(slices.Clip(sum.slots), m.add(s))
	default: // all have the same: the first one counts
		if m.micro == 0 {
			sum.slots = x.slots
		}
	}
	return nil
}

// makes adds a layout operator that makes members: with the one that ended their axis it is
// a collective.
func (m *programmer) makes(id graph.NodeID, x *value, axis int) error {
	y, how := id.Out(0), member(m.g, id)
	if x.given && len(x.ends) == 0 { // it lies so before the step
		m.of[m.at(y)] = &value{given: true, axes: append(slices.Clone(x.axes), axis), bytes: m.memberBytes(y)}
		return nil
	}
	if m.mixes(id, x, axis) {
		var err error
		if x, err = m.whole(m.g.Operands(id)[0]); err != nil {
			return err
		}
	}
	s := slot{node: id, axis: axis, sent: x.bytes, on: x.axes, reads: x.slots, class: m.class(id), output: x.bytes}
	degree := int64(m.p.Mesh.Degrees[axis])
	v := &value{axes: x.axes, bytes: x.bytes, how: x.how, along: x.along}
	for _, a := range x.ends {
		if a != axis {
			v.ends = append(v.ends, a)
		}
	}
	end, ended := x.how[axis], slices.Contains(x.ends, axis)
	switch {
	case degree == 1:
	case !ended && how == op.Replicate:
		s.kind = parallel.Broadcast
	case !ended && how == op.Partition:
		s.kind, s.output = parallel.Scatter, x.bytes/degree
	case ended:
		s.kind = collectiveOf(end, how)
	}
	switch {
	case s.kind == parallel.ReduceScatter || end == op.Drop && how == op.Partition:
		s.output = x.bytes / degree
	case s.kind == parallel.AllGather:
		s.output = x.bytes * degree
	}
	if !ended {
		v.axes = append(slices.Clone(x.axes), axis)
		s.on = v.axes
	}
	v.bytes = s.output
	s.enlarges = s.kind != parallel.None && s.output > s.sent
	if s.kind == parallel.None && how != op.Lift { // a part of what is there, or all of it
		v.slots = x.slots
		m.of[m.at(y)] = v
		return nil
	}
	var err error
	if s.kind == parallel.None {
		s.time, err = m.mesh.zeros(m.memberType(y, nil, 1))
	} else {
		s.time, err = m.mesh.Time(s.kind, axis, s.sent)
	}
	if err != nil {
		return err
	}
	v.slots = []int{m.add(s)}
	m.of[m.at(y)] = v
	return nil
}

func (m *programmer) add(s slot) int {
	m.out.slots = append(m.out.slots, s)
	return len(m.out.slots) - 1
}

// whole is a tensor of which somebody wants what ended axes made of it: it is put together
// on the first places.
func (m *programmer) whole(t graph.Tensor) (*value, error) {
	x := m.of[m.at(t)]
	for len(x.ends) > 0 {
		axis := x.ends[0]
		degree := int64(m.p.Mesh.Degrees[axis])
		y := &value{slots: x.slots, ends: x.ends[1:], how: x.how, along: x.along, bytes: x.bytes}
		for _, a := range x.axes {
			if a != axis {
				y.axes = append(y.axes, a)
			}
		}
		s := slot{node: t.Node, axis: axis, sent: x.bytes, on: x.axes, reads: x.slots, class: m.class(t.Node), output: x.bytes}
		switch {
		case degree == 1:
		case x.how[axis] == op.Reduce:
			s.kind = parallel.ReduceTo
		case x.how[axis] == op.Combine:
			s.kind, s.output = parallel.Gather, x.bytes*degree
			s.enlarges = true
		}
		if s.kind != parallel.None {
			var err error
			if s.time, err = m.mesh.Time(s.kind, axis, s.sent); err != nil {
				return nil, err
			}
			y.slots, y.bytes = []int{m.add(s)}, s.output
		}
		x = y
		m.of[m.at(t)] = x
	}
	return x, nil
}

// compute adds an operator on members.
func (m *programmer) compute(id graph.NodeID) error {
	s := slot{node: id, class: m.class(id), on: m.space(id.Out(0))}
	for _, t := range m.g.Operands(id) {
		x, err := m.whole(t)
		if err != nil {
			return err
		}
		s.reads = append(s.reads, x.slots...)
	}
	slices.Sort(s.reads)
	s.reads = slices.Compact(s.reads)
	ap, err := m.application(id, nil, 1)
	if err != nil {
		return err
	}
	if s.time, err = m.timeOf(id, ap); err != nil {
		return err
	}
	view := cost.WorkOf(ap).Class == cost.View
	for k := range m.g.NumOut(id) {
		if !view {
			s.output += m.memberBytes(id.Out(k))
		}
	}
	slots := []int{m.add(s)}
	if view {
		slots = append(slots, s.reads...)
	}
	for k := range m.g.NumOut(id) {
		t := id.Out(k)
		m.of[m.at(t)] = &value{slots: slots, axes: m.space(t), bytes: m.memberBytes(t)}
	}
	return nil
}
