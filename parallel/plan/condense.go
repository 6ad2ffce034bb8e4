package plan

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// condensed is a training step from which repeated clusters, such as the layers of a
// network, are left out: it has what is different in them once. What a cluster takes by a
// layout in it is what clusters take that are alike, also in what they read of others
// and what others read of them.
type condensed struct {
	*Training
	of []int // the cluster of each node, from 1
	n  int
	// by is the cluster, from 0, that stands for each of the whole step.
	by []int
}

// mostPeriod is how many clusters may make up what repeats.
const mostPeriod = 16

// condense leaves clusters out, none where one reads something that is left out and that
// nothing stands for. of is the cluster, from 1, of each node, of n clusters.
func (t *Training) condense(of []int, n int) *condensed {
	x := &condenser{Training: t, of: of, n: n, nodes: make([][]graph.NodeID, n), local: make([]int, t.Graph.Len()+1), to: make([]int, n)}
	for id := range t.Graph.Nodes() {
		c := of[id] - 1
		x.local[id] = len(x.nodes[c])
		x.nodes[c] = append(x.nodes[c], id)
	}
	for c := range n {
		x.to[c] = c
	}
	for c := 1; c < n; {
		first, last, period := 0, -1, 0 // left out
		for p := 1; p <= min(mostPeriod, c); p++ {
			end := c
			for end < n && x.alike(end, p) {
				end++
			}
			if end = c + (end-c)/p*p; end-c > last-first+1 {
				first, last, period = c, end-1, p
			}
		}
		if period == 0 {
			c++
			continue
		}
		for k := first; k <= last; k++ {
			x.to[k] = first - period + (k-first)%period
		}
		x.gaps = append(x.gaps, gap{first, last, period})
		c = last + 1
	}
	out, err := x.write()
	if err == nil {
		return out
	}
	out = &condensed{Training: t, of: of, n: n}
	for c := range n {
		out.by = append(out.by, c)
	}
	return out
}

// gap are clusters that are left out: period before them stand for them.
type gap struct{ first, last, period int }

type condenser struct {
	*Training
	of    []int
	n     int
	nodes [][]graph.NodeID // by cluster
	local []int            // place of a node among those of its cluster
	to    []int            // the cluster that stands for each
	gaps  []gap
}

// alike reports whether cluster c is the one p clusters before it, moved on: its nodes read
// nodes of clusters so much further, or the same ones.
func (x *condenser) alike(c, p int) bool {
	a, b, g := x.nodes[c-p], x.nodes[c], x.Graph
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !x.sameNode(a[i], b[i]) {
			return false
		}
		for k, s := range g.Operands(a[i]) {
			t := g.Operands(b[i])[k]
			from, to := x.of[s.Node], x.of[t.Node]
			if s != t && (s.Out != t.Out || to-from != p || x.local[s.Node] != x.local[t.Node] || !x.sameNode(s.Node, t.Node)) {
				return false
			}
		}
	}
	return true
}

// sameNode reports whether two nodes are the same operator on tensors of the same types, or inputs
// of one kind.
func (x *condenser) sameNode(a, b graph.NodeID) bool {
	g := x.Graph
	if g.Op(a) != g.Op(b) || len(g.Operands(a)) != len(g.Operands(b)) || g.NumOut(a) != g.NumOut(b) || g.IsWeight(a) != g.IsWeight(b) {
		return false
	}
	for k := range g.NumOut(a) {
		if s, t := g.Type(a.Out(k)), g.Type(b.Out(k)); s.DType != t.DType || !slices.Equal(s.Sizes, t.Sizes) {
			return false
		}
	}
	o := g.Op(a)
	return o == nil || o.FormatAttrs(g.Attrs(a)) == o.FormatAttrs(g.Attrs(b))
}

// operand is what stands for operand k of a node that stays.
func (x *condenser) operand(id graph.NodeID, k int) (graph.Tensor, error) {
	c, t := x.of[id]-1, x.Graph.Operands(id)[k]
	for _, h := range x.gaps {
		d := x.of[t.Node] - 1
		if d < h.first || d > h.last {
			continue
		}
		if c < h.first { // what is behind a gap is made behind its last clusters
			if c < h.first-h.period {
				return t, fmt.Errorf("cluster %d reads cluster %d, beyond what repeats", c+1, d+1)
			}
			t = x.Graph.Operands(x.nodes[c+h.last-h.first+1][x.local[id]])[k]
			d = x.of[t.Node] - 1
		}
		if d >= h.first && d <= h.last {
			if d <= h.last-h.period {
				return t, fmt.Errorf("cluster %d reads cluster %d, within what repeats", c+1, d+1)
			}
			t = x.nodes[x.to[d]][x.local[t.Node]].Out(int(t.Out))
		}
	}
	return t, nil
}

// write makes the training step of the clusters that stay.
func (x *condenser) write() (*condensed, error) {
	g := x.Graph
	out := &condensed{Training: &Training{Next: map[int]int{}, Init: map[int]float64{}}, of: []int{0}, by: make([]int, x.n)}
	number := make([]int, x.n)
	for c := range x.n {
		if x.to[c] == c {
			number[c] = out.n
			out.n++
		}
		out.by[c] = number[x.to[c]]
	}
	var b graph.Builder
	at, begun := make([]graph.NodeID, g.Len()+1), make([]bool, g.Len()+1)
	var copy func(id graph.NodeID) error // behind what it reads, which may come later in the whole step
	copy = func(id graph.NodeID) error {
		if at[id] > 0 {
			return nil
		}
		if begun[id] {
			return fmt.Errorf("node %s depends on itself", g.Name(id))
		}
		begun[id] = true
		var in []graph.Tensor
		for k := range g.Operands(id) {
			t, err := x.operand(id, k)
			if err != nil {
				return fmt.Errorf("node %s: %w", g.Name(id), err)
			}
			if err := copy(t.Node); err != nil {
				return err
			}
			in = append(in, at[t.Node].Out(int(t.Out)))
		}
		out.of = append(out.of, number[x.of[id]-1]+1)
		var err error
		at[id], err = b.Copy(g, id, in)
		return err
	}
	for id := range g.Nodes() {
		if c := x.of[id] - 1; x.to[c] == c {
			if err := copy(id); err != nil {
				return nil, err
			}
		}
	}
	var ends []graph.Tensor
	place, becomes := map[graph.NodeID]int{}, map[int]graph.NodeID{}
	for i, t := range g.Outputs() {
		if at[t.Node] == 0 {
			continue
		}
		if in, ok := x.Next[i]; ok {
			becomes[len(ends)] = at[g.Inputs()[in]]
		}
		ends = append(ends, at[t.Node].Out(int(t.Out)))
	}
	var err error
	if out.Graph, err = b.Finish(ends...); err != nil {
		return nil, err
	}
	for i, id := range out.Graph.Inputs() {
		place[id] = i
	}
	for i, in := range becomes {
		out.Next[i] = place[in]
	}
	for i, v := range x.Init {
		if id := at[g.Inputs()[i]]; id > 0 {
			out.Init[place[id]] = v
		}
	}
	return out, nil
}

// profile is what each cluster of the whole step takes by the layout of a plan of the condensed
// one ([Plan.profile]).
func (x *condensed) profile(p *Plan) ([]part, error) {
	parts, err := p.profile(x.of, x.n)
	if err != nil {
		return nil, err
	}
	out := make([]part, len(x.by))
	for c, k := range x.by {
		out[c] = parts[k]
	}
	return out, nil
}
