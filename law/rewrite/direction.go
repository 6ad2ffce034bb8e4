package rewrite

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Direction is one way to use a law: the pattern of one side, and the steps that
// make the other.
type Direction struct {
	Law      *Law
	Backward bool // from the law's right side to its left side
	// Outputs are the law's outputs that are matched.
	Outputs []int
	// Nodes are the operators and functions of the pattern in preorder, a shared
	// subterm each time it occurs.
	Nodes []Node
	// Vars are the tensor variables by number: by first occurrence.
	Vars []string
	// MustBe says of a variable that what it stands for must be defined.
	MustBe []bool
	// Roots of the pattern: a node, or ^variable. Each is equal to the target of
	// the same number.
	Roots []int32
	// Steps build the targets, equal subterms once.
	Steps []Step
	// Targets: a step, or ^variable.
	Targets []int32
	// Bare says that a root is nothing but a variable: the pattern matches every
	// tensor of some shape.
	Bare bool
	// Guess says that a match does not determine everything; which axes a run
	// stands for has to be tried or, with Cut, how a size is a sum of two.
	Guess, Cut bool
	// Grows says that the target has more operators than the source.
	Grows bool

	given []*shape // by variable
}

// Node is an operator or function of a pattern.
type Node struct {
	Op   *graph.Op // nil: a function
	Fn   int32     // the function variable's number, if Op is nil
	Out  int       // which output of Op
	Kids []int32   // a node, or ^variable

	attrs []value
}

// Step makes one node of a target.
type Step struct {
	Op   *graph.Op // nil: a function
	Fn   int32     // the function variable's number, if Op is nil
	Out  int       // which output of Op
	Args []int32   // an earlier step, or ^variable

	attrs  []value
	static graph.Attrs // the attributes, if no variable is in them; else nil
}

// Fits says whether attributes may be the node's, as far as each by itself tells.
func (n *Node) Fits(d *Direction, attrs graph.Attrs) bool {
	for i := range n.attrs {
		switch v := &n.attrs[i]; v.kind {
		case literal:
			if v.lit != attrs[i] {
				return false
			}
		case variable:
			if !law.InSort(attrs[i], d.Law.Attrs[v.at].Sort) {
				return false
			}
		}
	}
	return true
}

// AttrVar says that an attribute of a node is nothing but an attribute variable.
type AttrVar struct{ Param, Attr int }

// AttrVars lists the attribute variables of a node.
func (n *Node) AttrVars() []AttrVar {
	var out []AttrVar
	for i := range n.attrs {
		if v := &n.attrs[i]; v.kind == variable {
			out = append(out, AttrVar{i, int(v.at)})
		}
	}
	return out
}

// Direction compiles one direction for some of the law's outputs together. The
// error says why it cannot be used.
func (c *Law) Direction(backward bool, outputs ...int) (*Direction, error) {
	from, to := c.sides[0], c.sides[1]
	if backward {
		from, to = to, from
	}
	b := newBuilder(c, backward)
	b.d.Outputs = slices.Clone(outputs)
	var src, dst []*law.Term
	for _, i := range outputs {
		src, dst = append(src, from[i]), append(dst, to[i])
	}
	if err := b.roots(src); err != nil {
		return nil, err
	}
	for _, t := range dst {
		ref, err := b.target(t)
		if err != nil {
			return nil, err
		}
		b.d.Targets = append(b.d.Targets, ref)
	}
	if !b.d.determined() {
		return nil, fmt.Errorf("the source does not determine the sizes")
	}
	b.d.Grows = law.Size(dst...) > law.Size(src...)
	return b.d, nil
}

// builder makes one direction.
type builder struct {
	c        *Law
	d        *Direction
	varAt    map[string]int32
	fn, attr map[string]bool // function and attribute variables of the pattern
	nodes    law.Nodes
	at       map[int]int32
}

func newBuilder(c *Law, backward bool) *builder {
	return &builder{c: c, d: &Direction{Law: c, Backward: backward},
		varAt: map[string]int32{}, fn: map[string]bool{}, attr: map[string]bool{}, at: map[int]int32{}}
}

// roots makes the pattern, in which all that the law is given has to occur.
func (b *builder) roots(ts []*law.Term) error {
	for _, t := range ts {
		ref, err := b.pattern(t)
		if err != nil {
			return err
		}
		b.d.Roots = append(b.d.Roots, ref)
		b.d.Bare = b.d.Bare || ref < 0
	}
	for _, g := range b.c.Law.Given {
		_, tensor := b.varAt[g.Name]
		if g.Sort == "" && !tensor || law.IsFuncSort(g.Sort) && !b.fn[g.Name] ||
			g.Sort != "" && !law.IsFuncSort(g.Sort) && !b.attr[g.Name] {
			return fmt.Errorf("the source does not mention %s", g.Name)
		}
	}
	return nil
}

func (b *builder) pattern(t *law.Term) (int32, error) {
	d := b.d
	if t.IsVar() {
		at, ok := b.varAt[t.Var]
		if !ok {
			given := b.c.given[t.Var]
			if given == nil {
				return 0, fmt.Errorf("tensor %s has no shape", t.Var)
			}
			at = int32(len(d.Vars))
			b.varAt[t.Var] = at
			d.Vars = append(d.Vars, t.Var)
			d.given = append(d.given, given)
			d.MustBe = append(d.MustBe, b.c.mustBe[t.Var])
		}
		return ^at, nil
	}
	n := Node{Op: t.Op, Out: t.Out}
	if t.Op == nil {
		var err error
		if n.Fn, err = b.function(t.Fn); err != nil {
			return 0, err
		}
		b.fn[t.Fn] = true
	}
	for _, v := range t.Attrs {
		x, err := b.c.numbering.value(v)
		if err != nil {
			return 0, err
		}
		n.attrs = append(n.attrs, x)
		if name, _, ok := v.Var(); ok {
			b.attr[name] = true
		}
		if x.kind == perm && len(x.perm) == 1 {
			name, _, _ := v.PermVars()[0].Var.Var()
			b.attr[name] = true
		}
	}
	me := int32(len(d.Nodes))
	d.Nodes = append(d.Nodes, n)
	for _, a := range t.Args {
		ref, err := b.pattern(a)
		if err != nil {
			return 0, err
		}
		d.Nodes[me].Kids = append(d.Nodes[me].Kids, ref)
	}
	return me, nil
}

func (b *builder) function(name string) (int32, error) {
	at, ok := b.c.fnAt[name]
	if !ok {
		return 0, fmt.Errorf("function %s is not a variable of the law", name)
	}
	return at, nil
}

func (b *builder) target(t *law.Term) (int32, error) {
	if t.IsVar() {
		v, ok := b.varAt[t.Var]
		if !ok {
			return 0, fmt.Errorf("the source does not mention %s", t.Var)
		}
		return ^v, nil
	}
	key := b.nodes.Of(t)
	if i, ok := b.at[key]; ok {
		return i, nil
	}
	s := Step{Op: t.Op, Out: t.Out}
	if t.Op == nil {
		var err error
		if s.Fn, err = b.function(t.Fn); err != nil {
			return 0, err
		}
	}
	open := false
	for _, v := range t.Attrs {
		x, err := b.c.numbering.value(v)
		if err != nil {
			return 0, err
		}
		open = open || x.kind != literal
		s.attrs = append(s.attrs, x)
	}
	if !open {
		s.static = append(graph.Attrs{}, t.Attrs...)
	}
	for _, a := range t.Args {
		ref, err := b.target(a)
		if err != nil {
			return 0, err
		}
		s.Args = append(s.Args, ref)
	}
	b.d.Steps = append(b.d.Steps, s)
	b.at[key] = int32(len(b.d.Steps) - 1)
	return b.at[key], nil
}

// determined says whether a match tells all sizes, if need be with a guess, and
// sets Guess and Cut: it solves the law's own equations, with the law's variables
// as actual sizes.
func (d *Direction) determined() bool {
	s := d.Law.NewSolver()
	for i := range d.Nodes {
		for j := range d.Nodes[i].attrs {
			v := &d.Nodes[i].attrs[j]
			if !s.value(v, v.lit) {
				return false
			}
		}
	}
	for _, g := range d.given {
		if !s.shape(g, g.given) {
			return false
		}
	}
	if !s.start() || !s.propagate() {
		return false
	}
	if s.solved() {
		return s.complete()
	}
	d.Guess, d.Cut = true, true
	complete := false
	s.guess(guessAll, func(t *Solver) bool {
		complete = t.complete()
		return !complete
	})
	if complete {
		s.guess(guessRuns, func(t *Solver) bool {
			d.Cut = !t.complete()
			return d.Cut
		})
	}
	return complete
}
