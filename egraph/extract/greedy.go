package extract

import "container/heap"

// costTop stands for a tree cost that does not fit: trees of shared graphs grow
// exponentially.
const costTop = maxTotal

// ready is a class with a way that can be made.
type ready struct {
	cost  int64
	class int32
	way   int32
}

// readyHeap is ordered by cost, then class, then way.
type readyHeap []ready

func (h readyHeap) Len() int { return len(h) }
func (h readyHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	if a.cost != b.cost {
		return a.cost < b.cost
	}
	if a.class != b.class {
		return a.class < b.class
	}
	return a.way < b.way
}
func (h readyHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *readyHeap) Push(x any)   { *h = append(*h, x.(ready)) }
func (h *readyHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// knuth settles the classes of a core in the order of their costs, where the
// cost of a way is join of its own and of its kids' costs, and the cost of a
// class is that of its cheapest way. It returns both for each class, -1 where a
// class cannot be made. join has to be at least each of its arguments. The ways
// form an acyclic choice, because a way's kids were settled before it.
func (c *core) knuth(cost func(class int32, way int) int64, join func(own, kids, kid int64) int64) (val []int64, choice []int32) {
	n := len(c.ways)
	val = make([]int64, n)
	choice = make([]int32, n)
	// pending counts the kids of a way that are not settled; acc is what join
	// makes of the settled ones.
	first := make([]int32, n+1)
	for k := range c.ways {
		first[k+1] = first[k] + int32(len(c.ways[k]))
	}
	total := int(first[n])
	pending := make([]int32, total)
	acc := make([]int64, total)
	start := make([]int32, n+1) // uses of class j: use[start[j]:start[j+1]]
	for k := range c.ways {
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				start[j+1]++
			}
		}
	}
	for j := 0; j < n; j++ {
		start[j+1] += start[j]
	}
	type use struct{ class, way int32 }
	uses := make([]use, start[n])
	fill := append([]int32(nil), start[:n]...)
	var h readyHeap
	for k := range c.ways {
		val[k], choice[k] = -1, -1
		for i := range c.ways[k] {
			kids := c.ways[k][i].kids
			pending[first[k]+int32(i)] = int32(len(kids))
			for _, j := range kids {
				uses[fill[j]] = use{int32(k), int32(i)}
				fill[j]++
			}
			if len(kids) == 0 {
				h = append(h, ready{join(cost(int32(k), i), 0, 0), int32(k), int32(i)})
			}
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		r := heap.Pop(&h).(ready)
		if choice[r.class] >= 0 {
			continue
		}
		val[r.class], choice[r.class] = r.cost, r.way
		for _, u := range uses[start[r.class]:start[r.class+1]] {
			if choice[u.class] >= 0 {
				continue
			}
			at := first[u.class] + u.way
			acc[at] = join(0, acc[at], r.cost)
			if pending[at]--; pending[at] == 0 {
				heap.Push(&h, ready{join(cost(u.class, int(u.way)), acc[at], 0), u.class, u.way})
			}
		}
	}
	return val, choice
}

// derive is, by class, a way of an acyclic choice, -1 where there is none.
func (c *core) derive(cost func(class int32, way int) int64) []int32 {
	_, choice := c.knuth(cost, func(own, kids, kid int64) int64 { return max(own, kids, kid) })
	return choice
}

func (c *core) own(class int32, way int) int64 { return c.ways[class][way].cost }

// plus adds costs, up to costTop.
func plus(own, kids, kid int64) int64 { return min(own+kids+kid, costTop) }

// treeChoice is the choice of least tree cost, in which what is shared is paid for
// at each use: optimal for trees, by Knuth's generalization of Dijkstra's
// algorithm, and for DAGs only where nothing is shared.
func (c *core) treeChoice() []int32 {
	_, choice := c.knuth(c.own, plus)
	return choice
}

// chainBound is at most the cost of any choice: the largest, over the roots, of the
// costs of classes, where a class costs the least of its ways, and a way what it
// costs itself and the dearest of its kids.
func (c *core) chainBound() int64 {
	val, _ := c.knuth(c.own, func(own, kids, kid int64) int64 {
		return own + max(kids, kid)
	})
	var b int64
	for _, r := range c.roots {
		b = max(b, val[r])
	}
	return c.base + b
}
