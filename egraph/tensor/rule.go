package tensor

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Level orders rules by how much they make the graph grow.
type Level uint8

const (
	// Shrinking rules have no more operators in the target than in the source.
	Shrinking Level = iota
	// Growing rules have more.
	Growing
	// Introducing rules match a bare variable, every class of some shape, or
	// have to guess how a size is cut in two. They are applied to classes of
	// the terms that were added, not to what laws made.
	Introducing
)

// String is the level's name.
func (l Level) String() string {
	switch l {
	case Shrinking:
		return "shrinking"
	case Growing:
		return "growing"
	case Introducing:
		return "introducing"
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// Rule is one direction of a law, for one Table.
type Rule struct {
	Law      *law.Law
	Backward bool // from the law's right side to its left side
	Level    Level

	tab     *Table
	id      uint32
	dir     *rewrite.Direction
	solver  *rewrite.Solver
	matcher *egraph.Matcher
	last    *solution                // the one that was last looked up
	nodes   []patNode                // by node of the direction
	places  []variable               // that the goal has to grant
	bare    []bool                   // by variable: it is a root by itself
	at      func(egraph.NodeID) bool // where introducing is allowed, during a search
}

// patNode is what a Table knows of a pattern's node.
type patNode struct {
	attrs []rewrite.AttrVar
	fits  []int8 // by symbol: 1 fits, -1 does not, 0 not yet known
}

// Rules compiles both directions of a law, or one if it is written with =>.
// Directions that cannot be used are left out, the reasons are returned beside
// the rules. The error says that the law itself is ill-formed.
func (t *Table) Rules(l *law.Law) (rules []*Rule, unusable []error, err error) {
	c, err := t.Compiled.Compile(l)
	if err != nil {
		return nil, nil, err
	}
	unusable = c.Unusable
	for _, d := range c.Directions {
		r, err := t.rule(d)
		if err != nil {
			unusable = append(unusable, fmt.Errorf("law %s: %w", l.Name, err))
			continue
		}
		rules = append(rules, r)
	}
	return rules, unusable, nil
}

// rule makes the pattern of a direction.
func (t *Table) rule(d *rewrite.Direction) (*Rule, error) {
	r := &Rule{Law: d.Law.Law, Backward: d.Backward, tab: t, dir: d, solver: d.Law.NewSolver(),
		nodes: make([]patNode, len(d.Nodes)), bare: make([]bool, len(d.Vars))}
	var err error
	if r.places, err = sourcePlaces(d); err != nil {
		return nil, err
	}
	var pat func(ref int32) (*egraph.Pat, error)
	pat = func(ref int32) (*egraph.Pat, error) {
		if ref < 0 {
			return egraph.V(int(^ref)), nil
		}
		n := &d.Nodes[ref]
		head := uint32(headPointwise)
		if n.Op != nil {
			var ok bool
			if head, ok = t.heads[n.Op]; !ok {
				return nil, fmt.Errorf("operator %s is not registered", n.Op.Name)
			}
			r.nodes[ref].attrs = n.AttrVars()
		}
		kids := make([]*egraph.Pat, len(n.Kids))
		for i, k := range n.Kids {
			var err error
			if kids[i], err = pat(k); err != nil {
				return nil, err
			}
		}
		return egraph.P(head, kids...), nil
	}
	spec := egraph.PatternSpec{Attrs: len(d.Law.Attrs) + len(d.Law.Fns), MatchSym: r.matchSym}
	for _, ref := range d.Roots {
		p, err := pat(ref)
		if err != nil {
			return nil, err
		}
		spec.Roots = append(spec.Roots, p)
		if ref < 0 {
			r.bare[^ref] = true
			spec.MatchVar = r.matchVar
		}
	}
	pattern, err := egraph.Compile(spec)
	if err != nil {
		return nil, err
	}
	r.matcher = egraph.NewMatcher(pattern)
	switch {
	case d.Bare || d.Guess:
		r.Level = Introducing
	case d.Grows:
		r.Level = Growing
	}
	t.rules++
	r.id = t.rules
	return r, nil
}

// matchSym accepts symbols by what they say for themselves, and binds attribute
// and function variables, so that most false matches end early.
func (r *Rule) matchSym(node int, sym uint32, m *egraph.Match) bool {
	pn := &r.nodes[node]
	for int(sym) >= len(pn.fits) {
		pn.fits = append(pn.fits, 0)
	}
	if pn.fits[sym] == 0 {
		pn.fits[sym] = -1
		if r.fits(node, &r.tab.syms[sym]) {
			pn.fits[sym] = 1
		}
	}
	if pn.fits[sym] < 0 {
		return false
	}
	if n := &r.dir.Nodes[node]; n.Op == nil {
		return m.Bind(len(r.dir.Law.Attrs)+int(n.Fn), int64(sym))
	}
	for _, s := range pn.attrs {
		if !m.Bind(s.Attr, int64(r.tab.syms[sym].vals[s.Param])) {
			return false
		}
	}
	return true
}

// matchVar keeps a bare variable to where introducing is allowed.
func (r *Rule) matchVar(v int, m *egraph.Match) bool {
	return !r.bare[v] || r.at == nil || r.at(m.Var(v))
}

func (r *Rule) fits(node int, s *symbol) bool {
	n := &r.dir.Nodes[node]
	if n.Op == nil {
		return s.point && (r.dir.Law.Fns[n.Fn].Sort != law.SortZero1 || s.zero)
	}
	return s.op == n.Op && n.Fits(r.dir, s.attrs)
}
