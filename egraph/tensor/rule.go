package tensor

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
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

// Rule is one direction of a law, compiled for one Table. A law of several
// outputs yields a rule for each output that mentions all tensor variables, or
// else one rule that matches all outputs together.
type Rule struct {
	Law      *law.Law
	Backward bool // from the law's right side to its left side
	Level    Level

	tab     *Table
	id      uint32
	pattern *egraph.Pattern
	matcher *egraph.Matcher
	nodes   []patNode
	vars    []string      // law's tensor variables by pattern number
	given   []graph.Shape // their shapes, marked
	where   []law.Pred    // the law's, marked
	needs   []want        // under which its equations stand one by one, marked
	mustBe  []bool        // by variable: it must be defined
	names   *names
	guess   bool                     // sizes are not determined, try some
	bare    []bool                   // by variable: it is a root by itself
	at      func(egraph.NodeID) bool // where introducing is allowed, during a search

	steps   []step
	roots   []int32 // of the pattern: a node, or ^variable
	targets []int32 // by root: a step, or ^variable
}

// patNode is an operator or function of the pattern, in preorder.
type patNode struct {
	op    *graph.Op
	attrs graph.Attrs // marked
	slots []slot
	fn    int // slot of the function variable, where op is nil
	sort  string
	kids  []int32 // node, or ^variable
	fits  []int8  // by symbol: 1 fits, -1 does not, 0 not yet known
}

// slot says that attribute i of a node is variable number at.
type slot struct{ i, at int }

// step builds one node of the target.
type step struct {
	op    *graph.Op
	attrs graph.Attrs // marked
	fn    int         // slot of the function variable, where op is nil
	args  []int32     // earlier step, or ^variable
}

// names are a law's variables that are not tensors, unmarked.
type names struct {
	dims, runs []string
	attrs, fns []string
	attrSlot   map[string]int // attribute variables, marked
	fnSlot     map[string]int
	sort       map[string]string
}

// side is one side of a law, marked and without derived operators.
type side []*law.Term

// Rules compiles both directions of a law, or one if it is written with =>.
// Directions that cannot be used are left out, the reasons are returned beside
// the rules. The error says that the law itself is ill-formed.
func (t *Table) Rules(l *law.Law) (rules []*Rule, unusable []error, err error) {
	n, given, where, sides, pre, err := prepare(l)
	if err != nil {
		return nil, nil, err
	}
	for dir := 0; dir < 2; dir++ {
		if dir == 1 && l.OneWay {
			break
		}
		from, to := sides[dir], sides[1-dir]
		add := func(from, to side) {
			r, err := t.rule(l, dir == 1, n, given, where, pre, from, to)
			if err != nil {
				unusable = append(unusable, fmt.Errorf("law %s, %s: %w", l.Name, direction(dir == 1), err))
				return
			}
			rules = append(rules, r)
		}
		if len(from) == 1 {
			add(from, to)
			continue
		}
		if !slices.ContainsFunc(from, func(t *law.Term) bool { return !t.IsVar() }) {
			unusable = append(unusable, fmt.Errorf("law %s, %s: the source is nothing but several variables",
				l.Name, direction(dir == 1)))
			continue
		}
		// Each output by itself, as far as it goes; the outputs together if
		// one alone does not tell the rest.
		whole := false
		for i := range from {
			r, err := t.rule(l, dir == 1, n, given, where, pre, from[i:i+1], to[i:i+1])
			if err != nil {
				whole = true
				continue
			}
			rules = append(rules, r)
		}
		if whole {
			add(from, to)
		}
	}
	return rules, unusable, nil
}

func direction(backward bool) string {
	if backward {
		return "right to left"
	}
	return "left to right"
}

// prepare marks a law's variables and expands its derived operators.
func prepare(l *law.Law) (n *names, given map[string]graph.Shape, where []law.Pred, sides [2]side, pre premise, err error) {
	if len(l.LHS) != len(l.RHS) || len(l.LHS) == 0 {
		return nil, nil, nil, sides, pre, fmt.Errorf("law %s: %d outputs on the left, %d on the right", l.Name, len(l.LHS), len(l.RHS))
	}
	n = collect(l)
	b := n.marking()
	given = map[string]graph.Shape{}
	for name, s := range l.VarShapes() {
		given[name] = s.Subst(b)
	}
	for _, p := range l.Where {
		q := law.Pred{Left: p.Left.Subst(b), Rel: p.Rel, Right: p.Right.Subst(b)}
		if p.Mod != nil {
			m := p.Mod.Subst(b)
			q.Mod = &m
		}
		where = append(where, q)
	}
	var needs, split [2][]want
	for i, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		var f graph.Facts
		var ms []*law.Term
		memo := map[*law.Term]graph.Shape{}
		for _, t := range ts {
			m := t.Subst(nil, nil, b)
			if _, err := law.TypeOf(&f, m, given, memo); err != nil {
				return nil, nil, nil, sides, pre, fmt.Errorf("law %s: %w", l.Name, err)
			}
			ms = append(ms, m)
			x, err := expand(m, memo)
			if err != nil {
				return nil, nil, nil, sides, pre, fmt.Errorf("law %s: %w", l.Name, err)
			}
			sides[i] = append(sides[i], x)
		}
		var err error
		if needs[i], split[i], err = sideNeeds(true, ms, memo); err != nil {
			return nil, nil, nil, sides, pre, fmt.Errorf("law %s: %w", l.Name, err)
		}
	}
	return n, given, where, sides, premiseOf(l, needs, split), nil
}

// expand replaces derived operators by what they stand for.
func expand(t *law.Term, shape map[*law.Term]graph.Shape) (*law.Term, error) {
	if len(t.Args) == 0 {
		return t, nil
	}
	u := *t
	u.Args = make([]*law.Term, len(t.Args))
	for i, a := range t.Args {
		x, err := expand(a, shape)
		if err != nil {
			return nil, err
		}
		u.Args[i] = x
	}
	if t.Op == nil || t.Op.Expand == nil {
		return &u, nil
	}
	in := make([]graph.Shape, len(t.Args))
	for i, a := range t.Args {
		in[i] = shape[a]
	}
	prims, err := t.Op.Expand(t.Attrs, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	if t.Out >= len(prims) {
		return nil, fmt.Errorf("%s: no output %d", t, t.Out)
	}
	u.Op, u.Attrs, u.Out = prims[t.Out].Op, prims[t.Out].Attrs, 0
	return &u, nil
}

// collect finds the variables of a law.
func collect(l *law.Law) *names {
	n := &names{attrSlot: map[string]int{}, fnSlot: map[string]int{}, sort: map[string]string{}}
	seen := map[string]bool{}
	atom := func(a graph.Atom) {
		switch {
		case a.Kind == graph.AtomFunc || seen[a.Name]:
			return
		case a.Kind == graph.AtomVar:
			n.dims = append(n.dims, a.Name)
		case a.Kind == graph.AtomRun:
			n.runs = append(n.runs, a.Name)
		}
		seen[a.Name] = true
	}
	for _, g := range l.Given {
		switch {
		case law.IsFuncSort(g.Sort):
			n.fnSlot[g.Name] = len(n.fns)
			n.fns = append(n.fns, g.Name)
			n.sort[g.Name] = g.Sort
		case g.Sort != "":
			n.attrSlot[mark+g.Name] = len(n.attrs)
			n.attrs = append(n.attrs, g.Name)
			n.sort[g.Name] = g.Sort
		default:
			g.Shape.Walk(atom)
		}
	}
	for _, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			t.Walk(func(u *law.Term) {
				for _, v := range u.Attrs {
					v.Walk(atom)
				}
			})
		}
	}
	for _, p := range l.Where {
		p.Left.Walk(atom)
		p.Right.Walk(atom)
		if p.Mod != nil {
			p.Mod.Walk(atom)
		}
	}
	return n
}

// marking renames the variables.
func (n *names) marking() *graph.Binding {
	b := &graph.Binding{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	for _, v := range n.dims {
		b.Dims[v] = graph.Var(mark + v)
	}
	for _, v := range n.runs {
		b.Runs[v] = graph.Shape{graph.Run(mark + v)}
	}
	for _, v := range n.attrs {
		b.Attrs[v] = graph.VarValue(mark+v, n.sort[v])
	}
	return b
}

// rule compiles one direction.
func (t *Table) rule(l *law.Law, backward bool, n *names, given map[string]graph.Shape, where []law.Pred, pre premise, from, to side) (*Rule, error) {
	r := &Rule{Law: l, Backward: backward, tab: t, names: n, where: where, needs: pre.needs}
	varAt := map[string]int{}
	usedFn, usedAttr := map[string]bool{}, map[string]bool{}
	var pat func(u *law.Term) (*egraph.Pat, int32, error)
	pat = func(u *law.Term) (*egraph.Pat, int32, error) {
		if u.IsVar() {
			at, ok := varAt[u.Var]
			if !ok {
				at = len(r.vars)
				varAt[u.Var] = at
				r.vars = append(r.vars, u.Var)
				r.given = append(r.given, given[u.Var])
				r.mustBe = append(r.mustBe, pre.vars[u.Var])
			}
			return egraph.V(at), ^int32(at), nil
		}
		pn := patNode{op: u.Op, attrs: u.Attrs}
		var head uint32
		if u.Op == nil {
			at, ok := n.fnSlot[u.Fn]
			if !ok {
				return nil, 0, fmt.Errorf("function %s is not a variable of the law", u.Fn)
			}
			head, pn.fn, pn.sort = headPointwise, at, n.sort[u.Fn]
			usedFn[u.Fn] = true
		} else {
			h, ok := t.heads[u.Op]
			if !ok {
				return nil, 0, fmt.Errorf("operator %s is not registered", u.Op.Name)
			}
			head = h
			for i, v := range u.Attrs {
				if name, _, ok := v.Var(); ok {
					at, ok := n.attrSlot[name]
					if !ok {
						return nil, 0, fmt.Errorf("attribute variable %s is not bound by the law", v)
					}
					pn.slots = append(pn.slots, slot{i, at})
					usedAttr[name[len(mark):]] = true
				}
			}
		}
		me := len(r.nodes)
		r.nodes = append(r.nodes, pn)
		kids := make([]*egraph.Pat, len(u.Args))
		for i, a := range u.Args {
			k, ref, err := pat(a)
			if err != nil {
				return nil, 0, err
			}
			kids[i] = k
			r.nodes[me].kids = append(r.nodes[me].kids, ref)
		}
		return egraph.P(head, kids...), int32(me), nil
	}
	spec := egraph.PatternSpec{Attrs: len(n.attrs) + len(n.fns)}
	for _, u := range from {
		if u.IsVar() {
			r.Level = Introducing
		}
		p, ref, err := pat(u)
		if err != nil {
			return nil, err
		}
		r.roots = append(r.roots, ref)
		spec.Roots = append(spec.Roots, p)
	}
	for _, g := range l.Given {
		_, tensor := varAt[g.Name]
		if g.Sort == "" && !tensor || law.IsFuncSort(g.Sort) && !usedFn[g.Name] ||
			g.Sort != "" && !law.IsFuncSort(g.Sort) && !usedAttr[g.Name] {
			return nil, fmt.Errorf("the source does not mention %s", g.Name)
		}
	}
	spec.MatchSym = r.matchSym
	r.bare = make([]bool, len(r.vars))
	for _, ref := range r.roots {
		if ref < 0 {
			r.bare[^ref] = true
			spec.MatchVar = r.matchVar
		}
	}
	var err error
	if r.pattern, err = egraph.Compile(spec); err != nil {
		return nil, err
	}
	r.matcher = egraph.NewMatcher(r.pattern)
	if err := r.program(n, varAt, to); err != nil {
		return nil, err
	}
	switch determined, guessable := r.determined(); {
	case determined:
	case guessable:
		r.guess = true
		r.Level = Introducing
	default:
		return nil, fmt.Errorf("the source does not determine the sizes")
	}
	if r.Level != Introducing && law.Size(to...) > law.Size(from...) {
		r.Level = Growing
	}
	t.rules++
	r.id = t.rules
	return r, nil
}

// program lists the steps that build the targets, equal subterms once.
func (r *Rule) program(n *names, varAt map[string]int, to side) error {
	at := map[string]int32{}
	var build func(u *law.Term) (int32, error)
	build = func(u *law.Term) (int32, error) {
		if u.IsVar() {
			v, ok := varAt[u.Var]
			if !ok {
				return 0, fmt.Errorf("the source does not mention %s", u.Var)
			}
			return ^int32(v), nil
		}
		key := u.Key()
		if i, ok := at[key]; ok {
			return i, nil
		}
		s := step{op: u.Op, attrs: u.Attrs}
		if u.Op == nil {
			f, ok := n.fnSlot[u.Fn]
			if !ok {
				return 0, fmt.Errorf("function %s is not a variable of the law", u.Fn)
			}
			s.fn = f
		}
		for _, a := range u.Args {
			x, err := build(a)
			if err != nil {
				return 0, err
			}
			s.args = append(s.args, x)
		}
		r.steps = append(r.steps, s)
		at[key] = int32(len(r.steps) - 1)
		return at[key], nil
	}
	for _, u := range to {
		x, err := build(u)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, x)
	}
	return nil
}

// fnAttr is the match's attribute slot of function variable number f.
func (r *Rule) fnAttr(f int) int { return len(r.names.attrs) + f }

// matchSym accepts symbols by what they say for themselves, and binds attribute
// and function variables, so that most false matches end early.
func (r *Rule) matchSym(node int, sym uint32, m *egraph.Match) bool {
	pn := &r.nodes[node]
	for int(sym) >= len(pn.fits) {
		pn.fits = append(pn.fits, 0)
	}
	if pn.fits[sym] == 0 {
		pn.fits[sym] = -1
		if r.fits(pn, &r.tab.syms[sym]) {
			pn.fits[sym] = 1
		}
	}
	if pn.fits[sym] < 0 {
		return false
	}
	if pn.op == nil {
		return m.Bind(r.fnAttr(pn.fn), int64(sym))
	}
	for _, s := range pn.slots {
		if !m.Bind(s.at, int64(r.tab.syms[sym].vals[s.i])) {
			return false
		}
	}
	return true
}

// matchVar keeps a bare variable to where introducing is allowed.
func (r *Rule) matchVar(v int, m *egraph.Match) bool {
	return !r.bare[v] || r.at == nil || r.at(m.Var(v))
}

func (r *Rule) fits(pn *patNode, s *symbol) bool {
	if pn.op == nil {
		return s.point && (pn.sort != law.SortZero1 || s.zero)
	}
	if s.op != pn.op {
		return false
	}
	for i, v := range pn.attrs {
		if _, sort, ok := v.Var(); ok {
			if !InSort(s.attrs[i], sort) {
				return false
			}
			continue
		}
		if !valueUnknown(v) && v != s.attrs[i] {
			return false
		}
	}
	return true
}
