package extract

import "math"

// landmarks is a lower bound that adds up cuts. A cut is a set of ways one of which
// every choice contains; it adds the least cost in it, which is then taken off all
// of its ways. Cuts are found as in the LM-cut heuristic of planning, for which a
// core is a task without deletes: chain costs (see chainBound) say for each way on
// which kid it hangs, and the cut lies where a path of such kids enters what the
// roots reach at no cost. Cycles do not weaken the bound, because chain costs are
// those of acyclic choices.
type landmarks struct {
	c     *core
	first []int32 // of class k: ways first[k] to first[k+1]; the last class is the goal, needing all roots
	class []int32 // by way
	cost  []int64 // by way: what is left of it
	off   []int32 // kids of way w: kids[off[w]:off[w+1]]
	kids  []int32
	start []int32 // ways that have class k as a kid: uses[start[k]:start[k+1]]
	uses  []int32

	chain   []int64 // by class: -1 if it cannot be made
	sup     []int32 // by way: the kid that settled last, -1 for none
	pending []int32
	zone    []bool
	reach   []bool
	heap    heap
	bound   int64
	steps   int64
}

func newLandmarks(c *core) *landmarks {
	n := len(c.ways)
	l := &landmarks{c: c, first: make([]int32, n+2)}
	ways, kids := 1, len(c.roots)
	for k, ws := range c.ways {
		l.first[k+1] = l.first[k] + int32(len(ws))
		ways += len(ws)
		for i := range ws {
			kids += len(ws[i].kids)
		}
	}
	l.first[n+1] = l.first[n] + 1
	l.class = make([]int32, 0, ways)
	l.cost = make([]int64, 0, ways)
	l.off = make([]int32, 1, ways+1)
	l.kids = make([]int32, 0, kids)
	add := func(k int32, cost int64, kids []int32) {
		l.class = append(l.class, k)
		l.cost = append(l.cost, cost)
		l.kids = append(l.kids, kids...)
		l.off = append(l.off, int32(len(l.kids)))
	}
	for k, ws := range c.ways {
		for i := range ws {
			add(int32(k), ws[i].cost, ws[i].kids)
		}
	}
	add(int32(n), 0, c.roots)
	l.start = make([]int32, n+2)
	for _, j := range l.kids {
		l.start[j+1]++
	}
	for j := range n + 1 {
		l.start[j+1] += l.start[j]
	}
	l.uses = make([]int32, len(l.kids))
	fill := append([]int32(nil), l.start...)
	for w := range l.class {
		for _, j := range l.kids[l.off[w]:l.off[w+1]] {
			l.uses[fill[j]] = int32(w)
			fill[j]++
		}
	}
	l.chain = make([]int64, n+1)
	l.sup = make([]int32, ways)
	l.pending = make([]int32, ways)
	l.zone = make([]bool, n+1)
	l.reach = make([]bool, n+1)
	return l
}

// chains computes the chain costs of classes and the kid that each way hangs on.
func (l *landmarks) chains() {
	for k := range l.chain {
		l.chain[k] = -1
	}
	l.heap = l.heap[:0]
	for w := range l.class {
		n := l.off[w+1] - l.off[w]
		l.pending[w], l.sup[w] = n, -1
		if n == 0 {
			l.heap.push(ready{cost: l.cost[w], class: l.class[w]})
		}
	}
	for len(l.heap) > 0 {
		x := l.heap.pop()
		if l.chain[x.class] >= 0 {
			continue
		}
		l.chain[x.class] = x.cost
		for _, w := range l.uses[l.start[x.class]:l.start[x.class+1]] {
			l.steps++
			if l.pending[w]--; l.pending[w] == 0 {
				// Classes settle in the order of their costs: the last kid is the dearest.
				l.sup[w] = x.class
				if l.chain[l.class[w]] < 0 {
					l.heap.push(ready{cost: x.cost + l.cost[w], class: l.class[w]})
				}
			}
		}
	}
}

// run adds cuts until none has a cost, the bound reaches enough, more than limit
// steps are taken, or stop says so. The bound is without base.
func (l *landmarks) run(limit, enough int64, stop func() bool) int64 {
	goal := int32(len(l.c.ways))
	var cut, stack []int32
	for {
		l.chains()
		if l.chain[goal] <= 0 {
			return l.bound
		}
		if l.steps > limit || stop != nil && stop() {
			// What is left is worth at least its longest chain, but the costs are
			// left as they are: slack needs them.
			return l.bound + l.chain[goal]
		}
		clear(l.zone)
		stack = append(stack[:0], goal)
		l.zone[goal] = true
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for w := l.first[k]; w < l.first[k+1]; w++ {
				if j := l.sup[w]; l.cost[w] == 0 && j >= 0 && !l.zone[j] {
					l.zone[j] = true
					stack = append(stack, j)
				}
			}
		}
		// Forward from the ways without kids, outside of the zone.
		clear(l.reach)
		cut = cut[:0]
		enter := func(w int32) {
			k := l.class[w]
			if l.zone[k] {
				cut = append(cut, w)
			} else if !l.reach[k] {
				l.reach[k] = true
				stack = append(stack, k)
			}
		}
		for w := range l.class {
			if l.off[w] == l.off[w+1] {
				enter(int32(w))
			}
		}
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, w := range l.uses[l.start[k]:l.start[k+1]] {
				l.steps++
				if l.sup[w] == k && l.pending[w] == 0 {
					enter(w)
				}
			}
		}
		least := int64(math.MaxInt64)
		for _, w := range cut {
			least = min(least, l.cost[w])
		}
		for _, w := range cut {
			l.cost[w] -= least
		}
		l.bound += least
		if l.bound >= enough {
			return l.bound
		}
	}
}

// slack is, for a way of a class, how much more than the bound a choice with it
// costs at least: the chain of what the cuts left of costs.
func (l *landmarks) slack(k int32, way int) int64 {
	w := l.first[k] + int32(way)
	s := int64(0)
	for _, j := range l.kids[l.off[w]:l.off[w+1]] {
		if l.chain[j] < 0 {
			return costTop
		}
		s = max(s, l.chain[j])
	}
	return s + l.cost[w]
}
