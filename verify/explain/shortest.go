package explain

import (
	"slices"

	"github.com/taso-go/taso/egraph"
)

// link is one step of a chain: the subterm at path, which is one side of the
// equation eq, becomes the other side.
type link struct {
	path     []int
	eq       int
	backward bool
}

// under is links moved down to argument i.
func under(i int, ls []link) []link {
	out := make([]link, len(ls))
	for k, l := range ls {
		out[k] = link{append([]int{i}, l.path...), l.eq, l.backward}
	}
	return out
}

// maxWork bounds the search for cheapest paths: the sum over all classes of the
// cube of the number of terms.
const maxWork = 4_000_000

// paths are the cheapest paths between the terms of each class.
type paths struct {
	b     *bank
	place []int   // of a node in its class
	class []int   // of a node
	nodes [][]int // of a class
	cost  [][]int // of a class, for each pair of places; unreached if none is known
	via   [][]hop // how
}

// congruent stands for equal arguments in place of an equation.
const congruent = -1

// none is no node.
const none = -1

// hop says what a cheapest path is made of: two others that meet at a node, an
// equation, or congruence.
type hop struct {
	mid      int // a place, or none
	eq       int // or congruent
	backward bool
}

const unreached = 1 << 40

// shortest finds cheapest paths; ok is false where that is too much work. A
// cost is the number of steps; among paths of one cost the first found stays,
// which the order of the nodes decides.
func shortest(c *closure, eqs []equation) (p *paths, ok bool) {
	n := c.g.Len()
	p = &paths{b: c.b, place: make([]int, n), class: make([]int, n)}
	index := map[egraph.ClassID]int{}
	for i := range n {
		r := c.g.Find(id(i))
		k, seen := index[r]
		if !seen {
			k = len(p.nodes)
			index[r] = k
			p.nodes = append(p.nodes, nil)
		}
		p.class[i], p.place[i] = k, len(p.nodes[k])
		p.nodes[k] = append(p.nodes[k], i)
	}
	work := 0
	for _, ns := range p.nodes {
		work += len(ns) * len(ns) * len(ns)
	}
	if work > maxWork {
		return nil, false
	}
	for _, ns := range p.nodes {
		m := len(ns)
		cost := make([]int, m*m)
		for i := range cost {
			cost[i] = unreached
		}
		for i := range m {
			cost[i*m+i] = 0
		}
		p.cost = append(p.cost, cost)
		p.via = append(p.via, make([]hop, m*m))
	}
	for i, e := range eqs {
		p.offer(e.left, e.right, 1, hop{none, i, false})
		p.offer(e.right, e.left, 1, hop{none, i, true})
	}
	// A round may make arguments cheaper, on which congruence builds in the
	// next. Costs are whole numbers and only fall.
	for changed := true; changed; {
		changed = false
		for k := range p.nodes {
			if p.congruences(k) {
				changed = true
			}
			if p.relax(k) {
				changed = true
			}
		}
	}
	return p, true
}

// offer notes a path if it is cheaper than what is known.
func (p *paths) offer(u, v, cost int, h hop) bool {
	k := p.class[u]
	at := p.place[u]*len(p.nodes[k]) + p.place[v]
	if p.cost[k][at] <= cost {
		return false
	}
	p.cost[k][at], p.via[k][at] = cost, h
	return true
}

func (p *paths) costOf(u, v int) int {
	k := p.class[u]
	if k != p.class[v] {
		return unreached
	}
	return p.cost[k][p.place[u]*len(p.nodes[k])+p.place[v]]
}

// congruences links the terms of a class that have one head.
func (p *paths) congruences(k int) bool {
	changed := false
	for _, u := range p.nodes[k] {
		for _, v := range p.nodes[k] {
			nu, nv := p.b.at(u), p.b.at(v)
			if u == v || nu.head != nv.head || len(nu.args) != len(nv.args) || len(nu.args) == 0 {
				continue
			}
			sum := 0
			for i := range nu.args {
				sum += p.costOf(nu.args[i], nv.args[i])
			}
			if sum < unreached && p.offer(u, v, sum, hop{none, congruent, false}) {
				changed = true
			}
		}
	}
	return changed
}

// relax joins paths within a class (Floyd, Warshall).
func (p *paths) relax(k int) bool {
	n, changed := len(p.nodes[k]), false
	cost := p.cost[k]
	for mid := range n {
		for i := range n {
			if cost[i*n+mid] >= unreached {
				continue
			}
			for j := range n {
				if c := cost[i*n+mid] + cost[mid*n+j]; c < cost[i*n+j] {
					cost[i*n+j], p.via[k][i*n+j] = c, hop{mid: mid}
					changed = true
				}
			}
		}
	}
	return changed
}

// links writes out the cheapest path from u to v. It ends because what a path
// is made of is cheaper, or as cheap and found earlier.
func (p *paths) links(u, v int) []link {
	if u == v {
		return nil
	}
	k := p.class[u]
	h := p.via[k][p.place[u]*len(p.nodes[k])+p.place[v]]
	switch {
	case h.mid != none:
		m := p.nodes[k][h.mid]
		return append(p.links(u, m), p.links(m, v)...)
	case h.eq != congruent:
		return []link{{nil, h.eq, h.backward}}
	}
	var out []link
	for i, a := range p.b.args(u) {
		out = append(out, under(i, p.links(a, p.b.args(v)[i]))...)
	}
	return out
}

// direct cuts out of a chain from u whatever leads back to a term it has been
// at.
func direct(b *bank, eqs []equation, u int, ls []link) []link {
	at := map[int]int{u: 0} // a term to the number of links before it
	terms := []int{u}
	var out []link
	for _, l := range ls {
		_, to := l.sides(eqs)
		u = b.replace(u, l.path, to)
		if n, ok := at[u]; ok {
			for _, t := range terms[n+1:] {
				delete(at, t)
			}
			out, terms = out[:n], terms[:n+1]
			continue
		}
		out, terms = append(out, l), append(terms, u)
		at[u] = len(out)
	}
	return slices.Clip(out)
}

// sides is what is replaced and by what.
func (l link) sides(eqs []equation) (from, to int) {
	e := eqs[l.eq]
	if l.backward {
		return e.right, e.left
	}
	return e.left, e.right
}
