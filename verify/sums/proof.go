package sums

import (
	"cmp"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// proof is a refutation: an end, a node without unknowns that is below 0, or a clause
// with a proof for each of its guards, each of them a node.
type proof struct {
	end   *node
	kind  int64 // meaning.Branch, Same or Cut
	args  []int64
	lits  []*node
	cases []*proof
}

// node is a line of a proof, which stays when the lines of an elimination go.
type node struct {
	given bool
	ref   int64 // of what is known; 0: it is a row
	of    []part
	cut   bool
}

type part struct {
	n *node
	k int64
}

// node is the node of a line, made once for one that is given, and in one elimination
// for one that is derived.
func (s *linear) node(l int32, derived map[int32]*node) *node {
	x := &s.rows.lines[l]
	if x.given {
		g := &s.given[x.of[0]]
		if g.node == nil {
			g.node = &node{given: true, ref: g.ref}
		}
		return g.node
	}
	if n, ok := derived[l]; ok {
		return n
	}
	n := &node{cut: x.cut}
	derived[l] = n
	for i, p := range x.of {
		if p != noLine {
			n.of = append(n.of, part{s.node(p, derived), x.by[i]})
		}
	}
	return n
}

// uses reports whether a proof ends in a given row.
func (p *proof) uses(n *node) bool {
	if p.end != nil {
		return p.end.uses(n, map[*node]bool{})
	}
	return slices.ContainsFunc(p.cases, func(c *proof) bool { return c.uses(n) })
}

func (n *node) uses(m *node, seen map[*node]bool) bool {
	if n == m {
		return true
	}
	if seen[n] {
		return false
	}
	seen[n] = true
	return slices.ContainsFunc(n.of, func(p part) bool { return p.n.uses(m, seen) })
}

// write appends a proof; number are the rows so far, of which there are n.
func (p *proof) write(out []int64, number map[*node]int64, n int64) []int64 {
	if p.end == nil {
		out = append(append(out, p.kind), p.args...)
		for i, l := range p.lits {
			number[l] = n
			out = p.cases[i].write(out, number, n+1)
			delete(number, l)
		}
		return out
	}
	memo := map[*node]map[*node]int64{}
	mine := map[*node]int64{}
	var sum func(l *node) map[*node]int64
	// derive makes a row of a line and returns the sum that it is of others before.
	derive := func(l *node) {
		parts := map[*node]int64{}
		for _, q := range l.of {
			for b, k := range sum(q.n) {
				parts[b] += k * q.k
			}
		}
		type term struct{ ref, k int64 }
		var ts []term
		for b, k := range parts {
			if k == 0 {
				continue
			}
			ref := b.ref
			if ref == 0 {
				var ok bool
				if ref, ok = number[b]; !ok {
					ref = mine[b]
				}
			}
			ts = append(ts, term{ref, k})
		}
		slices.SortFunc(ts, func(a, b term) int { return cmp.Compare(b.ref, a.ref) })
		all := int64(0)
		for _, t := range ts {
			all = graph.GCD(all, t.k)
		}
		out = append(out, meaning.Derive, int64(len(ts)))
		for _, t := range ts {
			out = append(out, t.ref, t.k/all)
		}
	}
	sum = func(l *node) map[*node]int64 {
		if got, ok := memo[l]; ok {
			return got
		}
		got := map[*node]int64{}
		switch {
		case l.given:
			got[l] = 1
		case l.cut:
			derive(l)
			mine[l] = n
			n++
			got[l] = 1
		default:
			for _, q := range l.of {
				for b, k := range sum(q.n) {
					got[b] += k * q.k
				}
			}
		}
		memo[l] = got
		return got
	}
	if p.end.given {
		ref := p.end.ref
		if ref == 0 {
			ref = number[p.end]
		}
		return append(out, meaning.Derive, 1, ref, 1)
	}
	derive(p.end)
	return out
}
