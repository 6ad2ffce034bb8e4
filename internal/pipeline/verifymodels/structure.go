package verifymodels

import (
	"bytes"
	"slices"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Value numbering over both models at once: nodes with the same number apply the
// same operator with the same attributes to the same operands, down to the same
// inputs and the same weights. They compute the same whatever is fed, and no run
// is needed to know it.

// value is one output of all nodes with a number.
type value struct {
	node int
	out  uint32
}

// numbering gives numbers to nodes. Leaves have theirs from the caller, below 0.
type numbering struct {
	known map[uint64][]numbered // by a hash of what is compared
	count int
}

type numbered struct {
	m  *model.Model
	id graph.NodeID
	in []value
	n  int
}

// of numbers the nodes of a model that an output depends on; the others have 0.
// leaf is the number of an input or a weight, below 0.
func (v *numbering) of(m *model.Model, leaf func(graph.NodeID) int) []int {
	if v.known == nil {
		v.known = map[uint64][]numbered{}
	}
	g := m.Graph
	uses := interp.Readers(g)
	num := make([]int, g.Len()+1)
	for id := range g.Nodes() {
		op := g.Op(id)
		switch {
		case uses[id] == 0:
			continue
		case op == nil:
			num[id] = leaf(id)
			continue
		case drawsNumbers(g, id):
			v.count++ // equal to nothing, not even to itself in another run
			num[id] = v.count
			continue
		}
		in := make([]value, op.In)
		hash := uint64(len(op.Name))
		for _, c := range []byte(op.Name) {
			hash = fingerprint.Mix(hash ^ uint64(c))
		}
		for i, t := range g.Operands(id) {
			in[i] = value{num[t.Node], t.Out}
		}
		if op.Commutative {
			slices.SortFunc(in, func(a, b value) int {
				if a.node != b.node {
					return a.node - b.node
				}
				return int(a.out) - int(b.out)
			})
		}
		for _, x := range in {
			hash = fingerprint.Mix(hash ^ uint64(x.node)<<8 ^ uint64(x.out))
		}
		me := numbered{m: m, id: id, in: in}
		for _, other := range v.known[hash] {
			if me.same(other) {
				me.n = other.n
				break
			}
		}
		if me.n == 0 {
			v.count++
			me.n = v.count
			v.known[hash] = append(v.known[hash], me)
		}
		num[id] = me.n
	}
	return num
}

// same reports whether two nodes compute the same by construction.
func (a numbered) same(b numbered) bool {
	g, h := a.m.Graph, b.m.Graph
	if !slices.Equal(a.in, b.in) || !sameOperator(g, a.id, h, b.id) {
		return false
	}
	for i := range g.NumOut(a.id) {
		if !sameType(g.Type(a.id.Out(i)), h.Type(b.id.Out(i))) {
			return false
		}
	}
	return true
}

// sameOperator reports whether two nodes are the same function of their operands,
// for operands of the same types.
func sameOperator(g *graph.Graph, a graph.NodeID, h *graph.Graph, b graph.NodeID) bool {
	if isOpaque(g, a) || isOpaque(h, b) {
		return isOpaque(g, a) && isOpaque(h, b) && bytes.Equal(g.OpaqueDigest(a), h.OpaqueDigest(b)) &&
			opset(g, a) == opset(h, b) && kindOf(g, a) == kindOf(h, b) && g.NumOut(a) == h.NumOut(b)
	}
	return g.Op(a) == h.Op(b) && g.Attrs(a).Equal(h.Attrs(b))
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
	numA, numB []int
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
	var content contents
	if err := content.read(a, b); err != nil {
		return nil, err
	}
	leaf := func(own map[graph.NodeID]int, m *model.Model, weight func(graph.NodeID) int) func(graph.NodeID) int {
		return func(id graph.NodeID) int {
			if n, ok := own[id]; ok {
				return n
			}
			return -1 - len(ins) - weight(id)
		}
	}
	var all numbering
	c.numA = all.of(a, leaf(c.leafA, a, func(id graph.NodeID) int { return content.of[a.Weights[id]] }))
	c.numB = all.of(b, leaf(c.leafB, b, func(id graph.NodeID) int { return content.of[b.Weights[id]] }))

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
		var v numbering
		numA := v.of(a, leaf(c.leafA, a, number(a, ofA)))
		numB := v.of(b, leaf(c.leafB, b, number(b, ofB)))
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
func (c *comparison) outputEqual(i int, numA, numB []int) bool {
	x, y := c.a.Graph.Outputs()[i], c.b.Graph.Outputs()[c.outs[i]]
	return numA[x.Node] == numB[y.Node] && x.Out == y.Out
}

func (c *comparison) equalOutputs(numA, numB []int) bool {
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
