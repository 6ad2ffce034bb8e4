package plan

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// origins are the inputs of which layout operators made tensors, by the places of the
// inputs, and who reads these, the layout operators apart.
func (m *programmer) origins(views bool) (from map[graph.Tensor]int, readers map[graph.Tensor][]graph.NodeID) {
	from, readers = map[graph.Tensor]int{}, map[graph.Tensor][]graph.NodeID{}
	for i, id := range m.g.Inputs() {
		from[id.Out(0)] = i
	}
	for id := range m.g.Nodes() {
		if !m.needed[id] {
			continue
		}
		for _, t := range m.g.Operands(id) {
			i, ok := from[t]
			if ok && (m.settled[id] || layout(m.g, id) == graph.LayoutMakes || views && (layout(m.g, id) == graph.LayoutEnds || m.view(id))) {
				from[id.Out(0)] = i
			} else if ok {
				readers[t] = append(readers[t], id)
			}
		}
	}
	return from, readers
}

// resident adds up what lies on a device before the step: inputs as they are read.
func (m *programmer) resident() {
	from, readers := m.origins(false)
	weights := map[int]bool{}
	for _, in := range m.p.Training.Next {
		weights[in] = true
	}
	parts := map[graph.Tensor]bool{} // of a micro-batch
	// A weight that each micro-batch reads and that is updated once lies there once.
	lies := map[[2]int64]bool{}
	for id := range m.g.Nodes() {
		for k := range m.g.NumOut(id) {
			t := id.Out(k)
			i, ok := from[t]
			if ok && m.g.Op(id) != nil {
				parts[t] = parts[m.g.Operands(id)[0]] || ended(m.lay, id) == m.time && member(m.g, id) == op.Partition
			}
			if !ok || len(readers[t]) == 0 {
				continue
			}
			n := m.of[m.at(t)].bytes
			if parts[t] {
				n *= int64(m.micros)
			}
			if key := [2]int64{int64(i), n}; weights[i] && m.time >= 0 {
				if lies[key] {
					continue
				}
				lies[key] = true
			}
			if weights[i] {
				m.out.weights += n
			} else {
				m.out.inputs += n
			}
			m.out.lie = append(m.out.lie, lying{id, n, weights[i]})
		}
	}
}

// keep finds what stays to the end of the step: outputs. What becomes a weight takes its
// place, if nobody reads the weight later.
func (m *programmer) keep() {
	when := func(id graph.NodeID) int { return int(m.phase[id])*(m.g.Len()+1) + int(id) }
	last := map[int]graph.NodeID{} // by input: who reads it last
	from, readers := m.origins(true)
	m.inputs, m.over = from, map[graph.NodeID]int{}
	for t, list := range readers {
		for _, id := range list {
			if when(id) > when(last[from[t]]) {
				last[from[t]] = id
			}
		}
	}
	for k, t := range m.g.Outputs() {
		for layout(m.g, t.Node) == graph.LayoutEnds && ended(m.lay, t.Node) != m.time {
			t = m.g.Operands(t.Node)[0]
		}
		x := m.of[m.at(t)]
		in, next := m.p.Training.Next[k]
		for _, s := range x.slots {
			made := &m.out.slots[s]
			before := when(last[in]) < when(t.Node) || last[in] == t.Node && m.inPlace(t.Node)
			if next && len(x.slots) == 1 && made.node == t.Node && !m.timed(t) && before {
				made.output -= x.bytes
				made.inPlace = true
				m.over[t.Node] = in
				continue
			}
			made.kept = true
		}
	}
}

// view reports whether what a node makes takes no memory of its own.
func (m *programmer) view(id graph.NodeID) bool {
	x := m.of[turn{id.Out(0), 0}]
	return x != nil && len(x.slots) > 0 && m.out.slots[x.slots[0]].node == id && m.out.slots[x.slots[0]].output == 0
}

// inPlace reports whether an operator may write over what it reads.
func (m *programmer) inPlace(id graph.NodeID) bool {
	o := member(m.g, id)
	return o != nil && (o.Pointwise || o.Elementwise)
}
