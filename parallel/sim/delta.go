package sim

// delta simulates what changes, in one sweep over the order in which tasks are served.
//
// The run before is taken to hold until a reason against it is met. A task that was edited
// leaves its place at once and is pending; so is, when the sweep comes to its old place, a
// task that waits for a pending one. When all that a pending task waits for is known, so is
// its new place, and when the sweep comes there it is final. Whoever follows it on a
// resource, in its old place and its new one, and whoever waits for it, is looked at when
// the sweep comes to them, at their old place or where they would move to, whichever is
// earlier.
//
// It is exact: what the sweep has passed is as in a full run. What a task waits for and
// what is before it on its resources have lesser keys, so they are known when it is looked
// at, and it is looked at whenever one of them changed.
func (g *Graph) delta() {
	g.heap = g.heap[:0]
	g.touched = g.touched[:0]
	g.simulated = 0
	for _, id := range g.edited {
		if g.mark[id] == clean {
			g.leave(id)
		}
		if g.gone[id] {
			g.mark[id] = absent
			g.placedAs[id] = nil
			g.last.set(int(id), 0)
			continue
		}
		g.set(id, pending)
	}
	for _, id := range g.edited {
		for _, v := range g.next[id] {
			g.look(v)
		}
		if !g.gone[id] {
			g.raise(id)
		}
	}
	for len(g.heap) > 0 {
		k := g.heap.pop()
		if g.queued[k.id] == k {
			g.queued[k.id] = key{}
		}
		g.visit(k)
	}
	for _, id := range g.touched {
		g.mark[id] = clean
	}
}

// set marks a task; the mark is taken back at the end of the run.
func (g *Graph) set(id ID, m mark) {
	if g.mark[id] != pending && g.mark[id] != final {
		g.touched = append(g.touched, id)
	}
	g.mark[id] = m
}

// look has a task looked at in its old place.
func (g *Graph) look(id ID) {
	if g.mark[id] == clean {
		g.queue(g.placed[id])
	}
}

// queue has a task looked at at a key; once is enough, however many resources say so.
func (g *Graph) queue(k key) {
	if g.queued[k.id] != k || k.ready == 0 {
		g.queued[k.id] = k
		g.heap.push(k)
	}
}

// due is the key of a task, as far as what it waits for is known; false if some is not.
func (g *Graph) due(id ID) (key, bool) {
	k := key{0, g.level[id], id}
	for _, d := range g.deps[id] {
		if g.mark[d] == pending {
			return k, false
		}
		k.ready = max(k.ready, g.spans[d].End)
	}
	return k, true
}

// raise has a task looked at where it may come to be.
func (g *Graph) raise(id ID) {
	if g.mark[id] == final {
		return
	}
	k, known := g.due(id)
	if g.mark[id] == clean && (!known || g.placed[id].less(k)) {
		k, known = g.placed[id], true
	}
	if known {
		g.queue(k)
	}
}

// visit looks at a task when the sweep is at k.
func (g *Graph) visit(k key) {
	id := k.id
	if g.mark[id] == final || g.mark[id] == absent { // placed already, or removed
		return
	}
	due, known := g.due(id)
	if g.mark[id] == clean {
		old := g.placed[id]
		switch {
		case known && due == k:
			g.place(k)
		case k.less(old): // not as early as it seemed; who made it later had it queued again
		default: // it is ready later than before, or that is not known
			g.leave(id)
			g.set(id, pending)
			for _, v := range g.next[id] {
				g.look(v)
			}
			if known {
				g.queue(due)
			}
		}
		return
	}
	switch {
	case !known: // raised again when it is
	case due == k:
		g.place(k)
	default:
		g.queue(due)
	}
}

// leave takes a task out of the orders of its resources.
func (g *Graph) leave(id ID) {
	i := 0
	for _, h := range g.placedAs[id] {
		i, _ = g.orders[h.Link].find(g.placed[id], i)
		o := append(g.orders[h.Link][:i], g.orders[h.Link][i+1:]...)
		g.orders[h.Link] = o
		if i < len(o) {
			g.look(o[i].key.id)
		}
	}
}

// place finds out when a task runs, all before it being known.
func (g *Graph) place(k key) {
	id := k.id
	l := &g.loads[id]
	was, stays := g.mark[id], g.mark[id] == clean && g.placed[id] == k
	if was == clean && !stays {
		g.leave(id)
	}
	g.set(id, final)
	g.simulated++
	start, i := k.ready, 0
	for _, h := range l.holds {
		o := g.orders[h.Link]
		if i, _ = o.find(k, i); i > 0 {
			start = max(start, o[i-1].free)
		}
	}
	old := g.spans[id]
	if stays && start == old.Start {
		return
	}
	for _, h := range l.holds {
		o := g.orders[h.Link]
		s := slot{k, start + h.Time}
		var there bool
		if i, there = o.find(k, i); there {
			o[i] = s
		} else {
			o = append(o, slot{})
			copy(o[i+1:], o[i:])
			o[i] = s
			g.orders[h.Link] = o
		}
		if i+1 < len(o) {
			g.look(o[i+1].key.id)
		}
	}
	g.put(k, start, l.time, l.holds)
	if was == pending || old.End != start+l.time {
		for _, v := range g.next[id] {
			g.raise(v)
		}
	}
}
