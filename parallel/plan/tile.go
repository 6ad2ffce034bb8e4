package plan

import (
	"encoding/binary"
	"slices"

	"github.com/taso-go/taso/graph"
)

// division divides a choice into choices of regions: parts of the graph between which each tensor is in a
// place that is decided beforehand. So the work grows with the number of regions only, and of regions that
// are alike, such as the layers of a network, one is solved.
type division struct {
	// of is the region of each node of the training graph; nil: all are one.
	of []int
	// only are the regions that are laid out; nil: all.
	only func(region int) bool
	// solved has the solutions of problems by what is in them; nil: none is looked up.
	solved *solutions
}

// tiles are the regions of a space.
type tiles struct {
	list   []*tile
	border map[graph.Tensor]place // of what is made in one region and read in another
}

// tile is a region: its operators, what they make, and what they read of others or is given.
type tile struct {
	nodes      []graph.NodeID
	made, read []graph.Tensor
}

// divide finds the regions; lies is the place of a tensor between them.
func (s *space) divide(how division, lies func(t graph.Tensor) place) *tiles {
	out := &tiles{border: map[graph.Tensor]place{}}
	number := func(id graph.NodeID) int {
		o := s.lay.Origin(id)
		if how.of == nil {
			return 0
		}
		if o.Converts { // a stage makes the members that it needs of what others made
			if n := s.mesh.Axes[ended(s.lay, id)].Stage; n > 0 && n != s.mesh.Axes[s.first].Stage {
				return -n
			}
		}
		return how.of[o.Tensor.Node]
	}
	at, seen := map[int]*tile{}, map[*tile]map[graph.Tensor]bool{}
	for _, id := range s.all {
		if s.ways[id] == nil {
			continue
		}
		n := number(id)
		for _, t := range s.g.Operands(id) {
			if _, ok := out.border[t]; !ok && s.ways[t.Node] != nil && number(t.Node) != n {
				out.border[t] = lies(t)
			}
		}
		if n < 0 || how.only != nil && !how.only(n) {
			continue
		}
		r := at[n]
		if r == nil {
			r = &tile{}
			at[n], seen[r] = r, map[graph.Tensor]bool{}
			out.list = append(out.list, r)
		}
		r.nodes = append(r.nodes, id)
		for _, t := range s.g.Operands(id) {
			if (s.given(t) || number(t.Node) != n) && !seen[r][t] {
				seen[r][t] = true
				r.read = append(r.read, t)
			}
		}
		for k := range s.g.NumOut(id) {
			r.made = append(r.made, id.Out(k))
		}
	}
	if len(out.list) == 0 {
		return out
	}
	var ends []graph.Tensor // inputs that become outputs
	for t := range s.becomes {
		if s.given(t) {
			ends = append(ends, t)
		}
	}
	slices.SortFunc(ends, func(x, y graph.Tensor) int { return s.becomes[x][0] - s.becomes[y][0] })
	out.list[0].made = append(out.list[0].made, ends...)
	return out
}

// key is all on which the choice in a region depends, but for the question: of each operator what ways it
// has, who reads what, and of each tensor how large it is, along which axes it lies, how it may lie where it
// is given, and as what others want it. Names and numbers of nodes are not in it: two regions with one key
// are alike node by node.
func (s *space) key(r *tile, q *question) string {
	number := map[graph.Tensor]int{}
	for _, list := range [][]graph.Tensor{r.read, r.made} {
		for _, t := range list {
			if _, ok := number[t]; !ok {
				number[t] = len(number)
			}
		}
	}
	var b []byte
	put := func(list ...int) {
		for _, x := range list {
			b = binary.AppendVarint(b, int64(x))
		}
	}
	flag := func(list ...bool) {
		for _, x := range list {
			b = append(b, map[bool]byte{true: 1}[x])
		}
	}
	at := func(p place, ok bool) {
		flag(ok)
		for _, c := range p {
			put(int(c))
		}
	}
	put(len(r.nodes), len(r.read), len(r.made))
	for _, id := range r.nodes {
		put(s.numbers[id], len(s.g.Operands(id)), s.g.NumOut(id))
		for _, t := range s.g.Operands(id) {
			put(number[t])
		}
	}
	for _, list := range [][]graph.Tensor{r.read, r.made} {
		for _, t := range list {
			put(number[t], int(s.g.DType(t)), len(s.g.Sizes(t)))
			put(s.g.Sizes(t)...)
			put(len(s.lay.Mesh(t)))
			put(s.lay.Mesh(t)...)
			p, ok := q.tiles.border[t]
			at(p, ok)
			flag(s.g.Op(t.Node) == nil, s.between[t], s.fresh != nil && s.fresh[t.Node])
			put(len(s.becomes[t]))
			for _, output := range s.becomes[t] {
				in, ok := s.final(output)
				flag(ok)
				if ok {
					p, ok = q.resident[in]
					at(p, ok)
				}
			}
			if flag(s.given(t)); s.given(t) {
				lies := s.inputs(q, t)
				flag(s.weight(t))
				put(len(lies))
				for _, p := range lies {
					at(p, true)
				}
			}
		}
	}
	return string(b)
}
