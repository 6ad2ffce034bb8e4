package saturate

import (
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
	alias  extract.ClassID // if node is 0: what is chosen of this class
	kids   []extract.ClassID
	within []extract.NodeID // by operand; NoNode: chosen by itself. nil: all are
	price  Prices
	extra  int64 // what it costs more than its price: of what costs the same, what is there stays
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
	// forms are, by class and form, the class of the problem for tensors that lie so
	// or in a simpler form; of classes without views all are the class itself.
	forms [][numForms]extract.ClassID
	views map[egraph.NodeID]extract.NodeID // views that are read as they lie
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
// roots.
func (s *solver) newProblem(roots []egraph.NodeID) (*problem, error) {
	p := &problem{s: s, class: map[egraph.ClassID]extract.ClassID{}, first: map[egraph.NodeID]extract.NodeID{},
		joined: map[egraph.NodeID][]extract.NodeID{}, views: map[egraph.NodeID]extract.NodeID{}}
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
	if err := p.infer(); err != nil {
		return nil, err
	}
	p.layOut()
	p.of = make([][]extract.NodeID, p.Classes)
	p.addAliases()
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

// add adds a node of the e-graph: as what lies dense and, of a view, as it lies.
func (p *problem) add(k extract.ClassID, n egraph.NodeID) error {
	s := p.s
	op, attrs, name := s.node(n)
	if op == nil {
		node := extract.Node{Class: k, Kind: extract.Live}
		if s.piece.inputs[s.leaf[name]].fixed {
			node.Kind, node.Bytes = extract.Fixed, bytesOf(p.types[k])
		}
		p.first[n] = p.put(node, way{node: n})
		return nil
	}
	if _, ok, err := p.typeOf(n); err != nil || !ok {
		return err
	}
	kids := make([]extract.ClassID, s.g.E().Arity(n))
	in := make([]graph.TensorType, len(kids))
	for i := range kids {
		kids[i] = p.class[s.g.E().Find(s.g.E().Child(n, i))]
		in[i] = p.types[kids[i]]
	}
	if lower.Repeats(op) {
		p.unrepeat(n, in)
	}
	w := way{node: n, extra: 1}
	if s.original[n] {
		w.extra = 0
	}
	var err error
	if w.price, err = s.price(s.g.Sym(n), op, attrs, in, p.types[k:k+1:k+1]); err != nil {
		if !s.original[n] {
			return nil
		}
		w.price = Prices{}
	}
	node := extract.Node{Class: k, Children: kids, Bytes: bytesOf(p.types[k])}
	switch {
	case len(kids) == 0:
		node.Kind = extract.Fixed
	case graph.Heavy(op, attrs, in, p.types[k:k+1]):
		node.Kind = extract.Live
	}
	if p.isView(op) {
		p.addView(n, node, w)
		return nil
	}
	for i := range kids {
		kids[i] = p.form(kids[i], p.wanted(op, attrs, i, in[0], p.types[k]))
	}
	node.Cost = w.price.Alone + w.extra
	p.first[n] = p.put(node, w)
	return nil
}

// put adds a node with the way that it stands for.
func (p *problem) put(node extract.Node, w way) extract.NodeID {
	w.alone, w.kids = node.Cost, node.Children
	id := p.AddNode(node)
	p.ways = append(p.ways, w)
	p.of[node.Class] = append(p.of[node.Class], id)
	return id
}

// unrepeat replaces the types of operands that are broadcast by the types before that, of
// the same rank: that memory is what is read.
func (p *problem) unrepeat(n egraph.NodeID, in []graph.TensorType) {
	e := p.s.g.E()
	for i := range in {
		for m := range e.Class(e.Find(e.Child(n, i))) {
			if op, _, _ := p.s.g.Node(m); op != nil && op.Name == "broadcast" {
				from := p.types[p.class[e.Find(e.Child(m, 0))]].Sizes
				in[i].Sizes = slices.Concat(slices.Repeat([]int{1}, len(in[i].Sizes)-len(from)), from)
				break
			}
		}
	}
}

func bytesOf(t graph.TensorType) int64 {
	return int64(graph.NumElements(t.Sizes)) * int64(t.DType.Bytes())
}

// fuse adds nodes for elementwise operators that go into the kernel of an operand:
// they read what that kernel reads and cost what both cost together, so that what is
// fused is paid for once where it has one user, and again where it has others.
func (p *problem) fuse() {
	e := p.s.g.E()
	kernels := make([][]extract.NodeID, p.Classes) // ways that take a tail
	for k := range kernels {
		kernels[k] = slices.Clone(p.of[k])
	}
	for tail := 1; tail <= maxTail; tail++ {
		end := len(p.ways)
		fresh := make([][]extract.NodeID, p.Classes)
		for _, id := range p.order() {
			w := p.ways[id]
			if w.node == 0 || w.within != nil {
				continue
			}
			op, _, _ := p.s.g.Node(w.node)
			if op == nil || !lower.IsStep(op) {
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
	if w.node == 0 {
		return false
	}
	of, attrs, _ := p.s.node(w.node)
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
	node := extract.Node{Class: p.Nodes[id].Class, Bytes: p.Nodes[id].Bytes, Cost: into.alone + from.price.Fused + from.extra}
	if live := extract.Live; p.Nodes[m].Kind == live || p.Nodes[id].Kind == live {
		node.Kind = live // one of them is too much work to be computed ahead
	}
	node.Children = append(node.Children, p.Nodes[m].Children...)
	w := way{node: from.node, kids: from.kids, within: make([]extract.NodeID, p.s.g.E().Arity(from.node)), price: from.price, extra: from.extra,
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
