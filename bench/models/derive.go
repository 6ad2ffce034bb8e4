package models

import (
	"context"
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
	g, from, err := m.Graph.Arranged(graph.Arrangement{Weight: func(id graph.NodeID) bool { return derived[m.Graph.Name(id)] }})
	must.Do(err)
	out := &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{}, Producer: "taso"}
	for _, id := range g.Inputs() {
		switch old := from[id]; {
		case m.Graph.Op(old) != nil:
			out.Weights[id] = expression(m, old.Out(0))
		case g.IsWeight(id):
			out.Weights[id] = m.Weights[old]
		}
	}
	must.Do(out.Validate())
	return out
}

// expression is a weight that is computed from those of m when it is loaded.
func expression(m *model.Model, t graph.Tensor) *model.Weight {
	sizes := m.Graph.Sizes(t)
	return &model.Weight{DType: graph.Float32, Sizes: sizes, Load: func() ([]byte, error) {
		g, from, err := m.Graph.Arranged(graph.Arrangement{Outputs: []graph.Tensor{t}})
		if err != nil {
			return nil, err
		}
		e := interp.Evaluator[float64]{Ring: interp.Float{}, Input: func(id graph.NodeID) (x interp.Tensor[float64], err error) {
			w := m.Weights[from[id]]
			if w == nil {
				return x, fmt.Errorf("input %s is not a weight", g.Name(id))
			}
			raw, err := w.Float32s()
			if err != nil {
				return x, fmt.Errorf("weight %s: %w", g.Name(id), err)
			}
			x = interp.Tensor[float64]{Sizes: w.Sizes, Data: make([]float64, len(raw))}
			for i, v := range raw {
				x.Data[i] = float64(v)
			}
			return x, nil
		}}
		out, err := e.Run(context.Background(), g)
		if err != nil {
			return nil, fmt.Errorf("compute %s: %w", m.Graph.Name(t.Node), err)
		}
		data := make([]float32, len(out[0].Data))
		for i, v := range out[0].Data {
			data[i] = float32(v)
		}
		return model.FromFloat32(sizes, data).Load()
	}}
}
