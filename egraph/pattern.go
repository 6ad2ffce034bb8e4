package egraph

import (
	"fmt"
	"slices"
)

// Pat is a pattern term: a variable, or a head over subpatterns. Write it with
// V and P.
type Pat struct {
	Head uint32
	Var  int // the variable's number, or -1 under a head
	Kids []*Pat
}

// V is the variable i: it stands for any class, and everywhere for the same.
func V(i int) *Pat { return &Pat{Var: i} }

// P is a head over subpatterns. It matches live nodes of this head and arity
// whose symbol the pattern's MatchSym accepts.
func P(head uint32, kids ...*Pat) *Pat { return &Pat{Head: head, Var: -1, Kids: kids} }

// PatternSpec describes what to compile. Pattern nodes (heads, not variables)
// are numbered in preorder over Roots, from 0.
type PatternSpec struct {
	// Roots are matched together: variables are shared among them.
	Roots []*Pat
	// Attrs is the number of attribute slots that MatchSym and MatchVar use.
	Attrs int
	// MatchSym says whether pattern node may be matched by b.Node(node), of
	// symbol sym, and may bind attributes with b.Bind; what it binds is undone
	// on the way back. Nodes are set before it is called; the variables below
	// the node are not. Nil accepts any symbol of the head.
	MatchSym func(node int, sym uint32, b *Match) bool
	// MatchVar says whether variable v may stand for the class of b.Var(v). It
	// is called once for each binding, and may bind attributes. Nil accepts
	// all.
	MatchVar func(v int, b *Match) bool
}

// opcode is what an instruction of a compiled pattern enumerates.
type opcode uint8

const (
	opScan    opcode = iota // node: all live nodes of its head
	opBind                  // node: those in the class of parent's child
	opUp                    // node: those that use the class of a placed node or variable
	opDelta                 // node: live nodes of its head stamped since the search's start
	opScanVar               // a variable that is a root by itself: all classes
)

// kidCheck treats a variable below a node that was just placed.
type kidCheck struct {
	pos   uint16
	first bool // bind, else compare
	v     int32
}

// inst is one level of the backtracking search: a node (or variable) to place.
type inst struct {
	op     opcode
	arity  uint16
	pos    uint16 // opBind: which child of from; opUp: which child is from
	node   int32  // the pattern node, or for opScanVar the variable
	from   int32  // a pattern node, or ^variable
	head   uint32
	checks []kidCheck
}

// seam is a place where the terms of a match touch: child pos of a node is
// matched by another node, or by a variable.
type seam struct {
	parent int32
	pos    uint16
	ref    int32 // node, or ^variable
}

// Pattern is a compiled pattern. It may be shared; searches use a Matcher each.
type Pattern struct {
	spec  PatternSpec
	code  []inst
	delta [][]inst // by pattern node: the plan that starts from it; nil with bare roots
	nodes int
	vars  int
	roots []int32 // node, or ^variable
	seams []seam
}

// flatNode is a pattern node with its place in the tree.
type flatNode struct {
	pat    *Pat
	parent int32
	pos    uint16
	kids   []int32 // node, or ^variable
}

// Compile turns a pattern into a search plan. Variables must be numbered from 0
// without gaps. The first root is found by its head, further roots by way of
// the users of a variable they share with what is already matched; a root that
// shares none is combined with every match of the others.
func Compile(spec PatternSpec) (*Pattern, error) {
	if len(spec.Roots) == 0 {
		return nil, fmt.Errorf("compile pattern: no roots")
	}
	p := &Pattern{spec: spec}
	var flat []flatNode
	used := map[int]bool{}
	var visit func(t *Pat, parent int32, pos int) (int32, error)
	visit = func(t *Pat, parent int32, pos int) (int32, error) {
		if t == nil {
			return 0, fmt.Errorf("compile pattern: missing subpattern")
		}
		if t.Var >= 0 {
			if len(t.Kids) > 0 {
				return 0, fmt.Errorf("compile pattern: variable %d has children", t.Var)
			}
			used[t.Var] = true
			p.vars = max(p.vars, t.Var+1)
			return ^int32(t.Var), nil
		}
		if len(t.Kids) > MaxArity || t.Head > MaxHead {
			return 0, fmt.Errorf("compile pattern: head %d over %d children is out of range", t.Head, len(t.Kids))
		}
		me := int32(len(flat))
		flat = append(flat, flatNode{pat: t, parent: parent, pos: uint16(pos)})
		for i, k := range t.Kids {
			ref, err := visit(k, me, i)
			if err != nil {
				return 0, err
			}
			flat[me].kids = append(flat[me].kids, ref)
			p.seams = append(p.seams, seam{parent: me, pos: uint16(i), ref: ref})
		}
		return me, nil
	}
	for _, r := range spec.Roots {
		ref, err := visit(r, -1, 0)
		if err != nil {
			return nil, err
		}
		p.roots = append(p.roots, ref)
	}
	if p.vars != len(used) {
		return nil, fmt.Errorf("compile pattern: variables are not numbered 0..%d", len(used)-1)
	}
	p.nodes = len(flat)
	p.code = p.plan(flat, -1)
	for n := range flat {
		if slices.Min(p.roots) < 0 {
			break // a variable that is a root can be new by itself
		}
		p.delta = append(p.delta, p.plan(flat, int32(n)))
	}
	return p, nil
}

// plan orders the search, beginning with node start, which is to be new, or if
// that is -1 with a root. Roots that are bare variables come last, since by then
// they are often bound.
func (p *Pattern) plan(flat []flatNode, start int32) []inst {
	pl := planner{flat: flat, placed: make([]bool, len(flat)), bound: make([]bool, p.vars)}
	left := make([]int32, 0, len(p.roots))
	for _, r := range p.roots {
		if r >= 0 {
			left = append(left, r)
		}
	}
	if start >= 0 {
		pl.place(opDelta, start, 0, 0)
		r := pl.ascend(start)
		pl.down(r)
		left = slices.DeleteFunc(left, func(l int32) bool { return l == r })
	}
	for len(left) > 0 {
		best, via, depth := 0, int32(-1), 0
		for i, r := range left {
			if v, d := pl.shared(r, 0); v >= 0 && (via < 0 || d < depth) {
				best, via, depth = i, v, d
			}
		}
		r := left[best]
		left = append(left[:best], left[best+1:]...)
		if via < 0 {
			pl.place(opScan, r, 0, 0)
		} else {
			pl.climb(via)
		}
		pl.down(r)
	}
	for _, r := range p.roots {
		if r < 0 && !pl.bound[^r] {
			pl.bound[^r] = true
			pl.code = append(pl.code, inst{op: opScanVar, node: ^r})
		}
	}
	return pl.code
}

type planner struct {
	code   []inst
	flat   []flatNode
	placed []bool
	bound  []bool
}

// shared returns the pattern node under n, at the least depth, that has a bound
// variable as a child, or -1.
func (pl *planner) shared(n int32, depth int) (via int32, at int) {
	via = -1
	for _, k := range pl.flat[n].kids {
		if k < 0 {
			if pl.bound[^k] {
				return n, depth
			}
			continue
		}
		if v, d := pl.shared(k, depth+1); v >= 0 && (via < 0 || d < at) {
			via, at = v, d
		}
	}
	return via, at
}

// climb places via by the users of its bound variable, then its ancestors.
func (pl *planner) climb(via int32) {
	for pos, k := range pl.flat[via].kids {
		if k < 0 && pl.bound[^k] {
			pl.place(opUp, via, k, uint16(pos))
			break
		}
	}
	pl.ascend(via)
}

// ascend places the ancestors of n, each by the users of the one below, and
// returns the root.
func (pl *planner) ascend(n int32) int32 {
	for pl.flat[n].parent >= 0 {
		up := pl.flat[n].parent
		pl.place(opUp, up, n, pl.flat[n].pos)
		n = up
	}
	return n
}

// down places what is under n and not yet placed.
func (pl *planner) down(n int32) {
	for pos, k := range pl.flat[n].kids {
		if k < 0 {
			continue
		}
		if !pl.placed[k] {
			pl.place(opBind, k, n, uint16(pos))
		}
		pl.down(k)
	}
}

func (pl *planner) place(op opcode, n, from int32, pos uint16) {
	f := &pl.flat[n]
	in := inst{op: op, node: n, from: from, pos: pos, head: f.pat.Head, arity: uint16(len(f.kids))}
	for i, k := range f.kids {
		if k >= 0 {
			continue // placed later by opBind, or before and reached by opUp
		}
		in.checks = append(in.checks, kidCheck{pos: uint16(i), first: !pl.bound[^k], v: ^k})
		pl.bound[^k] = true
	}
	pl.placed[n] = true
	pl.code = append(pl.code, in)
}
