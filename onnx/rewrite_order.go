package onnx

import (
	"slices"

	"github.com/taso-go/taso/internal/must"
)

// A kept node reads what the graph does not know of: the shape of a value, for one, which is
// a number there. What has that shape may be computed from the node's own result now, and a
// node with several results may feed itself. Such a cycle is opened: the number is stored,
// or the node is written from the graph, in which there are no cycles.

// opened is where cycles were opened.
type opened struct {
	values map[string]bool // that are stored
	nodes  map[int]bool    // nodes of the file that are not kept
}

// cycle is the error of nodes that read each other's results.
type cycle struct{ items []*item }

func (*cycle) Error() string { return "the nodes of the result have a cycle" }

// add opens a cycle, and reports whether it can be.
func (o *opened) add(s *Source, c *cycle) bool {
	for i, it := range c.items {
		for _, v := range c.items[(i+1)%len(c.items)].makes {
			if it.at >= 0 && slices.Contains(it.reads, v) && s.values[v].known() && !o.values[v] {
				o.values[v] = true
				return true
			}
		}
	}
	for _, it := range c.items {
		if it.at >= 0 && !o.nodes[it.at] {
			o.nodes[it.at] = true
			return true
		}
	}
	return false
}

// ordered are nodes in an order in which operands come first; maker has them by what they make.
func ordered(nodes []*item, maker map[string]*item) (out []item) {
	state := map[*item]int{}
	var stack []*item
	var place func(it *item)
	place = func(it *item) {
		switch state[it] {
		case 1:
			must.Do(&cycle{slices.Clone(stack[slices.Index(stack, it):])})
		case 2:
			return
		}
		state[it] = 1
		stack = append(stack, it)
		for _, v := range it.reads {
			if m := maker[v]; m != nil {
				place(m)
			}
		}
		stack = stack[:len(stack)-1]
		state[it] = 2
		out = append(out, *it)
	}
	for _, it := range nodes {
		place(it)
	}
	return out
}
