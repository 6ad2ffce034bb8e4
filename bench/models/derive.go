package models

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// settled replaces what a rewrite computes from weights by weights, whose
// numbers are computed when they are loaded, and drops the weights that are
// not needed any more. The numbers are computed in float64 and rounded once.
func settled(m *model.Model, derived map[string]bool) *model.Model {
	g := m.Graph
	needed := map[graph.NodeID]bool{}
	for _, t := range g.Outputs() {
		needed[t.Node] = true
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		if needed[id] && !derived[g.Name(id)] {
			for _, t := range g.Operands(id) {
				needed[t.Node] = true
			}
		}
	}
	e := &edit{net: newNet(0, 1, plain), old: m, to: map[graph.Tensor]tensor{}}
	for id := range g.Nodes() {
		switch {
		case g.Op(id) == nil:
			if needed[id] || !g.IsWeight(id) { // what the caller feeds stays
				e.keepInput(id)
			}
		case !needed[id]:
		case derived[g.Name(id)]:
			t := must.Get(e.b.AddWeight(g.Name(id), graph.Float32, g.Sizes(id.Out(0))...))
			e.weights[t.Node] = expression(m, id.Out(0))
			e.to[id.Out(0)] = tensor{t, g.Sizes(id.Out(0))}
		default:
			e.keep(id)
		}
	}
	outputs := make([]tensor, len(g.Outputs()))
	for i, t := range g.Outputs() {
		outputs[i] = e.to[t]
	}
	return e.finish(outputs...)
}

// expression is a weight that is computed from those of m when it is loaded.
func expression(m *model.Model, t graph.Tensor) *model.Weight {
	sizes := m.Graph.Sizes(t)
	return &model.Weight{DType: graph.Float32, Sizes: sizes, Load: func() ([]byte, error) {
		x, err := value(m, t, map[graph.Tensor]interp.Tensor[float64]{})
		if err != nil {
			return nil, fmt.Errorf("compute %s: %w", m.Graph.Name(t.Node), err)
		}
		data := make([]float32, len(x.Data))
		for i, v := range x.Data {
			data[i] = float32(v)
		}
		return model.FromFloat32(sizes, data).Load()
	}}
}

// value computes a tensor that depends on weights only.
func value(m *model.Model, t graph.Tensor, memo map[graph.Tensor]interp.Tensor[float64]) (interp.Tensor[float64], error) {
	if x, ok := memo[t]; ok {
		return x, nil
	}
	g := m.Graph
	op := g.Op(t.Node)
	x := interp.Tensor[float64]{Sizes: g.Sizes(t)}
	if op == nil {
		w := m.Weights[t.Node]
		if w == nil {
			return x, fmt.Errorf("input %s is not a weight", g.Name(t.Node))
		}
		raw, err := w.Float32s()
		if err != nil {
			return x, fmt.Errorf("weight %s: %w", g.Name(t.Node), err)
		}
		x.Data = make([]float64, len(raw))
		for i, v := range raw {
			x.Data[i] = float64(v)
		}
		memo[t] = x
		return x, nil
	}
	in := make([]interp.Tensor[float64], len(g.Operands(t.Node)))
	for i, o := range g.Operands(t.Node) {
		var err error
		if in[i], err = value(m, o, memo); err != nil {
			return x, err
		}
	}
	out, err := interp.Apply(interp.Float{}, op, g.Attrs(t.Node), in)
	if err != nil {
		return x, fmt.Errorf("node %s: %w", g.Name(t.Node), err)
	}
	x = out[t.Out]
	memo[t] = x
	return x, nil
}
