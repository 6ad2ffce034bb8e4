package explain

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
)

// closure is an e-graph that holds the nodes of a bank as they are, with the
// equations of the instances and what follows from them by congruence.
type closure struct {
	b *bank
	g *egraph.Graph
}

// equation is one equation of an instance.
type equation struct{ left, right int }

// id is the e-graph's number of a node: it counts from 1, in the same order.
func id(node int) egraph.NodeID { return egraph.NodeID(node + 1) }

// newClosure closes the equations over all nodes of b. Nodes made later do not
// count.
func newClosure(b *bank, eqs []equation) (*closure, error) {
	c := &closure{b: b, g: egraph.NewGraph(egraph.Options{})}
	for i := range b.All() {
		kids := make([]egraph.NodeID, len(b.args(i)))
		for j, a := range b.args(i) {
			kids[j] = id(a)
		}
		if n, err := c.g.Add(uint32(b.head(i)), kids...); err != nil {
			return nil, err
		} else if n != id(i) {
			return nil, fmt.Errorf("node %d is %d in the e-graph", i, n)
		}
	}
	for i, e := range eqs {
		if _, err := c.g.Union(id(e.left), id(e.right), egraph.Reason(i+1)); err != nil {
			return nil, err
		}
	}
	return c, c.g.Rebuild()
}

func (c *closure) same(u, v int) bool { return c.g.Same(id(u), id(v)) }

// forest writes out the e-graph's explanation of u = v, detours cut out at every
// level so that it stays short.
func (c *closure) forest(eqs []equation, u, v int) ([]link, error) {
	memo := map[[2]int][]link{}
	var rec func(u, v int) ([]link, error)
	rec = func(u, v int) ([]link, error) {
		if ls, ok := memo[[2]int{u, v}]; ok || u == v {
			return ls, nil
		}
		steps, err := c.g.Steps(id(u), id(v))
		if err != nil {
			return nil, err
		}
		var out []link
		for _, s := range steps {
			if s.Reason != egraph.Congruence {
				out = append(out, link{nil, int(s.Reason) - 1, !s.Forward})
				continue
			}
			from, to := c.b.args(int(s.From)-1), c.b.args(int(s.To)-1)
			for j := range from {
				ls, err := rec(from[j], to[j])
				if err != nil {
					return nil, err
				}
				out = append(out, under(j, ls)...)
			}
		}
		out = direct(c.b, eqs, u, out)
		memo[[2]int{u, v}] = out
		return out, nil
	}
	return rec(u, v)
}
