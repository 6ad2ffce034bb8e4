package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
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

// large reports whether a tensor in a role along the axis of the pass has too many elements.
func (a *pass) large(t graph.Tensor, r parallel.Role) bool {
	return r.Kind != parallel.Shard && r != whole && tooMany(graph.NumElements(a.g.Sizes(t)), a.degree)
}

// larges reports whether one of the tensors that a node reads or makes by a strategy has.
func (a *pass) larges(id graph.NodeID, st *parallel.Strategy) bool {
	for i, t := range a.g.Operands(id) {
		if a.large(t, st.In[i]) {
			return true
		}
	}
	for k, r := range st.Out {
		if a.large(id.Out(k), r) {
			return true
		}
	}
	return false
}

// large reports whether a tensor at a place has too many elements.
func (m *mover) large(t graph.TensorType, p place) bool {
	var times []int
	for k, d := range m.mesh.Degrees {
		if p[k] < shards {
			times = append(times, d)
		}
	}
	return tooMany(graph.NumElements(t.Sizes), times...)
}

// larges reports whether one of the tensors that a node reads or makes in such places has.
func (s *space) larges(id graph.NodeID, in, out []place) bool {
	for i, t := range s.g.Operands(id) {
		if s.large(s.g.Type(t), in[i]) {
			return true
		}
	}
	return slices.ContainsFunc(s.results(id), func(t graph.Tensor) bool { return s.large(s.g.Type(t), out[t.Out]) })
}

// results are what a node makes.
func (s *space) results(id graph.NodeID) (out []graph.Tensor) {
	for k := range s.g.NumOut(id) {
		out = append(out, id.Out(k))
	}
	return out
}
