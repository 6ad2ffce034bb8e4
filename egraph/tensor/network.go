package tensor

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Terms that are not written as law.Terms: a network is put in, and read off
// again, node by node.

// Leaf adds a tensor variable of that name and shape and returns its node.
func (g *Graph) Leaf(name string, shape graph.Shape) (egraph.NodeID, error) {
	n, err := g.e.Add(g.tab.leaf(name, g.tab.ShapeID(shape)))
	if err != nil {
		return 0, fmt.Errorf("tensor %s: %w", name, err)
	}
	return n, nil
}

// Apply adds an application of a primitive operator to nodes and returns its node.
// The error says why the operands do not fit.
func (g *Graph) Apply(op *graph.Op, attrs graph.Attrs, kids ...egraph.NodeID) (egraph.NodeID, error) {
	sym, err := g.tab.op(op, attrs)
	if err != nil {
		return 0, err
	}
	return g.again(sym, kids)
}

// Again adds what n applies to other nodes and returns its node: n itself if they
// are its own. The error says why the operands do not fit.
func (g *Graph) Again(n egraph.NodeID, kids ...egraph.NodeID) (egraph.NodeID, error) {
	return g.again(g.e.Sym(n), kids)
}

func (g *Graph) again(sym uint32, kids []egraph.NodeID) (egraph.NodeID, error) {
	n, err := g.applied(sym, kids)
	if err != nil {
		return 0, fmt.Errorf("operator %s: %w", g.tab.symName(sym), err)
	}
	return n, nil
}

func (t *Table) symName(sym uint32) string {
	if s := &t.syms[sym]; s.kind == symOp {
		return s.op.Name
	}
	return t.syms[sym].name
}

// Node is what a node applies; op is nil for a tensor variable, which name is then.
func (g *Graph) Node(n egraph.NodeID) (op *graph.Op, attrs graph.Attrs, name string) {
	s := &g.tab.syms[g.e.Sym(n)]
	return s.op, s.attrs, s.name
}

// Sym is a number for the operator of a node with its attributes, one for each in
// the graph's table.
func (g *Graph) Sym(n egraph.NodeID) uint32 { return g.e.Sym(n) }

// EachInstance calls f for the laws that changed the graph, in order, once for
// each time.
func (g *Graph) EachInstance(f func(l *law.Law, backward bool)) {
	for i := range g.insts {
		f(g.insts[i].sol.rule.Law, g.insts[i].sol.rule.Backward)
	}
}

// Bytes is the memory that the graph holds, without its table.
func (g *Graph) Bytes() int64 {
	n := g.e.Bytes()
	n += int64(cap(g.queue))*40 + int64(cap(g.arena)+cap(g.order)+cap(g.spare)+cap(g.tally)+cap(g.binds))*4 + int64(cap(g.seams))*8 + int64(cap(g.insts))*16
	return n
}

// Several says how many roots a rule's pattern has.
func (r *Rule) Several() int { return len(r.dir.Roots) }

// Direction is what the rule was compiled to.
func (r *Rule) Direction() *rewrite.Direction { return r.dir }
