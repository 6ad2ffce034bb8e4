package egraph

import "unsafe"

// Options configure a graph. The zero value works.
type Options struct {
	// HeadOf maps a symbol to its head, a small dense number (at most
	// MaxHead). Nil means that a symbol is its own head.
	HeadOf func(sym uint32) uint32
	// Typing gives nodes types; nil: all have one.
	Typing Typing
	// Nodes is the number of nodes to make room for; 0 means a few.
	Nodes int
}

// node is what a match or a look-up reads of a node, in one cache line.
type node struct {
	sym   uint32
	head  uint32
	kids  uint32 // first child's place in Graph.kids
	arity uint16
	dead  bool // a congruent twin is live
}

// link places a node among the others; the fields after stamp belong to a class
// and are read at its name only.
type link struct {
	next, prev NodeID // circular list of the class's live nodes
	stamp      uint32 // generation of the last change
	first      NodeID // a live node of the class
	useHead    uint32 // the latest place in Graph.kids that mentions the class
	weight     uint32 // nodes and uses; the lighter class loses its name
	heads      uint32 // headBit of every node's head: a class without the bit has no such node
}

// headBit is one of 32 bits for a head.
func headBit(head uint32) uint32 { return 1 << (head % 32) }

// use is the place of one child: whose it is, and the class's next use.
type use struct {
	owner NodeID
	next  uint32
}

// edge is one equality of the proof forest, in the order of time.
type edge struct {
	left, right NodeID
	why         Reason
	prem        uint32 // first premise; the next edge's is the end
}

// Graph is an e-graph. Make one with NewGraph.
type Graph struct {
	// By node.
	nodes []node
	uf    []NodeID // union-find: parents, roots name classes
	links []link
	proof []uint32 // proof forest: the edge towards the root, 0 at a root
	types []uint32

	// By place of a child. Place 0 is unused.
	kids []NodeID
	uses []use

	tab   table
	edges []edge // edge 0 is unused
	prems []Pair

	byHead   [][]NodeID // live nodes by head, in order of addition (dead ones until compacted)
	headDead []uint32   // dead nodes in byHead
	heads    []uint32   // heads with nodes, in order of appearance

	log   []NodeID // live nodes in the order of stamping; the last entry of a node counts
	logAt []uint32 // by generation: where its part of the log begins

	pending []NodeID // names lost since the last Rebuild

	headOf func(uint32) uint32
	typing Typing
	gen    uint32
	live   int // live nodes
	nclass int
	err    error // the conflict that poisoned the graph

	canon []NodeID // scratch: canonical children
	ex    explainer
}

// NewGraph returns an empty graph.
func NewGraph(o Options) *Graph {
	g := new(Graph)
	g.headOf, g.typing = o.HeadOf, o.Typing
	n := max(o.Nodes, 60) + 1
	g.nodes = make([]node, 0, n)
	g.uf = make([]NodeID, 0, n)
	g.links = make([]link, 0, n)
	g.proof = make([]uint32, 0, n)
	g.types = make([]uint32, 0, n)
	g.kids = make([]NodeID, 0, 2*n)
	g.uses = make([]use, 0, 2*n)
	g.tab.init(n)
	g.Reset()
	return g
}

// Reset empties the graph and keeps the memory, so that a small graph can be
// built again without allocation. Node and class ids of before lose their
// meaning; the configuration stays.
func (g *Graph) Reset() {
	g.nodes = append(g.nodes[:0], node{dead: true})
	g.uf = append(g.uf[:0], 0)
	g.links = append(g.links[:0], link{})
	g.proof = append(g.proof[:0], 0)
	g.types = append(g.types[:0], 0)
	g.kids = append(g.kids[:0], 0)
	g.uses = append(g.uses[:0], use{})
	g.tab.reset()
	g.edges = append(g.edges[:0], edge{})
	g.prems = g.prems[:0]
	for _, h := range g.heads {
		g.byHead[h] = g.byHead[h][:0]
		g.headDead[h] = 0
	}
	g.heads = g.heads[:0]
	g.log = g.log[:0]
	g.logAt = append(g.logAt[:0], 0, 0) // generations 0 and 1
	g.pending = g.pending[:0]
	g.gen, g.live, g.nclass, g.err = 1, 0, 0, nil
}

// Len returns the number of nodes, twins included; they are 1..Len().
func (g *Graph) Len() int { return len(g.nodes) - 1 }

// Bytes is the memory that the graph holds.
func (g *Graph) Bytes() int64 {
	size := func(n int, one uintptr) int64 { return int64(n) * int64(one) }
	b := size(cap(g.nodes), unsafe.Sizeof(node{})) + size(cap(g.links), unsafe.Sizeof(link{})) +
		size(cap(g.uses), unsafe.Sizeof(use{})) + size(cap(g.edges), unsafe.Sizeof(edge{})) +
		size(cap(g.prems), unsafe.Sizeof(Pair{})) + size(cap(g.tab.slots)+cap(g.tab.spare), unsafe.Sizeof(uint64(0)))
	words := cap(g.uf) + cap(g.proof) + cap(g.types) + cap(g.kids) + cap(g.log) + cap(g.logAt) + cap(g.pending) +
		cap(g.ex.nodeMark) + cap(g.ex.edgeMark)
	for _, ns := range g.byHead {
		words += cap(ns)
	}
	return b + size(words, unsafe.Sizeof(uint32(0)))
}

// Live returns the number of live nodes.
func (g *Graph) Live() int { return g.live }

// NumClasses returns the number of classes.
func (g *Graph) NumClasses() int { return g.nclass }

// Has says whether n is a node of the graph.
func (g *Graph) Has(n NodeID) bool { return n != 0 && int(n) < len(g.nodes) }

// Sym returns the symbol of node n.
func (g *Graph) Sym(n NodeID) uint32 { return g.nodes[n].sym }

// Arity returns the number of children of node n.
func (g *Graph) Arity(n NodeID) int { return int(g.nodes[n].arity) }

// Child returns the i'th child that node n was added with.
func (g *Graph) Child(n NodeID, i int) NodeID { return g.kids[int(g.nodes[n].kids)+i] }

// Children returns the children that node n was added with. The slice is the
// graph's own: read it before the next Add, and do not write to it.
func (g *Graph) Children(n NodeID) []NodeID {
	nd := &g.nodes[n]
	return g.kids[nd.kids : nd.kids+uint32(nd.arity) : nd.kids+uint32(nd.arity)]
}

func (g *Graph) find(n NodeID) NodeID {
	uf := g.uf
	for uf[n] != n {
		uf[n] = uf[uf[n]]
		n = uf[n]
	}
	return n
}

// Find returns the class of node n.
func (g *Graph) Find(n NodeID) ClassID { return ClassID(g.find(n)) }

// Same says whether a and b are known to be equal. Congruences that follow from
// the latest unions are known only after Rebuild.
func (g *Graph) Same(a, b NodeID) bool { return g.find(a) == g.find(b) }

// Clean says whether nothing is left for Rebuild to do.
func (g *Graph) Clean() bool { return len(g.pending) == 0 }

// Class iterates over the live nodes of class c. The graph must not change
// meanwhile.
func (g *Graph) Class(c ClassID) func(yield func(NodeID) bool) {
	return func(yield func(NodeID) bool) {
		first := g.links[g.find(NodeID(c))].first
		for n := first; n != 0; {
			if !yield(n) {
				return
			}
			if n = g.links[n].next; n == first {
				return
			}
		}
	}
}

// Users iterates over the live nodes that have class c as a child, with the place of
// the child, the latest first. The graph must not change meanwhile.
func (g *Graph) Users(c ClassID) func(yield func(NodeID, int) bool) {
	return func(yield func(NodeID, int) bool) {
		for u := g.links[g.find(NodeID(c))].useHead; u != 0; u = g.uses[u].next {
			n := g.uses[u].owner
			if !g.nodes[n].dead && !yield(n, int(u-g.nodes[n].kids)) {
				return
			}
		}
	}
}

// Classes iterates over all classes, in the order of the nodes that name them.
// The graph must not change meanwhile.
func (g *Graph) Classes() func(yield func(ClassID) bool) {
	return func(yield func(ClassID) bool) {
		for n := 1; n < len(g.uf); n++ {
			if g.uf[n] == NodeID(n) && !yield(ClassID(n)) {
				return
			}
		}
	}
}

// NodesWithHead iterates over the live nodes of head h, in order of addition;
// with Options.HeadOf nil these are the nodes with symbol h. The graph must not
// change meanwhile.
func (g *Graph) NodesWithHead(h uint32) func(yield func(NodeID) bool) {
	return func(yield func(NodeID) bool) {
		if int(h) >= len(g.byHead) {
			return
		}
		for _, n := range g.byHead[h] {
			if !g.nodes[n].dead && !yield(n) {
				return
			}
		}
	}
}

// Advance starts a new generation and returns it: nodes that are added, or
// touched by a union, from now on bear its stamp, and a search since it finds
// the matches that involve one of them.
func (g *Graph) Advance() uint32 {
	g.gen++
	g.logAt = append(g.logAt, uint32(len(g.log)))
	return g.gen
}

// touch stamps a live node with the present generation.
func (g *Graph) touch(n NodeID) {
	if l := &g.links[n]; l.stamp != g.gen {
		l.stamp = g.gen
		g.log = append(g.log, n)
	}
}
