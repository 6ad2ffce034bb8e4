package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// tiles divides a training step into regions, between which each tensor is in a place that
// is decided beforehand: then regions have no bearing on each other, and of those that are
// alike, such as the layers of a network, one is solved. What that finds is a choice for all
// of the graph, which can be made better.
type tiles struct {
	list   []*tile
	border map[graph.Tensor]place // of what is made in one region and read in another
}

// tile is a region.
type tile struct {
	nodes []graph.NodeID // in order, inputs that are read nowhere else among them
	has   map[graph.NodeID]bool
	read  []graph.Tensor // of other regions, each once
	reads map[graph.Tensor]bool
}

// divide makes the regions of a number for each node ([Training.Clusters]); lies is the
// place of a tensor between regions.
func (s *space) divide(of []int, lies func(t graph.Tensor) place) *tiles {
	out := &tiles{border: map[graph.Tensor]place{}}
	at := map[int]*tile{}
	number := slices.Clone(of)
	for _, id := range s.all { // inputs are where they are read first; what nobody needs is nowhere
		for _, t := range s.g.Operands(id) {
			if s.ways[id] != nil && s.g.Op(t.Node) == nil && number[t.Node] >= 0 {
				number[t.Node] = -number[id]
			}
		}
	}
	for _, id := range s.all {
		if s.ways[id] == nil && s.g.Op(id) != nil {
			continue
		}
		number[id] = max(number[id], -number[id])
		n := number[id]
		r := at[n]
		if r == nil {
			r = &tile{has: map[graph.NodeID]bool{}, reads: map[graph.Tensor]bool{}}
			at[n] = r
			out.list = append(out.list, r)
		}
		r.nodes = append(r.nodes, id)
		r.has[id] = true
		for _, t := range s.g.Operands(id) {
			if r.has[t.Node] || r.reads[t] {
				continue
			}
			r.reads[t] = true
			r.read = append(r.read, t)
			if _, ok := out.border[t]; !ok {
				out.border[t] = place{}
				if s.g.Op(t.Node) != nil {
					out.border[t] = lies(t)
				}
			}
		}
	}
	return out
}

// key is all on which the choice in a region depends, but for the question: two regions
// with one key are alike node by node.
func (s *space) key(r *tile, q question) string {
	var b strings.Builder
	at := map[graph.NodeID]int{}
	for i, id := range r.nodes {
		at[id] = i
		if s.g.Op(id) == nil {
			_, weight := s.weights[id]
			fmt.Fprint(&b, "input ", s.g.Type(id.Out(0)), weight)
			if p, ok := q.resident[id]; ok {
				fmt.Fprint(&b, p)
			}
		} else {
			b.WriteString(content(s.g, id))
		}
		for _, t := range s.g.Operands(id) {
			if r.reads[t] {
				fmt.Fprint(&b, " of others ", slices.Index(r.read, t), q.tiles.border[t])
			} else {
				fmt.Fprint(&b, " ", at[t.Node], t.Out)
			}
		}
		for k := range s.g.NumOut(id) {
			t := id.Out(k)
			if p, ok := q.tiles.border[t]; ok {
				fmt.Fprint(&b, " wanted ", p)
			}
			for _, output := range s.becomes[t] {
				if in, ok := s.final(output); ok {
					where, own := at[in]
					p, ok := q.resident[in]
					fmt.Fprint(&b, " next ", where, own, p, ok)
				} else {
					b.WriteString(" output")
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// answer is what was chosen in a region, by its nodes.
type answer struct {
	nodes []graph.NodeID
	l     *layouts
}

// tile answers a question region by region.
func (s *space) tile(q question) (*layouts, error) {
	out := &layouts{ways: make([][]*way, len(s.ways)), resident: map[graph.NodeID]place{}, stop: "optimal"}
	known := q.known
	if known == nil {
		known = map[string]answer{}
	}
	for _, r := range q.tiles.list {
		key := s.key(r, q)
		a, ok := known[key]
		if !ok {
			own := q
			own.within = r
			l, err := s.solve(own)
			if err != nil {
				return nil, err
			}
			a = answer{r.nodes, l}
			known[key] = a
		}
		for i, id := range r.nodes {
			like := a.nodes[i]
			out.ways[id] = a.l.ways[like]
			if p, ok := a.l.resident[like]; ok {
				out.resident[id] = p
			}
		}
		out.cost += a.l.cost
		out.bound += a.l.bound
		if a.l.stop != "optimal" {
			out.stop = a.l.stop
		}
	}
	return out, s.err
}

// flow is a place for each tensor: along the axes that are marked as samples that are
// dealt out make them, with nothing converted that need not be, and copies along the
// others. An operator is computed in the way that takes most of its operands as they are.
// With all axes marked that is data parallelism.
func (s *space) flow(samples [maxAxes]bool) (*layouts, map[graph.Tensor]place) {
	l := &layouts{ways: make([][]*way, len(s.ways)), resident: map[graph.NodeID]place{}}
	out := map[graph.Tensor]place{}
	for _, id := range s.all {
		if s.g.Op(id) == nil {
			t := id.Out(0)
			typ := s.g.Type(t)
			var p place
			if _, weight := s.weights[id]; !weight && !s.g.IsWeight(id) {
				for k := range s.mesh.Degrees {
					if next := p; samples[k] {
						next[k] = shards
						if s.fits(typ, next) {
							p = next
						}
					}
				}
			}
			out[t] = p
			continue
		}
		var best *way
		most, least := -1, machine.Time(0)
		for _, w := range s.ways[id] {
			same, ok := 0, true
			for i, t := range s.g.Operands(id) {
				have := out[t]
				for k := range s.mesh.Degrees {
					switch {
					case have[k] == w.in[i][k]:
						same++
					case have[k] == copies, have[k] == sums && w.in[i][k] == copies:
					default:
						ok = false
					}
				}
			}
			if ok && (same > most || same == most && w.cost < least) {
				best, most, least = w, same, w.cost
			}
		}
		if s.ways[id] != nil {
			if best == nil {
				best = s.ways[id][0]
			}
			l.ways[id] = []*way{best}
		}
		for k := range s.g.NumOut(id) {
			out[id.Out(k)] = place{}
			if best != nil {
				out[id.Out(k)] = best.out[k]
			}
		}
	}
	return l, out
}
