package explain

// closure is congruence closure over the nodes of a bank that keeps a proof
// forest: the edges by which classes were joined, each an equation or the
// congruence of two nodes. Between two nodes of a class there is one path in
// the forest.
type closure struct {
	b     *bank
	repr  []int
	uses  [][]int        // nodes with an argument in the class of a root
	table map[string]int // signature to a node
	up    []edge         // towards the root of the node's tree of the forest
}

// edge leads from a node to another one; eq is the equation that says so, or
// congruent.
type edge struct {
	to, eq   int
	backward bool // the equation read right to left
}

// congruent stands for equal arguments in place of an equation.
const congruent = -1

// none is no node.
const none = -1

// equation is one equation of an instance.
type equation struct{ left, right int }

// newClosure closes the equations over all nodes of b. Nodes made later do not
// count.
func newClosure(b *bank, eqs []equation) *closure {
	n := len(b.nodes)
	c := &closure{b: b, repr: make([]int, n), uses: make([][]int, n), up: make([]edge, n), table: map[string]int{}}
	for i := range b.nodes {
		c.repr[i] = i
		c.up[i].to = none
		for _, a := range b.nodes[i].args {
			c.uses[a] = append(c.uses[a], i)
		}
		c.table[key(b.nodes[i].head, b.nodes[i].args)] = i
	}
	for i, e := range eqs {
		c.merge(e.left, e.right, i)
	}
	return c
}

func (c *closure) find(i int) int {
	for c.repr[i] != i {
		c.repr[i] = c.repr[c.repr[i]]
		i = c.repr[i]
	}
	return i
}

func (c *closure) signature(i int) string {
	n := c.b.nodes[i]
	roots := make([]int, len(n.args))
	for j, a := range n.args {
		roots[j] = c.find(a)
	}
	return key(n.head, roots)
}

func (c *closure) merge(left, right, eq int) {
	type join struct{ a, b, eq int }
	work := []join{{left, right, eq}}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		ra, rb := c.find(w.a), c.find(w.b)
		if ra == rb {
			continue
		}
		back := false
		if len(c.uses[ra]) > len(c.uses[rb]) {
			ra, rb, w.a, w.b, back = rb, ra, w.b, w.a, true
		}
		c.hang(w.a, edge{to: w.b, eq: w.eq, backward: back})
		c.repr[ra] = rb
		moved := c.uses[ra]
		c.uses[ra] = nil
		for _, u := range moved {
			s := c.signature(u)
			if v, ok := c.table[s]; !ok {
				c.table[s] = u
			} else if c.find(u) != c.find(v) {
				work = append(work, join{u, v, congruent})
			}
		}
		c.uses[rb] = append(c.uses[rb], moved...)
	}
}

// hang makes a the root of its tree, by turning the edges above it around, and
// hangs it by e.
func (c *closure) hang(a int, e edge) {
	for a != none {
		old := c.up[a]
		c.up[a] = e
		e = edge{to: a, eq: old.eq, backward: !old.backward}
		a = old.to
	}
}

// path is the edges of the forest from a to b, which must be in one class, with
// the node that each begins at.
func (c *closure) path(a, b int) (from []int, edges []edge) {
	above := map[int]bool{}
	for x := a; x != none; x = c.up[x].to {
		above[x] = true
	}
	meet := b
	for !above[meet] {
		meet = c.up[meet].to
	}
	for x := a; x != meet; x = c.up[x].to {
		from, edges = append(from, x), append(edges, c.up[x])
	}
	n := len(edges)
	for x := b; x != meet; x = c.up[x].to {
		e := c.up[x]
		from, edges = append(from, e.to), append(edges, edge{to: x, eq: e.eq, backward: !e.backward})
	}
	for i, j := n, len(edges)-1; i < j; i, j = i+1, j-1 {
		from[i], from[j] = from[j], from[i]
		edges[i], edges[j] = edges[j], edges[i]
	}
	return from, edges
}
