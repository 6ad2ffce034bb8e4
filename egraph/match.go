package egraph

// Match is a (partial) match of a pattern: what its nodes, variables and
// attributes stand for. A Match given to a callback is valid during the call.
type Match struct {
	p     *Pattern
	nodes []NodeID
	vars  []NodeID
	attrs []int64
	isSet []bool
	trail []int32 // attributes in the order of binding
}

// Node returns the graph's node that pattern node i is matched by.
func (m *Match) Node(i int) NodeID { return m.nodes[i] }

// Var returns a node of the class that variable i stands for: the child of a
// matched node at the variable's first place.
func (m *Match) Var(i int) NodeID { return m.vars[i] }

// Root returns the node, or the variable's, of root i.
func (m *Match) Root(i int) NodeID {
	r := m.p.roots[i]
	if r >= 0 {
		return m.nodes[r]
	}
	return m.vars[^r]
}

// Bind gives attribute slot i a value, and reports false if it has another.
func (m *Match) Bind(i int, v int64) bool {
	if m.isSet[i] {
		return m.attrs[i] == v
	}
	m.attrs[i], m.isSet[i] = v, true
	m.trail = append(m.trail, int32(i))
	return true
}

// undo unbinds the attributes that were bound since the trail had this length.
func (m *Match) undo(mark int) {
	for len(m.trail) > mark {
		last := len(m.trail) - 1
		m.isSet[m.trail[last]] = false
		m.trail = m.trail[:last]
	}
}

// Seams appends the equalities, other than n = n, that make the matched nodes
// an instance of the pattern: a node's child against the node that matched it,
// a variable's further places against its first. With them as premises, the
// root is equal to the pattern's instance over Var(0), Var(1), ...
func (m *Match) Seams(g *Graph, dst []Pair) []Pair {
	for _, s := range m.p.seams {
		var ref NodeID
		if s.ref >= 0 {
			ref = m.nodes[s.ref]
		} else {
			ref = m.vars[^s.ref]
		}
		if k := g.Child(m.nodes[s.parent], int(s.pos)); k != ref {
			dst = append(dst, Pair{k, ref})
		}
	}
	return dst
}

// Matcher searches for one pattern. It holds the search's memory, so that a
// search allocates nothing; it serves one search at a time.
type Matcher struct {
	m     Match
	g     *Graph
	code  []inst
	since uint32
	start int32 // in a plan from a new node: that node; those of less number are to be old
	mode  uint8 // of planning, for tests: 0 by cost, else modeFull or modeDelta
	fresh int   // placed nodes with a stamp of since or later
	yield func(*Match) bool
	count int
}

const (
	modeFull  = 1
	modeDelta = 2
)

// NewMatcher returns a matcher for the pattern.
func NewMatcher(p *Pattern) *Matcher {
	return &Matcher{m: Match{
		p:     p,
		nodes: make([]NodeID, p.nodes),
		vars:  make([]NodeID, p.vars),
		attrs: make([]int64, p.spec.Attrs),
		isSet: make([]bool, p.spec.Attrs),
		trail: make([]int32, 0, p.spec.Attrs),
	}}
}

// Search yields every match in g that involves a node stamped since or later
// (0: every match), each once, in an order that depends on the graph's history
// alone, until yield returns false. It reports how many it yielded. A match is
// a choice of one live node for each pattern node.
//
// Errors: ErrDirty before Rebuild; the conflict of a poisoned graph. The graph
// must not change during the search.
func (mt *Matcher) Search(g *Graph, since uint32, yield func(*Match) bool) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	if !g.Clean() {
		return 0, ErrDirty
	}
	for i := range mt.m.p.code {
		in := &mt.m.p.code[i]
		if in.op != opScanVar && (int(in.head) >= len(g.byHead) || len(g.byHead[in.head]) == 0) {
			return 0, nil // a node that the pattern asks for is nowhere
		}
	}
	mt.g, mt.since, mt.yield, mt.fresh, mt.count = g, since, yield, 0, 0
	mt.m.undo(0)
	p := mt.m.p
	if since <= 1 || !mt.worthDelta() {
		mt.code, mt.start = p.code, -1
		mt.step(0)
	} else {
		for i, code := range p.delta {
			mt.code, mt.start = code, int32(i)
			if !mt.step(0) {
				break
			}
		}
	}
	mt.g, mt.yield = nil, nil
	return mt.count, nil
}

// worthDelta says whether to start from the new nodes, once for each pattern
// node, rather than to look at all matches and drop the old ones. It compares
// what the first instructions enumerate.
func (mt *Matcher) worthDelta() bool {
	p, g := mt.m.p, mt.g
	if mt.mode != 0 || p.delta == nil {
		return p.delta != nil && mt.mode == modeDelta
	}
	fresh := 0
	if int(mt.since) < len(g.logAt) {
		fresh = len(g.log) - int(g.logAt[mt.since])
	}
	if h := int(p.code[0].head); h < len(g.byHead) {
		return fresh*len(p.delta) < len(g.byHead[h])
	}
	return true
}

// step places what instruction pc enumerates, and so on to the end. It reports
// false to end the search.
func (mt *Matcher) step(pc int) bool {
	if pc == len(mt.code) {
		if mt.since != 0 && mt.fresh == 0 {
			return true
		}
		mt.count++
		return mt.yield(&mt.m)
	}
	g := mt.g
	in := &mt.code[pc]
	switch in.op {
	case opScan:
		if int(in.head) >= len(g.byHead) {
			return true
		}
		for _, n := range g.byHead[in.head] {
			nd := &g.nodes[n]
			if !nd.dead && nd.arity == in.arity && !mt.place(pc, in, nd, n) {
				return false
			}
		}
	case opBind:
		c := g.find(g.Child(mt.m.nodes[in.from], int(in.pos)))
		if g.links[c].heads&headBit(in.head) == 0 {
			return true
		}
		first := g.links[c].first
		for n := first; ; {
			nd := &g.nodes[n]
			if nd.head == in.head && nd.arity == in.arity && !mt.place(pc, in, nd, n) {
				return false
			}
			if n = g.links[n].next; n == first {
				break
			}
		}
	case opUp:
		var c NodeID
		if in.from >= 0 {
			c = g.find(mt.m.nodes[in.from])
		} else {
			c = g.find(mt.m.vars[^in.from])
		}
		for u := g.links[c].useHead; u != 0; u = g.uses[u].next {
			n := g.uses[u].owner
			nd := &g.nodes[n]
			if nd.head == in.head && nd.arity == in.arity && !nd.dead &&
				u-nd.kids == uint32(in.pos) && !mt.place(pc, in, nd, n) {
				return false
			}
		}
	case opDelta:
		for gen := int(mt.since); gen < len(g.logAt); gen++ {
			end := len(g.log)
			if gen+1 < len(g.logAt) {
				end = int(g.logAt[gen+1])
			}
			for _, n := range g.log[g.logAt[gen]:end] {
				nd := &g.nodes[n]
				if nd.head == in.head && nd.arity == in.arity && !nd.dead &&
					g.links[n].stamp == uint32(gen) && !mt.place(pc, in, nd, n) {
					return false
				}
			}
		}
	case opScanVar:
		for c := range g.Classes() {
			if !mt.placeVar(pc, in, NodeID(c)) {
				return false
			}
		}
	}
	return true
}

// place tries node n for the instruction and goes on; false ends the search.
func (mt *Matcher) place(pc int, in *inst, nd *node, n NodeID) bool {
	m, g := &mt.m, mt.g
	isNew := g.links[n].stamp >= mt.since
	if isNew && in.node < mt.start {
		return true // found from that node
	}
	for i := range in.checks {
		if c := &in.checks[i]; !c.first && !mt.sameVar(in, nd, c) {
			return true
		}
	}
	mark := len(m.trail)
	m.nodes[in.node] = n
	if f := m.p.spec.MatchSym; f != nil && !f(int(in.node), nd.sym, m) {
		m.undo(mark)
		return true
	}
	for i := range in.checks {
		c := &in.checks[i]
		if !c.first {
			continue
		}
		m.vars[c.v] = g.kids[nd.kids+uint32(c.pos)]
		if f := m.p.spec.MatchVar; f != nil && !f(int(c.v), m) {
			m.undo(mark)
			return true
		}
	}
	was := mt.fresh
	if isNew {
		mt.fresh++
	}
	on := mt.step(pc + 1)
	mt.fresh = was
	m.undo(mark)
	return on
}

// sameVar compares a variable's further place with what it stands for. If its
// first place is below the same node it is not bound yet: look there.
func (mt *Matcher) sameVar(in *inst, nd *node, c *kidCheck) bool {
	g := mt.g
	have := mt.m.vars[c.v]
	for i := range in.checks {
		if d := &in.checks[i]; d.first && d.v == c.v {
			have = g.kids[nd.kids+uint32(d.pos)]
			break
		}
	}
	k := g.kids[nd.kids+uint32(c.pos)]
	return k == have || g.find(k) == g.find(have)
}

// placeVar binds a root variable to a class. It is fresh if a member is.
func (mt *Matcher) placeVar(pc int, in *inst, c NodeID) bool {
	m := &mt.m
	mark := len(m.trail)
	m.vars[in.node] = c
	if f := m.p.spec.MatchVar; f != nil && !f(int(in.node), m) {
		m.undo(mark)
		return true
	}
	was := mt.fresh
	if mt.since != 0 && mt.fresh == 0 {
		for n := range mt.g.Class(ClassID(c)) {
			if mt.g.links[n].stamp >= mt.since {
				mt.fresh++
				break
			}
		}
	}
	on := mt.step(pc + 1)
	mt.fresh = was
	m.undo(mark)
	return on
}
