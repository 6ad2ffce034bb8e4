package egraph

import (
	"fmt"
	"math"
)

// CostFunc prices a node from its symbol and the prices of its children. It
// must not decrease when a child's price grows, and must be at least the
// greatest of them; +Inf forbids the node. The slice is valid during the call.
type CostFunc func(g *Graph, n NodeID, kids []float64) float64

// Extraction is a choice of one node for each class that has a finite one.
type Extraction struct {
	g    *Graph
	best []NodeID  // by class
	cost []float64 // by class
}

// Extract chooses for every class the node of the least cost as a tree, where a
// class used twice is paid twice: what it finds is optimal as a tree, not as a
// DAG (see DAGCost). The first node found keeps its place among equals. The
// graph must be clean (ErrDirty); the extraction is good until it changes.
func Extract(g *Graph, cost CostFunc) (*Extraction, error) {
	if !g.Clean() {
		return nil, ErrDirty
	}
	x := &Extraction{g: g, best: make([]NodeID, len(g.nodes)), cost: make([]float64, len(g.nodes))}
	for i := range x.cost {
		x.cost[i] = math.Inf(1)
	}
	// A queue of nodes to price: at first all, then the users of every class
	// whose price fell.
	queue := make([]NodeID, 0, g.live)
	queued := make([]bool, len(g.nodes))
	for n := NodeID(1); int(n) < len(g.nodes); n++ {
		if !g.nodes[n].dead {
			queue = append(queue, n)
			queued[n] = true
		}
	}
	var kids []float64
	for head := 0; head < len(queue); head++ {
		if head > 1<<16 && 2*head > len(queue) {
			queue = queue[:copy(queue, queue[head:])]
			head = 0
		}
		n := queue[head]
		queued[n] = false
		kids = kids[:0]
		ready := true
		for _, k := range g.Children(n) {
			p := x.cost[g.find(k)]
			ready = ready && !math.IsInf(p, 1)
			kids = append(kids, p)
		}
		if !ready {
			continue // queued again when the last child gets a price
		}
		c := g.find(n)
		p := cost(g, n, kids)
		if math.IsNaN(p) {
			return nil, fmt.Errorf("extract: node %d costs NaN", n)
		}
		if !(p < x.cost[c]) {
			continue
		}
		x.cost[c], x.best[c] = p, n
		for u := g.links[c].useHead; u != 0; u = g.uses[u].next {
			if o := g.uses[u].owner; !g.nodes[o].dead && !queued[o] {
				queued[o] = true
				queue = append(queue, o)
			}
		}
	}
	return x, nil
}

// Best returns the chosen node of n's class, 0 if the class has no finite one.
func (x *Extraction) Best(n NodeID) NodeID { return x.best[x.g.find(n)] }

// Cost returns the cost, as a tree, of n's class; +Inf if it has none.
func (x *Extraction) Cost(n NodeID) float64 { return x.cost[x.g.find(n)] }

// DAG returns the chosen nodes under the roots, each once, children first.
func (x *Extraction) DAG(roots ...NodeID) ([]NodeID, error) {
	const onPath, done = 1, 2
	state := make(map[NodeID]uint8)
	var order []NodeID
	type frame struct {
		n    NodeID
		next int
	}
	var stack []frame
	push := func(c NodeID) error {
		n := x.Best(c)
		if n == 0 {
			return fmt.Errorf("extract: class %d has no node of finite cost", x.g.Find(c))
		}
		switch state[n] {
		case onPath:
			return fmt.Errorf("extract: the choice has a cycle at node %d", n)
		case done:
			return nil
		}
		state[n] = onPath
		stack = append(stack, frame{n: n})
		return nil
	}
	for _, r := range roots {
		if err := push(r); err != nil {
			return nil, err
		}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == x.g.Arity(f.n) {
				state[f.n] = done
				order = append(order, f.n)
				stack = stack[:len(stack)-1]
				continue
			}
			f.next++
			if err := push(x.g.Child(f.n, f.next-1)); err != nil {
				return nil, err
			}
		}
	}
	return order, nil
}

// DAGCost returns the sum, over the chosen nodes under the roots each counted
// once, of a node's own cost.
func (x *Extraction) DAGCost(own func(n NodeID) float64, roots ...NodeID) (float64, error) {
	nodes, err := x.DAG(roots...)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, n := range nodes {
		sum += own(n)
	}
	return sum, nil
}
