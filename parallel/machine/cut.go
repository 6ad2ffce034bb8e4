package machine

import "math"

// Bisection is the bandwidth, in bytes a second, at which the devices of the first half
// (the lower numbers) can send to the others, all at once: the maximal flow through the
// links, which is also the narrowest cut between the halves (Ford and Fulkerson, 1956).
// It is 0 for one device.
func (c *Cluster) Bisection() int64 {
	half := c.devices / 2
	if half == 0 {
		return 0
	}
	f := newFlow(len(c.Vertices) + 2)
	source, sink := len(c.Vertices), len(c.Vertices)+1
	for _, l := range c.Links {
		w := l.Bandwidth
		if w == 0 {
			w = math.MaxInt64 / 4
		}
		f.edge(l.From, l.To, w)
	}
	for d := range c.devices {
		if d < half {
			f.edge(source, d, math.MaxInt64/4)
		} else {
			f.edge(d, sink, math.MaxInt64/4)
		}
	}
	return f.max(source, sink)
}

// flow is a network for Dinic's algorithm ("Algorithm for solution of a problem of maximum
// flow in a network with power estimation", 1970): edge e and its reverse e^1.
type flow struct {
	out   [][]int
	to    []int
	left  []int64 // capacity that is not used
	level []int
	next  []int // the first edge that may still lead on
}

func newFlow(vertices int) *flow {
	return &flow{out: make([][]int, vertices), level: make([]int, vertices), next: make([]int, vertices)}
}

func (f *flow) edge(from, to int, width int64) {
	f.out[from] = append(f.out[from], len(f.to))
	f.out[to] = append(f.out[to], len(f.to)+1)
	f.to = append(f.to, to, from)
	f.left = append(f.left, width, 0)
}

func (f *flow) max(source, sink int) int64 {
	total := int64(0)
	for f.levels(source, sink) {
		clear(f.next)
		for {
			n := f.push(source, sink, math.MaxInt64/2)
			if n == 0 {
				break
			}
			if total > math.MaxInt64-n {
				return math.MaxInt64
			}
			total += n
		}
	}
	return total
}

// levels counts the edges from the source by which each vertex is reached.
func (f *flow) levels(source, sink int) bool {
	for i := range f.level {
		f.level[i] = -1
	}
	f.level[source] = 0
	queue := []int{source}
	for i := 0; i < len(queue); i++ {
		for _, e := range f.out[queue[i]] {
			if v := f.to[e]; f.left[e] > 0 && f.level[v] < 0 {
				f.level[v] = f.level[queue[i]] + 1
				queue = append(queue, v)
			}
		}
	}
	return f.level[sink] >= 0
}

// push sends at most n further along levels. It goes no deeper than there are vertices
// between a device and a device.
func (f *flow) push(at, sink int, n int64) int64 {
	if at == sink {
		return n
	}
	for ; f.next[at] < len(f.out[at]); f.next[at]++ {
		e := f.out[at][f.next[at]]
		v := f.to[e]
		if f.left[e] == 0 || f.level[v] != f.level[at]+1 {
			continue
		}
		if sent := f.push(v, sink, min(n, f.left[e])); sent > 0 {
			f.left[e] -= sent
			f.left[e^1] += sent
			return sent
		}
	}
	return 0
}
