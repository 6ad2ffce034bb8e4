package rewrite

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Law is a law compiled: its variables numbered, its sizes, conditions and both
// sides over these numbers, and the directions in which it can be used. It is
// read only and may be shared.
type Law struct {
	Law *law.Law
	// Attrs and Fns are the attribute and function variables by number.
	Attrs, Fns []law.Declaration
	// Directions are those in which the law can be used, left to right first; of
	// a law of several outputs, each output by itself as far as one alone tells
	// the rest, then all together if one does not.
	Directions []*Direction
	// Unusable says why the others cannot be used.
	Unusable []error

	numbering numbering
	fnAt      map[string]int32
	given     map[string]*shape // of tensor variables
	where     []pred
	mustBe    map[string]bool
	premise   []Cond
	sides     [2][]*law.Term
}

// CompileEquation is the pattern of both sides of a law together, to find out
// what else is an instance of the law: its roots are the outputs of the left and
// of the right side in turn. It has no target.
func CompileEquation(l *law.Law, opts ...Option) (*Direction, error) {
	c, err := compile(l, opts)
	if err != nil {
		return nil, err
	}
	c.mustBe, c.premise = nil, nil // an instance of the law as a whole needs none
	var roots []*law.Term
	for i := range c.sides[0] {
		roots = append(roots, c.sides[0][i], c.sides[1][i])
	}
	b := newBuilder(c, false)
	if err := b.roots(roots); err != nil {
		return nil, err
	}
	b.d.Guess = !b.d.determined() || b.d.Guess
	return b.d, nil
}

// Compile compiles a law. Derived operators are replaced by what they stand for,
// so that a split is two slices; with [Derived] they are operators as others are.
// The error says that the law itself is ill-formed.
func Compile(l *law.Law, opts ...Option) (*Law, error) {
	c, err := compile(l, opts)
	if err != nil {
		return nil, err
	}
	c.directions()
	return c, nil
}

func compile(l *law.Law, opts []Option) (*Law, error) {
	derived := slices.Contains(opts, Derived)
	if len(l.LHS) != len(l.RHS) || len(l.LHS) == 0 {
		return nil, fmt.Errorf("law %s: %d outputs on the left, %d on the right", l.Name, len(l.LHS), len(l.RHS))
	}
	c := &Law{Law: l, numbering: *newNumbering(), fnAt: map[string]int32{}, given: map[string]*shape{}}
	if err := c.number(); err != nil {
		return nil, fmt.Errorf("law %s: %w", l.Name, err)
	}
	// What permutation variables transpose has its shape, and is defined, as it is before.
	typed, err := law.Untransposed(l)
	if err != nil {
		return nil, err
	}
	vars := l.VarShapes()
	var needs, split [2][]Cond
	for i, ts := range [2][]*law.Term{typed.LHS, typed.RHS} {
		var f graph.Unifier
		memo := map[*law.Term]graph.Shape{}
		for k, t := range ts {
			if _, err := law.TypeOf(&f, t, vars, memo); err != nil {
				return nil, fmt.Errorf("law %s: %w", l.Name, err)
			}
			side := l.LHS
			if i == 1 {
				side = l.RHS
			}
			if t = side[k]; !derived {
				if t, err = law.Primitive(t, memo); err != nil {
					return nil, fmt.Errorf("law %s: %w", l.Name, err)
				}
			}
			c.sides[i] = append(c.sides[i], t)
		}
		if needs[i], split[i], err = SideNeeds(true, ts, memo); err != nil {
			return nil, fmt.Errorf("law %s: %w", l.Name, err)
		}
	}
	// All attributes are seen now, so that nothing is numbered afterwards.
	for _, t := range slices.Concat(c.sides[0], c.sides[1]) {
		var err error
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				if _, e := c.numbering.value(v); e != nil && err == nil {
					err = e
				}
			}
		})
		if err != nil {
			return nil, fmt.Errorf("law %s: %w", l.Name, err)
		}
	}
	c.mustBe, c.premise = premise(l, needs, split)
	return c, nil
}

// Option changes what Compile does.
type Option uint8

// Derived keeps derived operators, for graphs that have them as nodes.
const Derived Option = 1

// number finds and numbers the variables of the law.
func (c *Law) number() error {
	l, n := c.Law, &c.numbering
	for _, g := range l.Given {
		switch {
		case law.IsFuncSort(g.Sort):
			c.fnAt[g.Name] = int32(len(c.Fns))
			c.Fns = append(c.Fns, g)
		case g.Sort != "":
			n.attrAt[g.Name] = int32(len(c.Attrs))
			c.Attrs = append(c.Attrs, g)
		default:
			g.Shape.Walk(n.see)
		}
	}
	l.EachTerm(func(u *law.Term) {
		for _, v := range u.Attrs {
			v.Walk(n.see)
		}
	})
	for _, p := range l.Where {
		p.Walk(n.see)
	}
	for name, s := range l.VarShapes() {
		sh, err := n.shape(s)
		if err != nil {
			return err
		}
		c.given[name] = &sh
	}
	for _, p := range l.Where {
		q, err := n.pred(p)
		if err != nil {
			return err
		}
		c.where = append(c.where, q)
	}
	return nil
}

// Dims are the names of the size variables by number.
func (c *Law) Dims() []string { return c.numbering.dims }

func (c *Law) directions() {
	looks := c.looksUp()
	for dir := 0; dir < 2; dir++ {
		backward := dir == 1
		if backward && c.Law.OneWay {
			break
		}
		add := func(outputs []int) bool {
			d, err := c.Direction(backward, outputs...)
			if err == nil {
				c.Directions = append(c.Directions, d)
			} else if len(outputs) == len(c.sides[dir]) {
				c.Unusable = append(c.Unusable, fmt.Errorf("law %s, %s: %w", c.Law.Name, way(backward), err))
			}
			return err == nil
		}
		all := make([]int, len(c.sides[dir]))
		for i := range all {
			all[i] = i
		}
		if len(all) == 1 {
			add(all)
			continue
		}
		if !slices.ContainsFunc(c.sides[dir], func(t *law.Term) bool { return !t.IsVar() }) {
			c.Unusable = append(c.Unusable, fmt.Errorf("law %s, %s: the source is nothing but several variables",
				c.Law.Name, way(backward)))
			continue
		}
		whole := false
		for i := range all {
			// Where places are looked up, one output may be defined and another not.
			whole = looks || !add(all[i:i+1]) || whole
		}
		if whole {
			add(all)
		}
	}
}

// looksUp reports whether some operator reads at places that an operand holds: whether
// it is defined is then not decided by sizes.
func (c *Law) looksUp() bool {
	found := false
	c.Law.EachTerm(func(t *law.Term) { found = found || t.Op != nil && t.Op.Places != nil })
	return found
}

func way(backward bool) string {
	if backward {
		return "right to left"
	}
	return "left to right"
}

// Usable says in which directions a law can be used on its own: a match of the
// outputs of the source together gives a value to everything that the law
// mentions, sizes that are cut in two excepted. Of a law written with => that is
// never the direction from right to left.
func (c *Law) Usable() (forward, backward bool) {
	all := make([]int, len(c.sides[0]))
	for i := range all {
		all[i] = i
	}
	d, err := c.Direction(false, all...)
	forward = err == nil && !d.Cut
	if !c.Law.OneWay {
		d, err = c.Direction(true, all...)
		backward = err == nil && !d.Cut
	}
	return forward, backward
}
