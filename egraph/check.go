package egraph

import "fmt"

// Check tests the structure of the graph and returns the first fault found: the
// classes' lists partition the live nodes; twins have a live node of their
// canonical form in their class; in a clean graph every canonical form has one
// live node, the table finds every node under both its forms, and every class
// lists all its users; the proof forest has one tree per class. In tests every Rebuild does
// this and panics on a fault (internal/invariants). It takes time linear in the graph.
func (g *Graph) Check() error {
	n := len(g.nodes)
	if len(g.uf) != n || len(g.links) != n || len(g.proof) != n || len(g.types) != n || len(g.kids) != len(g.uses) {
		return fmt.Errorf("egraph: arenas of different lengths")
	}
	seen := make([]bool, n)
	classes, live := 0, 0
	for c := range g.Classes() {
		classes++
		prev := NodeID(0)
		for m := range g.Class(c) {
			if seen[m] || g.nodes[m].dead || g.find(m) != NodeID(c) {
				return fmt.Errorf("egraph: class %d: node %d is listed wrongly", c, m)
			}
			if prev != 0 && g.links[m].prev != prev {
				return fmt.Errorf("egraph: class %d: list broken at node %d", c, m)
			}
			seen[m], prev = true, m
			live++
		}
		if prev == 0 {
			return fmt.Errorf("egraph: class %d has no live node", c)
		}
	}
	if classes != g.nclass || live != g.live {
		return fmt.Errorf("egraph: counted %d classes and %d live nodes, recorded %d and %d", classes, live, g.nclass, g.live)
	}
	indexed := 0
	for _, h := range g.heads {
		for range g.NodesWithHead(h) {
			indexed++
		}
	}
	if indexed != live {
		return fmt.Errorf("egraph: index by head has %d of %d live nodes", indexed, live)
	}
	for m := NodeID(1); int(m) < n; m++ {
		if g.nodes[m].dead == seen[m] {
			return fmt.Errorf("egraph: node %d is in no class list", m)
		}
		if g.types[m] != g.types[g.find(m)] {
			return fmt.Errorf("egraph: node %d has another type than its class", m)
		}
		if e := g.proof[m]; e != 0 && g.find(g.far(e, m)) != g.find(m) {
			return fmt.Errorf("egraph: proof of node %d leads to another class", m)
		}
	}
	if err := g.checkForest(); err != nil {
		return err
	}
	if !g.Clean() || g.err != nil {
		return nil
	}
	return g.checkClean()
}

// checkForest counts the roots of the proof forest: as many as classes means
// one tree per class, since edges stay within classes; walking up from every
// node with marks finds cycles.
func (g *Graph) checkForest() error {
	const unseen, onPath, done = 0, 1, 2
	state := make([]uint8, len(g.nodes))
	roots := 0
	for m := NodeID(1); int(m) < len(g.nodes); m++ {
		x := m
		for state[x] == unseen {
			state[x] = onPath
			if g.proof[x] == 0 {
				roots++
				break
			}
			x = g.far(g.proof[x], x)
			if state[x] == onPath {
				return fmt.Errorf("egraph: proof forest has a cycle at node %d", x)
			}
		}
		for x = m; state[x] == onPath; x = g.far(g.proof[x], x) {
			state[x] = done
			if g.proof[x] == 0 {
				break
			}
		}
	}
	if roots != g.nclass {
		return fmt.Errorf("egraph: %d proof trees for %d classes", roots, g.nclass)
	}
	return nil
}

// checkClean tests what holds after Rebuild.
func (g *Graph) checkClean() error {
	users := make(map[[2]uint32]bool)
	for c := range g.Classes() {
		for u := g.links[c].useHead; u != 0; u = g.uses[u].next {
			users[[2]uint32{uint32(c), u}] = true
		}
	}
	for m := NodeID(1); int(m) < len(g.nodes); m++ {
		kids := g.Children(m)
		exact, _ := g.probe(g.exactKey(m), g.nodes[m].sym, kids, false)
		if exact != m {
			return fmt.Errorf("egraph: node %d is not found under its own form (found %d)", m, exact)
		}
		ckey := g.canonize(g.nodes[m].sym, kids)
		q := g.congruent(ckey, g.nodes[m].sym, g.canon)
		if q == 0 || g.find(q) != g.find(m) || !g.nodes[m].dead && q != m {
			return fmt.Errorf("egraph: node %d: canonical form leads to node %d", m, q)
		}
		if g.nodes[m].dead {
			continue
		}
		for i, k := range kids {
			if !users[[2]uint32{uint32(g.find(k)), g.nodes[m].kids + uint32(i)}] {
				return fmt.Errorf("egraph: node %d is not among the users of its child %d", m, i)
			}
		}
	}
	return nil
}

func (g *Graph) exactKey(m NodeID) uint32 {
	h := hashSym(g.nodes[m].sym, g.Arity(m))
	for _, k := range g.Children(m) {
		h = hashKid(h, k)
	}
	return hashEnd(h)
}

// mustCheck is for tests: see internal/invariants.
func (g *Graph) mustCheck() {
	if err := g.Check(); err != nil {
		panic(err)
	}
}
