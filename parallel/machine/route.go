package machine

import (
	"fmt"
	"math"
)

// row is the tree of shortest ways from one vertex: the last link to each vertex, -1 to
// the vertex itself and to what it does not reach.
type row struct {
	last    []int
	hops    []int
	width   []int64 // of the narrowest link
	latency []Time
}

// Route lists the links from one vertex, a device or a host, to another: the fewest,
// among these such that the narrowest is as wide as can be, then of less latency, then of
// lower numbers. It is the same
// whatever was asked before; from a vertex to itself it is empty. Messages pass through
// devices only if the file says so. That nothing leads there is an error; between devices
// it does not occur, since such a cluster is refused when it is read.
func (c *Cluster) Route(from, to int) ([]int, error) {
	r, err := c.way(from, to)
	if err != nil || from == to {
		return nil, err
	}
	out := make([]int, r.hops[to])
	for v, i := to, len(out)-1; v != from; i-- {
		out[i] = r.last[v]
		v = c.Links[out[i]].From
	}
	return out, nil
}

// way is the row of a vertex from which another one is reached.
func (c *Cluster) way(from, to int) (*row, error) {
	for _, v := range [...]int{from, to} {
		if v < 0 || v >= len(c.Vertices) {
			return nil, fmt.Errorf("route: %d is none of the vertices 0 to %d", v, len(c.Vertices)-1)
		}
	}
	r := c.row(from)
	if from != to && r.last[to] < 0 {
		return nil, fmt.Errorf("route: no links lead from %s to %s", c.Vertices[from].Name, c.Vertices[to].Name)
	}
	return r, nil
}

// row searches breadth first. It is kept; who searches at the same time finds the same.
func (c *Cluster) row(from int) *row {
	if r := c.rows[from].Load(); r != nil {
		return r
	}
	n := len(c.Vertices)
	r := &row{last: make([]int, n), hops: make([]int, n), width: make([]int64, n), latency: make([]Time, n)}
	for i := range r.last {
		r.last[i] = -1
		r.hops[i] = -1
	}
	r.hops[from], r.width[from] = 0, math.MaxInt64
	front := []int{from}
	for hops := 1; len(front) > 0; hops++ {
		var next []int
		for _, v := range front {
			if v != from && v < c.devices && !c.forward {
				continue
			}
			for _, i := range c.out[v] {
				l := c.Links[i]
				t, w := r.latency[v].plus(l.Latency), r.width[v]
				if l.Bandwidth > 0 {
					w = min(w, l.Bandwidth)
				}
				switch old := r.width[l.To]; {
				case r.hops[l.To] < 0:
					r.hops[l.To] = hops
					next = append(next, l.To)
				case r.hops[l.To] < hops || w < old || w == old && (t > r.latency[l.To] || t == r.latency[l.To] && i > r.last[l.To]):
					continue
				}
				r.last[l.To], r.width[l.To], r.latency[l.To] = i, w, t
			}
		}
		front = next
	}
	c.rows[from].Store(r)
	return r
}

// reach wants every device to reach every other one. Where one vertex that hands messages
// on is reached by all devices and reaches all, that is clear; else all pairs are tried.
func (c *Cluster) reach() error {
	if c.hub() {
		return nil
	}
	for d := range c.devices {
		r := c.row(d)
		for to := range c.devices {
			if to != d && r.last[to] < 0 {
				return fmt.Errorf("device %s: no links lead from it to %s", c.Vertices[d].Name, c.Vertices[to].Name)
			}
		}
		c.rows[d].Store(nil) // a planner may never ask for it
	}
	return nil
}

// hub reports whether all devices reach the last vertex, a switch of the network if there
// is one, and are reached from there.
func (c *Cluster) hub() bool {
	v := len(c.Vertices) - 1
	if v < c.devices && !c.forward {
		return false
	}
	into := make([][]int, len(c.Vertices))
	for i, l := range c.Links {
		into[l.To] = append(into[l.To], i)
	}
	all := func(links [][]int, end func(Link) int) bool {
		seen := make([]bool, len(c.Vertices))
		seen[v] = true
		queue := []int{v}
		for i := 0; i < len(queue); i++ {
			if at := queue[i]; at < c.devices && !c.forward {
				continue
			}
			for _, l := range links[queue[i]] {
				if e := end(c.Links[l]); !seen[e] {
					seen[e] = true
					queue = append(queue, e)
				}
			}
		}
		for d := range c.devices {
			if !seen[d] {
				return false
			}
		}
		return true
	}
	return all(c.out, func(l Link) int { return l.To }) && all(into, func(l Link) int { return l.From })
}

// Host is the host that is nearest to a device, by hops, then latency, then number; false
// if the file names none that the device reaches and that reaches it.
func (c *Cluster) Host(device int) (vertex int, ok bool) {
	r, best := c.row(device), -1
	for v := c.devices; v < len(c.Vertices); v++ {
		if c.Vertices[v].Memory == 0 || r.last[v] < 0 || c.row(v).last[device] < 0 {
			continue
		}
		if best < 0 || r.hops[v] < r.hops[best] || r.hops[v] == r.hops[best] && r.latency[v] < r.latency[best] {
			best = v
		}
	}
	return best, best >= 0
}
