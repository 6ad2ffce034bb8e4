package plan

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// write writes the program; once: with one of the micro-batches only.
func (p *Plan) write(once bool) (*programmer, error) {
	g := p.Laying.Graph()
	m := &programmer{prices: &prices{p.Mesh, p.Laying}, p: p, g: g, of: map[turn]*value{}, time: -1, micros: 1, once: once}
	for i, a := range p.Mesh.Axes {
		if a.Time && m.time >= 0 {
			return nil, fmt.Errorf("program of the plan: axes %d and %d are in time", m.time, i)
		}
		if a.Time {
			m.time, m.micros = i, a.Degree
		}
	}
	m.needed = reached(g, g.Outputs())
	m.settled = settled(g, p.Training.Next, func(t graph.Tensor) bool { return len(p.Laying.Mesh(t)) > 0 })
	m.classes()
	if err := m.phases(); err != nil {
		return nil, fmt.Errorf("program of the plan: %w", err)
	}
	if n := max(1, g.Len()); !once && m.micros > maxSlots/n {
		return nil, fmt.Errorf("program of the plan: %d nodes in %d micro-batches are more than %d", n, m.micros, maxSlots)
	}
	for phase := range int8(3) {
		for m.micro = range m.turnsOf(phase) {
			for id := range g.Nodes() {
				if !m.needed[id] || m.phase[id] != phase {
					continue
				}
				if err := m.node(id); err != nil {
					return nil, fmt.Errorf("program of the plan: node %s: %w", g.Name(id), err)
				}
			}
		}
	}
	m.micro = 0
	own := len(m.out.slots)
	for i, t := range g.Outputs() { // what is no weight is put together
		if _, ok := p.Training.Next[i]; !ok {
			if _, err := m.whole(t); err != nil {
				return nil, fmt.Errorf("program of the plan: output %d: %w", i, err)
			}
		}
	}
	for i := own; i < len(m.out.slots); i++ {
		m.out.slots[i].result = true
	}
	m.resident()
	m.keep()
	m.out.early()
	return m, nil
}
