package check

import "encoding/binary"

// closure is congruence closure over a set of ground terms: the smallest
// equivalence that holds the equations asserted and in which equal arguments
// give equal results (Downey, Sethi, Tarjan, JACM 27(4), 1980; here the simple
// version: a signature table and a list of uses per class).
type closure struct {
	nodes []node
	ids   map[string]int // exact term to its node
	repr  []int          // union-find; the root names the class
	uses  [][]int        // nodes with an argument in the class of a root
	table map[string]int // signature (head, argument classes) to a node
}

// node is a term: the number of an operator with its attributes and output, of a
// function variable or of a tensor variable, applied to nodes.
type node struct {
	head int
	args []int
}

func newClosure() *closure {
	return &closure{ids: map[string]int{}, table: map[string]int{}}
}

// key is a list of numbers as a map's key.
func key(head int, args []int) string {
	b := binary.AppendUvarint(nil, uint64(head))
	for _, a := range args {
		b = binary.AppendUvarint(b, uint64(a))
	}
	return string(b)
}

// add is the node of a term, made if it is new.
func (c *closure) add(head int, args []int) int {
	k := key(head, args)
	if id, ok := c.ids[k]; ok {
		return id
	}
	id := len(c.nodes)
	c.ids[k] = id
	c.nodes = append(c.nodes, node{head, args})
	c.repr = append(c.repr, id)
	c.uses = append(c.uses, nil)
	for _, a := range args {
		r := c.find(a)
		c.uses[r] = append(c.uses[r], id)
	}
	if other, ok := c.table[c.signature(id)]; ok {
		c.merge(id, other)
	} else {
		c.table[c.signature(id)] = id
	}
	return id
}

func (c *closure) signature(id int) string {
	n := c.nodes[id]
	roots := make([]int, len(n.args))
	for i, a := range n.args {
		roots[i] = c.find(a)
	}
	return key(n.head, roots)
}

func (c *closure) find(id int) int {
	for c.repr[id] != id {
		c.repr[id] = c.repr[c.repr[id]]
		id = c.repr[id]
	}
	return id
}

// merge asserts that two terms are equal.
func (c *closure) merge(a, b int) {
	work := [][2]int{{a, b}}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		a, b := c.find(p[0]), c.find(p[1])
		if a == b {
			continue
		}
		if len(c.uses[a]) > len(c.uses[b]) {
			a, b = b, a
		}
		moved := c.uses[a]
		c.repr[a] = b
		c.uses[a] = nil
		for _, u := range moved {
			s := c.signature(u)
			if v, ok := c.table[s]; ok {
				work = append(work, [2]int{u, v})
			} else {
				c.table[s] = u
			}
		}
		c.uses[b] = append(c.uses[b], moved...)
	}
}

func (c *closure) equal(a, b int) bool { return c.find(a) == c.find(b) }
