package extract

// dagChoice settles classes as treeChoice does, but the cost of a way is that of
// the DAG it makes together with the settled ways below it, in which everything is
// paid for once. Greedy: a class is settled on what is cheapest by itself, not
// together with its users' other kids. It is optimal where no two kids of a way,
// and no two roots, share a class that costs something.
//
// It looks at each class of the DAG of each way, and gives up looking at DAGs when
// it has taken limit steps, or when DAGs would take more than some hundred MiB: what
// is settled after that is settled by tree cost. The second result is the number of
// steps taken.
func (c *core) dagChoice(limit int64) ([]int32, int64) {
	// To look at a class is quick, as steps go.
	const looks = 8
	limit = min(limit*looks, 1<<26)
	n := len(c.ways)
	choice := make([]int32, n)
	val := make([]int64, n)
	below := make([][]int32, n) // the DAG of a settled class
	stamp := make([]int32, n)
	clock, steps := int32(0), int64(0)
	pending := make([][]int32, n)
	type use struct{ class, way int32 }
	uses := make([][]use, n)
	for k := range c.ways {
		choice[k] = -1
		pending[k] = make([]int32, len(c.ways[k]))
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				uses[j] = append(uses[j], use{int32(k), int32(i)})
			}
		}
	}
	union := func(k int32, w *way) (list []int32, cost int64) {
		clock++
		stamp[k] = clock
		list, cost = append(list, k), w.cost
		for _, j := range w.kids {
			for _, d := range below[j] {
				steps++
				if stamp[d] != clock {
					stamp[d] = clock
					cost += c.ways[d][choice[d]].cost
					list = append(list, d)
				}
			}
		}
		return list, cost
	}
	price := func(k int32, w *way) int64 {
		if steps > limit {
			cost := w.cost
			for _, j := range w.kids {
				cost = min(cost+val[j], costTop)
			}
			return cost
		}
		_, cost := union(k, w)
		return cost
	}
	var h heap
	for k := range c.ways {
		for i := range c.ways[k] {
			w := &c.ways[k][i]
			if pending[k][i] = int32(len(w.kids)); len(w.kids) == 0 {
				h.push(ready{w.cost, int32(k), int32(i)})
			}
		}
	}
	for len(h) > 0 {
		r := h.pop()
		if choice[r.class] >= 0 {
			continue
		}
		choice[r.class], val[r.class] = r.way, r.cost
		if steps <= limit {
			below[r.class], _ = union(r.class, &c.ways[r.class][r.way])
		}
		for _, u := range uses[r.class] {
			if choice[u.class] >= 0 {
				continue
			}
			if pending[u.class][u.way]--; pending[u.class][u.way] == 0 {
				w := &c.ways[u.class][u.way]
				h.push(ready{max(price(u.class, w), r.cost), u.class, u.way})
			}
		}
	}
	return choice, steps / looks
}
