package check

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

// Result is what an accepted proof shows of a rule.
type Result struct {
	// Forward: where the left side is defined, so is the right side, and they
	// are equal. Backward is the reverse.
	Forward, Backward bool
	// Instances is the number of law instances.
	Instances int
	// Meaning: the proof is one from what the operators compute.
	Meaning bool
}

// Laws finds a law that a proof may use, by name.
type Laws map[string]*law.Law

// Rule checks that the equations of l follow from the instances of p by
// congruence, every instance being a use of one of the laws that its
// conditions allow. The error says which instance or output fails and why.
// A rule written == must be shown in both directions, one written => forward.
//
// A proof from what the operators compute uses none of the laws; package verify/meaning
// checks it.
func Rule(l *law.Law, p *law.Proof, use Laws) (*Result, error) {
	if p.Meaning != nil {
		if len(p.Instances) > 0 {
			return nil, errors.New("instances of laws beside a proof from what operators compute")
		}
		c, err := meaning.Check(l, p.Meaning)
		if err != nil {
			return nil, fmt.Errorf("proof from what operators compute: %w", err)
		}
		return &Result{Forward: c.Forward, Backward: c.Backward, Meaning: true}, nil
	}
	c, err := load(l, p, use)
	if err != nil {
		return nil, err
	}
	for _, e := range c.equations {
		c.t.merge(e[0], e[1])
	}
	for i := range c.left {
		if !c.t.equal(c.left[i], c.right[i]) {
			return nil, fmt.Errorf("output %d: the instances do not make %s and %s equal", i, l.LHS[i].Brief(), l.RHS[i].Brief())
		}
	}
	r := &Result{Instances: len(p.Instances)}
	r.Forward, r.Backward, err = c.directions(l)
	if err != nil {
		return nil, err
	}
	return r, c.t.sizes.err
}

// directions are those in which the rule gives what its instances assume. It is an
// error if they are not all that it is written in.
func (c *checked) directions(l *law.Law) (forward, backward bool, err error) {
	if m := c.missing(c.leftNeeds); m != nil {
		return false, false, fmt.Errorf("left to right: the rule does not give the condition %s", m)
	}
	m := c.missing(c.rightNeeds)
	if m != nil && !l.OneWay {
		return true, false, fmt.Errorf("right to left: the rule does not give the condition %s; it can only be written =>", m)
	}
	return true, m == nil, nil
}

// missing is a condition that what the rule gives, with the needs of one side,
// does not give, of those that the instances need, of each pair one side, and
// that splits ask for; nil if there is none.
func (c *checked) missing(needs set) *cond {
	g := newGiven(c.t, c.facts, needs)
	for _, w := range []conds{c.assumed.list, c.t.split.list} {
		if m := g.all(w); m != nil {
			return m
		}
	}
	if m := g.defined(c.defined); m != nil {
		return m
	}
	for _, e := range c.either {
		if m := g.defined(e[0]); m != nil && g.defined(e[1]) != nil {
			return m
		}
	}
	return nil
}

// checked is a rule with its instances, typed and turned into nodes.
type checked struct {
	t                     *terms
	rule                  *env
	vars                  map[*law.Law]*vars
	left, right           []int // the outputs of the rule
	leftNeeds, rightNeeds set   // when the sides are defined
	facts                 set   // what the rule gives: its conditions, sizes of its tensors
	where                 []pred
	equations             [][2]int   // what the instances say
	assumed               set        // under which they say it
	defined               []int      // what must be defined too
	either                [][2][]int // and of each pair one side
}

func load(l *law.Law, p *law.Proof, use Laws) (*checked, error) {
	c := &checked{t: newTerms(), vars: map[*law.Law]*vars{}}
	if len(l.LHS) != len(l.RHS) || len(l.LHS) == 0 {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	if err := c.variables(l); err != nil {
		return nil, err
	}
	for _, w := range l.Where {
		q, err := c.rule.pred(w)
		if err != nil {
			return nil, fmt.Errorf("condition %s: %w", w, err)
		}
		c.where = append(c.where, q)
		ds, _ := q.least()
		for _, d := range ds {
			c.facts.add(cond{d: d})
		}
	}
	var err error
	if c.left, c.leftNeeds, err = c.side(l.LHS); err != nil {
		return nil, fmt.Errorf("left side: %w", err)
	}
	if c.right, c.rightNeeds, err = c.side(l.RHS); err != nil {
		return nil, fmt.Errorf("right side: %w", err)
	}
	for i := range c.left {
		if a, b := c.t.shape[c.left[i]], c.t.shape[c.right[i]]; !a.equal(b) {
			return nil, fmt.Errorf("output %d: the left side has shape %s, the right side %s", i, a, b)
		}
	}
	for i := range p.Instances {
		in := &p.Instances[i]
		ax, ok := use[in.Law]
		if !ok {
			return nil, fmt.Errorf("instance %d: there is no axiom or proved lemma %q", i+1, in.Law)
		}
		if err := c.instance(ax, in); err != nil {
			return nil, fmt.Errorf("instance %d of %s: %w", i+1, in.Law, err)
		}
	}
	return c, c.t.sizes.err
}

// variables lets each variable of the rule stand for itself.
func (c *checked) variables(l *law.Law) error {
	v, err := variables(l)
	if err != nil {
		return err
	}
	t, e := c.t.sizes, newEnv(c.t.sizes)
	c.rule = e
	for name := range v.sizes {
		e.sizes[name] = nil // for ids in the order of names
	}
	for _, name := range sortedKeys(e.sizes) {
		e.sizes[name] = t.atom(atomVar, name)
	}
	for name := range v.runs {
		e.runs[name] = shape{{run: name}}
	}
	for name, sort := range v.attrs {
		e.attrs[name] = value{kind: graph.KindVar, name: name, sort: sort}
	}
	for name, sort := range v.fns {
		e.fns[name] = function{name: name, sort: sort}
	}
	for _, name := range sortedKeys(v.tensors) {
		s, err := e.shape(v.tensors[name])
		if err == nil {
			err = s.filled()
		}
		if err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
		e.tensors[name] = c.t.tensor(name, s)
		for _, it := range s {
			if it.run == "" {
				c.facts.add(cond{d: it.size.plusInt(-1)})
			}
		}
	}
	return nil
}

// side builds the outputs of one side and collects when they are defined.
func (c *checked) side(ts []*law.Term) (ids []int, needs set, err error) {
	for _, t := range ts {
		id, err := c.t.build(t, c.rule)
		if err != nil {
			return nil, needs, err
		}
		ids = append(ids, id)
	}
	c.t.reach(ids, func(id int) { needs.add(c.t.needs[id]...) })
	if len(c.t.splits) > 0 {
		seen := map[*law.Term]bool{}
		for _, t := range ts {
			t.WalkNew(func(u *law.Term) bool { return seen[u] }, func(u *law.Term) {
				seen[u] = true
				needs.add(c.t.splits[u]...)
			})
		}
	}
	return ids, needs, nil
}

// assume adds that d is at least n, unless it holds for all sizes.
func (c *checked) assume(d size, n int64) error {
	var w conds
	err := w.atLeast(c.t.sizes, d, n)
	c.assumed.add(w...)
	return err
}

// instance checks one use of ax and adds its equations.
//
// A law speaks of all tensors of the given shapes: the outputs of its left side
// are all defined if and only if those of the right side are, and are equal
// then. What stands for a tensor variable may itself be undefined for some
// sizes. If the variable is in every output of both sides, they are all
// undefined then; of any other variable it must be assumed that it is defined.
// One output by itself is undefined or equal on both sides if the law has no
// other; if it has, that all outputs of one side are defined must be assumed.
// Sizes must be at least 1, which a size that is an axis of such a tensor is
// wherever the tensor is defined.
func (c *checked) instance(ax *law.Law, in *law.Instance) error {
	v := c.vars[ax]
	if v == nil {
		var err error
		if v, err = variables(ax); err != nil {
			return err
		}
		c.vars[ax] = v
	}
	if len(ax.LHS) != len(ax.RHS) {
		return fmt.Errorf("the law has %d outputs on the left, %d on the right", len(ax.LHS), len(ax.RHS))
	}
	e, err := c.bind(v, in)
	if err != nil {
		return err
	}
	var axes []size
	for _, name := range sortedKeys(v.tensors) {
		id := e.tensors[name]
		want, err := e.shape(v.tensors[name])
		if err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
		if got := c.t.shape[id]; !got.equal(want) {
			return fmt.Errorf("tensor %s: %s has shape %s, want %s", name, in.Tensors[name].Brief(), got, want)
		}
		if !v.everywhere(name) {
			c.defined = append(c.defined, id)
		}
		for _, it := range c.t.shape[id] {
			if it.run == "" {
				axes = append(axes, it.size)
			}
		}
	}
	least := func(d size) error {
		if slices.ContainsFunc(axes, d.equal) {
			return nil
		}
		if err := c.assume(d, 1); err != nil {
			return fmt.Errorf("size %s: %w", d, err)
		}
		return nil
	}
	for _, name := range sortedKeys(e.sizes) {
		if err := least(e.sizes[name]); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(e.runs) {
		for _, it := range e.runs[name] {
			if it.run == "" {
				if err := least(it.size); err != nil {
					return err
				}
			}
		}
	}
	for _, w := range ax.Where {
		p, err := e.pred(w)
		if err == nil {
			err = c.pred(p)
		}
		if err != nil {
			return err
		}
	}
	var sides [2][]int
	for i := range ax.LHS {
		l, err := c.t.build(ax.LHS[i], e)
		if err != nil {
			return fmt.Errorf("left side: %w", err)
		}
		r, err := c.t.build(ax.RHS[i], e)
		if err != nil {
			return fmt.Errorf("right side: %w", err)
		}
		if a, b := c.t.shape[l], c.t.shape[r]; !a.equal(b) {
			return fmt.Errorf("the left side has shape %s, the right side %s", a, b)
		}
		sides[0], sides[1] = append(sides[0], l), append(sides[1], r)
		c.equations = append(c.equations, [2]int{l, r})
	}
	switch {
	case ax.OneWay:
		c.defined = append(c.defined, sides[0]...)
	case len(ax.LHS) > 1:
		c.either = append(c.either, sides)
	}
	return nil
}

// bind reads what stands for the variables of a law: exactly for these, and for
// each something of its sort over the variables of the rule.
func (c *checked) bind(v *vars, in *law.Instance) (*env, error) {
	e := newEnv(c.t.sizes)
	for _, name := range sortedKeys(v.sizes) {
		d, ok := in.Dims[name]
		if !ok {
			return nil, fmt.Errorf("size %s is not bound", name)
		}
		var err error
		if e.sizes[name], err = c.rule.size(d); err != nil {
			return nil, fmt.Errorf("size %s: %w", name, err)
		}
	}
	for _, name := range sortedKeys(v.runs) {
		s, ok := in.Runs[name]
		if !ok {
			return nil, fmt.Errorf("run %s is not bound", name)
		}
		var err error
		if e.runs[name], err = c.rule.shape(s); err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
	}
	for _, name := range sortedKeys(v.attrs) {
		a, ok := in.Attrs[name]
		if !ok {
			return nil, fmt.Errorf("attribute %s is not bound", name)
		}
		w, err := c.rule.value(a)
		if err == nil {
			err = sortOf(w, v.attrs[name])
		}
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		e.attrs[name] = w
	}
	for _, name := range sortedKeys(v.fns) {
		text, ok := in.Fns[name]
		if !ok {
			return nil, fmt.Errorf("function %s is not bound", name)
		}
		f, err := c.rule.function(text)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", name, err)
		}
		if !f.isOf(v.fns[name]) {
			return nil, fmt.Errorf("function %s: %s is not of sort %s", name, f, v.fns[name])
		}
		e.fns[name] = f
	}
	for _, name := range sortedKeys(v.tensors) {
		t := in.Tensors[name]
		if t == nil {
			return nil, fmt.Errorf("tensor %s is not bound", name)
		}
		var err error
		if e.tensors[name], err = c.t.build(t, c.rule); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	has := len(v.tensors) + len(v.sizes) + len(v.runs) + len(v.attrs) + len(v.fns)
	if n := len(in.Tensors) + len(in.Dims) + len(in.Runs) + len(in.Attrs) + len(in.Fns); n != has {
		return nil, fmt.Errorf("%d variables are bound, the law has %d", n, has)
	}
	return e, nil
}

// pred requires a condition of a law: it holds for all sizes, or is a condition
// of the rule, or is assumed.
func (c *checked) pred(p pred) error {
	if slices.ContainsFunc(c.where, p.equal) || c.congruent(p) {
		return nil
	}
	if ds, ok := p.least(); ok {
		for _, d := range ds {
			if err := c.assume(d, 0); err != nil {
				return fmt.Errorf("condition %s is false: %w", p, err)
			}
		}
		return nil
	}
	if p.mod != nil {
		switch holds, ok := p.decided(); {
		case ok && !holds:
			return fmt.Errorf("condition %s is false", p)
		case ok:
			return nil
		}
	} else if p.rel == "!=" {
		none := conds(nil).known(c.t.sizes)
		for _, d := range []size{p.left.minus(p.right), p.right.minus(p.left)} {
			if c.t.sizes.atLeast0(d.plusInt(-1), none) {
				return nil
			}
		}
		if p.left.equal(p.right) {
			return fmt.Errorf("condition %s is false", p)
		}
	}
	return fmt.Errorf("condition %s is not given", p)
}

// congruent reports that p, of the form d % k == r, holds for all sizes or
// follows from conditions of the rule of that form: d - r is, coefficient by
// coefficient modulo k, a sum of differences that the rule makes 0 modulo k,
// each taken up to k-1 times.
func (c *checked) congruent(p pred) bool {
	k, d, ok := p.remainder()
	if !ok {
		return false
	}
	if d.dividedBy(k) {
		return true
	}
	if k.Cmp(big.NewInt(8)) > 0 {
		return false
	}
	var zero []size
	for _, w := range c.where {
		if j, e, ok := w.remainder(); ok && j.Cmp(k) == 0 && len(zero) < 4 {
			zero = append(zero, e)
		}
	}
	var try func(d size, i int) bool
	try = func(d size, i int) bool {
		if i == len(zero) {
			return d.dividedBy(k)
		}
		for range k.Int64() {
			if try(d, i+1) {
				return true
			}
			d = d.minus(zero[i])
		}
		return false
	}
	return try(d, 0)
}

// vars are the variables of a law.
type vars struct {
	tensors map[string]graph.Shape
	attrs   map[string]string // to their sorts
	fns     map[string]string // to their sorts
	sizes   map[string]bool
	runs    map[string]bool
	law     *law.Law
	out     map[string]bool // tensor variables that some output of a side is without
}

// everywhere reports that a tensor variable is in every output of both sides.
func (v *vars) everywhere(name string) bool {
	if v.out == nil {
		v.out = map[string]bool{}
		for _, ts := range [2][]*law.Term{v.law.LHS, v.law.RHS} {
			for _, t := range ts {
				in := map[string]bool{}
				t.Walk(func(u *law.Term) { in[u.Var] = true })
				for name := range v.tensors {
					v.out[name] = v.out[name] || !in[name]
				}
			}
		}
	}
	return !v.out[name]
}

// variables lists the variables of a law. Sizes and runs are not introduced:
// those that occur are the law's.
func variables(l *law.Law) (*vars, error) {
	v := &vars{tensors: map[string]graph.Shape{}, attrs: map[string]string{}, fns: map[string]string{},
		sizes: map[string]bool{}, runs: map[string]bool{}, law: l}
	atom := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			v.sizes[a.Name] = true
		case graph.AtomAxisRun:
			v.runs[a.Name] = true
		}
	}
	names := map[string]bool{}
	for _, b := range l.Given {
		if names[b.Name] {
			return nil, fmt.Errorf("variable %s is bound twice", b.Name)
		}
		if _, ok := graph.Lookup(b.Name); ok {
			return nil, fmt.Errorf("variable %s has the name of an operator", b.Name)
		}
		names[b.Name] = true
		switch {
		case law.IsFuncSort(b.Sort):
			v.fns[b.Name] = b.Sort
		case b.Sort != "":
			v.attrs[b.Name] = b.Sort
		default:
			v.tensors[b.Name] = b.Shape
			b.Shape.Walk(atom)
		}
	}
	for _, w := range l.Where {
		w.Left.Walk(atom)
		w.Right.Walk(atom)
		if w.Mod != nil {
			w.Mod.Walk(atom)
		}
	}
	seen := map[*law.Term]bool{}
	for _, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			t.WalkNew(func(u *law.Term) bool { return seen[u] }, func(u *law.Term) {
				seen[u] = true
				for _, a := range u.Attrs {
					a.Walk(atom)
				}
			})
		}
	}
	return v, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
