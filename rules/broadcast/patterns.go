package broadcast

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// choice says how two operands of an element-wise operator relate along an axis
// on which neither is known to be 1.
type choice uint8

const (
	agree choice = iota
	firstSingle
	secondSingle
)

// broadcaster enumerates patterns.
type broadcaster struct {
	groups bool // Options.Groups
	left   int  // patterns that may still be yielded
	tries  int  // lists of choices that may still be tried, of most
	most   int
	bound  string
	seen   map[string]bool // patterns by text
	yield  func(Pattern) bool
}

// axis is one axis of an input while its size is being solved for.
type axis struct {
	dim   graph.Dim // the law's size
	fresh graph.Dim // the variable solved for
	loose bool      // the law's size is a variable that is in shapes only
}

// constants are the names of the sizes of tensors that no input gives.
func constants(l *law.Law) map[string]bool {
	out := map[string]bool{}
	l.EachTerm(func(u *law.Term) {
		for _, v := range u.Attrs {
			if len(u.Args) == 0 {
				v.Walk(func(a graph.Atom) { out[a.Name] = true })
			}
		}
	})
	return out
}

// attempt solves the left side's shapes for one list of choices.
type attempt struct {
	facts   *graph.Unifier
	choices []choice
	sites   [][2]graph.Dim // where there was a choice, in order
	memo    map[*law.Term]graph.Shape
	fixed   map[string]bool // constants
}

// law yields the patterns of a law without axis runs; false if yield did not
// want more.
func (e *broadcaster) law(l *law.Law) bool {
	inputs := map[string][]axis{}
	fixed := map[string]bool{}
	fix := func(a graph.Atom) { fixed[a.Name] = true }
	l.EachFixed(fix)
	for _, g := range l.Given {
		for _, it := range g.Shape {
			if _, plain := it.Dim.IsVar(); !plain {
				it.Dim.Walk(fix)
			}
		}
	}
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		for i, it := range g.Shape {
			v, plain := it.Dim.IsVar()
			inputs[g.Name] = append(inputs[g.Name], axis{
				dim: it.Dim, fresh: graph.Var(g.Name + "@" + strconv.Itoa(i)), loose: plain && !fixed[v]})
		}
	}
	if !e.principal(l, inputs) {
		// The law asks for more equal sizes than its left side does: sizes of
		// one name stay equal.
		for _, axes := range inputs {
			for i := range axes {
				axes[i].loose = false
			}
		}
	}
	// Lists of choices, those with the fewest axes of size 1 first; each is
	// reached once, from the list without its last choice that is not agree.
	next := [][]choice{nil}
	for len(next) > 0 {
		var after [][]choice
		for _, cs := range next {
			if e.tries--; e.tries < 0 {
				e.bound = fmt.Sprintf("more than %d choices of axes", e.most)
				return true
			}
			a := e.solve(l, inputs, cs)
			for i := len(cs); i < len(a.sites); i++ {
				for _, c := range []choice{firstSingle, secondSingle} {
					more := make([]choice, i+1)
					copy(more, cs)
					more[i] = c
					after = append(after, more)
				}
			}
			m, ones, ok := e.pattern(l, inputs, a)
			if len(cs) == 0 && !ok && e.bound == "" {
				e.bound = "the law itself is none of the patterns"
			}
			if ok && !e.variants(l, m, ones) {
				return e.bound != ""
			}
		}
		next = after
	}
	return true
}

// solve types the left side. Choices beyond the list are agree.
func (e *broadcaster) solve(l *law.Law, inputs map[string][]axis, cs []choice) *attempt {
	a := &attempt{facts: graph.Solver(), choices: cs, memo: map[*law.Term]graph.Shape{}, fixed: constants(l)}
	vars := map[string]graph.Shape{}
	for v, axes := range inputs {
		vars[v] = graph.Shape{}
		for _, x := range axes {
			vars[v] = append(vars[v], graph.Axis(x.fresh))
		}
	}
	for _, t := range l.LHS {
		if _, err := a.shape(t, vars); err != nil {
			a.memo = nil // no such shapes
			return a
		}
	}
	if a.products() != nil {
		a.memo = nil
	}
	return a
}

// products solves equations that are left over where a product of sizes is 1: its factors
// are.
func (a *attempt) products() error {
	one := graph.Int(1)
	for _, e := range a.facts.Pending() {
		if e[0] == one {
			e[0], e[1] = e[1], e[0]
		}
		if terms, c := e[0].Terms(); e[1] != one || c != 0 || len(terms) != 1 || terms[0].Coef != 1 {
			continue
		}
		if err := a.single(e[0]); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) shape(t *law.Term, vars map[string]graph.Shape) (graph.Shape, error) {
	if s, ok := a.memo[t]; ok {
		return s, nil
	}
	in := make([]graph.Shape, len(t.Args))
	for i, x := range t.Args {
		var err error
		if in[i], err = a.shape(x, vars); err != nil {
			return nil, err
		}
	}
	var s graph.Shape
	switch {
	case t.IsVar():
		s = vars[t.Var]
		if s == nil {
			s = graph.Shape{}
		}
	case t.Fn != "":
		s = in[0]
	case isElementwise(t):
		if len(in[0]) != len(in[1]) {
			return nil, fmt.Errorf("%s: ranks differ", t)
		}
		s = in[0].Clone()
		for i := range s {
			d, err := a.meet(in[0][i].Dim, in[1][i].Dim)
			if err != nil {
				return nil, err
			}
			s[i].Dim = d
		}
	default:
		out, err := t.Op.InferShapes(a.facts, t.Attrs, in)
		if err != nil {
			return nil, err
		}
		s = out[t.Out]
	}
	a.memo[t] = s
	return s, nil
}

// meet is the size of two operands together along an axis.
func (a *attempt) meet(x, y graph.Dim) (graph.Dim, error) {
	one := graph.Int(1)
	x, y = a.facts.Norm(x), a.facts.Norm(y)
	switch {
	case x == y || y == one:
		return x, nil
	case x == one:
		return y, nil
	}
	a.sites = append(a.sites, [2]graph.Dim{x, y})
	c := agree
	if n := len(a.sites); n <= len(a.choices) {
		c = a.choices[n-1]
	}
	switch c {
	case firstSingle:
		return y, a.single(x)
	case secondSingle:
		return x, a.single(y)
	}
	return x, a.facts.Eq(x, y)
}

// single requires a size to be 1. A product of sizes is 1 if they all are.
func (a *attempt) single(d graph.Dim) error {
	one := graph.Int(1)
	terms, c := d.Terms()
	if len(terms) == 1 && c == 0 && terms[0].Coef == 1 && len(terms[0].Atoms) > 1 {
		for _, at := range terms[0].Atoms {
			if at.Kind != graph.AtomVar {
				return a.facts.Eq(d, one)
			}
			if err := a.facts.Eq(graph.Var(at.Name), one); err != nil {
				return err
			}
		}
		return nil
	}
	return a.facts.Eq(d, one)
}

// principal says whether the law's shapes are the most general ones of its left
// side, as far as loose axes go.
func (e *broadcaster) principal(l *law.Law, inputs map[string][]axis) bool {
	a := e.solve(l, inputs, nil)
	if a.memo == nil || !a.restrict(inputs) {
		return false
	}
	to, back := map[graph.Dim]graph.Dim{}, map[graph.Dim]graph.Dim{}
	for _, v := range slices.Sorted(maps.Keys(inputs)) {
		for _, x := range inputs[v] {
			if !x.loose {
				continue
			}
			got := a.facts.Norm(x.fresh)
			if _, plain := got.IsVar(); !plain {
				return false
			}
			if old, ok := to[x.dim]; ok && old != got {
				return false
			}
			if old, ok := back[got]; ok && old != x.dim {
				return false
			}
			to[x.dim], back[got] = got, x.dim
		}
	}
	return true
}

// restrict requires the axes that are not loose and not 1 to have the law's
// sizes; false if they cannot or equations stay open.
func (a *attempt) restrict(inputs map[string][]axis) bool {
	one := graph.Int(1)
	stays, gone := maps.Clone(a.fixed), map[string]bool{}
	names := slices.Sorted(maps.Keys(inputs))
	for _, v := range names {
		for _, x := range inputs[v] {
			in := stays
			if a.facts.Norm(x.fresh) == one {
				in = gone
			}
			x.dim.Walk(func(at graph.Atom) { in[at.Name] = true })
		}
	}
	for _, v := range slices.Sorted(maps.Keys(gone)) {
		if !stays[v] && a.facts.Eq(graph.Var(v), one) != nil {
			return false
		}
	}
	for _, v := range names {
		for _, x := range inputs[v] {
			if x.loose || a.facts.Norm(x.fresh) == one {
				continue
			}
			if a.facts.Eq(x.fresh, x.dim) != nil {
				return false
			}
		}
	}
	return a.products() == nil && len(a.facts.Pending()) == 0
}

// pattern is the law for the shapes that were solved for; ok is false if there
// are none, or they are those of another pattern. ones are the axes of size 1
// where the law has another size.
func (e *broadcaster) pattern(l *law.Law, inputs map[string][]axis, a *attempt) (m *law.Law, ones map[string]int, ok bool) {
	if a.memo == nil {
		return nil, nil, false
	}
	if !a.restrict(inputs) {
		if len(a.facts.Pending()) > 0 {
			e.bound = "sizes of a pattern have no most general solution"
		}
		return nil, nil, false
	}
	one := graph.Int(1)
	for i, c := range a.choices {
		x, y := a.facts.Norm(a.sites[i][0]), a.facts.Norm(a.sites[i][1])
		if c == firstSingle && y == one || c == secondSingle && x == one {
			return nil, nil, false
		}
	}
	out := *l
	out.Given = slices.Clone(l.Given)
	ones = map[string]int{}
	for i, g := range out.Given {
		if g.Sort != "" {
			continue
		}
		s := graph.Shape{}
		for _, x := range inputs[g.Name] {
			s = append(s, graph.Axis(x.fresh))
			if a.facts.Norm(x.fresh) == one && x.dim != one {
				ones[g.Name]++
			}
		}
		out.Given[i].Shape = s
	}
	m = out.Subst(a.facts.Solution())
	return m.Subst(tidy(l, m, inputs)), ones, true
}

// tidy names the sizes that were solved for: as the law does, where that name
// is free.
func tidy(l, m *law.Law, inputs map[string][]axis) *graph.Substitution {
	taken := map[string]bool{}
	m.EachAtom(func(a graph.Atom) { taken[a.Name] = true })
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	name := func(v, wish string) {
		if !strings.Contains(v, "@") || b.Dims[v] != (graph.Dim{}) {
			return
		}
		to := wish
		for c := 'b'; taken[to]; c++ {
			to = wish + string(c)
			if c == 'z' {
				c, wish = 'a', wish+"z"
			}
		}
		taken[to] = true
		b.Dims[v] = graph.Var(to)
	}
	for _, g := range m.Given {
		if g.Sort != "" {
			continue
		}
		for i, it := range g.Shape {
			wish := "n"
			if v, ok := inputs[g.Name][i].dim.IsVar(); ok {
				wish = v
			}
			if v, ok := it.Dim.IsVar(); ok {
				name(v, wish)
			}
		}
	}
	m.EachAtom(func(a graph.Atom) { name(a.Name, "n") })
	return b
}

// variants yields a pattern, and the same with leading axes of size 1 left away
// where only element-wise operators of the left side see them and it makes a
// difference; false if yield did not want more, or there have been too many.
func (e *broadcaster) variants(l, m *law.Law, ones map[string]int) bool {
	total := 0
	for _, n := range ones {
		total += n
	}
	var names []string
	most := map[string]int{}
	for _, g := range m.Given {
		if ones[g.Name] == 0 || !seenElementwise(m.LHS, g.Name) {
			continue
		}
		for _, it := range g.Shape {
			if it.Dim != graph.Int(1) {
				break
			}
			most[g.Name]++
		}
		if most[g.Name] > 0 {
			names = append(names, g.Name)
		}
	}
	drop := map[string]int{}
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(names) {
			return e.emit(l, m, drop, total)
		}
		for n := 0; n <= most[names[i]]; n++ {
			drop[names[i]] = n
			if !rec(i + 1) {
				return false
			}
		}
		return true
	}
	return rec(0)
}

// carriers are the terms that have a variable's shape: the variable itself, and
// functions of one element of it.
func carriers(ts []*law.Term, name string) map[*law.Term]bool {
	out := map[*law.Term]bool{}
	for _, t := range ts {
		t.Walk(func(u *law.Term) {
			if u.Var == name || len(u.Args) > 0 && out[u.Args[0]] && (isPointwise(u) || u.Op == op.SMul) {
				out[u] = true
			}
		})
	}
	return out
}

// seenElementwise says whether every use of a variable leads, through functions
// of one element, to an operand of an element-wise operator.
func seenElementwise(ts []*law.Term, name string) bool {
	has := carriers(ts, name)
	ok := true
	for _, t := range ts {
		ok = ok && !has[t]
		t.Walk(func(u *law.Term) {
			for _, a := range u.Args {
				ok = ok && (!has[a] || has[u] || isElementwise(u))
			}
		})
	}
	return ok
}

// sameWithout says that leaving leading axes of size 1 away changes the shapes
// of no terms but carriers: then the pattern follows from the one with these
// axes, into which the tensors with fewer axes are put broadcast.
func sameWithout(m, plain *law.Law, groups bool, drop map[string]int) bool {
	full, less := map[*law.Term]typed{}, map[*law.Term]typed{}
	for _, ts := range [2][]*law.Term{m.LHS, m.RHS} {
		_, _, err1 := explicitMemo(ts, m.VarShapes(), groups, full)
		_, _, err2 := explicitMemo(ts, plain.VarShapes(), groups, less)
		if err1 != nil || err2 != nil {
			return false
		}
	}
	has := map[*law.Term]bool{}
	for name, n := range drop {
		if n > 0 {
			maps.Copy(has, carriers(slices.Concat(m.LHS, m.RHS), name))
		}
	}
	for t, x := range full {
		if !has[t] && !x.shape.Equal(less[t].shape) {
			return false
		}
	}
	return true
}

// emit yields one pattern with its broadcasts written out.
func (e *broadcaster) emit(l, m *law.Law, drop map[string]int, axes int) bool {
	plain := *m
	plain.Given = slices.Clone(m.Given)
	dropped := false
	for i, g := range plain.Given {
		plain.Given[i].Shape = g.Shape[min(drop[g.Name], len(g.Shape)):]
		dropped = dropped || drop[g.Name] > 0
	}
	if dropped && sameWithout(m, &plain, e.groups, drop) {
		return true
	}
	out, bad := Explicit(&plain, Options{Groups: e.groups})
	if errors.Is(bad, ErrLeftNotDefined) {
		return true // fewer axes than the left side needs
	}
	shapes := plain.VarShapes()
	for i, t := range l.LHS {
		// A result with fewer axes is not what the law speaks of.
		want, err := law.TypeOf(graph.Solver(), t, l.VarShapes(), nil) // groups may be open
		_, got, _ := explicit(m.LHS[i:i+1], shapes, e.groups)
		if err != nil || len(want) != len(got[0]) {
			return true
		}
	}
	text := law.Format(out)
	if e.seen[text] {
		return true
	}
	e.seen[text] = true
	if e.left == 0 {
		e.bound = fmt.Sprintf("more than %d patterns", len(e.seen)-1)
		return false
	}
	e.left--
	return e.yield(Pattern{Law: out, Plain: &plain, Axes: axes, Err: bad})
}
