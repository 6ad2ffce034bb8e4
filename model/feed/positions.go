package feed

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Which elements of a tensor a gather reads is decided by numbers. What follows
// says of a graph from which input each gather has its positions.

// origin says what the elements of a tensor are computed from.
type origin struct {
	known bool // nothing that is fed: weights and constants
	// input, if not 0: each element is computed from one element of this input of
	// integers, and weights.
	input graph.NodeID
	moved bool // each element is that element, moved
}

// origins finds them for every node of a graph.
func origins(g *graph.Graph) []origin {
	from := make([]origin, g.Len()+1)
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil {
			if from[id].known = g.IsWeight(id); !from[id].known && !g.DType(id.Out(0)).IsFloat() {
				from[id].input, from[id].moved = id, true
			}
			continue
		}
		single, fed, moved := graph.NodeID(0), 0, false
		for i, t := range g.Operands(id) {
			if o := from[t.Node]; !o.known {
				fed++
				single, moved = o.input, o.moved && stays(g, id, i)
			}
		}
		switch {
		case fed == 0:
			_, _, opaque := g.Opaque(id)
			from[id].known = !opaque
		case fed == 1 && single != 0 && elementwise(op):
			from[id].input, from[id].moved = single, moved
		}
	}
	return from
}

// stays reports whether the elements of an operand are those of a node's result, in other
// places and beside others.
func stays(g *graph.Graph, id graph.NodeID, operand int) bool {
	op, t := g.Op(id), g.DType(id.Out(0))
	looks := op.Places != nil && operand > 0 // rows of a table at these places
	return op.Moves && !looks && !t.IsFloat() && t.Bytes() >= 4
}

// elementwise reports whether each element of an operator's result is computed
// from at most one element of each operand.
func elementwise(op *graph.Op) bool { return op.Pointwise || op.Elementwise || op.Moves }

// Picking is a gather whose positions are not fixed.
type Picking struct {
	Node   graph.NodeID
	Rows   int64        // of its table
	Input  graph.NodeID // of the positions; 0 if they are computed from more
	Moved  bool         // the positions are elements of the input as they are
	Spread int64        // multiplications to read all rows at all positions
}

// Pickings are the gathers of a graph that an output depends on and whose
// positions are not fixed.
func Pickings(g *graph.Graph) []Picking {
	from, uses := origins(g), interp.Readers(g)
	var list []Picking
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
		if rows == 0 {
			continue // there are no positions
		}
		list = append(list, Picking{Node: id, Rows: rows, Input: o.input, Moved: o.moved,
			Spread: graph.Product(int(rows), graph.NumElements(g.Sizes(id.Out(0))))})
	}
	return list
}

// Input is an input of a model, and what may be fed to it.
type Input struct {
	Name string
	Type graph.TensorType
	// Below: of an input that is not of floating-point numbers, its elements are 0 to
	// Below - 1. Positions: all gathers that read it have a row for each of these.
	// Otherwise it is 2, because nothing is known that larger numbers would not break.
	Below     int64
	Positions bool
	// Rows, if not 0: its elements as they are pick rows of a table that has so many, and
	// are -Rows to Rows - 1, negative ones from the end. Where positions are computed from
	// them, such as by a maximum with 0, others may make sense too.
	Rows int64
	// Divides: integers are divided by its elements, so that none of them may be 0.
	Divides bool
	// Default, if not nil, is what the input is if nothing is fed.
	Default *model.Weight
}

// Of are the inputs of a model, with their defaults.
func Of(m *model.Model) []Input {
	list := Inputs(m.Graph)
	for i := range list {
		list[i].Default = m.Standard[list[i].Name]
	}
	return list
}

// Inputs are the inputs of a graph that are no weights, in its order.
func Inputs(g *graph.Graph) []Input {
	var list []Input
	picks, divisors := Pickings(g), divisors(g)
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			continue
		}
		in := Input{Name: g.Name(id), Type: g.Type(id.Out(0)), Below: 2, Divides: divisors[id]}
		for _, k := range picks {
			if k.Input == id && (!in.Positions || k.Rows < in.Below) {
				in.Below, in.Positions = k.Rows, true
			}
			if k.Input == id && k.Moved {
				in.Rows = fewer(in.Rows, k.Rows)
			}
		}
		list = append(list, in)
	}
	return list
}

// divisors are the inputs whose elements divide integers as they are, or with another sign
// or type.
func divisors(g *graph.Graph) map[graph.NodeID]bool {
	source := make([]graph.NodeID, g.Len()+1) // the input whose elements a node has, if not 0
	found := map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		op := g.Op(id)
		switch {
		case op == nil:
			if g.DType(id.Out(0)).IsInt() && !g.IsWeight(id) {
				source[id] = id
			}
		case (op.Moves && op.Places == nil || op.Name == "cast" || op.Name == "neg" || op.Name == "abs") && g.DType(id.Out(0)).IsInt():
			for _, t := range g.Operands(id) {
				source[id] = max(source[id], source[t.Node])
			}
		case op.Name == "ewint":
			fn, _ := g.Attrs(id)[0].Name()
			if by := source[g.Operands(id)[1].Node]; by != 0 && slices.Contains([]string{"quo", "rem", "mod"}, fn) {
				found[by] = true
			}
		}
	}
	return found
}

// Both is an input that is fed to two models alike: positions are such that both
// have a row for them.
func (in Input) Both(other Input) Input {
	in.Rows, in.Divides = fewer(in.Rows, other.Rows), in.Divides || other.Divides
	switch {
	case in.Positions && other.Positions:
		in.Below = min(in.Below, other.Below)
	case other.Positions:
		in.Below, in.Positions = other.Below, true
	}
	return in
}

// fewer is the smaller of two numbers of rows, 0 being none.
func fewer(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Pair finds for each input of a the place of the one in b that corresponds: that
// of the same name, if b has all the names of a, and that at the same place
// otherwise. b must have as many inputs as a.
func Pair(a, b []Input) []int {
	at := map[string]int{}
	for i, in := range b {
		at[in.Name] = i
	}
	byName, places := true, make([]int, len(a))
	for i, in := range a {
		j, ok := at[in.Name]
		places[i], byName = j, byName && ok
	}
	for i := range places {
		if !byName {
			places[i] = i
		}
	}
	return places
}
