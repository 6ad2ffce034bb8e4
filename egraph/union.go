package egraph

import (
	"fmt"

	"github.com/taso-go/taso/internal/invariants"
)

// Union makes a and b equal for a reason of the caller's, which explanations
// will give. It reports whether that was news. Classes merge at once; the
// congruences that follow wait for Rebuild.
//
// Errors: ErrReason, ErrNoSuchNode; a *ConflictError if the two have different
// types, which poisons the graph.
func (g *Graph) Union(a, b NodeID, why Reason) (bool, error) {
	return g.UnionBecause(a, b, why, nil)
}

// UnionBecause is Union for a reason that itself rests on equalities: the
// conditions of a rule, or the seams of a match (Match.Seams). Each premise
// must be known to hold, else the error is ErrNotEqual; explanations that use
// the union explain its premises too. The slice is copied.
func (g *Graph) UnionBecause(a, b NodeID, why Reason, premises []Pair) (bool, error) {
	if g.err != nil {
		return false, g.err
	}
	if why == Congruence {
		return false, ErrReason
	}
	if !g.Has(a) || !g.Has(b) {
		return false, ErrNoSuchNode
	}
	if g.find(a) == g.find(b) {
		return false, nil
	}
	for _, p := range premises {
		if !g.Has(p.A) || !g.Has(p.B) {
			return false, fmt.Errorf("premise: %w", ErrNoSuchNode)
		}
		if g.find(p.A) != g.find(p.B) {
			return false, fmt.Errorf("premise %d = %d: %w", p.A, p.B, ErrNotEqual)
		}
	}
	return g.join(a, b, why, premises)
}

// join merges the classes of a and b if they differ.
func (g *Graph) join(a, b NodeID, why Reason, premises []Pair) (bool, error) {
	w, l := g.find(a), g.find(b)
	if w == l {
		return false, nil
	}
	lost := b // the node of the class that loses its name
	if wl, ww := g.links[l].weight, g.links[w].weight; wl > ww || wl == ww && l < w {
		w, l = l, w
		lost = a
	}
	if x, y := g.types[w], g.types[l]; x != y {
		g.err = &ConflictError{A: a, B: b, Reason: why, Err: g.typing.Differ(x, y)}
		return false, g.err
	}
	g.reroot(lost)
	g.proof[lost] = g.newEdge(a, b, why, premises...)

	lw, ll := &g.links[w], &g.links[l]
	g.uf[l] = w
	lw.weight += ll.weight
	lw.heads |= ll.heads
	if ll.first != 0 {
		for n := ll.first; ; {
			g.touch(n)
			if n = g.links[n].next; n == ll.first {
				break
			}
		}
		if lw.first == 0 {
			lw.first = ll.first
		} else { // splice: ... last(w) → first(l) ... last(l) → first(w)
			fw, fl := lw.first, ll.first
			tw, tl := g.links[fw].prev, g.links[fl].prev
			g.links[tw].next, g.links[fl].prev = fl, tw
			g.links[tl].next, g.links[fw].prev = fw, tl
		}
		ll.first = 0
	}
	g.pending = append(g.pending, l)
	g.nclass--
	return true, nil
}

// newEdge records an equality, with its premises, as the youngest.
func (g *Graph) newEdge(left, right NodeID, why Reason, premises ...Pair) uint32 {
	g.edges = append(g.edges, edge{left: left, right: right, why: why, prem: uint32(len(g.prems))})
	g.prems = append(g.prems, premises...)
	return uint32(len(g.edges) - 1)
}

// reroot turns the edges between n and the root of its proof tree around, so
// that n becomes the root.
func (g *Graph) reroot(n NodeID) {
	e := uint32(0)
	for {
		up := g.proof[n]
		g.proof[n] = e
		if up == 0 {
			return
		}
		n, e = g.far(up, n), up
	}
}

// far returns the end of edge e that is not n.
func (g *Graph) far(e uint32, n NodeID) NodeID {
	if ed := &g.edges[e]; ed.left != n {
		return ed.left
	}
	return g.edges[e].right
}

// Rebuild merges what follows by congruence from the unions since the last
// Rebuild. Searches need a rebuilt graph.
// The error, if any, is the *ConflictError that poisons the graph.
func (g *Graph) Rebuild() error {
	if g.err != nil {
		return g.err
	}
	if !g.Clean() {
		if err := g.repairPending(); err != nil {
			return err
		}
		for _, h := range g.heads {
			if int(g.headDead[h])*4 > len(g.byHead[h]) {
				g.compactHead(h)
			}
		}
	}
	if invariants.Checked {
		g.mustCheck()
	}
	return nil
}

// repairPending looks up again the users of every class that lost its name.
func (g *Graph) repairPending() error {
	for i := 0; i < len(g.pending); i++ {
		l := g.pending[i]
		u := g.links[l].useHead
		g.links[l].useHead = 0
		for u != 0 {
			next := g.uses[u].next
			p := g.uses[u].owner
			if !g.nodes[p].dead {
				if err := g.repair(p); err != nil {
					return err
				}
				if !g.nodes[p].dead {
					g.addUse(g.find(l), u)
				}
			}
			u = next
		}
	}
	g.pending = g.pending[:0]
	return nil
}

// repair enters p under its present canonical form, or merges it with the live
// node that has this form already and makes p a twin of that.
func (g *Graph) repair(p NodeID) error {
	g.touch(p)
	ckey := g.canonize(g.nodes[p].sym, g.Children(p))
	q, entered := g.rival(ckey, p)
	if q == 0 {
		if !entered {
			g.enter(ckey, p)
		}
		return nil
	}
	if _, err := g.join(p, q, Congruence, nil); err != nil {
		return err
	}
	g.retire(p)
	return nil
}

// retire makes a live node a twin: it leaves its class's list and the index.
func (g *Graph) retire(p NodeID) {
	c := &g.links[g.find(p)]
	lp := &g.links[p]
	if c.first == p {
		c.first = lp.next
	}
	g.links[lp.prev].next, g.links[lp.next].prev = lp.next, lp.prev
	lp.next, lp.prev = p, p
	g.nodes[p].dead = true
	g.headDead[g.nodes[p].head]++
	g.live--
}

// compactHead drops twins from the index.
func (g *Graph) compactHead(h uint32) {
	kept := g.byHead[h][:0]
	for _, n := range g.byHead[h] {
		if !g.nodes[n].dead {
			kept = append(kept, n)
		}
	}
	g.byHead[h] = kept
	g.headDead[h] = 0
}
