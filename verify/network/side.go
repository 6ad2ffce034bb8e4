package network

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// side compares terms with the tensors of one model.
type side struct {
	c *checker
	m *model.Model
	// variable says whether a tensor is what a variable stands for.
	variable func(s *side, t graph.Tensor, name string) error
	known    map[compared]bool
	numbers  map[graph.Tensor]number
	met      map[graph.NodeID]bool
	order    []graph.NodeID // nodes with cut tensors, as they are met
	twins    []twin
	undo     []func() // takes back what was noted, for another try
	tries    int
	depth    int
}

// maxDepth bounds how deep networks and terms are: each step takes room on the stack.
const maxDepth = 100_000

// compared is a tensor that is a term.
type compared struct {
	t graph.Tensor
	u *law.Term
}

// twin is a node that has to have the operands of another one.
type twin struct{ node, of graph.NodeID }

// maxSwaps bounds how often operands are tried in the other order, for each node.
const maxSwaps = 16

// cut reports whether laws do not speak of a tensor that is computed.
func (s *side) cut(t graph.Tensor) bool {
	if s.m.Graph.Op(t.Node) == nil {
		return false
	}
	_, _, opaque := s.m.Graph.Opaque(t.Node)
	return opaque || !s.m.Graph.DType(t).IsReal() || s.c.silent[s.m][t.Node]
}

// moves reports whether an operator takes entries over as they are, or zeros, and does not
// ask what they are: what rearranges them, makes members of them, or pads them with zeros. What a law says of it then holds of integers too, which are real
// numbers: nothing is rounded, and no sum can be too large.
func (s *side) moves(t graph.Tensor) bool {
	g := s.m.Graph
	op := g.Op(t.Node)
	if op == nil || !op.Rearranges && op.Layout != graph.LayoutMakes && !padsZeros(op, g.OpenAttrs(t.Node)) {
		return false
	}
	for _, x := range g.Operands(t.Node) {
		if g.DType(x) != g.DType(t) {
			return false
		}
	}
	return true
}

// padsZeros reports whether an operator pads a tensor, with zeros.
func padsZeros(o *graph.Op, attrs graph.Attrs) bool {
	i := slices.IndexFunc(o.Params, func(p graph.Param) bool { return p.Name == "value" })
	if o.Name != "pad" || i < 0 {
		return false
	}
	value, ok := attrs[i].Number()
	return ok && value == 0
}

// is says whether a tensor is a term; the error says where it is not.
func (s *side) is(t graph.Tensor, u *law.Term) error {
	if s.known[compared{t, u}] {
		return nil
	}
	if s.depth++; s.depth > maxDepth {
		return fmt.Errorf("node %s: it is more than %d operators below", s.m.Graph.Name(t.Node), maxDepth)
	}
	defer func() { s.depth-- }()
	if err := s.compare(t, u); err != nil {
		return err
	}
	if s.known == nil {
		s.known = map[compared]bool{}
	}
	k := compared{t, u}
	s.known[k] = true
	s.undo = append(s.undo, func() { delete(s.known, k) })
	return nil
}

func (s *side) compare(t graph.Tensor, u *law.Term) error {
	g := s.m.Graph
	op := g.Op(t.Node)
	switch {
	case u.IsVar():
		return s.variable(s, t, u.Var)
	case s.constant(t, u):
		return nil
	case op == nil:
		return s.weight(t, u)
	case u.Op == nil:
		return fmt.Errorf("node %s: the equation has the function %s", g.Name(t.Node), u.Fn)
	case s.m.Graph.TouchesEmpty(t.Node):
		return fmt.Errorf("node %s: the equation has %s of or into no elements: laws are about sizes of at least 1", g.Name(t.Node), u.Op.Name)
	case s.c.silent[s.m][t.Node]:
		return fmt.Errorf("node %s: the equation has %s of what may not be finite: laws are about real numbers", g.Name(t.Node), u.Op.Name)
	case s.cut(t) && !s.moves(t):
		return fmt.Errorf("node %s: the equation has %s, laws do not speak of it", g.Name(t.Node), u.Op.Name)
	}
	in := g.Operands(t.Node)
	shapes := make([]graph.Shape, len(in))
	for i, x := range in {
		shapes[i] = g.Shape(x)
	}
	p, out, err := op.Primitive(g.OpenAttrs(t.Node), shapes, int(t.Out))
	if err != nil {
		return fmt.Errorf("node %s: %w", g.Name(t.Node), err)
	}
	if u.Op != p.Op || u.Out != out || !u.Attrs.Equal(p.Attrs) || len(u.Args) != len(in) {
		return fmt.Errorf("node %s is %s%s, the equation has %s", g.Name(t.Node), p.Op.Name, p.Op.FormatAttrs(p.Attrs), u.Op.Name+u.Op.FormatAttrs(u.Attrs))
	}
	mark := len(s.undo)
	err = s.all(in, u.Args)
	if err == nil || !p.Op.Commutative || len(in) != 2 || in[0] == in[1] {
		return err
	}
	if s.tries++; s.tries > maxSwaps*(g.Len()+1) {
		return err
	}
	for i := len(s.undo) - 1; i >= mark; i-- {
		s.undo[i]()
	}
	s.undo = s.undo[:mark]
	if s.all([]graph.Tensor{in[1], in[0]}, u.Args) == nil {
		return nil
	}
	return err
}

func (s *side) all(ts []graph.Tensor, us []*law.Term) error {
	for i := range ts {
		if err := s.is(ts[i], us[i]); err != nil {
			return err
		}
	}
	return nil
}
