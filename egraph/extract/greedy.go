package extract

// costTop is more than any choice costs, and stands for tree costs that are: trees
// of shared graphs grow exponentially. Twice as much is still a number.
const costTop = 2 * maxTotal

// index numbers the ways of a core and knows for each class the ways that use it.
type index struct {
	first []int32 // of class k: ways first[k] to first[k+1]
	class []int32 // by way
	start []int32 // of class j: uses[start[j]:start[j+1]]
	uses  []int32 // ways
	kids  []int32 // by way: how many
}

func (c *core) index() *index {
	n := len(c.ways)
	ends := make([]int32, 2*n+2)
	x := &index{first: ends[:n+1], start: ends[n+1:]}
	total := 0
	for k := range c.ways {
		total += len(c.ways[k])
		x.first[k+1] = int32(total)
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				x.start[j+1]++
			}
		}
	}
	for j := 0; j < n; j++ {
		x.start[j+1] += x.start[j]
	}
	uses := int(x.start[n])
	lists := make([]int32, 2*total+uses+n)
	x.class, x.kids, x.uses = lists[:total], lists[total:2*total], lists[2*total:2*total+uses]
	fill := lists[2*total+uses:]
	copy(fill, x.start[:n])
	w := int32(0)
	for k := range c.ways {
		for i := range c.ways[k] {
			x.class[w] = int32(k)
			x.kids[w] = int32(len(c.ways[k][i].kids))
			for _, j := range c.ways[k][i].kids {
				x.uses[fill[j]] = w
				fill[j]++
			}
			w++
		}
	}
	return x
}

// knuth settles the classes of a core in the order of their costs, where the
// cost of a way is join of its own and of its kids' costs, and the cost of a
// class is that of its cheapest way. It returns both for each class, -1 where a
// class cannot be made. join has to be at least each of its arguments. The ways
// form an acyclic choice, because a way's kids were settled before it.
func (c *core) knuth(cost func(class int32, way int) int64, join func(own, kids, kid int64) int64) (val []int64, choice []int32) {
	return c.knuthFrom(nil, cost, join)
}

// knuthFrom is knuth where classes that are given a way, not -1, cost nothing, have
// that way, and are settled to begin with.
func (c *core) knuthFrom(given []int32, cost func(class int32, way int) int64, join func(own, kids, kid int64) int64) (val []int64, choice []int32) {
	x := c.index()
	val, choice = make([]int64, len(c.ways)), make([]int32, len(c.ways))
	// acc is what join makes of the settled kids of a way.
	acc := make([]int64, len(x.class))
	var h heap
	for k := range c.ways {
		val[k], choice[k] = -1, -1
		if given != nil && given[k] >= 0 {
			h.push(ready{-1, int32(k), given[k]})
			continue
		}
		for i := range c.ways[k] {
			if len(c.ways[k][i].kids) == 0 {
				h.push(ready{join(cost(int32(k), i), 0, 0), int32(k), int32(i)})
			}
		}
	}
	for len(h) > 0 {
		r := h.pop()
		if choice[r.class] >= 0 {
			continue
		}
		val[r.class], choice[r.class] = max(r.cost, 0), r.way
		for _, w := range x.uses[x.start[r.class]:x.start[r.class+1]] {
			k := x.class[w]
			if choice[k] >= 0 {
				continue
			}
			acc[w] = join(0, acc[w], val[r.class])
			if x.kids[w]--; x.kids[w] == 0 {
				i := w - x.first[k]
				h.push(ready{join(cost(k, int(i)), acc[w], 0), k, i})
			}
		}
	}
	return val, choice
}

// settled lists the classes that can be made, each after the kids of some way of it.
func (c *core) settled() []int32 {
	x := c.index()
	seen := make([]bool, len(c.ways))
	order := make([]int32, 0, len(c.ways))
	for k := range c.ways {
		for i := range c.ways[k] {
			if len(c.ways[k][i].kids) == 0 && !seen[k] {
				seen[k] = true
				order = append(order, int32(k))
			}
		}
	}
	for at := 0; at < len(order); at++ {
		for _, w := range x.uses[x.start[order[at]]:x.start[order[at]+1]] {
			if x.kids[w]--; x.kids[w] == 0 && !seen[x.class[w]] {
				seen[x.class[w]] = true
				order = append(order, x.class[w])
			}
		}
	}
	return order
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
