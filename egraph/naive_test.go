package egraph

import "slices"

// naive is the reference: terms in a list, classes in a list, congruence by
// comparing all pairs until nothing changes. It shares no code with Graph.
type naive struct {
	sym   []uint32
	kids  [][]int
	class []int
}

func (r *naive) add(sym uint32, kids ...int) int {
	for i := range r.sym {
		if r.sym[i] == sym && slices.Equal(r.kids[i], kids) {
			return i
		}
	}
	r.sym = append(r.sym, sym)
	r.kids = append(r.kids, slices.Clone(kids))
	r.class = append(r.class, len(r.class))
	return len(r.sym) - 1
}

func (r *naive) union(a, b int) {
	from, to := r.class[a], r.class[b]
	for i := range r.class {
		if r.class[i] == from {
			r.class[i] = to
		}
	}
}

func (r *naive) close() {
	for changed := true; changed; {
		changed = false
		for i := range r.sym {
			for j := range i {
				if r.class[i] != r.class[j] && r.congruent(i, j) {
					r.union(i, j)
					changed = true
				}
			}
		}
	}
}

func (r *naive) congruent(i, j int) bool {
	if r.sym[i] != r.sym[j] || len(r.kids[i]) != len(r.kids[j]) {
		return false
	}
	for k := range r.kids[i] {
		if r.class[r.kids[i][k]] != r.class[r.kids[j][k]] {
			return false
		}
	}
	return true
}

// terms copies the terms of g, node n at place n-1, all classes apart.
func terms(g *Graph) *naive {
	r := &naive{}
	for n := 1; n <= g.Len(); n++ {
		var kids []int
		for _, k := range g.Children(NodeID(n)) {
			kids = append(kids, int(k)-1)
		}
		r.sym = append(r.sym, g.Sym(NodeID(n)))
		r.kids = append(r.kids, kids)
		r.class = append(r.class, n-1)
	}
	return r
}
