package verifymodels

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Value numbering over both models at once: nodes with the same number apply the
// same operator with the same attributes to the same operands, down to the same
// inputs and the same weights. They compute the same whatever is fed, and no run
// is needed to know it. The numbers are the nodes of a bank, which has each once.

// numbering gives numbers to nodes. Leaves have theirs from the caller, below 0.
type numbering struct {
	*bank.Bank
	random int // nodes so far that draw random numbers
}

// newNumbering numbers models with these dynamic sizes, so that what has the same number is equal
// for all of them.
func newNumbering(s *graph.Sizing) *numbering {
	v := &numbering{Bank: bank.New(nil)}
	v.Vary(s)
	return v
}

// of numbers the nodes of a model that an output depends on; the others have 0.
// leaf is the number of an input or a weight, below 0.
func (v *numbering) of(m *model.Model, leaf func(graph.NodeID) int) ([]bank.Node, error) {
	g := m.Graph
	uses := interp.Readers(g)
	num := make([]bank.Node, g.Len()+1)
	at := map[graph.Tensor]bank.Tensor{}
	for id := range g.Nodes() {
		if uses[id] == 0 {
			continue
		}
		op, in := g.Op(id), make([]bank.Tensor, len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			in[i] = at[t]
		}
		if op != nil && !isOpaque(g, id) {
			n, err := v.Apply(op, g.OpenAttrs(id), g.DType(id.Out(0)), in...)
			if err != nil {
				return nil, fmt.Errorf("model %s: node %s: %w", m.Name, g.Name(id), err)
			}
			num[id] = n
			for i := range g.NumOut(id) {
				at[id.Out(i)] = v.Out(n, i)
			}
			continue
		}
		var text string
		switch {
		case op == nil:
			text = fmt.Sprint("leaf ", leaf(id))
		case drawsNumbers(g, id):
			v.random++ // equal to nothing, not even to itself in another run
			text = fmt.Sprint("random ", v.random)
		default:
			text = fmt.Sprintf("opaque %q %d %x %d of %v", kindOf(g, id), opset(g, id), g.OpaqueDigest(id), g.NumOut(id), in)
			for i := range g.NumOut(id) {
				text += " " + g.DType(id.Out(i)).String() + g.Shape(id.Out(i)).String()
			}
		}
		// Each output is an input of the bank that says what it is.
		for i := range g.NumOut(id) {
			n, err := v.AddOpen(fmt.Sprintf("%s, output %d", text, i), false, g.DType(id.Out(i)), g.Shape(id.Out(i)))
			if err != nil {
				return nil, fmt.Errorf("model %s: node %s: %w", m.Name, g.Name(id), err)
			}
			if at[id.Out(i)] = v.Out(n, 0); i == 0 {
				num[id] = n
			}
		}
	}
	return num, nil
}

// sameOperator reports whether two nodes are the same function of their operands,
// for operands of the same types.
func sameOperator(g *graph.Graph, a graph.NodeID, h *graph.Graph, b graph.NodeID) bool {
	if isOpaque(g, a) || isOpaque(h, b) {
		return isOpaque(g, a) && isOpaque(h, b) && bytes.Equal(g.OpaqueDigest(a), h.OpaqueDigest(b)) &&
			opset(g, a) == opset(h, b) && kindOf(g, a) == kindOf(h, b) && g.NumOut(a) == h.NumOut(b)
	}
	return g.Op(a) == h.Op(b) && g.OpenAttrs(a).Equal(h.OpenAttrs(b))
}

func sameType(a, b graph.TensorType) bool {
	return a.DType == b.DType && slices.Equal(a.Sizes, b.Sizes)
}

// comparison is what is known of two models before they run.
type comparison struct {
	a, b *model.Model
	ins  []input
	outs []int // outputs of B in the order of those of A
	// inputs of the two, by node, with their number
	leafA, leafB map[graph.NodeID]int

	pairs []weightPair // weights at the same place
	// one: the models are the same but for the numbers in pairs.
	one bool
	// numA and numB are numbers by content: nodes that have the same in both
	// models compute the same.
	numA, numB []bank.Node
	jumps      bool // an output depends on a function that jumps at multiples of a half
	// constants are numbers that both models hold in small weights: functions may jump there, too.
	constants []float64
	// compared are integers with which models compare others.
	compared  []int64
	bounds    [2]*ranges               // see ranges
	notFinite [2]map[graph.NodeID]bool // see infinite
	content   contents
}

// weightPair is a weight that both models hold: of one type, at the same place in
// the same structure or, where the structures differ, of the same name.
type weightPair struct {
	a, b graph.NodeID
	// differ is nil if all elements are the same numbers.
	differ *WeightDifference
}

// relate finds out what two models have in common without running them.
func relate(a, b *model.Model, ins []input, outs []int) (*comparison, error) {
	c := &comparison{a: a, b: b, ins: ins, outs: outs, leafA: map[graph.NodeID]int{}, leafB: map[graph.NodeID]int{}}
	ia, ib := a.Inputs(), b.Inputs()
	for i, in := range ins {
		c.leafA[ia[i]], c.leafB[ib[in.place]] = -1-i, -1-i
	}
	if err := c.content.read(a, b); err != nil {
		return nil, err
	}
	content := &c.content
	leaf := func(own map[graph.NodeID]int, weight func(graph.NodeID) int) func(graph.NodeID) int {
		return func(id graph.NodeID) int {
			if n, ok := own[id]; ok {
				return n
			}
			return -1 - len(ins) - weight(id)
		}
	}
	// both numbers the nodes of both models, given the numbers of their weights.
	both := func(weightA, weightB func(graph.NodeID) int) (numA, numB []bank.Node, err error) {
		v := newNumbering(a.Graph.Sizing())
		if numA, err = v.of(a, leaf(c.leafA, weightA)); err == nil {
			numB, err = v.of(b, leaf(c.leafB, weightB))
		}
		return numA, numB, err
	}
	var err error
	c.numA, c.numB, err = both(
		func(id graph.NodeID) int { return content.of[a.Weights[id]] },
		func(id graph.NodeID) int { return content.of[b.Weights[id]] })
	if err != nil {
		return nil, err
	}

	// Of the ways to pair weights, one that makes the models one is the right one.
	for _, pairs := range [][]weightPair{pairedByName(a, b), c.pairedByPlace()} {
		ofA, ofB := map[graph.NodeID]int{}, map[graph.NodeID]int{}
		for i, p := range pairs {
			ofA[p.a], ofB[p.b] = i, i
		}
		number := func(m *model.Model, of map[graph.NodeID]int) func(graph.NodeID) int {
			return func(id graph.NodeID) int {
				if i, ok := of[id]; ok {
					return i
				}
				return len(pairs) + content.of[m.Weights[id]]
			}
		}
		numA, numB, err := both(number(a, ofA), number(b, ofB))
		if err != nil {
			return nil, err
		}
		if c.one = c.equalOutputs(numA, numB); c.one || c.pairs == nil {
			c.pairs = pairs
		}
		if c.one {
			break
		}
	}
	for i, p := range c.pairs {
		v, w := a.Weights[p.a], b.Weights[p.b]
		if content.of[v] == content.of[w] {
			continue
		}
		d, err := differences(v, w)
		if err != nil {
			return nil, err
		}
		if d != nil {
			d.NameA, d.NameB = a.Graph.Name(p.a), b.Graph.Name(p.b)
			c.pairs[i].differ = d
		}
	}
	return c, nil
}

// outputEqual reports whether output i of A and its partner have one number.
func (c *comparison) outputEqual(i int, numA, numB []bank.Node) bool {
	x, y := c.a.Graph.Outputs()[i], c.b.Graph.Outputs()[c.outs[i]]
	return numA[x.Node] == numB[y.Node] && x.Out == y.Out
}

func (c *comparison) equalOutputs(numA, numB []bank.Node) bool {
	for i := range c.outs {
		if !c.outputEqual(i, numA, numB) {
			return false
		}
	}
	return true
}

// proved reports whether all outputs are equal by construction.
func (c *comparison) proved() bool { return c.equalOutputs(c.numA, c.numB) }

// shared reports whether every weight of either model is paired with one of the
// same numbers, and there is one.
func (c *comparison) shared() bool {
	if len(c.a.Weights) == 0 || len(c.a.Weights) != len(c.b.Weights) || len(c.pairs) != len(c.a.Weights) {
		return false
	}
	return len(c.differing()) == 0
}

// differing are the differences between weights that both models hold.
func (c *comparison) differing() []WeightDifference {
	var list []WeightDifference
	for _, p := range c.pairs {
		if p.differ != nil {
			list = append(list, *p.differ)
		}
	}
	return list
}

// unclear reports whether an opaque node depends on a weight of integers that differs, such
// as axes, which may be another way to write the same.
func (c *comparison) unclear() bool {
	g, from := c.a.Graph, map[graph.NodeID]bool{}
	for _, p := range c.pairs {
		from[p.a] = p.differ != nil && !g.DType(p.a.Out(0)).IsFloat()
	}
	for id := range g.Nodes() {
		for _, t := range g.Operands(id) {
			from[id] = from[id] || from[t.Node]
		}
		if from[id] && isOpaque(g, id) {
			return true
		}
	}
	return false
}

// pairedByName pairs weights of one name and type.
func pairedByName(a, b *model.Model) []weightPair {
	byName := map[string]graph.NodeID{}
	for _, id := range b.Graph.Inputs() {
		if b.Graph.IsWeight(id) {
			byName[b.Graph.Name(id)] = id
		}
	}
	var pairs []weightPair
	for _, id := range a.Graph.Inputs() {
		other, ok := byName[a.Graph.Name(id)]
		if ok && a.Graph.IsWeight(id) && sameType(a.Graph.Type(id.Out(0)), b.Graph.Type(other.Out(0))) {
			pairs = append(pairs, weightPair{a: id, b: other})
		}
	}
	return pairs
}

// pairedByPlace walks both graphs from the outputs, as long as the operators are
// the same, and pairs the weights where it arrives.
func (c *comparison) pairedByPlace() []weightPair {
	g, h := c.a.Graph, c.b.Graph
	seen, taken := map[graph.NodeID]bool{}, map[graph.NodeID]bool{}
	var pairs []weightPair
	type step struct{ a, b graph.Tensor }
	var todo []step
	for i, t := range g.Outputs() {
		todo = append(todo, step{t, h.Outputs()[c.outs[i]]})
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a, b := s.a.Node, s.b.Node
		if seen[a] || s.a.Out != s.b.Out {
			continue
		}
		seen[a] = true
		switch oa, ob := g.Op(a), h.Op(b); {
		case oa == nil && ob == nil:
			if g.IsWeight(a) && h.IsWeight(b) && !taken[b] && sameType(g.Type(s.a), h.Type(s.b)) {
				taken[b] = true
				pairs = append(pairs, weightPair{a: a, b: b})
			}
		case oa == nil || ob == nil || oa.In != ob.In || !sameOperator(g, a, h, b):
		default:
			for i, t := range g.Operands(a) {
				todo = append(todo, step{t, h.Operands(b)[i]})
			}
		}
	}
	return pairs
}
