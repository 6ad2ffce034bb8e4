package onnx

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// finish is the graph of all that the outputs need, under the names of their
// values, with what its inputs are that are no inputs of the model.
func (im *importer) finish(outs []*value) (g *graph.Graph, from []graph.NodeID, stored map[graph.NodeID]*value) {
	ts := make([]graph.Tensor, len(outs))
	names := newNames()
	for _, v := range im.inputs {
		names.claim(v.name)
	}
	isOut := map[graph.NodeID]bool{}
	for i, v := range outs {
		ts[i] = im.tensor(v)
		// The names of outputs come before those of anything else.
		if v.made && v.tensor.Out == 0 {
			names.claim(v.name)
			isOut[v.tensor.Node] = true
		}
	}
	g, from, err := must.Get(im.made.Finish(ts...)).Arranged(graph.Arrangement{Name: func(id graph.NodeID) string {
		v := im.values[id.Out(0)]
		switch {
		case !v.fixed() && !v.made || isOut[id]:
			return v.name
		case v.fixed() && v.name == "":
			return names.unique("constant")
		case v.name == "":
			return ""
		}
		return names.unique(v.name)
	}})
	must.Do(err)
	stored = map[graph.NodeID]*value{}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			stored[id] = im.values[from[id].Out(0)]
		}
	}
	for id := range g.Nodes() {
		if n := im.filled[from[id].Out(0)]; n > 0 {
			im.named[g.Name(id)] = n
		}
	}
	return g, from, stored
}

// modelOf is the model of a finished graph; from says which node of im.made each of its is.
func (im *importer) modelOf(name string, outs []*value) (m *model.Model, from []graph.NodeID) {
	g, from, stored := im.finish(outs)
	m = &model.Model{Name: name, Graph: g, Weights: map[graph.NodeID]*model.Weight{},
		Filled: im.named, Defaults: im.report.Defaults, Standard: im.standard, Doc: im.file.GetDocString(), Producer: im.report.Producer}
	for id, v := range stored {
		m.Weights[id] = v.stored()
	}
	must.Do(m.Validate())
	return m, from
}

// names hands out names that are not taken.
type names struct{ taken map[string]bool }

func newNames() *names { return &names{taken: map[string]bool{}} }

func (n *names) claim(name string) { n.taken[name] = true }

// unique is name, or name with a number behind it, and claims it.
func (n *names) unique(name string) string {
	s := name
	for i := 1; n.taken[s]; i++ {
		s = fmt.Sprintf("%s_%d", name, i)
	}
	n.taken[s] = true
	return s
}
