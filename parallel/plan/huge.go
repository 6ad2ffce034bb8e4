package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// tooMany reports whether a family of members would have more elements than a tensor may
// have ([graph.MaxElements]): copies and parts of sums are as many times what a member has
// as there are members. Such a choice cannot be laid out, so that it is none.
func tooMany(elements int, times ...int) bool {
	for _, n := range times {
		if elements > graph.MaxElements/max(n, 1) {
			return true
		}
		elements *= n
	}
	return elements > graph.MaxElements
}

// large reports whether a tensor at a place has too many elements.
func (m *mover) large(t sort, p place) bool {
	var times []int
	for k, d := range m.degrees {
		if p[k] < shards && p[k] != wholes {
			times = append(times, d)
		}
	}
	return len(times) > 0 && tooMany(graph.NumElements(t.Sizes), append(times, t.members)...)
}

// larges reports whether one of the tensors that a node reads or makes in such places has.
func (s *space) larges(id graph.NodeID, in, out []place) bool {
	for i, t := range s.g.Operands(id) {
		if s.large(s.sort(t), in[i]) {
			return true
		}
	}
	return slices.ContainsFunc(s.results(id), func(t graph.Tensor) bool { return s.large(s.sort(t), out[t.Out]) })
}

// results are what a node makes.
func (s *space) results(id graph.NodeID) (out []graph.Tensor) {
	for k := range s.g.NumOut(id) {
		out = append(out, id.Out(k))
	}
	return out
}
