package egraph

import (
	"math"
	"slices"
)

// Add returns the node for exactly this symbol over exactly these children,
// adding it if it is new. A new node with a congruent one in the graph joins
// that one's class by congruence, as a term only. A new node without one starts
// a class of its own.
//
// Errors: ErrNoSuchNode, ErrArity, ErrHead, ErrFull; what the typing says of
// an ill-formed node (returned as it is, since this is common and cheap); the
// conflict of a poisoned graph. In every case the graph stays as it was.
func (g *Graph) Add(sym uint32, children ...NodeID) (NodeID, error) {
	if g.err != nil {
		return 0, g.err
	}
	if len(children) > MaxArity {
		return 0, ErrArity
	}
	h := hashSym(sym, len(children))
	named := true // every child names its class: the form is canonical
	for _, c := range children {
		if !g.Has(c) {
			return 0, ErrNoSuchNode
		}
		if g.uf[c] != c {
			named = false
		}
		h = hashKid(h, c)
	}
	key, ckey := hashEnd(h), uint32(0)
	n, twin := g.probe(key, sym, children, named)
	if n != 0 {
		return n, nil
	}
	if !named {
		ckey = g.canonize(sym, children)
		twin = g.congruent(ckey, sym, g.canon)
	}
	return g.insert(sym, children, key, ckey, named, twin)
}

// probe looks for the node with exactly this form and, if the form is
// canonical, for a live node congruent to it. Of several it takes the least:
// their order in the table depends on hashes, and so on symbols' numbers.
func (g *Graph) probe(key, sym uint32, children []NodeID, named bool) (exact, twin NodeID) {
	slots, mask := g.tab.slots, g.tab.mask
	for i := key & mask; ; i = (i + 1) & mask {
		s := slots[i]
		if s == 0 {
			return 0, twin
		}
		if uint32(s>>32) != key {
			continue
		}
		n := NodeID(uint32(s))
		nd := &g.nodes[n]
		if nd.sym != sym || int(nd.arity) != len(children) {
			continue
		}
		if slices.Equal(g.kids[nd.kids:nd.kids+uint32(nd.arity)], children) {
			return n, 0
		}
		if named && (twin == 0 || n < twin) && !nd.dead && g.canonIs(nd, children) {
			twin = n
		}
	}
}

// congruent returns the least live node whose canonical form this is, or 0.
func (g *Graph) congruent(ckey, sym uint32, canon []NodeID) (twin NodeID) {
	slots, mask := g.tab.slots, g.tab.mask
	for i := ckey & mask; ; i = (i + 1) & mask {
		s := slots[i]
		if s == 0 {
			return twin
		}
		if uint32(s>>32) != ckey {
			continue
		}
		n := NodeID(uint32(s))
		nd := &g.nodes[n]
		if (twin == 0 || n < twin) && nd.sym == sym && int(nd.arity) == len(canon) && !nd.dead && g.canonIs(nd, canon) {
			twin = n
		}
	}
}

// rival returns the least live node other than n with n's canonical form, which the
// caller left in g.canon, or 0; entered says whether n stands under that form.
func (g *Graph) rival(ckey uint32, n NodeID) (q NodeID, entered bool) {
	sym, arity := g.nodes[n].sym, g.nodes[n].arity
	slots, mask := g.tab.slots, g.tab.mask
	for i := ckey & mask; ; i = (i + 1) & mask {
		s := slots[i]
		if s == 0 {
			return q, entered
		}
		if uint32(s>>32) != ckey {
			continue
		}
		m := NodeID(uint32(s))
		if m == n {
			entered = true
			continue
		}
		nd := &g.nodes[m]
		if (q == 0 || m < q) && nd.sym == sym && nd.arity == arity && !nd.dead && g.canonIs(nd, g.canon) {
			q = m
		}
	}
}

// canonIs says whether nd's canonical children are these.
func (g *Graph) canonIs(nd *node, canon []NodeID) bool {
	for i, k := range g.kids[nd.kids : nd.kids+uint32(nd.arity)] {
		if k != canon[i] && g.find(k) != canon[i] {
			return false
		}
	}
	return true
}

// canonize leaves the canonical children in g.canon and returns the hash of the
// canonical form.
func (g *Graph) canonize(sym uint32, children []NodeID) uint32 {
	h := hashSym(sym, len(children))
	g.canon = g.canon[:0]
	for _, c := range children {
		c = g.find(c)
		g.canon = append(g.canon, c)
		h = hashKid(h, c)
	}
	return hashEnd(h)
}

// insert adds a node that is not there; see Add for the arguments.
func (g *Graph) insert(sym uint32, children []NodeID, key, ckey uint32, named bool, twin NodeID) (NodeID, error) {
	head := sym
	if g.headOf != nil {
		head = g.headOf(sym)
	}
	if head > MaxHead {
		return 0, ErrHead
	}
	if len(g.nodes) >= math.MaxUint32 || len(g.kids)+len(children) >= math.MaxUint32 {
		return 0, ErrFull
	}
	n := NodeID(len(g.nodes))
	first := uint32(len(g.kids))
	if len(g.nodes) == cap(g.nodes) {
		g.growNodes()
	}
	g.nodes = append(g.nodes, node{sym: sym, head: head, kids: first, arity: uint16(len(children)), dead: twin != 0})
	g.uf = append(g.uf, n)
	g.links = append(g.links, link{next: n, prev: n, stamp: g.gen, first: n, weight: 1, heads: headBit(head)})
	g.proof = append(g.proof, 0)
	g.types = append(g.types, 0)
	g.kids = append(g.kids, children...)
	for range children {
		g.uses = append(g.uses, use{owner: n})
	}
	if twin != 0 {
		c := g.find(twin)
		g.types[n] = g.types[twin]
		g.uf[n] = c
		g.links[n].first = 0
		g.links[c].weight++
		g.proof[n] = g.newEdge(n, twin, Congruence)
		g.enter(key, n)
		return n, nil
	}
	if g.typing != nil {
		t, err := g.typing.TypeOf(g, n)
		if err != nil {
			g.nodes, g.uf, g.links, g.types = g.nodes[:n], g.uf[:n], g.links[:n], g.types[:n]
			g.proof, g.kids, g.uses = g.proof[:n], g.kids[:first], g.uses[:first]
			return 0, err
		}
		g.types[n] = t
	}
	for i := range children {
		g.addUse(g.find(g.kids[int(first)+i]), first+uint32(i))
	}
	g.enterHead(head, n)
	g.log = append(g.log, n)
	g.enter(key, n)
	if !named {
		g.enter(ckey, n)
	}
	g.live++
	g.nclass++
	return n, nil
}

// growNodes doubles the arenas together, so that they grow rarely.
func (g *Graph) growNodes() {
	n := len(g.nodes)
	g.nodes = slices.Grow(g.nodes, n)
	g.uf = slices.Grow(g.uf, n)
	g.links = slices.Grow(g.links, n)
	g.proof = slices.Grow(g.proof, n)
	g.types = slices.Grow(g.types, n)
	g.kids = slices.Grow(g.kids, len(g.kids))
	g.uses = slices.Grow(g.uses, len(g.uses))
}

// addUse puts a place in front of the uses of class c.
func (g *Graph) addUse(c NodeID, place uint32) {
	l := &g.links[c]
	g.uses[place].next = l.useHead
	l.useHead = place
	l.weight++
}

func (g *Graph) enterHead(head uint32, n NodeID) {
	if int(head) >= len(g.byHead) {
		g.byHead = append(g.byHead, make([][]NodeID, int(head)+1-len(g.byHead))...)
		g.headDead = append(g.headDead, make([]uint32, int(head)+1-len(g.headDead))...)
	}
	if len(g.byHead[head]) == 0 {
		g.heads = append(g.heads, head)
	}
	g.byHead[head] = append(g.byHead[head], n)
}

// enter puts a node into the table. A table of mostly forgotten forms is swept,
// a full table grows.
func (g *Graph) enter(key uint32, n NodeID) {
	// When to sweep must not depend on the size of the table, which may have
	// grown with an earlier graph: a sweep enters forms that are not yet found.
	if g.tab.used > 3*len(g.nodes)+minSlots {
		g.sweep()
	}
	if !g.tab.room() {
		g.tab.double()
	}
	g.tab.put(key, n)
}

// sweep fills the table anew with the forms that can still be asked for.
func (g *Graph) sweep() {
	clear(g.tab.slots)
	g.tab.used = 0
	last := NodeID(0)
	for i := range g.nodes[1:] {
		last = NodeID(i + 1)
		nd := &g.nodes[last]
		children := g.Children(last)
		h := hashSym(nd.sym, len(children))
		named := true
		for _, c := range children {
			named = named && g.uf[c] == c
			h = hashKid(h, c)
		}
		g.tab.put(hashEnd(h), last)
		if !named && !nd.dead {
			g.tab.put(g.canonize(nd.sym, children), last)
		}
	}
}

// Lookup returns a node congruent to this symbol over these children: the very
// node if there is one, a live congruent one otherwise. It adds nothing.
func (g *Graph) Lookup(sym uint32, children ...NodeID) (NodeID, bool) {
	h := hashSym(sym, len(children))
	named := true
	for _, c := range children {
		if !g.Has(c) {
			return 0, false
		}
		named = named && g.uf[c] == c
		h = hashKid(h, c)
	}
	n, twin := g.probe(hashEnd(h), sym, children, named)
	if n != 0 {
		return n, true
	}
	if !named {
		key := g.canonize(sym, children)
		twin = g.congruent(key, sym, g.canon)
	}
	return twin, twin != 0
}
