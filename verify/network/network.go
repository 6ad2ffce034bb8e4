package network

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// Report says what an equation was found to speak of.
type Report struct {
	Inputs   int `json:"inputs"`   // that are fed, of each model
	Outputs  int `json:"outputs"`  // of each model
	Cut      int `json:"cut"`      // nodes of which laws do not speak
	Weights  int `json:"weights"`  // of the second model that are the first one's
	Computed int `json:"computed"` // of the second model that are computed from the first one's
}

// Check reports whether an equation is about two models; the error says where it is
// about something else. Numbers of weights are loaded.
func Check(eq *law.Law, a, b *model.Model) (*Report, error) { return checked(eq, a, b, false) }

// CheckWhereDefined is Check where every function has a value where it is applied: the
// models compute the same for all inputs at which that holds. Who reports it must say so.
// Training steps need it: Adam divides by the root of what an optimizer's state holds.
func CheckWhereDefined(eq *law.Law, a, b *model.Model) (*Report, error) {
	return checked(eq, a, b, true)
}

func checked(eq *law.Law, a, b *model.Model, defined bool) (*Report, error) {
	c := &checker{eq: eq, a: a, b: b, defined: defined, vars: map[string]graph.Tensor{}, pair: map[graph.NodeID]graph.NodeID{}, taken: map[graph.NodeID]bool{},
		silent: map[*model.Model]map[graph.NodeID]bool{}}
	if err := c.plain(); err != nil {
		return nil, err
	}
	rep := &Report{Outputs: len(a.Graph.Outputs())}
	if err := c.signature(rep); err != nil {
		return nil, err
	}
	if err := c.declarations(); err != nil {
		return nil, err
	}
	left, err := c.left()
	if err != nil {
		return nil, fmt.Errorf("first model: %w", err)
	}
	for _, g := range eq.Given {
		if _, ok := c.vars[g.Name]; !ok {
			return nil, fmt.Errorf("first model: variable %s stands for nothing in it", g.Name)
		}
	}
	if err := c.right(left); err != nil {
		return nil, fmt.Errorf("second model: %w", err)
	}
	rep.Cut, rep.Weights, rep.Computed = len(c.cuts), c.same, c.computed
	return rep, nil
}

// checker compares an equation with two models.
type checker struct {
	eq      *law.Law
	a, b    *model.Model
	defined bool                    // see CheckWhereDefined
	vars    map[string]graph.Tensor // of a, for each variable that was met
	cuts    []cut
	// pair is the node of a that a node of b with cut tensors is, taken are those
	// that some node is.
	pair     map[graph.NodeID]graph.NodeID
	taken    map[graph.NodeID]bool
	same     int
	computed int
	infinite map[graph.NodeID]bool // the weights of a that are not finite
	// silent are the nodes of which laws do not speak, of each model.
	silent map[*model.Model]map[graph.NodeID]bool
}

// cut is a node of a with cut tensors, and where its operands stand in the equation.
type cut struct {
	node  graph.NodeID
	first int
}

// plain requires an equation that says something for all values of its tensors, and
// models of which it can: a condition, or the size of a variable, that can never
// hold would make every equation true. Weights that are no real numbers are noted.
func (c *checker) plain() error {
	for _, p := range c.eq.Where {
		if c.a.Graph.Sizing() == nil {
			return errors.New("the equation has conditions")
		}
		if !holds(c.a.Graph.Sizing(), p) {
			return fmt.Errorf("the equation has the condition %s, which is not known of the sizes of the models", p)
		}
	}
	for _, g := range c.eq.Given {
		for _, it := range g.Shape {
			if n, ok := it.Dim.Const(); it.AxisRun == "" && ok && n < 1 {
				return fmt.Errorf("variable %s of the equation has shape %s: laws are about sizes of at least 1", g.Name, g.Shape)
			}
		}
	}
	// The equation holds for all sizes of at least 1 that satisfy its conditions, and so for
	// those of the models.
	if !c.a.Graph.Sizing().Equal(c.b.Graph.Sizing()) {
		return fmt.Errorf("the models have different dynamic sizes: %s and %s", c.a.Graph.Sizing(), c.b.Graph.Sizing())
	}
	sizes, runs := law.Variables(c.eq)
	for _, name := range sizes {
		if !c.a.Graph.Sizing().Has(name) {
			return fmt.Errorf("the equation has the size %s, which the models do not have", name)
		}
	}
	if len(runs) > 0 {
		return fmt.Errorf("the equation has the axes %s", runs[0])
	}
	for i, m := range []*model.Model{c.a, c.b} {
		which := [2]string{"first", "second"}[i]
		if err := m.Validate(); err != nil {
			return fmt.Errorf("%s model: %w", which, err)
		}
		var err error
		if m == c.a {
			if c.infinite, err = Infinite(m); err != nil {
				return fmt.Errorf("%s model: %w", which, err)
			}
		}
		if c.defined {
			c.silent[m], err = silent(m, nil)
		} else {
			c.silent[m], err = Silent(m)
		}
		if err != nil {
			return fmt.Errorf("%s model: %w", which, err)
		}
	}
	return nil
}

// holds reports whether a condition on a dynamic size holds for all sizes in its range.
func holds(s *graph.Sizing, p law.Pred) bool {
	if name, ok := p.Left.IsVar(); !ok || !s.Has(name) || p.Mod != nil {
		return false
	}
	d, one := p.Right.Sub(p.Left), graph.Int(1)
	switch p.Rel {
	case "<=":
		return s.NonNegative(d)
	case "<":
		return s.NonNegative(d.Sub(one))
	case ">=":
		return s.NonNegative(d.Neg())
	case ">":
		return s.NonNegative(d.Neg().Sub(one))
	}
	return false
}

// signature compares what is fed and what is returned.
func (c *checker) signature(rep *Report) error {
	x, y := c.a.Inputs(), c.b.Inputs()
	if len(x) != len(y) {
		return fmt.Errorf("the models have %d and %d inputs", len(x), len(y))
	}
	rep.Inputs = len(x)
	for i := range x {
		s, t := x[i].Out(0), y[i].Out(0)
		if n, m := c.a.Graph.Name(x[i]), c.b.Graph.Name(y[i]); n != m || !c.sameType(s, t) {
			return fmt.Errorf("input %d is %s %s and %s %s", i, n, typeText(c.a.Graph, s), m, typeText(c.b.Graph, t))
		}
	}
	p, q := c.a.Graph.Outputs(), c.b.Graph.Outputs()
	if len(p) != len(q) {
		return fmt.Errorf("the models have %d and %d outputs", len(p), len(q))
	}
	for i := range p {
		if !c.sameType(p[i], q[i]) {
			return fmt.Errorf("output %d is %s and %s", i, typeText(c.a.Graph, p[i]), typeText(c.b.Graph, q[i]))
		}
	}
	return c.order()
}

// order refuses outputs that a reader who goes by names would take for one another.
func (c *checker) order() error {
	place := map[string]int{}
	for i, t := range c.b.Graph.Outputs() {
		place[outputName(c.b.Graph, t)] = i
	}
	for i, t := range c.a.Graph.Outputs() {
		name := outputName(c.a.Graph, t)
		if j, ok := place[name]; ok && outputName(c.b.Graph, c.b.Graph.Outputs()[i]) != name {
			return fmt.Errorf("output %s is number %d of the first model, number %d of the second", name, i, j)
		}
	}
	return nil
}

func outputName(g *graph.Graph, t graph.Tensor) string {
	if g.NumOut(t.Node) > 1 {
		return fmt.Sprintf("%s.%d", g.Name(t.Node), t.Out)
	}
	return g.Name(t.Node)
}

// sameType reports whether a tensor of a has the type of one of b, for all sizes.
func (c *checker) sameType(s, t graph.Tensor) bool { return sameType(c.a.Graph, s, c.b.Graph, t) }

func sameType(g *graph.Graph, s graph.Tensor, h *graph.Graph, t graph.Tensor) bool {
	return g.DType(s) == h.DType(t) && g.Shape(s).Equal(h.Shape(t))
}

func typeText(g *graph.Graph, t graph.Tensor) string {
	return g.DType(t).String() + g.Shape(t).String()
}

// declarations lets the first variables stand for the inputs of a that have elements.
func (c *checker) declarations() error {
	var in []graph.NodeID
	for _, id := range c.a.Graph.Inputs() {
		if !c.a.Graph.Type(id.Out(0)).Empty() {
			in = append(in, id)
		}
	}
	if len(c.eq.Given) < len(in) {
		return fmt.Errorf("the equation has %d variables, the first model %d inputs and weights with elements", len(c.eq.Given), len(in))
	}
	for i, g := range c.eq.Given {
		if g.Sort != "" {
			return fmt.Errorf("variable %s of the equation is no tensor", g.Name)
		}
		if _, twice := c.vars[g.Name]; twice {
			return fmt.Errorf("variable %s of the equation is declared twice", g.Name)
		}
		if i >= len(in) {
			continue
		}
		t := in[i].Out(0)
		if !g.Shape.Equal(c.a.Graph.Shape(t)) {
			return fmt.Errorf("variable %s has shape %s, input %s of the first model %s", g.Name, g.Shape, c.a.Graph.Name(in[i]), c.a.Graph.Shape(t))
		}
		c.vars[g.Name] = t
	}
	return nil
}

// left compares the left terms with the first model.
func (c *checker) left() (terms int, err error) {
	s := &side{c: c, m: c.a, variable: c.leftVariable}
	s.met = map[graph.NodeID]bool{}
	at := 0
	compare := func(ts []graph.Tensor, what string) error {
		for i, t := range c.a.Graph.Filled(ts) {
			if at >= len(c.eq.LHS) {
				return fmt.Errorf("the equation ends before %s %d", what, i)
			}
			if err := s.is(t, c.eq.LHS[at]); err != nil {
				return fmt.Errorf("%s %d: %w", what, i, err)
			}
			at++
		}
		return nil
	}
	if err := compare(c.a.Graph.Outputs(), "output"); err != nil {
		return 0, err
	}
	for i := 0; i < len(s.order); i++ {
		id := s.order[i]
		c.cuts = append(c.cuts, cut{id, at})
		if err := compare(c.a.Graph.Operands(id), "node "+c.a.Graph.Name(id)+", operand"); err != nil {
			return 0, err
		}
	}
	if at != len(c.eq.LHS) {
		return 0, fmt.Errorf("the equation has %d terms, of which %d are of the model", len(c.eq.LHS), at)
	}
	// Nodes that repeat a cut one must have its operands.
	for i := 0; i < len(s.twins); i++ {
		w := s.twins[i]
		k := slices.IndexFunc(c.cuts, func(x cut) bool { return x.node == w.of })
		for j, t := range c.a.Graph.Filled(c.a.Graph.Operands(w.node)) {
			if err := s.is(t, c.eq.LHS[c.cuts[k].first+j]); err != nil {
				return 0, fmt.Errorf("node %s, operand %d: %w", c.a.Graph.Name(w.node), j, err)
			}
		}
	}
	return at, nil
}

// leftVariable says whether a tensor of a is a variable, which then stands for it.
func (c *checker) leftVariable(s *side, t graph.Tensor, name string) error {
	have, ok := c.vars[name]
	switch {
	case ok && have == t:
	case ok:
		// A second node that computes the same cut tensor.
		if !s.cut(t) || !s.cut(have) || t.Out != have.Out || !twins(c.a, t.Node, c.a, have.Node, false) {
			return fmt.Errorf("variable %s is another tensor", name)
		}
		if !s.met[t.Node] {
			s.met[t.Node] = true
			s.twins = append(s.twins, twin{t.Node, have.Node})
			s.undo = append(s.undo, func() { delete(s.met, t.Node); s.twins = s.twins[:len(s.twins)-1] })
		}
		return nil
	case !s.cut(t):
		return fmt.Errorf("it is no variable, the equation has %s", name)
	default:
		g, ok := c.eq.Find(name)
		if !ok || !g.Shape.Equal(c.a.Graph.Shape(t)) {
			return fmt.Errorf("variable %s does not have its shape", name)
		}
		for other, have := range c.vars {
			if have == t {
				return fmt.Errorf("variables %s and %s are one tensor", other, name)
			}
		}
		c.vars[name] = t
		s.undo = append(s.undo, func() { delete(c.vars, name) })
	}
	if s.cut(t) && !s.met[t.Node] {
		s.met[t.Node] = true
		s.order = append(s.order, t.Node)
		s.undo = append(s.undo, func() { delete(s.met, t.Node); s.order = s.order[:len(s.order)-1] })
	}
	return nil
}

// right compares the right terms with the second model.
func (c *checker) right(terms int) error {
	if len(c.eq.RHS) != terms {
		return fmt.Errorf("the equation has %d terms on the right, %d on the left", len(c.eq.RHS), terms)
	}
	s := &side{c: c, m: c.b, variable: c.rightVariable, met: map[graph.NodeID]bool{}}
	for i, t := range c.b.Graph.Filled(c.b.Graph.Outputs()) {
		if err := s.is(t, c.eq.RHS[i]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	for i := 0; i < len(s.order); i++ {
		id := s.order[i]
		k := slices.IndexFunc(c.cuts, func(x cut) bool { return x.node == c.pair[id] })
		if k < 0 {
			return fmt.Errorf("node %s is none of the first model", c.b.Graph.Name(id))
		}
		for j, t := range c.b.Graph.Filled(c.b.Graph.Operands(id)) {
			if err := s.is(t, c.eq.RHS[c.cuts[k].first+j]); err != nil {
				return fmt.Errorf("node %s, operand %d: %w", c.b.Graph.Name(id), j, err)
			}
		}
	}
	return nil
}

// rightVariable says whether a tensor of b is what a variable stands for in a.
func (c *checker) rightVariable(s *side, t graph.Tensor, name string) error {
	have, ok := c.vars[name]
	if !ok {
		return fmt.Errorf("variable %s stands for nothing", name)
	}
	ga, gb := c.a.Graph, c.b.Graph
	if !c.sameType(have, t) {
		return fmt.Errorf("it is %s, variable %s is %s", typeText(gb, t), name, typeText(ga, have))
	}
	switch {
	case ga.Op(have.Node) == nil && gb.Op(t.Node) == nil && !ga.IsWeight(have.Node):
		if gb.IsWeight(t.Node) || gb.Name(t.Node) != ga.Name(have.Node) {
			return fmt.Errorf("it is %s, variable %s is input %s", gb.Name(t.Node), name, ga.Name(have.Node))
		}
	case ga.Op(have.Node) == nil && gb.Op(t.Node) == nil:
		if !gb.IsWeight(t.Node) {
			return fmt.Errorf("it is an input, variable %s is weight %s", name, ga.Name(have.Node))
		}
		if err := sameNumbers(c.a.Weights[have.Node], c.b.Weights[t.Node]); err != nil {
			return fmt.Errorf("weights %s and %s: %w", ga.Name(have.Node), gb.Name(t.Node), err)
		}
		c.same++
	case ga.Op(have.Node) != nil && gb.Op(t.Node) != nil:
		// Laws may speak of the node in the second model, of which more may be known: any
		// node computes the same as its twin.
		_, _, opaque := gb.Opaque(t.Node)
		of, known := c.pair[t.Node]
		if t.Out != have.Out || known && of != have.Node || !known && opaque && c.taken[have.Node] ||
			!twins(c.a, have.Node, c.b, t.Node, true) {
			return fmt.Errorf("node %s is not node %s of the first model", gb.Name(t.Node), ga.Name(have.Node))
		}
		if !known {
			was := c.taken[have.Node]
			c.pair[t.Node], c.taken[have.Node] = have.Node, true
			s.order = append(s.order, t.Node)
			s.undo = append(s.undo, func() {
				delete(c.pair, t.Node)
				c.taken[have.Node] = was
				s.order = s.order[:len(s.order)-1]
			})
		}
	default:
		return fmt.Errorf("it is %s, variable %s is %s of the first model", gb.Name(t.Node), name, ga.Name(have.Node))
	}
	return nil
}

// twins reports whether two nodes with cut tensors compute the same from the same
// operands. Opaque ones do if they are of one kind and payload, where that is
// allowed at all.
func twins(a *model.Model, x graph.NodeID, b *model.Model, y graph.NodeID, opaque bool) bool {
	p, q := a.Graph, b.Graph
	if p.NumOut(x) != q.NumOut(y) || len(p.Operands(x)) != len(q.Operands(y)) {
		return false
	}
	for i, t := range p.Operands(x) {
		if !sameType(p, t, q, q.Operands(y)[i]) {
			return false // terms are equal whatever their element types are
		}
	}
	for k := range p.NumOut(x) {
		if !sameType(p, x.Out(k), q, y.Out(k)) {
			return false
		}
	}
	kind, _, ok := p.Opaque(x)
	other, _, too := q.Opaque(y)
	if ok || too {
		return opaque && ok && too && kind == other && slices.Equal(p.OpaqueDigest(x), q.OpaqueDigest(y))
	}
	return p.Op(x) == q.Op(y) && p.OpenAttrs(x).Equal(q.OpenAttrs(y))
}
