package tensor

// sortQueue leaves the queue's indexes in g.order: by cost, then by nth, then as
// they are. Both keys are small, so it counts rather than compares.
func (g *Graph) sortQueue() {
	n := len(g.queue)
	if cap(g.order) < n {
		g.order = make([]int32, 0, cap(g.queue))
		g.spare = make([]int32, 0, cap(g.queue))
	}
	g.order, g.spare = g.order[:n], g.spare[:n]
	for i := range g.spare {
		g.spare[i] = int32(i)
	}
	g.tally = sortBy(g.order, g.spare, g.tally, func(i int32) int32 { return g.queue[i].nth })
	g.tally = sortBy(g.spare, g.order, g.tally, func(i int32) int32 { return g.queue[i].cost })
	g.order, g.spare = g.spare, g.order
}

// sortBy writes src to dst in the order of a key that is not negative, equal ones in
// their order in src. The memory is for the next call.
func sortBy(dst, src, tally []int32, key func(int32) int32) []int32 {
	most := int32(0)
	for _, i := range src {
		most = max(most, key(i))
	}
	if n := int(most) + 2; cap(tally) < n {
		tally = make([]int32, n)
	} else {
		tally = tally[:n]
		clear(tally)
	}
	for _, i := range src {
		tally[key(i)+1]++
	}
	for k := 1; k < len(tally); k++ {
		tally[k] += tally[k-1]
	}
	for _, i := range src {
		k := key(i)
		dst[tally[k]] = i
		tally[k]++
	}
	return tally
}
