package model

import "fmt"

// At is the model at other sizes of its dynamic dimensions, by the names of the variables in
// [graph.Sizing]; each must be in its range.
func (m *Model) At(sizes map[string]int) (*Model, error) {
	g, err := m.Graph.At(sizes)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	out := *m
	out.Graph = g // with the same nodes
	return &out, nil
}

// Fixed is the model with its sample sizes only.
func (m *Model) Fixed() *Model {
	if m.Graph.Sizing() == nil {
		return m
	}
	out := *m
	out.Graph = m.Graph.Fixed() // with the same nodes
	return &out
}
