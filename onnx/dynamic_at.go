package onnx

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// At is the model at other sizes of its variables; each must be in its range.
func (d *Dynamic) At(m *model.Model, sizes map[string]int) (*model.Model, error) {
	at := &graph.Substitution{Dims: map[string]graph.Dim{}}
	for _, v := range d.Vars {
		n, ok := sizes[v.Name]
		if !ok || int64(n) < v.Lo || int64(n) > v.Hi {
			return nil, fmt.Errorf("%s = %d, want %d to %d", v.Name, n, v.Lo, v.Hi)
		}
		at.Dims[v.Name] = graph.Int(int64(n))
	}
	g := m.Graph
	var b graph.Builder
	ids := make([]graph.NodeID, g.Len()+1)
	out := &model.Model{Name: m.Name, Weights: map[graph.NodeID]*model.Weight{}, Filled: m.Filled, Defaults: m.Defaults, Standard: m.Standard, Doc: m.Doc, Producer: m.Producer}
	for id := range g.Nodes() {
		in := make([]graph.Tensor, len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			in[i] = ids[t.Node].Out(int(t.Out))
		}
		var err error
		switch dims, open := d.Inputs[g.Name(id)], d.Attrs[id]; {
		case g.Op(id) == nil && !g.IsWeight(id):
			shape := make([]int, len(dims))
			for i, x := range dims {
				n, e := x.Eval(at)
				if e != nil {
					return nil, e
				}
				shape[i] = int(n)
			}
			var t graph.Tensor
			t, err = b.AddInput(g.Name(id), g.DType(id.Out(0)), shape...)
			ids[id] = t.Node
		case open != nil && len(in) == 0:
			ids[id], err = b.Constant(g.Name(id), g.DType(id.Out(0)), g.Op(id), open.Subst(at))
		case open != nil:
			ids[id], err = b.Apply(g.Name(id), g.Op(id), open.Subst(at), in...)
		default:
			ids[id], err = b.Copy(g, id, in)
		}
		if err != nil {
			return nil, err
		}
		if w := m.Weights[id]; w != nil {
			out.Weights[ids[id]] = w
		}
	}
	outs := make([]graph.Tensor, len(g.Outputs()))
	for i, t := range g.Outputs() {
		outs[i] = ids[t.Node].Out(int(t.Out))
	}
	var err error
	if out.Graph, err = b.Finish(outs...); err != nil {
		return nil, err
	}
	return out, out.Validate()
}
