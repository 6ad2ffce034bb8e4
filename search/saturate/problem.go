package saturate

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// way says how a node of the extraction problem is made: the node of the e-graph,
// and for those of its operands that are made in the same kernel, or read through a
// view, the ways of these. Operands without one are what is chosen of their class.
type way struct {
	node   egraph.NodeID
	within []extract.NodeID // by operand; NoNode: chosen by itself. nil: all are
	price  Prices
	alone  int64 // what it costs with all that is within
	tail   int   // elementwise operators in the kernel, behind the first
}

// problem is an e-graph as an extraction problem.
type problem struct {
	extract.Problem
	s     *solver
	class map[egraph.ClassID]extract.ClassID
	at    []egraph.ClassID
	types []graph.TensorType // by class
	typed []bool
	ways  []way              // by node of the problem
	of    [][]extract.NodeID // by class: the nodes without parts within
	first map[egraph.NodeID]extract.NodeID
	// joined lists the nodes with an operand in their kernel by their own node.
	joined map[egraph.NodeID][]extract.NodeID
}

// maxTail bounds the elementwise operators that are priced as one kernel, and
// maxKernels the ways in which one operand may be within another node's kernel, one
// less for each more in it.
const (
	maxTail    = 8
	maxKernels = 4
)

// newProblem reads a problem off an e-graph: all classes that are reached from the
// roots. known are nodes of the network as it came.
func (s *solver) newProblem(roots []egraph.NodeID) (*problem, error) {
	p := &problem{s: s, class: map[egraph.ClassID]extract.ClassID{}, first: map[egraph.NodeID]extract.NodeID{},
		joined: map[egraph.NodeID][]extract.NodeID{}}
	e := s.g.E()
	var queue []egraph.ClassID
	classOf := func(n egraph.NodeID) extract.ClassID {
		c := e.Find(n)
		k, ok := p.class[c]
		if !ok {
			k = p.AddClass()
			p.class[c] = k
			p.at = append(p.at, c)
			queue = append(queue, c)
		}
		return k
	}
	for _, r := range roots {
		p.Roots = append(p.Roots, classOf(r))
	}
	for i := 0; i < len(queue); i++ {
		for n := range e.Class(queue[i]) {
			for _, k := range e.Children(n) {
				classOf(k)
			}
		}
	}
	p.of = make([][]extract.NodeID, p.Classes)
	if err := p.infer(); err != nil {
		return nil, err
	}
	for k := range p.at {
		for _, first := range [2]bool{true, false} { // what came first
			for n := range e.Class(p.at[k]) {
				if s.original[n] != first {
					continue
				}
				if err := p.add(extract.ClassID(k), n); err != nil {
					return nil, err
				}
			}
		}
	}
	if s.opts.Target != nil {
		p.fuse()
	}
	return p, nil
}

// infer finds the type of every class, and checks that its nodes agree on it.
func (p *problem) infer() error {
	e := p.s.g.E()
	p.types, p.typed = make([]graph.TensorType, p.Classes), make([]bool, p.Classes)
	for changed := true; changed; {
		changed = false
		for k, c := range p.at {
			for n := range e.Class(c) {
				t, ok, err := p.typeOf(n)
				if err != nil {
					return err
				}
				switch {
				case !ok:
				case !p.typed[k]:
					p.types[k], p.typed[k], changed = t, true, true
				case p.types[k].DType != t.DType || !slices.Equal(p.types[k].Sizes, t.Sizes):
					return fmt.Errorf("a tensor of type %s is to be equal to one of type %s", p.types[k], t)
				}
			}
		}
	}
	return nil
}

// typeOf infers the type of a node; not ok: that of a child is not known yet, or its
// operands do not fit element by element type, so that it cannot be chosen.
func (p *problem) typeOf(n egraph.NodeID) (t graph.TensorType, ok bool, err error) {
	s := p.s
	op, attrs, name := s.g.Node(n)
	sizes, concrete := s.g.Shape(n).Concrete()
	if !concrete {
		return t, false, fmt.Errorf("tensor of shape %s in a network", s.g.Shape(n))
	}
	t = graph.TensorType{DType: s.piece.dtype, Sizes: sizes}
	if op == nil {
		i, known := s.leaf[name]
		if !known {
			return t, false, fmt.Errorf("tensor %s is not an input", name)
		}
		t.DType = s.piece.inputs[i].typ.DType
		return t, true, nil
	}
	kids := s.g.E().Children(n)
	if len(kids) == 0 {
		return t, true, nil
	}
	in := make([]graph.DType, len(kids))
	for i, k := range kids {
		c := p.class[s.g.E().Find(k)]
		if !p.typed[c] {
			return t, false, nil
		}
		in[i] = p.types[c].DType
		if op.DTypes == nil && in[i] != in[0] {
			return t, false, nil
		}
	}
	t.DType = in[0]
	if op.DTypes != nil {
		out, err := op.DTypes(attrs, in)
		if err != nil || len(out) != 1 {
			return t, false, nil
		}
		t.DType = out[0]
	}
	return t, true, nil
}

// add adds a node of the e-graph.
func (p *problem) add(k extract.ClassID, n egraph.NodeID) error {
	s := p.s
	op, attrs, name := s.g.Node(n)
	node := extract.Node{Class: k}
	w := way{node: n}
	switch {
	case op == nil:
		node.Kind = extract.Live
		if s.piece.inputs[s.leaf[name]].fixed {
			node.Kind = extract.Fixed
		}
	default:
		if _, ok, err := p.typeOf(n); err != nil || !ok {
			return err
		}
		in := make([]graph.TensorType, 0, 4)
		for _, c := range s.g.E().Children(n) {
			kid := p.class[s.g.E().Find(c)]
			node.Children = append(node.Children, kid)
			in = append(in, p.types[kid])
		}
		if lower.IsStep(op) {
			p.unrepeat(n, in)
		}
		out := p.types[k : k+1 : k+1]
		var err error
		if w.price, err = s.price(s.g.Sym(n), op, attrs, in, out); err != nil {
			if !s.original[n] {
				return nil
			}
			w.price = Prices{}
		}
		node.Cost = w.price.Alone
		if lower.IsView(op) && p.isDense(op, attrs, in[0], out[0]) {
			node.Cost = w.price.View
		}
		if !s.original[n] {
			node.Cost++ // of what costs the same, what is there stays
		}
		node.Bytes = bytesOf(out[0])
		if len(node.Children) == 0 {
			node.Kind = extract.Fixed
		}
	}
	w.alone = node.Cost
	id := p.AddNode(node)
	p.ways = append(p.ways, w)
	p.of[k] = append(p.of[k], id)
	p.first[n] = id
	return nil
}

// unrepeat replaces the types of operands behind the first that are repeated tensors
// by the types before that: that memory is what is read.
func (p *problem) unrepeat(n egraph.NodeID, in []graph.TensorType) {
	e := p.s.g.E()
	for i := 1; i < len(in); i++ {
		for m := range e.Class(e.Find(e.Child(n, i))) {
			if op, _, _ := p.s.g.Node(m); op != nil && op.Name == "broadcast" {
				in[i] = p.types[p.class[e.Find(e.Child(m, 0))]]
				break
			}
		}
	}
}

func bytesOf(t graph.TensorType) int64 {
	return int64(graph.NumElements(t.Sizes)) * int64(t.DType.Bytes())
}

// isDense reports whether a view of a dense tensor lies dense.
func (p *problem) isDense(op *graph.Op, attrs graph.Attrs, in, out graph.TensorType) bool {
	x := dense(in)
	vs, err := lower.Views(lowerAttrs(op, attrs), &x, []graph.TensorType{out})
	return err == nil && vs[0].Dense()
}

// fuse adds nodes for elementwise operators that go into the kernel of an operand:
// they read what that kernel reads and cost what both cost together, so that what is
// fused is paid for once where it has one user, and again where it has others.
func (p *problem) fuse() {
	e := p.s.g.E()
	kernels := make([][]extract.NodeID, p.Classes) // nodes that take a tail
	for k := range kernels {
		kernels[k] = slices.Clone(p.of[k])
	}
	for tail := 1; tail <= maxTail; tail++ {
		end := len(p.ways)
		fresh := make([][]extract.NodeID, p.Classes)
		for _, id := range p.order() {
			w := p.ways[id]
			op, _, _ := p.s.g.Node(w.node)
			if op == nil || !lower.IsStep(op) || w.within != nil {
				continue
			}
			k := p.Nodes[id].Class
			operands := e.Children(w.node)
			if op.Name == "smul" || op.Name == "batchnorm" {
				operands = operands[:1]
			}
			// The first way of each operand, then the second: what came first is first.
			for nth := range max(maxKernels-tail+1, 1) {
				for i := range operands {
					kid := p.class[e.Find(operands[i])]
					if nth < len(kernels[kid]) && p.joins(op, p.types[k], kid, kernels[kid][nth]) {
						fresh[k] = append(fresh[k], p.join(id, i, kernels[kid][nth]))
					}
				}
			}
		}
		if len(p.ways) == end {
			return
		}
		kernels = fresh
	}
}

// order lists the nodes that are there now.
func (p *problem) order() []extract.NodeID {
	out := make([]extract.NodeID, len(p.Nodes))
	for i := range out {
		out[i] = extract.NodeID(i)
	}
	return out
}

// joins reports whether an elementwise operator goes into the kernel of way m of one
// of its operands.
func (p *problem) joins(op *graph.Op, out graph.TensorType, kid extract.ClassID, m extract.NodeID) bool {
	w := &p.ways[m]
	of, attrs, _ := p.s.g.Node(w.node)
	if of == nil || len(p.Nodes[m].Children) == 0 {
		return false
	}
	x := p.types[p.class[p.s.g.E().Find(p.s.g.E().Child(w.node, 0))]]
	made := lower.Made{Attrs: lowerAttrs(of, attrs), X: x.Sizes, Type: p.types[kid], Uses: 1}
	return p.s.opts.Target.Joins(op, out, []lower.Made{made})
}

// join adds node id with its operand i in its kernel, made as way m.
func (p *problem) join(id extract.NodeID, i int, m extract.NodeID) extract.NodeID {
	from, into := p.ways[id], p.ways[m]
	node := extract.Node{Class: p.Nodes[id].Class, Bytes: p.Nodes[id].Bytes, Cost: into.alone + from.price.Fused}
	node.Children = append(node.Children, p.Nodes[m].Children...)
	w := way{node: from.node, within: make([]extract.NodeID, p.s.g.E().Arity(from.node)), price: from.price,
		alone: node.Cost, tail: into.tail + 1}
	for j := range w.within {
		w.within[j] = extract.NoNode
		if j == i {
			w.within[j] = m
			continue
		}
		node.Children = append(node.Children, p.Nodes[id].Children[j])
	}
	n := p.AddNode(node)
	p.ways = append(p.ways, w)
	p.joined[from.node] = append(p.joined[from.node], n)
	return n
}
