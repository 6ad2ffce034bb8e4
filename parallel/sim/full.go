package sim

import "github.com/taso-go/taso/parallel/machine"

// full simulates everything: of the tasks that are ready the one with the least key is
// served next.
func (g *Graph) full() {
	for r := range g.orders {
		g.orders[r] = g.orders[r][:0]
	}
	clear(g.last)
	g.heap = g.heap[:0]
	left := make([]int, len(g.tasks)) // what a task still waits for
	ready := make([]Time, len(g.tasks))
	for id := range g.tasks {
		g.mark[id] = absent
		if g.gone[id] {
			g.placedAs[id] = nil
			continue
		}
		if left[id] = len(g.deps[id]); left[id] == 0 {
			g.heap.push(key{0, g.level[id], ID(id)})
		}
	}
	for len(g.heap) > 0 {
		k := g.heap.pop()
		id := k.id
		l := &g.loads[id]
		start := k.ready
		for _, h := range l.holds {
			if o := g.orders[h.Link]; len(o) > 0 {
				start = max(start, o[len(o)-1].free)
			}
		}
		for _, h := range l.holds {
			g.orders[h.Link] = append(g.orders[h.Link], slot{k, start + h.Time})
		}
		g.put(k, start, l.time, l.holds)
		g.mark[id] = clean
		for _, v := range g.next[id] {
			ready[v] = max(ready[v], start+l.time)
			if left[v]--; left[v] == 0 {
				g.heap.push(key{ready[v], g.level[v], v})
			}
		}
	}
	g.simulated = g.live
}

// put notes when a task runs.
func (g *Graph) put(k key, start, time Time, holds []machine.Hold) {
	g.placed[k.id], g.placedAs[k.id] = k, holds
	g.spans[k.id] = Span{k.ready, start, start + time}
	g.last.set(int(k.id), start+time)
}
