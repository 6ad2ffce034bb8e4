package models

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// edit builds a model anew, node by node, with some nodes replaced. It is how a
// rewrite is carried out: the rewrite looks at the old graph, and then says for
// each of its nodes what stands for it in the new one.
type edit struct {
	*net
	old     *model.Model
	to      map[graph.Tensor]tensor // what stands for a tensor of the old graph
	derived map[string]bool         // names of nodes that compute weights from weights
	count   int                     // places that were rewritten
}

// rewrite prepares a rewrite of e.old. The function it returns is asked for each
// operator in order; ok = false copies the node.
type rewrite func(e *edit) func(id graph.NodeID) (stand tensor, ok bool)

// rewritten carries a rewrite out at all places where it applies, and counts
// them. Names in derived are those of nodes that compute weights; those that the
// rewrite adds are entered.
func rewritten(m *model.Model, r rewrite, derived map[string]bool) (*model.Model, int) {
	e := &edit{net: newNet(0, 1, plain), old: m, to: map[graph.Tensor]tensor{}, derived: derived}
	g := m.Graph
	for id := range g.Nodes() {
		e.used[g.Name(id)] = true
	}
	// All inputs come first, and what is computed from weights, so that a merged
	// node finds the weights of all that it stands for.
	for _, id := range g.Inputs() {
		e.keepInput(id)
	}
	early := map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		if e.ofWeights(id, early) {
			early[id] = true
			e.keep(id)
		}
	}
	replace := r(e)
	for id := range g.Nodes() {
		if g.Op(id) == nil || early[id] {
			continue
		}
		if t, ok := replace(id); ok {
			e.to[id.Out(0)] = t
			continue
		}
		e.keep(id)
	}
	outputs := make([]tensor, len(g.Outputs()))
	for i, t := range g.Outputs() {
		outputs[i] = e.to[t]
	}
	out := e.finish(outputs...)
	live, err := out.WithGraph(out.Graph.WithoutDead())
	must(err)
	return live, e.count
}

// ofWeights reports whether an operator computes a weight: a rewrite said so, or
// it only arranges weights, as of a bias.
func (e *edit) ofWeights(id graph.NodeID, early map[graph.NodeID]bool) bool {
	g := e.old.Graph
	if e.derived[g.Name(id)] {
		return true
	}
	if !e.is(id, "reshape") && !e.is(id, "transpose") && !e.is(id, "broadcast") {
		return false
	}
	from := e.operand(id, 0).Node
	return g.IsWeight(from) || early[from]
}

// keepInput adds an input of the old graph, with its numbers if it has some.
func (e *edit) keepInput(id graph.NodeID) {
	g := e.old.Graph
	typ := g.Type(id.Out(0))
	add := e.b.AddInput
	if g.IsWeight(id) {
		add = e.b.AddWeight
	}
	t, err := add(g.Name(id), typ.DType, typ.Sizes...)
	must(err)
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
	n, err := e.b.Apply(g.Name(id), g.Op(id), g.Attrs(id), in...)
	must(err)
	for k := 0; k < g.NumOut(id); k++ {
		out := n.Out(k)
		e.to[id.Out(k)] = tensor{out, e.b.Sizes(out)}
	}
}

// compute adds a node that computes a weight from weights.
func (e *edit) compute(name, op string, a attrs, in ...tensor) tensor {
	name = e.fresh(name)
	delete(e.used, name) // apply claims it
	e.derived[name] = true
	return e.apply(name, op, a, in...)
}

// join concatenates weights along an axis.
func (e *edit) join(name string, axis int, ws []tensor) tensor {
	w := ws[0]
	for _, v := range ws[1:] {
		w = e.compute(name, "concat", attrs{"axis": number(axis)}, w, v)
	}
	return w
}

// slice is the part lo to hi-1 of x along an axis.
func (e *edit) slice(name string, x tensor, axis, lo, hi int) tensor {
	return e.apply(name, "slice", attrs{"axis": number(axis), "lo": number(lo), "hi": number(hi)}, x)
}

// is reports whether a node applies an operator.
func (e *edit) is(id graph.NodeID, op string) bool {
	o := e.old.Graph.Op(id)
	return o != nil && o.Name == op
}

// operand is the old tensor that a node reads at place i.
func (e *edit) operand(id graph.NodeID, i int) graph.Tensor { return e.old.Graph.Operands(id)[i] }

// new are the tensors that stand for operands of a node.
func (e *edit) new(ts ...graph.Tensor) []tensor {
	out := make([]tensor, len(ts))
	for i, t := range ts {
		out[i] = e.to[t]
	}
	return out
}

// isWeight reports whether an old tensor is a weight, or computed from weights
// by an earlier rewrite.
func (e *edit) isWeight(t graph.Tensor) bool {
	g := e.old.Graph
	return g.IsWeight(t.Node) || e.derived[g.Name(t.Node)]
}

// attr is an attribute of an old node.
func (e *edit) attr(id graph.NodeID, name string) graph.Value {
	op := e.old.Graph.Op(id)
	return e.old.Graph.Attrs(id)[op.ParamIndex(name)]
}

// intAttr is attr as a number.
func (e *edit) intAttr(id graph.NodeID, name string) int {
	d, _ := e.attr(id, name).Dim()
	n, ok := d.Const()
	if !ok {
		must(fmt.Errorf("node %s: %s is not a number", e.old.Graph.Name(id), name))
	}
	return int(n)
}

// attrsOf are the attributes of an old node, by name.
func (e *edit) attrsOf(id graph.NodeID) attrs {
	a := attrs{}
	for i, p := range e.old.Graph.Op(id).Params {
		a[p.Name] = e.old.Graph.Attrs(id)[i]
	}
	return a
}

// readers lists the operators that read each old tensor; an output of the graph
// is one more reader, node 0.
func (e *edit) readers() map[graph.Tensor][]graph.NodeID {
	g := e.old.Graph
	by := map[graph.Tensor][]graph.NodeID{}
	for id := range g.Nodes() {
		for _, t := range g.Operands(id) {
			by[t] = append(by[t], id)
		}
	}
	for _, t := range g.Outputs() {
		by[t] = append(by[t], 0)
	}
	return by
}
