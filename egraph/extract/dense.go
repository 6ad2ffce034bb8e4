package extract

// edges lead from the classes of a core to the kids of their ways, one after the other: those of
// class k are to[start[k]:start[k+1]]. A kid of several ways is there as often.
type edges struct{ start, to []int32 }

func (c *core) edges() edges {
	e := edges{start: make([]int32, len(c.ways)+1)}
	n := 0
	for k, ws := range c.ways {
		for i := range ws {
			n += len(ws[i].kids)
		}
		e.start[k+1] = int32(n)
	}
	e.to = make([]int32, 0, n)
	for _, ws := range c.ways {
		for i := range ws {
			e.to = append(e.to, ws[i].kids...)
		}
	}
	return e
}

// tarjan finds strongly connected components (Tarjan, Depth-first search and linear graph
// algorithms, SIAM J. Comput. 1972). Cores are many and small and have them found again and
// again, so that there is nothing here to be made for each node.
type tarjan struct {
	edges
	place, low  []int32 // by class: when it was come to, from 1; 0: not yet, -1: its component is known
	last        int32
	stack, path []int32
	next        []int32 // by place on the path: the edge to follow next
}

// from gives the components that are reached from a class, and are not known yet, each when all
// that it leads to are. They may not be kept.
func (t *tarjan) from(k int32, found func(members []int32)) {
	t.enter(k)
	for len(t.path) > 0 {
		at := len(t.path) - 1
		k := t.path[at]
		if i := t.next[at]; i < t.start[k+1] {
			t.next[at]++
			switch j := t.to[i]; {
			case t.place[j] == 0:
				t.enter(j)
			case t.place[j] > 0:
				t.low[k] = min(t.low[k], t.place[j])
			}
			continue
		}
		t.path, t.next = t.path[:at], t.next[:at]
		if at > 0 {
			up := t.path[at-1]
			t.low[up] = min(t.low[up], t.low[k])
		}
		if t.low[k] < t.place[k] {
			continue
		}
		i := len(t.stack) - 1
		for t.stack[i] != k {
			i--
		}
		for _, j := range t.stack[i:] {
			t.place[j] = -1
		}
		found(t.stack[i:])
		t.stack = t.stack[:i]
	}
}

func (t *tarjan) enter(k int32) {
	t.last++
	t.place[k], t.low[k] = t.last, t.last
	t.stack, t.path, t.next = append(t.stack, k), append(t.path, k), append(t.next, t.start[k])
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
	t := tarjan{edges: c.edges(), place: make([]int32, len(c.ways)), low: make([]int32, len(c.ways))}
	n := int32(0)
	for k := range c.ways {
		if len(c.ways[k]) == 0 || t.place[k] != 0 {
			continue
		}
		t.from(int32(k), func(members []int32) {
			if len(members) < 2 {
				return
			}
			for _, j := range members {
				out[j] = n
			}
			n++
		})
	}
	c.cyclic, c.cyclicAt = out, ways
	return out
}
