package sim

import (
	"cmp"
	"slices"
)

// Makespan is the time of the run: when the last task is over. It and all other results
// are those of the last [Graph.Run] that gave no error.
func (g *Graph) Makespan() Time { return g.last.max() }

// Span is when a task runs; zero of one that was not simulated.
func (g *Graph) Span(id ID) Span {
	if !g.has(id) {
		return Span{}
	}
	return g.spans[id]
}

// Usage is what a device does in the time of the run: Compute + Exposed + Idle are the
// makespan.
type Usage struct {
	Device int
	// Compute is while it computes; Send while a message or collective is under way of
	// which it is an end, Exposed the part of that in which it does not compute.
	Compute, Send, Exposed, Idle Time
}

// Usage is the breakdown of time, by device.
func (g *Graph) Usage() []Usage {
	n := g.cluster.Devices()
	out := make([]Usage, n)
	compute, send := make([][]Span, n), make([][]Span, n)
	for _, id := range g.IDs() {
		l, s := &g.loads[id], g.spans[id]
		if s.Start == s.End {
			continue
		}
		for _, d := range l.by {
			if l.sends {
				send[d] = append(send[d], s)
			} else {
				compute[d] = append(compute[d], s)
			}
		}
	}
	for d := range out {
		u := Usage{Device: d}
		u.Compute, u.Send = covered(compute[d]), covered(send[d])
		either := covered(append(compute[d], send[d]...))
		u.Exposed, u.Idle = either-u.Compute, g.Makespan()-either
		out[d] = u
	}
	return out
}

// covered is the time in which at least one of the spans runs.
func covered(spans []Span) Time {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	sum, end := Time(0), Time(0)
	for _, s := range spans {
		if s.End > end {
			sum += s.End - max(s.Start, end)
			end = s.End
		}
	}
	return sum
}

// Step is a piece of the critical path: from From to To the run waited for this task.
type Step struct {
	Task     ID
	From, To Time
	// Queue: what comes next on the path did not wait for this task to be over, but for a
	// resource that it held.
	Queue bool
}

// Critical is a path of tasks, each of which began when what is before it on the path let
// it, from time 0 to the end of the run: its steps are as long as the run. Where several
// tasks would do, the path takes the one that is waited for rather than the one before it
// on a resource, and the lower ID.
func (g *Graph) Critical() []Step {
	end, at := g.Makespan(), ID(-1)
	for _, id := range g.IDs() {
		if g.spans[id].End == end {
			at = id
			break
		}
	}
	var out []Step
	queue := false
	for at >= 0 {
		s := g.spans[at]
		out = append(out, Step{at, s.Start, end, queue})
		end = s.Start
		if end == 0 && s.Ready == 0 {
			at = -1
			break
		}
		at, queue = g.cause(at)
	}
	slices.Reverse(out)
	return out
}

// cause is what a task began after.
func (g *Graph) cause(id ID) (ID, bool) {
	s := g.spans[id]
	if s.Ready == s.Start {
		for _, d := range g.deps[id] {
			if g.spans[d].End == s.Start {
				return d, false
			}
		}
		return -1, false // it waits for nothing
	}
	best := ID(-1)
	for _, h := range g.placedAs[id] {
		o := g.orders[h.Link]
		if i, _ := o.find(g.placed[id], len(o)); i > 0 && o[i-1].free == s.Start && (best < 0 || o[i-1].key.id < best) {
			best = o[i-1].key.id
		}
	}
	return best, true
}
