package plan

import "github.com/taso-go/taso/graph"

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
