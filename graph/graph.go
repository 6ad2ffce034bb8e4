package graph

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

// Limits on what a Graph may hold. They keep every later computation on sizes
// inside 64 bits; no model comes near them.
const (
	MaxRank     = 32        // axes of a tensor
	MaxSize     = 1<<31 - 1 // elements along one axis, and any integer attribute
	MaxElements = 1 << 40   // elements of a tensor
)

// NodeID is a node of a Graph: an input or an operator application. 0 is none.
// Ids count from 1, and a node's id is above those of its operands.
type NodeID uint32

// Out is output i of the node as a tensor of the graph.
func (id NodeID) Out(i int) Tensor { return Tensor{Node: id, Out: uint32(i)} }

// Tensor names a tensor of a Graph: one output of one node (an input has one).
type Tensor struct {
	Node NodeID
	Out  uint32
}

// Graph is a directed acyclic graph of operators over typed inputs, with
// concrete sizes. It is made by a [Builder] and does not change afterwards, so
// it may be read by any number of goroutines.
//
// Nodes lie in parallel slices indexed by NodeID; index 0 is not used.
type Graph struct {
	op    []*Op    // nil for an input
	attrs []Attrs  // of op
	name  []string // unique
	first []uint32 // operands of id: in[first[id]:first[id+1]]
	in    []Tensor
	val   []uint32 // outputs of id: sizes[val[id]:val[id+1]]
	sizes [][]int
	dtype []DType // as sizes

	weight []bool // of id: an input that belongs to the model
	opaque map[NodeID]*opaque

	// What has variables of dynamic sizes; see [Sizing].
	sizing    *Sizing
	shapes    map[Tensor]Shape
	openAttrs map[NodeID]Attrs

	inputs  []NodeID
	outputs []Tensor
}

// Len is the number of nodes, inputs included. The ids are 1 to Len.
func (g *Graph) Len() int { return len(g.op) - 1 }

// Nodes iterates over all nodes, operands before their users.
func (g *Graph) Nodes() iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for id := 1; id < len(g.op); id++ {
			if !yield(NodeID(id)) {
				return
			}
		}
	}
}

// Inputs are the graph's inputs in the order in which they were added, weights
// included. The caller must not write to the slice; the same holds for all
// slices below.
func (g *Graph) Inputs() []NodeID { return g.inputs }

// Outputs are the graph's outputs, at least one.
func (g *Graph) Outputs() []Tensor { return g.outputs }

// IsWeight reports whether a node is an input that belongs to the model: its
// value is stored with it and is the same in every run.
func (g *Graph) IsWeight(id NodeID) bool { return g.weight[id] }

// Op is the operator that a node applies, nil for an input. An opaque node has
// an operator of its own, that no other node has, see [Graph.Opaque].
func (g *Graph) Op(id NodeID) *Op { return g.op[id] }

// Attrs are the attribute values of a node's operator.
func (g *Graph) Attrs(id NodeID) Attrs { return g.attrs[id] }

// Unreal reports whether an attribute of a node is no real number, such as the -inf with
// which the border of a maximum is padded, or its results are infinite, as the largest of
// no elements is. Bounds of clip that bound nothing do not count.
func (g *Graph) Unreal(id NodeID) bool {
	if strings.HasSuffix(g.op[id].Name, "reducemax") && slices.Contains(g.Sizes(g.Operands(id)[0]), 0) {
		return true
	}
	for i, v := range g.attrs[id] {
		x, ok := v.Number()
		absent := g.op[id].Name == "clip" && (i == 0 && math.IsInf(x, -1) || i == 1 && math.IsInf(x, 1))
		if ok && !absent && (math.IsInf(x, 0) || math.IsNaN(x)) {
			return true
		}
	}
	return false
}

// TouchesEmpty reports whether an operand or a result of a node has no elements. No law
// speaks of such a node: they are about sizes of at least 1. Results of a derived operator
// are computed one by one: that another one has no elements says nothing of one.
func (g *Graph) TouchesEmpty(id NodeID) bool {
	empty := func(t Tensor) bool { return slices.Contains(g.Sizes(t), 0) }
	if slices.ContainsFunc(g.Operands(id), empty) {
		return true
	}
	if op := g.op[id]; op != nil && op.Expand != nil {
		return false
	}
	for i := range g.NumOut(id) {
		if empty(id.Out(i)) {
			return true
		}
	}
	return false
}

// Filled are those of the tensors that have elements.
func (g *Graph) Filled(ts []Tensor) []Tensor {
	return slices.DeleteFunc(slices.Clone(ts), func(t Tensor) bool { return slices.Contains(g.Sizes(t), 0) })
}

// Operands are the tensors a node's operator is applied to.
func (g *Graph) Operands(id NodeID) []Tensor { return g.in[g.first[id]:g.first[id+1]] }

// Name is a node's name; no two nodes of a graph share one.
func (g *Graph) Name(id NodeID) string { return g.name[id] }

// NumOut is the number of a node's outputs.
func (g *Graph) NumOut(id NodeID) int { return int(g.val[id+1] - g.val[id]) }

// Sizes are the sizes of a tensor's axes.
func (g *Graph) Sizes(t Tensor) []int { return g.sizes[g.val[t.Node]+t.Out] }

// DType is the element type of a tensor.
func (g *Graph) DType(t Tensor) DType { return g.dtype[g.val[t.Node]+t.Out] }

// Type is the element type and the sizes of a tensor.
func (g *Graph) Type(t Tensor) TensorType { return TensorType{g.DType(t), g.Sizes(t)} }

// Find is the node of that name.
func (g *Graph) Find(name string) (NodeID, bool) {
	for id := 1; id < len(g.name); id++ {
		if g.name[id] == name {
			return NodeID(id), true
		}
	}
	return 0, false
}

// Equal reports whether two graphs are the same: the same nodes with the same
// names in the same order, the same inputs and outputs. [Graph.Hash] compares
// regardless of names and order.
func (g *Graph) Equal(h *Graph) bool {
	if len(g.op) != len(h.op) || !slices.Equal(g.inputs, h.inputs) || !slices.Equal(g.outputs, h.outputs) ||
		!slices.Equal(g.first, h.first) || !slices.Equal(g.in, h.in) || !slices.Equal(g.val, h.val) ||
		!slices.Equal(g.dtype, h.dtype) || !slices.Equal(g.weight, h.weight) {
		return false
	}
	for id := 1; id < len(g.op); id++ {
		a, b := g.opaque[NodeID(id)], h.opaque[NodeID(id)]
		if (a == nil) != (b == nil) || a != nil && !a.equal(b) || a == nil && g.op[id] != h.op[id] ||
			g.name[id] != h.name[id] || !g.OpenAttrs(NodeID(id)).Equal(h.OpenAttrs(NodeID(id))) {
			return false
		}
	}
	if !g.sizing.Equal(h.sizing) || !maps.EqualFunc(g.shapes, h.shapes, Shape.Equal) {
		return false
	}
	for i := range g.sizes {
		if !slices.Equal(g.sizes[i], h.sizes[i]) {
			return false
		}
	}
	return true
}

// WithoutDead is the graph without the operators that no output depends on;
// inputs stay, because they are how a graph is called. It is g itself if there
// is nothing to remove.
func (g *Graph) WithoutDead() *Graph {
	live := g.live()
	dead := 0
	for id := 1; id < len(g.op); id++ {
		if !live[id] && g.op[id] != nil {
			dead++
		}
	}
	if dead == 0 {
		return g
	}
	h := empty()
	to := make([]NodeID, len(g.op))
	for id := range g.Nodes() {
		if live[id] || g.op[id] == nil {
			to[id] = h.copyNode(g, id, g.name[id], to)
		}
	}
	h.outputs = moved(g.outputs, to)
	return h
}

func empty() *Graph {
	return &Graph{op: []*Op{nil}, attrs: []Attrs{nil}, name: []string{""},
		first: []uint32{0, 0}, val: []uint32{0, 0}, weight: []bool{false}}
}

// push appends a node that is known to be right.
func (g *Graph) push(op *Op, a Attrs, name string, ts []DType, in []Tensor, sizes [][]int) NodeID {
	id := NodeID(len(g.op))
	g.op, g.attrs, g.name, g.weight = append(g.op, op), append(g.attrs, a), append(g.name, name), append(g.weight, false)
	g.in, g.sizes, g.dtype = append(g.in, in...), append(g.sizes, sizes...), append(g.dtype, ts...)
	g.first, g.val = append(g.first, uint32(len(g.in))), append(g.val, uint32(len(g.sizes)))
	if op == nil {
		g.inputs = append(g.inputs, id)
	}
	return id
}

// WorkOf is the abstract cost of one node: nothing for an input.
func (g *Graph) WorkOf(id NodeID) Work {
	op := g.op[id]
	if op == nil {
		return Work{}
	}
	var in [][]int
	for _, t := range g.Operands(id) {
		in = append(in, g.Sizes(t))
	}
	w := op.WorkOf(g.attrs[id], in, g.sizes[g.val[id]:g.val[id+1]])
	w.BytesRead, w.BytesWrite = 0, 0 // WorkOf counts 4 bytes an element
	for _, t := range g.Operands(id) {
		w.BytesRead = addSat(w.BytesRead, g.Type(t).Bytes())
	}
	for i := range g.NumOut(id) {
		w.BytesWrite = addSat(w.BytesWrite, g.Type(id.Out(i)).Bytes())
	}
	return w
}

// Work is the sum over all nodes, dead ones included; sums that leave 63 bits
// stay at the largest int64.
func (g *Graph) Work() Work {
	var sum Work
	for id := range g.Nodes() {
		w := g.WorkOf(id)
		sum.FLOPs = addSat(sum.FLOPs, w.FLOPs)
		sum.BytesRead = addSat(sum.BytesRead, w.BytesRead)
		sum.BytesWrite = addSat(sum.BytesWrite, w.BytesWrite)
	}
	return sum
}

// describe is a tensor with its shape for messages: "x float32[2, 3]".
func (g *Graph) describe(t Tensor) string {
	return fmt.Sprintf("%s %s%s", g.tensorName(t), g.DType(t), Sizes(g.Sizes(t)...))
}

// tensorName is a tensor's name in the text form: the node's, with ".i" if the
// operator has several outputs.
func (g *Graph) tensorName(t Tensor) string {
	s := quoteName(g.name[t.Node])
	if op := g.op[t.Node]; op != nil && op.Out > 1 {
		s += fmt.Sprintf(".%d", t.Out)
	}
	return s
}
