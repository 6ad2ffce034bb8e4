package models

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
)

// settled replaces what a rewrite computes from weights by weights.
func settled(m *model.Model, derived map[string]bool) *model.Model {
	out := must.Get(fold.Model(m, func(id graph.NodeID) bool { return derived[m.Graph.Name(id)] }))
	return &model.Model{Graph: out.Graph, Weights: out.Weights, Producer: "taso"}
}
