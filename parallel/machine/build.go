package machine

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/taso-go/taso/internal/must"
)

// builder makes a cluster from what a file says.
type builder struct {
	s     *spec
	c     *Cluster
	names []map[string]int // of a node's vertices that are no devices
}

func (s *spec) build() (c *Cluster, err error) {
	defer must.Catch(&err)
	c = &Cluster{Name: s.name, Doc: s.doc, Device: s.device, Memory: s.memory, Nodes: 1, Shape: s.shape,
		Classes: s.classes, forward: s.node.forward, from: s}
	for _, n := range s.shape {
		c.Nodes *= n
	}
	c.devices = c.Nodes * s.node.devices
	b := &builder{s: s, c: c}
	for k := range c.Nodes {
		for i := range s.node.devices {
			b.vertex(fmt.Sprintf("n%d.d%d", k, i), k, 0)
		}
	}
	for k := range c.Nodes {
		b.names = append(b.names, map[string]int{})
		for _, name := range s.node.switches {
			b.names[k][name] = b.vertex(fmt.Sprintf("n%d.%s", k, name), k, 0)
		}
		for _, h := range s.node.hosts {
			b.names[k][h.Name] = b.vertex(fmt.Sprintf("n%d.%s", k, h.Name), k, h.Memory)
		}
		for _, l := range s.node.links {
			b.within(k, l)
		}
	}
	if c.Nodes > 1 {
		if err := b.network(); err != nil {
			return nil, err
		}
	}
	c.out = make([][]int, len(c.Vertices))
	for i, l := range c.Links {
		c.out[l.From] = append(c.out[l.From], i)
	}
	c.rows = make([]atomic.Pointer[row], len(c.Vertices))
	if err := c.reach(); err != nil {
		return nil, err
	}
	return c, nil
}

// within joins vertices of a node.
func (b *builder) within(node int, l linkSpec) {
	class := b.s.classes[l.class]
	var ends []int
	for _, e := range l.ends {
		ends = append(ends, b.at(node, e))
	}
	switch l.form {
	case "pair", "mesh":
		b.mesh(ends, class, l.width)
	case "ring":
		b.ring(ends, class, l.width)
	case "star":
		hub := b.at(node, l.hub)
		for _, e := range ends {
			b.both(hub, e, class, l.width)
		}
	case "bus":
		// All messages pass one link, in whatever direction they go.
		in := b.vertex(fmt.Sprintf("n%d.%s-in%d", node, class.Name, len(b.c.Vertices)), node, 0)
		out := b.vertex(fmt.Sprintf("n%d.%s-out%d", node, class.Name, len(b.c.Vertices)), node, 0)
		b.link(in, out, class, l.width)
		for _, e := range ends {
			b.link(e, in, Class{}, 1)
			b.link(out, e, Class{}, 1)
		}
	}
}

// at is the vertex of a node that a file names.
func (b *builder) at(node int, end string) int {
	if i, err := strconv.Atoi(end); err == nil {
		return node*b.s.node.devices + i
	}
	return b.names[node][end]
}

func (b *builder) vertex(name string, node int, memory int64) int {
	b.c.Vertices = append(b.c.Vertices, Vertex{Name: name, Node: node, Memory: memory})
	return len(b.c.Vertices) - 1
}

func (b *builder) link(from, to int, class Class, width int64) {
	l := Link{From: from, To: to, Class: class.Name, Latency: class.Latency, Bandwidth: class.Bandwidth}
	if l.Bandwidth > maxBandwidth/width {
		l.Bandwidth = maxBandwidth
	} else {
		l.Bandwidth *= width
	}
	if len(b.c.Links) == MaxLinks {
		must.Failf("more than %d links", MaxLinks)
	}
	b.c.Links = append(b.c.Links, l)
}

// MaxLinks is how many links a cluster may have, one for each direction.
const MaxLinks = 1 << 19

// maxBandwidth is the width of the widest link, in bytes a second.
const maxBandwidth = 1e15

func (b *builder) both(x, y int, class Class, width int64) {
	b.link(x, y, class, width)
	b.link(y, x, class, width)
}

func (b *builder) mesh(ends []int, class Class, width int64) {
	for i, x := range ends {
		for _, y := range ends[i+1:] {
			b.both(x, y, class, width)
		}
	}
}

func (b *builder) ring(ends []int, class Class, width int64) {
	for i, x := range ends {
		if y := ends[(i+1)%len(ends)]; len(ends) > 2 || i == 0 {
			b.both(x, y, class, width)
		}
	}
}
