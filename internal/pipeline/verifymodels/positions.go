package verifymodels

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Which elements of a tensor a gather reads is decided by numbers, so that a run
// may read few of them. What follows says of a graph from which input each
// gather has its positions, so that all values of that input can be tried.

// origin says what the elements of a tensor are computed from.
type origin struct {
	known bool // nothing that is fed: weights and constants
	// input, if not 0: each element is computed from one element of this input of
	// integers, and weights.
	input graph.NodeID
}

// origins finds them for every node of a graph.
func origins(g *graph.Graph) []origin {
	from := make([]origin, g.Len()+1)
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil {
			if from[id].known = g.IsWeight(id); !from[id].known && !g.DType(id.Out(0)).IsFloat() {
				from[id].input = id
			}
			continue
		}
		single, fed := graph.NodeID(0), 0
		for _, t := range g.Operands(id) {
			if o := from[t.Node]; !o.known {
				fed++
				single = o.input
			}
		}
		switch {
		case fed == 0:
			from[id].known = !isOpaque(g, id)
		case fed == 1 && single != 0 && elementwise(op):
			from[id].input = single
		}
	}
	return from
}

// elementwise reports whether each element of an operator's result is computed
// from at most one element of each operand.
func elementwise(op *graph.Op) bool { return op.Pointwise || op.Elementwise || op.Moves }

// picking is a gather whose positions are not fixed.
type picking struct {
	id     graph.NodeID
	rows   int64
	input  graph.NodeID // of the positions; 0 if they are computed from more
	spread int64        // multiplications to read all rows at all positions
}

// pickings are the gathers of a graph that an output depends on and whose
// positions are not fixed.
func pickings(g *graph.Graph) []picking {
	from, uses := origins(g), interp.Readers(g)
	var list []picking
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || op.Name != "gather" || uses[id] == 0 {
			continue
		}
		in := g.Operands(id)
		o := from[in[1].Node]
		if o.known {
			continue
		}
		d, _ := g.Attrs(id)[op.ParamIndex("axis")].Dim()
		axis, _ := d.Const()
		rows := int64(g.Sizes(in[0])[axis])
		list = append(list, picking{id: id, rows: rows, input: o.input,
			spread: graph.Product(int(rows), graph.NumElements(g.Sizes(id.Out(0))))})
	}
	return list
}

// bound limits the values of an integer input to those that all gathers that read
// it have a row for: 2 if there is none, and then index is false.
func bound(g *graph.Graph, input graph.NodeID) (below int64, index bool) {
	below = 2
	for _, k := range pickings(g) {
		if k.input == input && (!index || k.rows < below) {
			below, index = k.rows, true
		}
	}
	return below, index
}

// values is the number of runs in which every element of every integer input
// takes each of its values, given what has to be read row by row. Integers that
// are no positions are 0 and 1, and larger ones in every third run.
func (c *comparison) values(rows func(in input) bool) int {
	n := int64(1)
	for _, in := range c.ins {
		switch {
		case in.typ.DType.IsFloat():
		case in.index && rows(in):
			n = max(n, in.below)
		case in.typ.DType == graph.Bool:
			n = max(n, in.below)
		case !in.index:
			n = max(n, in.below+1) // and one with larger integers
		}
	}
	return int(n)
}

// apart reports which index inputs pick from what is not the same in both
// models: a gather that both have reads the same from either, whatever it reads.
// computed names the gathers that are not the same and whose positions depend on
// more than one element of an input.
func (c *comparison) apart() (rows func(in input) bool, computed []string) {
	picks := map[int]bool{}
	for side, m := range []*model.Model{c.a, c.b} {
		own, other := c.numA, c.numB
		if side == 1 {
			own, other = other, own
		}
		for _, k := range pickings(m.Graph) {
			switch {
			case slices.Contains(other, own[k.id]):
			case k.input == 0:
				computed = append(computed, fmt.Sprintf("%s of %s", m.Graph.Name(k.id), m.Name))
			default:
				picks[c.inputOf(side, k.input)] = true
			}
		}
	}
	return func(in input) bool { return picks[in.number] }, computed
}

// inputOf is the number of an input node of A or B.
func (c *comparison) inputOf(side int, id graph.NodeID) int {
	if side == 0 {
		return -1 - c.leafA[id]
	}
	return -1 - c.leafB[id]
}
