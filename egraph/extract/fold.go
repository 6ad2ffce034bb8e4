package extract

import "slices"

// folded is a problem taken apart into what can be fixed and a core of the rest.
//
// A class is fixable if some acyclic choice fixes it. Where memory is free,
// choosing a fixed node for every fixable class is never wrong: it costs
// nothing, what is above it gets no dearer, and fixed nodes need none but fixed
// ones, so that no cycle arises. So these classes are decided, and vanish from
// the core. Where bytes have a price, a fixable class keeps one way that stands
// for all of its fixed nodes and costs what the smallest of them takes, beside its
// other nodes; classes that are fixed only to compute another are not seen there,
// which makes the core a relaxation of the priced problem.
type folded struct {
	p     *Problem
	fixed []NodeID // by class: the node by which it is fixed, or NoNode
	core  *core
	price float64 // of a byte
}

// fixable finds a fixed node for each class that has one, such that these nodes
// are an acyclic choice. The largest value on the way to a class is made as small
// as possible. The second result is the least bytes of any fixed node of a class.
func (p *Problem) fixable() (fixed []NodeID, least []int64) {
	c := &core{ways: make([][]way, p.Classes)}
	leaves := 0
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Kind == Live || n.Kind == Plain && len(n.Children) == 0 {
			continue
		}
		if n.Kind == Fixed {
			leaves++
		}
		c.add(n, NodeID(i))
	}
	fixed = make([]NodeID, p.Classes)
	least = make([]int64, p.Classes)
	var choice []int32
	if leaves > 0 {
		choice = c.derive(func(k int32, w int) int64 { return p.Nodes[c.ways[k][w].picks[0]].Bytes })
	}
	for k := range fixed {
		fixed[k] = NoNode
		if leaves == 0 || choice[k] < 0 {
			continue
		}
		fixed[k] = c.ways[k][choice[k]].picks[0]
		least[k] = p.Nodes[fixed[k]].Bytes
		for _, w := range c.ways[k] {
			if !slices.ContainsFunc(w.kids, func(j int32) bool { return choice[j] < 0 }) {
				least[k] = min(least[k], p.Nodes[w.picks[0]].Bytes)
			}
		}
	}
	return fixed, least
}

// add makes a way of a node, unless the node needs its own class.
func (c *core) add(n *Node, id NodeID) {
	kids := make([]int32, len(n.Children))
	for i, k := range n.Children {
		kids[i] = int32(k)
	}
	kids = distinct(kids)
	if slices.Contains(kids, int32(n.Class)) {
		return
	}
	c.ways[n.Class] = append(c.ways[n.Class], way{cost: n.Cost, kids: kids, picks: []NodeID{id}})
}

// fold takes a valid problem apart. The error is ErrNoChoice.
func (p *Problem) fold(price float64) (*folded, error) {
	f := &folded{p: p, price: price, core: &core{ways: make([][]way, p.Classes)}}
	var least []int64
	f.fixed, least = p.fixable()
	c := f.core
	gone := func(k ClassID) bool { return price == 0 && f.fixed[k] != NoNode }
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if gone(n.Class) || n.Kind == Fixed {
			continue
		}
		left := *n
		left.Children = nil
		for _, k := range n.Children {
			if !gone(k) {
				left.Children = append(left.Children, k)
			}
		}
		c.add(&left, NodeID(i))
	}
	if price > 0 {
		for k, n := range f.fixed {
			if n != NoNode {
				cost := int64(price * float64(least[k]))
				c.ways[k] = append(c.ways[k], way{cost: cost, picks: []NodeID{n}})
			}
		}
	}
	for _, r := range p.Roots {
		if !gone(r) {
			c.roots = append(c.roots, int32(r))
		}
	}
	c.roots = distinct(c.roots)
	if !c.founded() {
		return nil, ErrNoChoice
	}
	c.reached()
	return f, nil
}

// solution is the choice of the problem that a choice of ways of the core stands
// for; classes that the core decided as fixed stay so, with all that they need.
func (f *folded) solution(c *core, choice []int32) (Solution, error) {
	out := make([]NodeID, f.p.Classes)
	for k := range out {
		out[k] = NoNode
	}
	for _, n := range c.picks {
		out[f.p.Nodes[n].Class] = n
	}
	seen := make([]bool, len(c.ways))
	stack := slices.Clone(c.roots)
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[k] {
			continue
		}
		seen[k] = true
		if choice[k] < 0 {
			continue // an error of the caller, which Evaluate reports
		}
		w := &c.ways[k][choice[k]]
		for _, n := range w.picks {
			out[f.p.Nodes[n].Class] = n
		}
		stack = append(stack, w.kids...)
	}
	f.close(out)
	return f.p.Evaluate(out)
}

// close fixes what fixed nodes of a choice need; where nothing is chosen, whatever
// can be fixed is.
func (f *folded) close(out []NodeID) {
	var stack []ClassID
	for k, n := range out {
		if f.fixed[k] == NoNode {
			continue
		}
		if n == NoNode && f.price == 0 {
			out[k] = f.fixed[k]
		} else if n == f.fixed[k] {
			stack = append(stack, f.p.Nodes[n].Children...)
		}
	}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if out[k] != f.fixed[k] {
			out[k] = f.fixed[k]
			stack = append(stack, f.p.Nodes[f.fixed[k]].Children...)
		}
	}
}
