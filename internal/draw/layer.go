package draw

import "slices"

// dummyBudget bounds the dummies of a picture: this many times its nodes and
// edges, plus dummyFloor, so that small graphs are never cut.
const (
	dummyBudget = 6
	dummyFloor  = 2000
)

// layers assigns a layer to each node, 0 on top: below all its operands (longest
// path), and from there down to just above its first user where that makes its
// edges no longer in sum. So a constant stands near its use and not on top.
func (d *dag) layers() []int {
	layer := make([]int, len(d.in))
	for _, n := range d.topo {
		for _, e := range d.in[n] {
			layer[n] = max(layer[n], layer[d.edges[e].from]+1)
		}
	}
	for i := len(d.topo) - 1; i >= 0; i-- {
		n := d.topo[i]
		if len(d.out[n]) == 0 || len(d.out[n]) < len(d.in[n]) {
			continue
		}
		low := layer[d.edges[d.out[n][0]].to]
		for _, e := range d.out[n] {
			low = min(low, layer[d.edges[e].to])
		}
		layer[n] = low - 1
	}
	return layer
}

// maxSpan is the largest number of layers an edge may span without being cut.
func (d *dag) maxSpan(layer []int) int {
	spans := make([]int, len(d.edges))
	for i, e := range d.edges {
		spans[i] = layer[e.to] - layer[e.from]
	}
	slices.Sort(spans)
	budget := dummyBudget*(len(d.in)+len(d.edges)) + dummyFloor
	for i, s := range spans {
		if budget -= s - 1; budget < 0 {
			// Edges of one length are cut together: which of them fits must
			// not depend on their order.
			if i == 0 {
				return 1
			}
			return max(1, spans[i]-1)
		}
	}
	if len(spans) == 0 {
		return 1
	}
	return max(1, spans[len(spans)-1])
}

// vertex is a node, a dummy, or the box that stands for a cut edge.
type vertex struct {
	node  int // of the graph; -1: a dummy; -2-n: a box that stands for node n
	from  int // port, of a box that stands for a node
	layer int
	pos   int // in its layer, from the left
	// Width, height, centre, and how far the ends of its segments are apart.
	w, h, x      float64
	slots, ports int
	above, below []int // segments
}

func (v *vertex) dummy() bool { return v.node == -1 }

// segments are those to the layer above, or to the one below.
func (v *vertex) segments(up bool) []int {
	if up {
		return v.above
	}
	return v.below
}

// segment connects vertices of adjacent layers.
type segment struct {
	a, b       int // vertices, a above b
	port, slot int // where it leaves a and arrives at b
}

// route is how an edge is drawn: through which vertices.
type route struct {
	edge int
	via  []int
	last int // the segment that arrives
}

// picture is a graph in layers.
type picture struct {
	verts  []vertex
	segs   []segment
	layers [][]int // vertices by layer, by position
	routes []route
	// Tops and heights of layers, once placed.
	top, height   []float64
	width, bottom float64
}

// arrange puts the nodes into layers and makes the dummies.
func (d *dag) arrange() *picture {
	layer := d.layers()
	p := &picture{}
	for n, l := range layer {
		p.verts = append(p.verts, vertex{node: n, layer: l, slots: len(d.in[n]), ports: len(d.ports[n])})
	}
	type bend struct{ from, port, layer int }
	bends := map[bend]int{}
	linked := map[bend]bool{} // the segment above that dummy is there
	span := d.maxSpan(layer)
	for i, e := range d.edges {
		r := route{edge: i, via: []int{e.from}}
		from, to := layer[e.from], layer[e.to]
		last, port := e.from, e.port
		first := from + 1
		if to-from > span {
			// Cut: a box just above the target stands for the source.
			key := bend{e.from, e.port, -to}
			v, ok := bends[key]
			if !ok {
				v = p.add(vertex{node: -2 - e.from, from: e.port, layer: to - 1, ports: 1})
				bends[key] = v
			}
			r.via, last, port, first = []int{v}, v, 0, to
		}
		for l := first; l < to; l++ {
			key := bend{e.from, e.port, l}
			v, ok := bends[key]
			if !ok {
				v = p.add(vertex{node: -1, layer: l, slots: 1, ports: 1})
				bends[key] = v
			}
			if !linked[key] {
				linked[key] = true
				p.link(segment{a: last, b: v, port: port})
			}
			r.via = append(r.via, v)
			last, port = v, 0
		}
		r.last = p.link(segment{a: last, b: e.to, port: port, slot: e.slot})
		r.via = append(r.via, e.to)
		p.routes = append(p.routes, r)
	}
	depth := 0
	for i := range p.verts {
		depth = max(depth, p.verts[i].layer+1)
	}
	p.layers = make([][]int, depth)
	return p
}

func (p *picture) add(v vertex) int {
	p.verts = append(p.verts, v)
	return len(p.verts) - 1
}

func (p *picture) link(s segment) int {
	p.segs = append(p.segs, s)
	p.verts[s.a].below = append(p.verts[s.a].below, len(p.segs)-1)
	p.verts[s.b].above = append(p.verts[s.b].above, len(p.segs)-1)
	return len(p.segs) - 1
}
