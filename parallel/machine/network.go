package machine

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// netSpec is the network between nodes.
type netSpec struct {
	topology string // of topologies
	class    int
	ports    []string // vertices of each node that are on the network
	leaf     int      // of a fat tree: nodes of one switch
	over     int      // its oversubscription
	degree   int      // of reconfigurable links: how many leave a node
	links    [][2]int // these links; nil: the default
}

var topologies = []string{"switch", "fat-tree", "torus", "ring", "full", "reconfigurable"}

// maxTorus bounds the dimensions of a torus.
const maxTorus = 6

func (r *reader) network(n *yaml.Node, s *spec) {
	f := r.mapping(n, "network", "topology", "class", "ports", "leaf", "oversubscription", "degree", "links")
	t := &netSpec{topology: r.word(f.need("topology"), "topology"), class: r.class(f.need("class"), s)}
	if t.topology == "" {
		return
	}
	if !slices.Contains(topologies, t.topology) {
		r.bad(f.at["topology"].Line, "topology %q is none of %s", t.topology, strings.Join(topologies, ", "))
		return
	}
	only := func(field, topology string) *yaml.Node {
		x := f.at[field]
		if x != nil && t.topology != topology {
			r.bad(x.Line, "network: %s goes with topology %s only", field, topology)
			return nil
		}
		return x
	}
	var names []string
	names = append(names, s.node.switches...)
	for _, h := range s.node.hosts {
		names = append(names, h.Name)
	}
	for _, x := range r.list(f.need("ports"), "ports") {
		e := r.end(x, s, names)
		if slices.Contains(t.ports, e) {
			r.bad(x.Line, "ports: %s is there twice", e)
		}
		t.ports = append(t.ports, e)
	}
	if p := f.at["ports"]; p != nil && len(t.ports) == 0 {
		r.bad(p.Line, "ports: want the vertices of a node that are on the network")
	}
	if t.topology == "fat-tree" {
		f.need("leaf")
	}
	t.leaf = r.whole(only("leaf", "fat-tree"), "leaf", 1, MaxDevices)
	t.over = r.whole(only("oversubscription", "fat-tree"), "oversubscription", 1, 1000)
	if t.topology == "reconfigurable" {
		f.need("degree")
	}
	t.degree = r.whole(only("degree", "reconfigurable"), "degree", 1, MaxDevices)
	if l := only("links", "reconfigurable"); l != nil {
		t.links = [][2]int{}
		for _, x := range r.list(l, "links") {
			ends := r.list(x, "a link from one node to another")
			if len(ends) != 2 {
				r.bad(x.Line, "a link from one node to another has %d ends, want 2", len(ends))
				continue
			}
			t.links = append(t.links, [2]int{r.whole(ends[0], "node", 0, MaxDevices-1), r.whole(ends[1], "node", 0, MaxDevices-1)})
		}
	}
	s.net = t
}

// network joins the nodes.
func (b *builder) network() error {
	t := b.s.net
	b.c.Topology = t.topology
	class := b.s.classes[t.class]
	switch t.topology {
	case "switch":
		hub := b.vertex("switch", -1, 0)
		for k := range b.c.Nodes {
			for _, p := range t.ports {
				b.both(b.at(k, p), hub, class, 1)
			}
		}
	case "fat-tree":
		b.fatTree(class)
	case "torus":
		b.torus(class)
	case "ring":
		for _, p := range t.ports {
			b.ring(b.plane(p), class, 1)
		}
	case "full":
		for _, p := range t.ports {
			b.mesh(b.plane(p), class, 1)
		}
	case "reconfigurable":
		return b.wires(class)
	}
	return nil
}

// plane is the vertex of that name of each node.
func (b *builder) plane(port string) []int {
	var out []int
	for k := range b.c.Nodes {
		out = append(out, b.at(k, port))
	}
	return out
}

// fatTree is a tree whose links are as wide as all links below them together, divided
// by the oversubscription.
func (b *builder) fatTree(class Class) {
	t := b.s.net
	leaves := (b.c.Nodes + t.leaf - 1) / t.leaf
	core := -1
	if leaves > 1 {
		core = b.vertex("core", -1, 0)
	}
	up := class
	up.Bandwidth = max(1, class.Bandwidth/int64(t.over))
	width := int64(t.leaf) * int64(len(t.ports))
	for l := range leaves {
		leaf := b.vertex(fmt.Sprintf("leaf%d", l), -1, 0)
		for k := l * t.leaf; k < min(b.c.Nodes, (l+1)*t.leaf); k++ {
			for _, p := range t.ports {
				b.both(b.at(k, p), leaf, class, 1)
			}
		}
		if core >= 0 {
			b.both(leaf, core, up, width)
		}
	}
}

// torus joins each node with the next one along each dimension, and the last with the
// first; the last dimension counts fastest.
func (b *builder) torus(class Class) {
	for _, p := range b.s.net.ports {
		at := b.plane(p)
		stride := b.c.Nodes
		for _, n := range b.s.shape {
			block := stride
			stride /= n
			for k := range at {
				i := k % block / stride
				if next := k + ((i+1)%n-i)*stride; next != k && (n > 2 || i == 0) {
					b.both(at[k], at[next], class, 1)
				}
			}
		}
	}
}

// wires are links that can be set: each leads from one node to another one, and as many
// leave a node and arrive there as it has interfaces.
func (b *builder) wires(class Class) error {
	t, n := b.s.net, b.c.Nodes
	links := t.links
	if links == nil {
		links = circulant(n, t.degree)
	}
	leave, arrive := make([]int, n), make([]int, n)
	for _, l := range links {
		for _, k := range l {
			if k < 0 || k >= n {
				return fmt.Errorf("network: a link of node %d, and there are nodes 0 to %d", k, n-1)
			}
		}
		if l[0] == l[1] {
			return fmt.Errorf("network: a link from node %d to itself", l[0])
		}
		leave[l[0]]++
		arrive[l[1]]++
		for _, p := range t.ports {
			b.link(b.at(l[0], p), b.at(l[1], p), class, 1)
		}
	}
	for k := range n {
		if leave[k] > t.degree || arrive[k] > t.degree {
			return fmt.Errorf("network: %d links leave node %d and %d arrive there, and its degree is %d", leave[k], k, arrive[k], t.degree)
		}
	}
	return nil
}

// circulant is the default of links that can be set: rings of strides 1, -1, 2, -2 and so
// on, as many as the degree allows.
func circulant(nodes, degree int) [][2]int {
	var strides []int
	seen := map[int]bool{0: true}
	for d := 1; d < nodes && len(seen) <= min(degree, nodes-1); d++ {
		for _, stride := range []int{d, nodes - d} {
			if seen[stride] || len(seen) > degree {
				continue
			}
			seen[stride] = true
			strides = append(strides, stride)
		}
	}
	return Circulant(nodes, strides)
}

// Circulant are the links of each node to those that are so many numbers further, around the
// nodes, for [Cluster.Rewire].
func Circulant(nodes int, strides []int) [][2]int {
	var out [][2]int
	for _, s := range strides {
		for k := range nodes {
			out = append(out, [2]int{k, ((k+s)%nodes + nodes) % nodes})
		}
	}
	return out
}

// Rewire is the cluster with other links between nodes, each from one node to another.
// The network must be reconfigurable, no more links than its degree may leave a node or
// arrive there, and every device must reach every other one.
func (c *Cluster) Rewire(links [][2]int) (*Cluster, error) {
	if c.from.net == nil || c.from.net.topology != "reconfigurable" {
		return nil, fmt.Errorf("cluster %s: its links cannot be set, the network is not reconfigurable", c.Name)
	}
	s, net := *c.from, *c.from.net
	net.links = append([][2]int{}, links...)
	s.net = &net
	out, err := s.build()
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return out, nil
}

// Degree is how many links may leave a node and arrive there, of a reconfigurable
// network; 0 of any other.
func (c *Cluster) Degree() int {
	if c.Topology != "reconfigurable" {
		return 0
	}
	return c.from.net.degree
}

// Wires are the links between nodes of a reconfigurable network, as [Cluster.Rewire] sets them;
// nil of any other.
func (c *Cluster) Wires() [][2]int {
	switch {
	case c.Topology != "reconfigurable":
		return nil
	case c.from.net.links == nil:
		return circulant(c.Nodes, c.from.net.degree)
	}
	return slices.Clone(c.from.net.links)
}
