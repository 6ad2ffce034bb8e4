package verifymodels

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Nodes that both models have compute the same, whatever it is. If what follows them is equal
// for any numbers in their place, the models are equal, even where no input makes these nodes
// compute such numbers: the bound of a clip is reached although a network never reaches it.

// compareTails compares what follows the nodes that both models have, and enters the result if
// the models agree.
func (o Options) compareTails(ctx context.Context, c *comparison, r *Report) error {
	cut := c.cut()
	if len(cut) == 0 {
		return nil
	}
	a, err := c.tail(0, cut)
	if err != nil {
		return err
	}
	b, err := c.tail(1, cut)
	if err != nil {
		return err
	}
	o.A, o.B, o.tail, o.Expect, o.Progress = a, b, true, nil, nil
	t, err := o.compare(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !t.Agree {
		return nil // it was a try
	}
	r.Unreached, r.Runs = nil, max(r.Runs, t.Runs)
	if r.Exact.Verdict != Equal && t.Exact.Verdict == Equal {
		r.Exact = t.Exact
		r.Exact.Structure, r.Exact.ButForWeights, r.Exact.AnyWeights = false, false, false
	}
	r.Notes = append(r.Notes, fmt.Sprintf("compared with arbitrary numbers in place of %d results that both models compute in the same way", len(cut)))
	r.conclude()
	return nil
}

// cut returns the nodes that both models have and whose results nodes of one alone read.
func (c *comparison) cut() (list []bank.Node) {
	for side, m := range []*model.Model{c.a, c.b} {
		own, other := c.numA, c.numB
		if side == 1 {
			own, other = other, own
		}
		has := map[bank.Node]bool{}
		for _, n := range other {
			has[n] = true
		}
		g, uses, fed := m.Graph, interp.Readers(m.Graph), dependent(m.Graph)
		read := func(id graph.NodeID) {
			if n := own[id]; g.Op(id) != nil && has[n] && fed[id] && g.NumOut(id) == 1 && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
		for id := range g.Nodes() {
			if uses[id] == 0 || g.Op(id) == nil || has[own[id]] {
				continue
			}
			for _, t := range g.Operands(id) {
				read(t.Node)
			}
		}
	}
	return list
}

// tail is what follows the nodes of a cut in A or B. The outputs are in the order of A.
func (c *comparison) tail(side int, cut []bank.Node) (*model.Model, error) {
	m, own, inputs := c.a, c.numA, c.a.Inputs()
	outs := slices.Clone(m.Graph.Outputs())
	if side == 1 {
		m, own, inputs = c.b, c.numB, c.b.Inputs()
		outs = make([]graph.Tensor, len(c.outs))
		for i, j := range c.outs {
			outs[i] = m.Graph.Outputs()[j]
		}
	}
	g, at := m.Graph, map[graph.Tensor]graph.Tensor{}
	var b graph.Builder
	add := func(name string, t graph.Tensor) error {
		x, err := b.AddInput(name, g.DType(t), g.Sizes(t)...)
		at[t] = x
		return err
	}
	for i, n := range cut {
		id := graph.NodeID(slices.Index(own, n))
		if err := add(fmt.Sprintf("cut %d", i), id.Out(0)); err != nil {
			return nil, err
		}
		for k := range own { // the same node twice
			if own[k] == n {
				at[graph.NodeID(k).Out(0)] = at[id.Out(0)]
			}
		}
	}
	for i, in := range c.ins {
		id := inputs[in.number]
		if side == 1 {
			id = inputs[in.place]
		}
		if err := add(fmt.Sprintf("input %d", i), id.Out(0)); err != nil {
			return nil, err
		}
	}
	weights := map[graph.NodeID]*model.Weight{}
	var copied func(t graph.Tensor) (graph.Tensor, error)
	copied = func(t graph.Tensor) (graph.Tensor, error) {
		if x, ok := at[t]; ok {
			return x, nil
		}
		if g.IsWeight(t.Node) {
			x, err := b.AddWeight(g.Name(t.Node), g.DType(t), g.Sizes(t)...)
			at[t], weights[x.Node] = x, m.Weights[t.Node]
			return x, err
		}
		var in []graph.Tensor
		for _, s := range g.Operands(t.Node) {
			x, err := copied(s)
			if err != nil {
				return x, err
			}
			in = append(in, x)
		}
		id, err := b.Copy(g, t.Node, in)
		for k := range g.NumOut(t.Node) {
			at[t.Node.Out(k)] = id.Out(k)
		}
		return at[t], err
	}
	for i, t := range outs {
		x, err := copied(t)
		if err != nil {
			return nil, fmt.Errorf("what follows in %s: %w", m.Name, err)
		}
		outs[i] = x
	}
	h, err := b.Finish(outs...)
	if err != nil {
		return nil, fmt.Errorf("what follows in %s: %w", m.Name, err)
	}
	return &model.Model{Name: m.Name, Graph: h, Weights: weights}, nil
}
