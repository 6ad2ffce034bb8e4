package check

import (
	"slices"
	"strconv"
	"strings"
)

// set is a set of conditions, all of which hold. What holds for all sizes by
// itself is left out.
type set struct {
	list conds
	at   map[string]bool // by what they are written as
}

// key writes a condition so that different ones are written differently.
func (c *cond) key() string {
	var b strings.Builder
	b.WriteByte('a' + byte(c.kind))
	c.d.encode(&b)
	c.k.encode(&b)
	c.pad.encode(&b)
	b.WriteString(strconv.Itoa(c.axis))
	b.WriteByte(',')
	b.WriteString(strconv.Itoa(c.at))
	return b.String()
}

func (s *set) add(cs ...cond) {
	for i := range cs {
		c := &cs[i]
		if n, ok := c.d.number(); c.kind == least && ok && n.Sign() >= 0 {
			continue
		}
		if s.at == nil {
			s.at = map[string]bool{}
		}
		if k := c.key(); !s.at[k] {
			s.at[k] = true
			s.list = append(s.list, *c)
		}
	}
}

// given answers what a set of conditions gives.
type given struct {
	t     *terms
	have  set
	known func(*atom) bool
	asked map[string]bool // of conditions, by what they are written as
	// missing is for nodes one of the needs that nothing gives, of the node or of
	// what it is made of; nil: it is defined.
	missing map[int]*cond
	places  map[int][]size // of nodes: tables in which their entries are places
}

func newGiven(t *terms, have ...set) *given {
	g := &given{t: t, asked: map[string]bool{}, missing: map[int]*cond{}, places: map[int][]size{}}
	for _, s := range have {
		g.have.add(s.list...)
	}
	g.known = g.have.list.known(t.sizes)
	for i := range g.have.list {
		if c := &g.have.list[i]; c.kind == within {
			g.place(c.at, c.d, 0)
		}
	}
	return g
}

// gives reports whether the conditions give c for all sizes: sound, not complete.
func (g *given) gives(c *cond) bool {
	k := c.key()
	if g.have.at[k] {
		return true
	}
	yes, ok := g.asked[k]
	if !ok {
		sizes := g.t.sizes
		yes = c.kind == within && g.placed(c.at, c.d) || c.kind == least && (sizes.atLeast0(c.d, g.known) ||
			slices.ContainsFunc(g.have.list, func(f cond) bool {
				return f.kind == least && sizes.atLeast0(c.d.minus(f.d), g.known)
			}))
		g.asked[k] = yes
	}
	return yes
}

// all is the first of the conditions that is not given, nil if there is none.
func (g *given) all(cs conds) *cond {
	for i := range cs {
		if !g.gives(&cs[i]) {
			return &cs[i]
		}
	}
	return nil
}

// defined is one of the needs of nodes, and of what they are made of, that is
// not given; nil if they are defined. A node is looked at once.
func (g *given) defined(ids []int) *cond {
	for _, id := range ids {
		for path := []int{id}; len(path) > 0; {
			k := path[len(path)-1]
			args := g.t.nodes[k].args
			waits := false
			for _, a := range args {
				if _, ok := g.missing[a]; !ok {
					path, waits = append(path, a), true
				}
			}
			if waits {
				continue
			}
			path = path[:len(path)-1]
			if _, ok := g.missing[k]; ok {
				continue
			}
			m := g.all(g.t.needs[k])
			for _, a := range args {
				if m == nil {
					m = g.missing[a]
				}
			}
			g.missing[k] = m
		}
		if m := g.missing[id]; m != nil {
			return m
		}
	}
	return nil
}

// reach calls f for nodes and for what they are made of, each once.
func (t *terms) reach(ids []int, f func(id int)) {
	seen := map[int]bool{}
	for path := slices.Clone(ids); len(path) > 0; {
		k := path[len(path)-1]
		path = path[:len(path)-1]
		if !seen[k] {
			seen[k] = true
			f(k)
			path = append(path, t.nodes[k].args...)
		}
	}
}
