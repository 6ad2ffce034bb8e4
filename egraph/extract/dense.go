package extract

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/topo"
)

// dense is the graph of classes and their kids as gonum wants it: nodes are
// numbered from 0, and the edges of each are a list.
type dense struct{ to, from [][]int32 }

// numbered is a node of dense.
type numbered int32

func (n numbered) ID() int64 { return int64(n) }

// link is an edge of dense.
type link struct{ from, to numbered }

func (l link) From() graph.Node         { return l.from }
func (l link) To() graph.Node           { return l.to }
func (l link) ReversedEdge() graph.Edge { return link{l.to, l.from} }

// listed iterates over a list of nodes, or, without one, over all numbers below n.
type listed struct {
	list []int32
	n    int
	at   int
}

func (it *listed) Next() bool { it.at++; return it.at <= it.n }
func (it *listed) Len() int   { return max(it.n-it.at, 0) }
func (it *listed) Reset()     { it.at = 0 }
func (it *listed) Node() graph.Node {
	if it.list == nil {
		return numbered(it.at - 1)
	}
	return numbered(it.list[it.at-1])
}

func nodesOf(list []int32) graph.Nodes {
	if len(list) == 0 {
		return graph.Empty
	}
	return &listed{list: list, n: len(list)}
}

func (g *dense) Node(id int64) graph.Node {
	if id < 0 || int(id) >= len(g.to) {
		return nil
	}
	return numbered(id)
}
func (g *dense) Nodes() graph.Nodes            { return &listed{n: len(g.to)} }
func (g *dense) From(id int64) graph.Nodes     { return nodesOf(g.to[id]) }
func (g *dense) To(id int64) graph.Nodes       { return nodesOf(g.from[id]) }
func (g *dense) HasEdgeFromTo(u, v int64) bool { return slices.Contains(g.to[u], int32(v)) }
func (g *dense) HasEdgeBetween(u, v int64) bool {
	return g.HasEdgeFromTo(u, v) || g.HasEdgeFromTo(v, u)
}
func (g *dense) Edge(u, v int64) graph.Edge {
	if !g.HasEdgeFromTo(u, v) {
		return nil
	}
	return link{numbered(u), numbered(v)}
}

// kidsOf lists for each class the kids of all of its ways, ascending, each once.
func (c *core) kidsOf() [][]int32 {
	out := make([][]int32, len(c.ways))
	for k := range c.ways {
		n := 0
		for i := range c.ways[k] {
			n += len(c.ways[k][i].kids)
		}
		all := make([]int32, 0, n)
		for i := range c.ways[k] {
			all = append(all, c.ways[k][i].kids...)
		}
		out[k] = distinct(all)
	}
	return out
}

// cycles numbers the strongly connected components of more than one class; the
// number of a class in none is -1. What is returned may have been found when the
// core had more ways, up to a third, and then says of some classes that they are in
// a component when they are in none any more, or in the same when they are in two:
// reductions make no new cycles.
func (c *core) cycles() []int32 {
	_, ways, _ := c.size()
	if c.cyclic != nil && ways*4 >= c.cyclicAt*3 {
		return c.cyclic
	}
	out := make([]int32, len(c.ways))
	for i := range out {
		out[i] = -1
	}
	kids := make([][]int32, len(c.ways))
	for k, ws := range c.ways {
		if len(ws) == 1 {
			kids[k] = ws[0].kids
			continue
		}
		for i := range ws {
			kids[k] = append(kids[k], ws[i].kids...)
		}
	}
	n := int32(0)
	for _, scc := range topo.TarjanSCC(&dense{to: kids}) {
		if len(scc) < 2 {
			continue
		}
		for _, k := range scc {
			out[k.ID()] = n
		}
		n++
	}
	c.cyclic, c.cyclicAt = out, ways
	return out
}
