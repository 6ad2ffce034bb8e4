package plan

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/parallel"
)

// origins reads where nodes come from, and checks that the graph is what is told to be laid
// out, node by node: a node that computes applies the operator of its origin, its operands
// come from the operands of that one, and what is between only converts how a tensor lies.
func (f *File) origins(before, after *graph.Graph) ([]parallel.Origin, error) {
	out := make([]parallel.Origin, after.Len()+1)
	known := 0
	for id := range after.Nodes() {
		name := after.Name(id)
		o, ok := f.Origins[name]
		if ok {
			known++
		} else {
			o.Of = name
		}
		of, found := before.Find(o.Of)
		if !found || o.Out < 0 || o.Out >= before.NumOut(of) {
			return nil, fmt.Errorf("origins: node %s comes from %s: the sequential graph has no such result", name, o.Of)
		}
		out[id] = parallel.Origin{Tensor: of.Out(o.Out), Converts: o.Converts}
		if err := comes(before, after, id, out); err != nil {
			return nil, fmt.Errorf("origins: node %s comes from %s: %w", name, o.Of, err)
		}
	}
	if known < len(f.Origins) {
		return nil, fmt.Errorf("origins: %d are of nodes that the graph has not", len(f.Origins)-known)
	}
	return out, nil
}

// comes checks the origin of one node, given those of its operands.
func comes(before, after *graph.Graph, id graph.NodeID, all []parallel.Origin) error {
	o := all[id]
	of := func(t graph.Tensor) graph.Tensor {
		x := all[t.Node]
		if x.Converts {
			return x.Tensor
		}
		return x.Tensor.Node.Out(int(t.Out))
	}
	in := after.Operands(id)
	if o.Converts {
		switch m := member(after, id); {
		case m == nil || m.Layout == graph.LayoutNone && m != op.Reshape:
			return fmt.Errorf("it is told to convert a tensor, and computes")
		case len(in) != 1 || of(in[0]) != o.Tensor:
			return fmt.Errorf("it is told to convert a tensor, and reads another")
		}
		return nil
	}
	x, y := member(after, id), before.Op(o.Tensor.Node)
	if y != nil {
		y = member(before, o.Tensor.Node)
	}
	if x != y || after.NumOut(id) != before.NumOut(o.Tensor.Node) || o.Tensor.Out != 0 {
		return fmt.Errorf("these are not the same operator")
	}
	if x == nil && (after.Name(id) != before.Name(o.Tensor.Node) || after.IsWeight(id) != before.IsWeight(o.Tensor.Node)) {
		return fmt.Errorf("these are not the same input")
	}
	if x != nil {
		if err := sameAttrs(x, memberAttrs(after, id), memberAttrs(before, o.Tensor.Node)); err != nil {
			return err
		}
	}
	var from []graph.Tensor
	for _, t := range in {
		from = append(from, of(t))
	}
	if !slices.Equal(from, before.Operands(o.Tensor.Node)) {
		return fmt.Errorf("its operands come from others")
	}
	return nil
}

// sameAttrs compares the attributes of an operator on members with those of its origin:
// sizes may be parts of those of the origin, all else is the same.
func sameAttrs(o *graph.Op, member, whole graph.Attrs) error {
	part := func(a, b graph.Dim) bool {
		m, ok := a.Const()
		n, also := b.Const()
		return ok && also && (m == n || m > 0 && n%m == 0)
	}
	for i, p := range o.Params {
		a, b := member[i], whole[i]
		if a == b {
			continue
		}
		m, isDim := a.Dim()
		n, also := b.Dim()
		same := isDim && also && part(m, n)
		if x, ok := a.Shape(); ok {
			y, _ := b.Shape()
			same = len(x) == len(y)
			for k := range x {
				same = same && part(x[k].Dim, y[k].Dim)
			}
		}
		if !same {
			return fmt.Errorf("its %s is %s, there it is %s", p.Name, a, b)
		}
	}
	return nil
}

// memberAttrs are the attributes with which a node is applied to members.
func memberAttrs(g *graph.Graph, id graph.NodeID) graph.Attrs {
	if one, own, _ := g.Op(id).Member(g.Attrs(id)); one != nil {
		return own
	}
	return g.Attrs(id)
}
