package models

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// edit builds a model anew from another one.
type edit struct {
	*net
	old *model.Model
	to  map[graph.Tensor]tensor // what stands for a tensor of the old graph
}

// keepInput adds an input of the old graph, with its numbers if it has some.
func (e *edit) keepInput(id graph.NodeID) {
	g := e.old.Graph
	typ := g.Type(id.Out(0))
	add := e.b.AddInput
	if g.IsWeight(id) {
		add = e.b.AddWeight
	}
	t := must.Get(add(g.Name(id), typ.DType, typ.Sizes...))
	if w := e.old.Weights[id]; w != nil {
		e.weights[t.Node] = w
	}
	e.to[id.Out(0)] = tensor{t, typ.Sizes}
}

// keep copies an operator.
func (e *edit) keep(id graph.NodeID) {
	g := e.old.Graph
	in := make([]graph.Tensor, len(g.Operands(id)))
	for i, t := range g.Operands(id) {
		in[i] = e.to[t].Tensor
	}
	n := must.Get(e.b.Apply(g.Name(id), g.Op(id), g.Attrs(id), in...))
	for k := 0; k < g.NumOut(id); k++ {
		out := n.Out(k)
		e.to[id.Out(k)] = tensor{out, e.b.Sizes(out)}
	}
}
